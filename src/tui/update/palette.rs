//! PROMPT: commands by name.

use super::msg::{Cmd, Errand};
use super::{edit, normal};
use crate::term::keyparse::Key;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::line::Line;
use crate::tui::model::mode::Mode;
use crate::tui::model::palette::{Entry, found};

/// Opens the palette.
pub(super) fn open(model: &mut Model) {
    model.mode = Mode::Palette(Box::default());
}

/// Handles a key.
pub(super) fn press(model: &mut Model, key: Key, name: &str, cmds: &mut Vec<Cmd>) {
    let action = model.keymap.action(Place::Palette, name);
    let Some((chosen, count)) = chosen(model) else {
        return;
    };
    let Mode::Palette(palette) = &mut model.mode else {
        return;
    };
    match action {
        Some(Action::Leave) => model.mode = Mode::Normal,
        Some(Action::Accept) => match chosen {
            Some(entry) => {
                model.mode = Mode::Normal;
                normal::run(model, entry.action, "", cmds);
            }
            None => model.note("No command is called so. ? shows all keys."),
        },
        Some(Action::Down) => palette.at = (palette.at + 1).min(count.saturating_sub(1)),
        Some(Action::Up) => palette.at = palette.at.saturating_sub(1),
        Some(Action::Complete) => {
            if let Some(entry) = chosen {
                palette.line = Line::new(&entry.name);
                palette.at = 0;
            }
        }
        Some(Action::CopyShell) => copy(model, chosen, cmds),
        _ => {
            let before = palette.line.text();
            edit(&model.keymap, &mut palette.line, key, name);
            if palette.line.text() != before {
                palette.at = 0;
            }
        }
    }
}

/// The selected command, and the number of commands.
fn chosen(model: &Model) -> Option<(Option<Entry>, usize)> {
    let Mode::Palette(palette) = &model.mode else {
        return None;
    };
    let mut entries = found(model, palette);
    let count = entries.len();
    let entry = (palette.at < count).then(|| entries.swap_remove(palette.at));
    Some((entry, count))
}

fn copy(model: &mut Model, chosen: Option<Entry>, cmds: &mut Vec<Cmd>) {
    match chosen.and_then(|entry| entry.shell) {
        Some(shell) => {
            let errand = Errand::Copy(shell, "the shell command".to_owned());
            cmds.push(Cmd::Errand(errand));
        }
        None => model.note("The shell has no command for this."),
    }
}
