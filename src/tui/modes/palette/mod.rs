//! PROMPT: the palette lists commands, each with its key and the equivalent shell command. They are
//! found by name, synonym and description; what fits the selection is above, and what cannot be done
//! now below.

mod draw;
mod keys;
mod search;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

use std::borrow::Cow;

use ratatui::layout::Rect;

pub use self::keys::Action;
use self::search::search;
use crate::tui::bar::Bar;
use crate::tui::hints;
use crate::tui::keymap::{KeyPress, NORMAL};
use crate::tui::line::{Edit, Line};
use crate::tui::message::{Cmd, Effect};
use crate::tui::model::Model;
use crate::tui::model::mode::{Handlers, Hints, Mode, Needs};
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;

/// The commands that a palette offers.
#[derive(Clone, Copy)]
pub struct Commands {
    /// Lists them.
    pub list: fn(&Model) -> Vec<Entry>,
    /// Runs the command with this [`Entry::index`], on a text if it [takes one](Entry::takes_text).
    pub run: fn(&mut Model, usize, Option<&str>, &mut Vec<Cmd>),
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub index: usize,
    /// Its name; an exact match ranks first.
    pub name: String,
    /// What it does, and what it applies to: `stop web`.
    pub title: String,
    /// Other words for it, separated by blanks.
    pub synonyms: &'static str,
    /// Whether a text may follow its name.
    pub takes_text: bool,
    /// Its key; empty if there is none.
    pub key: String,
    /// Its description, one sentence.
    pub help: Cow<'static, str>,
    /// The equivalent shell command for what is selected, or in a few words why there is none.
    pub shell: Result<String, &'static str>,
    /// Why it cannot be done now; `None` if it can.
    pub obstacle: Option<String>,
    /// How well it fits what is selected; 0 is best.
    pub fit: usize,
}

impl Entry {
    /// The text behind its name, if it takes one: `api` of `rename api`.
    pub fn text_in<'a>(&self, typed: &'a str) -> Option<&'a str> {
        let text = typed.trim().strip_prefix(self.name.as_str())?;
        let text = text.strip_prefix(' ').map(str::trim);
        text.filter(|text| self.takes_text && !text.is_empty())
    }
}

/// The mode.
pub struct Palette {
    /// The search text.
    line: Line,
    /// Index of the selected row.
    at: usize,
    commands: Commands,
}

impl Palette {
    /// All commands.
    fn entries(&self, model: &Model) -> Vec<Entry> {
        (self.commands.list)(model)
    }

    /// Changes the text. Another text finds other commands, and the best of them is selected.
    fn edit(&mut self, edit: impl FnOnce(&mut Line)) {
        let before = self.line.text();
        edit(&mut self.line);
        if self.line.text() != before {
            self.at = 0;
        }
    }

    /// The commands that match, best first.
    fn found(&self, model: &Model) -> Vec<Entry> {
        search(self.entries(model), &self.line.text())
    }
}

/// Opens the palette, over a mode that reads.
pub fn open(model: &mut Model, commands: Commands) {
    model.cover(Palette {
        line: Line::default(),
        at: 0,
        commands,
    });
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let Some(palette) = model.state::<Palette>() else {
        return;
    };
    let run = palette.commands.run;
    let mut found = palette.found(model);
    let count = found.len();
    let chosen = (palette.at < count).then(|| found.swap_remove(palette.at));
    let typed = palette.line.text();
    let action = model.keymap.action(&press.name);
    match action {
        Some(Action::Leave) => return model.leave(),
        Some(Action::Accept) => {
            let Some(entry) = chosen else {
                let help = model.keymap.key_named(NORMAL, "help");
                let help = help.map_or_else(String::new, |key| format!(" {key} shows all keys."));
                return model.note(format!("No command has this name.{help}"));
            };
            // What is run is a command of NORMAL.
            model.leave_all();
            if let Some(why) = entry.obstacle {
                return model.note(why);
            }
            return run(model, entry.index, entry.text_in(&typed), cmds);
        }
        Some(Action::CopyShell) => return copy(model, chosen, cmds),
        _ => {}
    }
    let edit = Edit::of(&model.keymap, press);
    let Some(palette) = model.state_mut::<Palette>() else {
        return;
    };
    match action {
        Some(Action::Down) => palette.at = (palette.at + 1).min(count.saturating_sub(1)),
        Some(Action::Up) => palette.at = palette.at.saturating_sub(1),
        Some(Action::Complete) => {
            if let Some(entry) = chosen {
                palette.line = Line::new(&entry.name);
                palette.at = 0;
            }
        }
        _ => palette.edit(|line| {
            line.apply(edit);
        }),
    }
}

fn paste(model: &mut Model, bytes: &[u8], _: &mut Vec<Cmd>) {
    if let Some(palette) = model.state_mut::<Palette>() {
        palette.edit(|line| line.paste(bytes));
    }
}

fn copy(model: &mut Model, chosen: Option<Entry>, cmds: &mut Vec<Cmd>) {
    match chosen.map(|entry| entry.shell) {
        Some(Ok(shell)) => {
            let effect = Effect::Copy(shell, "the shell command".to_owned());
            cmds.push(Cmd::Effect(effect));
        }
        Some(Err(why)) => model.note(format!("The shell has no command for this: {why}.")),
        None => {}
    }
}

impl Mode for Palette {
    fn name(&self) -> &'static str {
        "PROMPT"
    }

    fn tone(&self) -> Tone {
        Tone::Entry
    }

    fn handlers(&self) -> Handlers {
        Handlers::of_text(press, paste)
    }

    fn needs(&self) -> Needs {
        Needs {
            hints: true,
            ..Needs::default()
        }
    }

    fn box_in(&self, model: &Model, body: Rect) -> Option<Rect> {
        Some(draw::place(model, &draw::Columns::of(&self.entries(model)), body).0)
    }

    fn is_overlay(&self) -> bool {
        true
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        Some(draw::status(model, self, area))
    }

    fn hints(&self, model: &Model) -> Hints {
        Hints {
            keys: Vec::new(),
            exits: hints::hints(model, &[Action::Accept, Action::Leave]),
        }
    }

    fn draw(&self, model: &Model, body: Rect, canvas: &mut Canvas) {
        draw::draw(model, self, body, canvas);
    }
}
