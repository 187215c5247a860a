//! Pastes into a job, and the question that asks first.

use ratatui::layout::Rect;

use super::send::send;
use super::{Insert, leave_by_key, leaves};
use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::keymap::KeyPress;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::modes::confirm::{self, Answer, Offer, Question, add_about, begin, several};

/// Pastes with more lines than this need a confirmation if the job does not use bracketed paste.
const PASTE_LINES: usize = 5;

/// Sends a paste. Asks first if the job does not use bracketed paste and the paste is long or
/// contains control characters.
pub(super) fn paste(model: &mut Model, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    let Some(insert) = model.state::<Insert>() else {
        return;
    };
    let is_told = insert.jobs().iter().all(|id| is_bracketed(model, id));
    let risky = lines(bytes) > PASTE_LINES || controls(bytes) > 0;
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
            send(model, &id, &as_typed(bytes), cmds);
        }
    }
}

/// A paste as somebody would type it: each newline is the Enter key, which sends a carriage return.
fn as_typed(bytes: &[u8]) -> Vec<u8> {
    let mut typed = Vec::with_capacity(bytes.len());
    let mut before = 0;
    for &byte in bytes {
        match (before, byte) {
            (b'\r', b'\n') => {}
            (_, b'\n') => typed.push(b'\r'),
            _ => typed.push(byte),
        }
        before = byte;
    }
    typed
}

/// Whether the job's screen is known to have bracketed paste enabled.
fn is_bracketed(model: &Model, id: &SessionId) -> bool {
    model
        .screen(id)
        .is_some_and(|screen| screen.modes().bracketed_paste)
}

/// Number of lines of a paste. Some terminals send a carriage return for a newline, others the newline.
fn lines(bytes: &[u8]) -> usize {
    let typed = as_typed(bytes);
    let text = typed.strip_suffix(b"\r").unwrap_or(&typed);
    1 + text.iter().filter(|&&b| b == b'\r').count()
}

/// Number of control characters of a paste, apart from the ends of lines and tabs.
fn controls(bytes: &[u8]) -> usize {
    let is_control = |b: &&u8| b.is_ascii_control() && !matches!(b, b'\n' | b'\r' | b'\t');
    bytes.iter().filter(is_control).count()
}

/// `1 line with 2 control characters` and `1 line, 2 control`: why the question is asked, in words and shorter.
fn about_paste(bytes: &[u8]) -> Vec<String> {
    let counted = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    let lines = counted(lines(bytes), "line");
    match controls(bytes) {
        0 => vec![lines],
        n => {
            let controls = counted(n, "control character");
            vec![
                format!("{lines} with {controls}"),
                format!("{lines}, {n} control"),
            ]
        }
    }
}

/// Whether to send a paste that is long or contains control characters.
struct SendPaste {
    insert: Insert,
    bytes: Vec<u8>,
}

impl Question for SendPaste {
    fn answers(&self, _: &Model, _: Rect) -> Vec<Offer> {
        vec![Offer::yes()]
    }

    fn begin(&self, model: &Model, area: Rect) -> Bar {
        begin(model, area, "PASTE")
    }

    fn add_words(&self, model: &Model, bar: &mut Bar, area: Rect) {
        let what = about_paste(&self.bytes);
        let into = match self.insert.also.as_slice() {
            [] => vec![format!("{}?", model.name_of(&self.insert.id))],
            _ => several(model, &self.insert.jobs()),
        };
        let long = into.iter().flat_map(|into| {
            let what = what.iter();
            what.map(move |what| format!("{what} into {into}"))
        });
        let short = what.iter().map(|what| format!("{what}?"));
        let what: Vec<String> = long.chain(short).collect();
        add_about(model, bar, &what, area);
    }

    /// No declines the paste only.
    fn answer(self: Box<Self>, model: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>) {
        model.enter(self.insert.resumed());
        if answer == Some(Answer::Yes) {
            paste_all(model, &self.bytes, cmds);
        } else {
            model.note("Nothing was pasted.");
        }
    }

    /// The key that leaves INSERT leaves it from here, too.
    fn other(self: Box<Self>, model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
        self.answer(model, None, cmds);
        if leaves(model, press) {
            leave_by_key(model);
        }
    }
}
