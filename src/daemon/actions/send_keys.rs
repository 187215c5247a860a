//! `send_keys`: presses keys, and clicks with the mouse.

use std::borrow::Cow;
use std::rc::Rc;

use super::write::reaction;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::keystrokes::Keystrokes;
use crate::daemon::requests::target::Target;
use crate::daemon::sessions::input::MAX_WAITING;
use crate::daemon::transport::Answer;
use crate::protocol::bounds::{MAX_CLICKS, MAX_REPEAT, MAX_WHEEL};
use crate::protocol::condition::WaitSpec;
use crate::protocol::params::{Click, KeyInput, MouseButton, Scroll, SendKeys};
use crate::protocol::status::Mode;
use crate::protocol::{Error, ErrorCode};
use crate::term::keyparse::{Button, Mouse, MouseKind};
use crate::term::keys;
use crate::term::mousereport::report;

/// Handles the action `send_keys`.
pub(super) async fn send_keys(hub: &Hub, client: &Rc<Client>, params: SendKeys) -> Answer {
    let target = Target::find(hub, client, &params.session_id)?;
    target.check_allowed(client)?;
    if target.mode == Mode::Pipe {
        return Err(Error::new(
            ErrorCode::NotATty,
            format!("Session {} has pipes, not a terminal", target.id),
        )
        .hint("`write` sends text, and its `eof` ends the input; `signal` with INT is ctrl-C"));
    }
    let repeat = params.repeat.unwrap_or(1);
    if repeat > MAX_REPEAT {
        return Err(Error::invalid(format!(
            "`repeat` is at most {MAX_REPEAT}, not {repeat}"
        )));
    }
    let mut once = Vec::new();
    for key in &params.keys {
        match key {
            KeyInput::Text { text } => once.extend_from_slice(pressed(text, &target).as_bytes()),
            KeyInput::Name(name) => {
                // A client that writes a newline as a key means the key that makes one.
                let is_newline = matches!(name.as_str(), "\n" | "\r" | "\r\n");
                let name = if is_newline { "Enter" } else { name };
                let bytes = keys::encode(name, target.modes);
                once.extend(bytes.map_err(|unknown| invalid_key(&unknown))?);
            }
            KeyInput::Click { click } => once.extend(clicked(hub, &target, *click)?),
            KeyInput::Scroll { scroll } => once.extend(scrolled(hub, &target, *scroll)?),
        }
    }
    let own = WaitSpec::of(params.until, params.fail, params.view, params.wait_ms);
    let typed = target.echoed(client, &once);
    let plan = reaction(client, &target, params.wait.as_ref(), &own, typed)?;
    client.types(&target.id, typed);
    let since = params.wait.as_ref().and_then(|spec| spec.since.as_deref());
    // More than may ever wait is not even repeated. `^C` is taken also while the limit is reached.
    let length = once.len().saturating_mul(repeat as usize);
    if length > MAX_WAITING {
        target.check_room(length)?;
    }
    let keystrokes = Keystrokes {
        bytes: once.repeat(repeat as usize),
        ..Keystrokes::default()
    };
    keystrokes.type_into(client, target, plan, since).await
}

/// The text as the keys that a person presses for it: Enter at the end of a line. A terminal that collects lines turns
/// both CR and LF into the end of a line; a program that reads keys gets them as they are, and LF is `^J`.
fn pressed<'t>(text: &'t str, target: &Target) -> Cow<'t, str> {
    let reads_keys = target.line_discipline().is_some_and(|line| !line.canonical);
    if reads_keys && text.contains('\n') {
        text.replace("\r\n", "\r").replace('\n', "\r").into()
    } else {
        text.into()
    }
}

/// The bytes of a click.
fn clicked(hub: &Hub, target: &Target, click: Click) -> Result<Vec<u8>, Error> {
    let count = click.count.unwrap_or(1);
    if !(1..=MAX_CLICKS).contains(&count) {
        return Err(Error::invalid(format!(
            "`count` of a click is from 1 to {MAX_CLICKS}, not {count}"
        )));
    }
    let button = match click.button.unwrap_or_default() {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    };
    let kinds = [MouseKind::Down(button), MouseKind::Up(button)];
    let once = mouse(hub, target, (click.row, click.col), &kinds)?;
    Ok(once.repeat(usize::from(count)))
}

/// The bytes of a turn of the wheel.
fn scrolled(hub: &Hub, target: &Target, scroll: Scroll) -> Result<Vec<u8>, Error> {
    if scroll.lines.unsigned_abs() > MAX_WHEEL.unsigned_abs() {
        return Err(Error::invalid(format!(
            "`lines` of a scroll is from -{MAX_WHEEL} to {MAX_WHEEL}, not {}",
            scroll.lines
        )));
    }
    let kind = match scroll.lines {
        ..0 => MouseKind::ScrollUp,
        0.. => MouseKind::ScrollDown,
    };
    let once = mouse(hub, target, (scroll.row, scroll.col), &[kind])?;
    Ok(once.repeat(usize::from(scroll.lines.unsigned_abs())))
}

/// The bytes that report events of the mouse at a row and a column, as the program has asked for them.
fn mouse(
    hub: &Hub,
    target: &Target,
    (row, col): (u16, u16),
    kinds: &[MouseKind],
) -> Result<Vec<u8>, Error> {
    let id = &target.id;
    let size = {
        let state = hub.read();
        let session = state.sessions.get(id);
        session.map(|session| session.output.size())
    };
    let size = size.ok_or_else(|| Error::session_not_found(id.as_str()))?;
    if row >= size.rows() || col >= size.cols() {
        return Err(Error::invalid(format!(
            "row {row}, column {col} is outside the screen of {} rows and {} columns, which count from 0",
            size.rows(),
            size.cols()
        )));
    }
    let mut bytes = Vec::new();
    for kind in kinds {
        let event = Mouse {
            kind: *kind,
            col,
            row,
            ctrl: false,
            alt: false,
            shift: false,
        };
        bytes.extend(report(&event, &target.modes).unwrap_or_default());
    }
    if bytes.is_empty() {
        Err(Error::new(
            ErrorCode::Unsupported,
            format!("The program of session {id} does not read the mouse"),
        )
        .hint("use keys"))
    } else {
        Ok(bytes)
    }
}

fn invalid_key(unknown: &keys::UnknownKey) -> Error {
    let error = Error::new(
        ErrorCode::InvalidKey,
        format!("`{}` is not a key", unknown.name),
    );
    let text = serde_json::json!({ "text": unknown.name });
    error.hint(match &unknown.suggestion {
        Some(near) => format!("did you mean `{near}`? As text it is {text}"),
        None => format!("as text it is {text}; keys have the names of tmux: Enter, C-c, F5"),
    })
}
