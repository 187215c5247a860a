//! COPY and SIGNAL: a choice by one letter.

mod copy;
mod keys;
mod signal;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use ratatui::layout::Rect;

pub use self::keys::{Copy, Signal};
use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::keymap::{KeyAction, KeyPress};
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::mode::{Handlers, Hint, Hints, Mode};
use crate::tui::status::begin;
use crate::tui::{hints, text};

/// The mode: which menu, and the jobs that the choice applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Menu {
    /// What to copy.
    Copy(Vec<SessionId>),
    /// Which signal to send.
    Signal(Vec<SessionId>),
}

/// Opens the menu of what to copy.
pub fn copy(model: &mut Model) {
    match model.targets() {
        ids if ids.is_empty() => model.note("There is no job to copy anything of."),
        ids => model.enter(Menu::Copy(ids)),
    }
}

/// Opens the menu of signals for the selected jobs.
pub fn signal(model: &mut Model) {
    if let Some(ids) = model.alive_targets("signal") {
        model.enter(Menu::Signal(ids));
    }
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let Some(menu) = model.take::<Menu>() else {
        return;
    };
    let name = &press.name;
    match *menu {
        Menu::Copy(ids) => match model.keymap.action::<Copy>(name) {
            Some(item) => copy::chosen(model, &ids, item, cmds),
            None => model.note(format!("No choice on \"{name}\"; nothing was copied.")),
        },
        Menu::Signal(ids) => match model.keymap.action::<Signal>(name) {
            Some(signal) => signal::chosen(model, ids, signal, cmds),
            None => model.note(format!("No signal on \"{name}\"; nothing was sent.")),
        },
    }
}

impl Mode for Menu {
    fn name(&self) -> &'static str {
        match self {
            Self::Copy(_) => "COPY",
            Self::Signal(_) => "SIGNAL",
        }
    }

    fn handlers(&self) -> Handlers {
        Handlers::of_keys(press)
    }

    fn declines(&self) -> Option<fn(&mut Model, &mut Vec<Cmd>)> {
        Some(|model, _| model.leave())
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        Some(self.shown(model, area).0)
    }

    /// The letters for which the line above has no room.
    fn hints(&self, model: &Model) -> Hints {
        Hints {
            keys: self.shown(model, Rect::new(0, 0, model.window.0, 1)).1,
            exits: Vec::new(),
        }
    }
}

impl Menu {
    /// The status line with the jobs and the letters that fit, and the other letters.
    fn shown(&self, model: &Model, area: Rect) -> (Bar, Vec<Hint>) {
        match self {
            Self::Copy(ids) => self.letters(model, ids, Copy::Leave, area),
            Self::Signal(ids) => self.letters(model, ids, Signal::Leave, area),
        }
    }

    fn letters<A: KeyAction>(
        &self,
        model: &Model,
        ids: &[SessionId],
        leave: A,
        area: Rect,
    ) -> (Bar, Vec<Hint>) {
        let all = self.arranged(model, Some(ids), true, leave, area);
        let shorter = [(Some(ids), false), (None, false)].into_iter();
        let shorter = shorter.map(|(ids, named)| self.arranged(model, ids, named, leave, area));
        // Every letter is shown, if there is any way.
        let mut ways = std::iter::once(all.clone()).chain(shorter);
        ways.find(|(_, rest)| width(rest) <= usize::from(area.width))
            .unwrap_or(all)
    }

    /// One of several ways to show the menu: with the jobs or without, and with the name of the key that leaves or
    /// without.
    fn arranged<A: KeyAction>(
        &self,
        model: &Model,
        ids: Option<&[SessionId]>,
        is_leave_named: bool,
        leave: A,
        area: Rect,
    ) -> (Bar, Vec<Hint>) {
        let mut bar = begin(model, area, self.name());
        let whom = ids.map(|ids| match ids {
            [id] => text::clip_middle(&model.name_of(id), 16, model.theme.glyph("…")),
            several => format!("{} jobs", several.len()),
        });
        if let Some(whom) = whom {
            bar.text(5, whom, model.theme.strong());
        }
        if let Some((key, label)) = hints::hint(model, leave) {
            let label = if is_leave_named { label } else { String::new() };
            hints::right(model, &mut bar, 1, (key, label));
        }
        let letters = A::ALL.iter().filter(|action| **action != leave);
        let letters = letters.filter_map(|&action| hints::hint(model, action));
        let mut rest = Vec::new();
        for (rank, hint) in (6..).zip(letters) {
            let mut longer = bar.clone();
            hints::left(model, &mut longer, rank, hint.clone());
            if rest.is_empty() && longer.is_whole(area) {
                bar = longer
            } else {
                rest.push(hint)
            }
        }
        (bar, rest)
    }
}

/// Columns of hints that are as close together as possible, with a blank at each end.
fn width(hints: &[Hint]) -> usize {
    let widths = hints
        .iter()
        .map(|(key, label)| text::width(key) + text::width(label) + 2);
    widths.sum::<usize>() + 1
}
