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
use crate::tui::model::mode::{Handlers, Mode};
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
        Some(match self {
            Self::Copy(ids) => bar(model, self.name(), ids, Copy::Leave, None, area),
            // SIGKILL ends what no other signal ends, so keep it longer.
            Self::Signal(ids) => {
                let kept = Some(Signal::Kill);
                bar(model, self.name(), ids, Signal::Leave, kept, area)
            }
        })
    }
}

/// The jobs and the letters: as many whole entries as fit. `kept` is dropped late, and `leave` last.
fn bar<A: KeyAction>(
    model: &Model,
    name: &str,
    ids: &[SessionId],
    leave: A,
    kept: Option<A>,
    area: Rect,
) -> Bar {
    let theme = &model.theme;
    let mut bar = begin(model, area, name);
    let whom = match ids {
        [id] => text::clip_middle(&model.name_of(id), 16, theme.glyph("…")),
        several => format!("{} jobs", several.len()),
    };
    bar.text(5, whom, theme.strong());
    for (rank, &action) in (6..).zip(A::ALL) {
        let Some(hint) = hints::hint(model, action) else {
            continue;
        };
        let hint = hints::spans(model, hint);
        match action {
            action if action == leave => bar.right(1, hint),
            action if Some(action) == kept => bar.left(6, hint),
            _ => bar.left(rank, hint),
        }
    }
    bar
}
