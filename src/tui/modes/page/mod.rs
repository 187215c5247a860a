//! DETAILS, MESSAGES and MISTAKES: a page of text to read.

pub mod details;
mod draw;
mod entries;
mod keys;
mod messages;
mod tree;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use ratatui::layout::Rect;
use ratatui::text::Span;
use serde_json::Value;

use self::details::Details;
pub use self::keys::Action;
use super::help;
use crate::protocol::params::{Log, StatusParams, Stream};
use crate::protocol::reply::LogLines;
use crate::protocol::{Action as Request, Record, SessionId};
use crate::term::sanitize::clean;
use crate::tui::bar::Bar;
use crate::tui::keymap::{KeyAction, KeyPress};
use crate::tui::message::{Cmd, Effect, RequestKind};
use crate::tui::model::Model;
use crate::tui::model::mode::{Handlers, Hints, Mode, Needs};
use crate::tui::model::typing::Letter;
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;
use crate::tui::{hints, status};

/// Maximum number of recorded writes shown.
const TYPED: u64 = 100;

/// The mode: a page and its scroll position.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// What it is about.
    subject: Subject,
    /// Index of the first visible line.
    top: usize,
}

/// Whether the message history is open.
pub fn shows_messages(model: &Model) -> bool {
    let page = model.state::<Page>();
    page.is_some_and(|page| page.subject == Subject::Messages)
}

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
enum Subject {
    /// The details of a job.
    Details(Box<Details>),
    /// The message history.
    Messages,
    /// The mistakes in a project file: a title, and the mistakes.
    Faults(String, Vec<String>),
}

/// Opens the details of the selected job.
pub fn details(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(id) = model.current().map(|job| job.id().clone()) else {
        model.note_no_job("There is no job to tell about.");
        return;
    };
    let subject = Subject::Details(Box::new(Details::new(id.clone())));
    model.enter(Page { subject, top: 0 });
    request(model, &id, cmds);
}

/// Opens the message history.
pub fn messages(model: &mut Model) {
    let subject = Subject::Messages;
    model.enter(Page { subject, top: 0 });
}

/// Shows mistakes in a project file.
pub fn faults(model: &mut Model, title: String, faults: &[&str]) {
    let faults = faults.iter().map(|fault| clean(fault)).collect();
    let subject = Subject::Faults(title, faults);
    model.enter(Page { subject, top: 0 });
    model.dirty = true;
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let Some(page) = model.state::<Page>() else {
        return;
    };
    let (lines, height) = draw::size(model, page);
    let last = lines.saturating_sub(height);
    let top = page.top.min(last);
    let Some(action) = model.keymap.action(&press.name) else {
        let name = &press.name;
        let back = hints::sentence(model, Action::Leave, "goes back");
        model.note(format!("No command on \"{name}\" here.{back}"));
        return;
    };
    let top = match action {
        Action::LineDown => top + 1,
        Action::LineUp => top.saturating_sub(1),
        Action::PageDown => top + height,
        Action::PageUp => top.saturating_sub(height),
        Action::Top => 0,
        Action::Last => last,
        Action::Copy => {
            let what = format!("the {}", page.name().to_lowercase());
            let text = draw::plain(model, page);
            cmds.push(Cmd::Effect(Effect::Copy(text, what)));
            return;
        }
        Action::Palette => return model.open_commands(),
        Action::Help => return help::open(model),
        Action::Leave => return model.leave(),
    };
    if let Some(page) = model.state_mut::<Page>() {
        page.top = top.min(last);
    }
}

fn scroll(model: &mut Model, rows: isize) {
    let Some(page) = model.state::<Page>() else {
        return;
    };
    let (lines, height) = draw::size(model, page);
    let last = lines.saturating_sub(height);
    if let Some(page) = model.state_mut::<Page>() {
        page.top = page.top.min(last).saturating_add_signed(rows).min(last);
    }
}

impl Mode for Page {
    fn name(&self) -> &'static str {
        match self.subject {
            Subject::Details(_) => "DETAILS",
            Subject::Messages => "MESSAGES",
            Subject::Faults(..) => "MISTAKES",
        }
    }

    fn tone(&self) -> Tone {
        Tone::Calm
    }

    fn handlers(&self) -> Handlers {
        Handlers {
            scroll,
            ..Handlers::of_keys(press)
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            window: true,
            usage: true,
            ..Needs::default()
        }
    }

    fn reads(&self, _: &Model) -> Option<&'static str> {
        Some(Action::CONTEXT.name)
    }

    fn letter(&self, model: &Model, name: &str) -> Letter {
        match model.keymap.action(name) {
            None => Letter::Nothing,
            Some(Action::Palette | Action::Help) => Letter::Opens,
            Some(Action::Copy | Action::Leave) => Letter::Reads,
            Some(_) => Letter::Motion,
        }
    }

    fn forget(&mut self, id: &SessionId) -> bool {
        matches!(&self.subject, Subject::Details(about) if about.id == *id)
    }

    fn disconnected(&mut self, _now_ms: i64) {
        if let Subject::Details(about) = &mut self.subject {
            about.pending = None;
        }
    }

    /// The position in the page.
    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        let mut bar = status::bar(model, area);
        let (lines, height) = draw::size(model, self);
        let bottom = (self.top + height).min(lines);
        let place = format!("{bottom}/{lines}");
        bar.right(2, vec![Span::styled(place, model.theme.dim())]);
        status::add_hint(model, &mut bar, 1, hints::hint(model, Action::Copy));
        Some(bar)
    }

    fn hints(&self, model: &Model) -> Hints {
        let scroll = [Action::LineDown, Action::PageDown];
        Hints {
            keys: hints::to_scroll(model, draw::size(model, self), &scroll),
            exits: hints::hints(model, &[Action::Leave]),
        }
    }

    fn draw(&self, model: &Model, _: Rect, canvas: &mut Canvas) {
        draw::draw(model, self, canvas.buffer_mut());
    }
}

/// After an event of a job: requests its open page again, once for several events in a row.
pub fn job_changed(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    if about(model, id).is_some() {
        request(model, id, cmds);
    }
}

/// Requests the open page again, if it is the details of a job.
pub fn refresh(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(page) = model.state::<Page>() else {
        return;
    };
    if let Subject::Details(about) = &page.subject {
        let id = about.id.clone();
        request(model, &id, cmds);
    }
}

/// Stores the record; requests it again if more has happened since.
pub fn record_received(model: &mut Model, id: &SessionId, value: Value, cmds: &mut Vec<Cmd>) {
    let Some(about) = about(model, id) else {
        return;
    };
    let again = about.pending.take() == Some(true);
    if let Ok(record) = serde_json::from_value::<Record>(value) {
        about.record = Some(Box::new(record));
        model.dirty = true;
    }
    if again {
        request(model, id, cmds);
    }
}

/// Stores the typed input.
pub fn typed_received(model: &mut Model, id: &SessionId, value: Value) {
    if let (Some(about), Ok(typed)) = (about(model, id), serde_json::from_value::<LogLines>(value))
    {
        about.typed = typed.lines;
        model.dirty = true;
    }
}

/// Handles an error reply.
pub fn failed(model: &mut Model, id: &SessionId) {
    if let Some(about) = about(model, id) {
        about.pending = None;
    }
}

fn about<'a>(model: &'a mut Model, id: &SessionId) -> Option<&'a mut Details> {
    match &mut model.state_mut::<Page>()?.subject {
        Subject::Details(about) if about.id == *id => Some(about),
        _ => None,
    }
}

fn request(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    let Some(about) = about(model, id) else {
        return;
    };
    if let Some(again) = &mut about.pending {
        *again = true;
        return;
    }
    about.pending = Some(false);
    let params = StatusParams {
        session_id: id.to_string(),
        detail: Some(true),
        ..StatusParams::default()
    };
    cmds.push(Cmd::Request(
        RequestKind::Details(id.clone()),
        Request::Status(params),
    ));
    let typed = Log {
        session_id: Some(id.to_string()),
        stream: Some(Stream::Input),
        tail: Some(TYPED),
        ..Log::default()
    };
    cmds.push(Cmd::Request(
        RequestKind::Typed(id.clone()),
        Request::Log(typed),
    ));
}
