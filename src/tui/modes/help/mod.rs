//! HELP: every key. Letters narrow the page, arrows scroll it.

pub(in crate::tui) mod draw;
mod keys;

use ratatui::layout::Rect;

pub use self::keys::Action;
use crate::term::keyparse::KeyCode;
use crate::tui::bar::Bar;
use crate::tui::hints;
use crate::tui::keymap::KeyPress;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::mode::{Handlers, Hints, Mode, Needs};
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;

/// The mode.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Help {
    /// Index of the first visible line.
    top: usize,
    /// Only key bindings that contain this text are shown.
    filter: String,
}

/// Opens the help screen, over a mode that reads.
pub fn open(model: &mut Model) {
    model.cover(Help::default());
}

fn press(model: &mut Model, press: &KeyPress, _: &mut Vec<Cmd>) {
    let Some(help) = model.state::<Help>() else {
        return;
    };
    let page = draw::page(model, help);
    let action = model.keymap.action(&press.name);
    let Some(help) = model.state_mut::<Help>() else {
        return;
    };
    let last = page.lines.saturating_sub(page.height);
    match action {
        Some(Action::LineDown) => help.top = (help.top + 1).min(last),
        Some(Action::LineUp) => help.top = help.top.min(last).saturating_sub(1),
        Some(Action::PageDown) => help.top = (help.top + page.height).min(last),
        Some(Action::PageUp) => help.top = help.top.min(last).saturating_sub(page.height),
        // While a filter is typed, `q` and `?` are ordinary letters.
        Some(Action::Leave) if press.name.chars().count() > 1 || help.filter.is_empty() => {
            model.leave();
        }
        _ => {
            match press.key.code {
                KeyCode::Char(c) if !press.key.ctrl && !press.key.alt => help.filter.push(c),
                KeyCode::Backspace => {
                    help.filter.pop();
                }
                _ => return,
            }
            help.top = 0;
        }
    }
}

fn scroll(model: &mut Model, rows: isize) {
    let Some(help) = model.state::<Help>() else {
        return;
    };
    let page = draw::page(model, help);
    let last = page.lines.saturating_sub(page.height);
    if let Some(help) = model.state_mut::<Help>() {
        help.top = help.top.min(last).saturating_add_signed(rows).min(last);
    }
}

impl Mode for Help {
    fn name(&self) -> &'static str {
        "HELP"
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
            ..Needs::default()
        }
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        Some(draw::bar(model, self, area))
    }

    fn hints(&self, model: &Model) -> Hints {
        let page = draw::page(model, self);
        let scroll = [Action::LineDown, Action::PageDown];
        Hints {
            keys: hints::to_scroll(model, (page.lines, page.height), &scroll),
            exits: hints::hints(model, &[Action::Leave]),
        }
    }

    fn draw(&self, model: &Model, _: Rect, canvas: &mut Canvas) {
        draw::draw(model, self, canvas.buffer_mut());
    }
}
