//! Pastes into a job, and the questions that INSERT asks.

use ratatui::layout::Rect;

use super::Insert;
use super::send::send;
use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::modes::confirm::{self, Answer, Question, several, yes_or_no};
use crate::tui::requests;

/// Pastes with more lines than this need a confirmation if the job does not use bracketed paste.
const PASTE_LINES: usize = 5;

/// Sends a paste. Asks first if the job does not use bracketed paste and the paste is long or
/// contains control characters.
pub(super) fn paste(model: &mut Model, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    let Some(insert) = model.state::<Insert>() else {
        return;
    };
    let is_told = insert.jobs().iter().all(|id| is_bracketed(model, id));
    let risky = lines(bytes) > PASTE_LINES
        || bytes
            .iter()
            .any(|&b| (b < b' ' && !matches!(b, b'\n' | b'\r' | b'\t')) || b == 0x7f);
    if risky && !is_told {
        let insert = insert.clone();
        let bytes = bytes.to_vec();
        confirm::ask(model, SendPaste { insert, bytes }, cmds);
    } else {
        paste_all(model, bytes, cmds);
    }
}

/// Sends a paste: bracketed to jobs that enabled bracketed paste, otherwise as typed.
fn paste_all(model: &mut Model, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    let Some(insert) = model.state::<Insert>() else {
        return;
    };
    for id in insert.jobs() {
        if is_bracketed(model, &id) {
            let whole = [b"\x1b[200~", bytes, b"\x1b[201~"].concat();
            send(model, &id, &whole, cmds);
        } else {
            send(model, &id, bytes, cmds);
        }
    }
}

/// Whether the job's screen is known to have bracketed paste enabled.
fn is_bracketed(model: &Model, id: &SessionId) -> bool {
    model
        .screen(id)
        .is_some_and(|screen| screen.modes().bracketed_paste)
}

/// Number of lines of a paste; terminals send a carriage return for a newline.
fn lines(bytes: &[u8]) -> usize {
    let text = bytes.strip_suffix(b"\r").or(bytes.strip_suffix(b"\n"));
    let text = text.unwrap_or(bytes);
    1 + text.iter().filter(|&&b| b == b'\r' || b == b'\n').count()
}

/// Whether to send a paste that is long or contains control characters.
struct SendPaste {
    insert: Insert,
    bytes: Vec<u8>,
}

impl Question for SendPaste {
    fn bar(&self, model: &Model, area: Rect) -> Bar {
        let n = lines(&self.bytes);
        let lines = if n == 1 { "line" } else { "lines" };
        let into = match self.insert.also.as_slice() {
            [] => vec![format!("{}?", model.name_of(&self.insert.id))],
            _ => several(model, &self.insert.jobs()),
        };
        let what = into.iter().map(|into| format!("{n} {lines} into {into}"));
        let what: Vec<String> = what.chain([format!("{n} {lines}?")]).collect();
        yes_or_no(model, "PASTE", &what, false, area)
    }

    /// No declines the paste only.
    fn answer(self: Box<Self>, model: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>) {
        model.enter(self.insert);
        if answer == Some(Answer::Yes) {
            paste_all(model, &self.bytes, cmds);
        }
    }
}

/// Whether to run the job of INSERT again after it has ended.
pub(super) struct RunAgain(pub(super) Insert);

impl Question for RunAgain {
    fn bar(&self, model: &Model, area: Rect) -> Bar {
        let what = about_end(model, &self.0.id);
        yes_or_no(model, "RUN AGAIN", &what, false, area)
    }

    /// No keeps the ended job open.
    fn answer(self: Box<Self>, model: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>) {
        if answer == Some(Answer::Yes) {
            requests::restart(model, std::slice::from_ref(&self.0.id), cmds);
        }
        model.enter(self.0);
    }
}

/// `lint (exit 1)?` and `lint?`
fn about_end(model: &Model, id: &SessionId) -> Vec<String> {
    let job = model.job(id);
    let with_end = job.map(|job| format!("{} ({})?", job.name, job.word()));
    let name = format!("{}?", model.name_of(id));
    with_end.into_iter().chain([name]).collect()
}
