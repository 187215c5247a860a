//! `write` and `send_keys`: input for a program.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::time::{Duration, Instant};

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::typing::{LAST_PAUSE, Sent, Target};
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::sessions::input::Input;
use crate::daemon::transport::Answer;
use crate::protocol::params::{Encoding, KeyInput, SendKeys, Write};
use crate::protocol::record::Mode;
use crate::protocol::{Error, ErrorCode, Role};
use crate::term::keys;

/// Many programs take text and Enter in one read for a paste, so that Enter
/// comes on its own, once the text is consumed or this has passed.
const SUBMIT_PAUSE: Duration = Duration::from_millis(250);

/// Repetitions of `send_keys` at most.
const MAX_REPEAT: u32 = 10_000;

/// Bracketed paste, as xterm sends it.
const PASTE: (&[u8], &[u8]) = (b"\x1b[200~", b"\x1b[201~");

/// The action `write`.
pub(super) async fn write(hub: &Hub, client: &Rc<Client>, params: Write) -> Answer {
    let target = Target::find(hub, client, &params.session_id)?;
    let ends = [params.newline, params.submit, params.eof];
    if params.data.is_none() && !ends.contains(&Some(true)) {
        return Err(Error::invalid(
            "`write` needs `data`, `newline`, `submit` or `eof`",
        ));
    }
    let mut bytes = decode(
        params.data.unwrap_or_default(),
        params.encoding.unwrap_or_default(),
    )?;
    if params.paste == Some(true) && target.modes.bracketed_paste {
        let text = without_paste_end(&bytes);
        bytes = [PASTE.0, &text, PASTE.1].concat();
    }
    if params.newline == Some(true) {
        bytes.push(b'\n');
    }
    let submit = params.submit == Some(true);
    let eof = params.eof == Some(true);
    let plan = params
        .wait
        .as_ref()
        .map(|spec| Plan::new(client, spec).map(Plan::after_input))
        .transpose()?;
    let mut before = target.mark(hub, client, params.wait.as_ref())?;
    let types = !bytes.is_empty() || submit || eof;
    if types {
        target.take_keyboard()?;
    }
    let passed_on = params.passed_on == Some(true) && target.principal.role == Role::Human;
    let mut sent = Sent::new().passed_on(passed_on);
    bytes.drain(..sent.interrupt(&target, &bytes));
    if sent.bytes > 0 && bytes.is_empty() && !submit && !eof {
        return sent
            .answer(hub, client, plan, before, target.into_id())
            .await;
    }
    target.check_room(bytes.len())?;
    let input = target.input.clone();
    let waiting = input.announce(bytes.len());
    // Held until Enter is out: what was asked for later must not come between.
    let turn = input.turn().await;
    if sent.bytes == 0 && types {
        // A person may have begun while others had their turn. What has begun is
        // finished, so that nobody's line is cut in two.
        target.take_keyboard()?;
        before = target.mark(hub, client, params.wait.as_ref())?;
    }
    sent.check_line(&target, &bytes);
    sent.send(&target, &turn, &bytes).await?;
    if submit && !sent.stuffed() {
        consumed(&input).await;
        sent.send(&target, &turn, b"\r").await?;
    }
    // What was cut must not look like all of it.
    if eof && !sent.stuffed() {
        target.end_of_input(hub, &turn, &mut sent).await?;
    }
    drop((turn, waiting));
    drop(input);
    sent.answer(hub, client, plan, before, target.into_id())
        .await
}

/// The action `send_keys`.
pub(super) async fn send_keys(hub: &Hub, client: &Rc<Client>, params: SendKeys) -> Answer {
    let target = Target::find(hub, client, &params.session_id)?;
    if target.mode == Mode::Pipe {
        return Err(Error::new(
            ErrorCode::NotATty,
            format!("Session {} has pipes, not a terminal", target.id),
        )
        .hint("`write` sends text"));
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
            KeyInput::Text { text } => once.extend_from_slice(text.as_bytes()),
            KeyInput::Name(name) => once
                .extend(keys::encode(name, target.modes).map_err(|unknown| invalid_key(&unknown))?),
        }
    }
    let plan = params
        .wait
        .as_ref()
        .map(|spec| Plan::new(client, spec).map(Plan::after_input))
        .transpose()?;
    target.check_room(once.len().saturating_mul(repeat as usize))?;
    let mut bytes = once.repeat(repeat as usize);
    let mut before = target.mark(hub, client, params.wait.as_ref())?;
    let types = !bytes.is_empty();
    if types {
        target.take_keyboard()?;
    }
    let mut sent = Sent::new();
    bytes.drain(..sent.interrupt(&target, &bytes));
    if sent.bytes > 0 && bytes.is_empty() {
        return sent
            .answer(hub, client, plan, before, target.into_id())
            .await;
    }
    let input = target.input.clone();
    let waiting = input.announce(bytes.len());
    let turn = input.turn().await;
    if sent.bytes == 0 && types {
        target.take_keyboard()?;
        before = target.mark(hub, client, params.wait.as_ref())?;
    }
    sent.send(&target, &turn, &bytes).await?;
    drop((turn, waiting));
    drop(input);
    sent.answer(hub, client, plan, before, target.into_id())
        .await
}

fn invalid_key(unknown: &keys::UnknownKey) -> Error {
    let error = Error::new(
        ErrorCode::InvalidKey,
        format!("`{}` is no key", unknown.name),
    );
    match &unknown.suggestion {
        Some(near) => error.hint(format!(
            "did you mean `{near}`? Text goes as {{\"text\":\"…\"}}"
        )),
        None => error.hint("names are tmux's (Enter, C-c, F5); text goes as {\"text\":\"…\"}"),
    }
}

fn decode(data: String, encoding: Encoding) -> Result<Vec<u8>, Error> {
    match encoding {
        Encoding::Utf8 => Ok(data.into_bytes()),
        Encoding::Base64 => STANDARD
            .decode(data)
            .map_err(|error| Error::invalid(format!("`data` is no base64: {error}"))),
    }
}

/// Until a program has read what was typed, for [`SUBMIT_PAUSE`] at most.
async fn consumed(input: &Input) {
    let deadline = Instant::now() + SUBMIT_PAUSE;
    let mut pause = Duration::from_millis(1);
    while input.unread().is_none_or(|bytes| bytes > 0) && Instant::now() < deadline {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
}

/// A paste that holds the end of a paste would let the rest through as typed.
fn without_paste_end(bytes: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        match rest.strip_prefix(PASTE.1) {
            Some(after) => rest = after,
            None => {
                clean.push(first);
                rest = tail;
            }
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_cannot_end_itself() {
        assert_eq!(without_paste_end(b"a\x1b[201~b\x1b[20"), b"ab\x1b[20");
    }
}
