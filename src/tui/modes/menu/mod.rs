//! COPY and SIGNAL: a choice by one letter.

mod copy;
mod keys;
mod signal;

use ratatui::layout::Rect;

pub use self::keys::{Copy, Signal};
use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::keymap::{KeyAction, KeyPress};
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::mode::{Handlers, Hint, Hints, Mode};
use crate::tui::status::{Alarms, begin};
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
        Some(match self {
            Self::Copy(_) => self.bar_of(model, Copy::Leave, area),
            Self::Signal(_) => self.bar_of(model, Signal::Leave, area),
        })
    }

    /// The letters for which the line above has no room.
    fn hints(&self, model: &Model) -> Hints {
        let keys = match self {
            Self::Copy(_) => self.letters(model, Copy::Leave).1,
            Self::Signal(_) => self.letters(model, Signal::Leave).1,
        };
        Hints {
            keys,
            exits: Vec::new(),
        }
    }
}

impl Menu {
    /// The jobs, and the letters that fit.
    fn bar_of<A: KeyAction>(&self, model: &Model, leave: A, area: Rect) -> Bar {
        let mut bar = begin(model, area, self.name());
        bar.text(5, self.whom(model), model.theme.strong());
        for (rank, hint) in (6..).zip(self.letters(model, leave).0) {
            bar.left(rank, hints::spans(model, hint));
        }
        if let Some(hint) = hints::hint(model, leave) {
            bar.right(1, hints::spans(model, hint));
        }
        bar
    }

    fn whom(&self, model: &Model) -> String {
        match self {
            Self::Copy(ids) | Self::Signal(ids) => match ids.as_slice() {
                [id] => text::clip_middle(&model.name_of(id), 16, model.theme.glyph("…")),
                several => format!("{} jobs", several.len()),
            },
        }
    }

    /// The letters for which the status line has room, and the others.
    fn letters<A: KeyAction>(&self, model: &Model, leave: A) -> (Vec<Hint>, Vec<Hint>) {
        let letters = A::ALL.iter().filter(|action| **action != leave);
        let mut letters: Vec<Hint> = letters
            .filter_map(|&action| hints::hint(model, action))
            .collect();
        let window = Rect::new(0, 0, model.window.0, 1);
        let (gap, air) = if window.width >= 60 { (2, 1) } else { (1, 0) };
        let width = |(key, label): &Hint| text::width(key) + 1 + text::width(label) + gap;
        let badge = self.name().len() + 2 + air;
        let exit = hints::hint(model, leave).map_or(0, |hint| width(&hint));
        let beside =
            badge + text::width(&self.whom(model)) + gap + exit + Alarms::width(model, window) + 1;
        let mut room = usize::from(window.width).saturating_sub(beside);
        let fits = |hint: &&Hint| {
            let left = room.checked_sub(width(hint));
            room = left.unwrap_or(0);
            left.is_some()
        };
        let shown = letters.iter().take_while(fits).count();
        let rest = letters.split_off(shown);
        (letters, rest)
    }
}
