//! COMPARE: the logs of two jobs beside each other, aligned by a diff. Both scroll together.
//!
//! It shows the newest lines as they were when it was opened. New output would move what is read; a
//! key reads the logs again.

mod draw;
mod keys;
pub mod pairs;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use ratatui::layout::Rect;
use serde_json::Value;

pub use self::keys::Action;
use self::pairs::{Compare, PAN};
use super::help;
use crate::protocol::params::Log;
use crate::protocol::{Action as Request, SessionId};
use crate::tui::bar::Bar;
use crate::tui::hints;
use crate::tui::keymap::{KeyAction, KeyPress};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::mode::{Handlers, Hints, Mode, Needs};
use crate::tui::model::typing::Letter;
use crate::tui::model::{Link, Model};
use crate::tui::window::Canvas;

/// Maximum number of lines of each log.
const LINES: u64 = 5000;

/// Opens the comparison of the two marked jobs.
pub fn open(model: &mut Model) {
    match <[SessionId; 2]>::try_from(model.marked()) {
        Ok([left, right]) => model.enter(Compare::new(left, right)),
        Err(marked) => model.note(needs_two(model, marked.len())),
    }
}

/// What is said unless exactly two jobs are marked.
pub fn needs_two(model: &Model, marked: usize) -> String {
    let mark = model.key("space");
    match marked {
        0 => format!("Two logs are compared: {mark} marks their jobs. No job is marked."),
        1 => format!("Two logs are compared: {mark} marks their jobs. One job is marked."),
        n => format!("Two logs are compared, and {n} jobs are marked."),
    }
}

fn press(model: &mut Model, press: &KeyPress, _: &mut Vec<Cmd>) {
    let action = model.keymap.action(&press.name);
    let height = draw::height(model);
    let page = isize::try_from(height).unwrap_or(1).max(2) - 1;
    let Some(compare) = model.state_mut::<Compare>() else {
        return;
    };
    match action {
        Some(Action::NextDifference) => compare.step(true, height),
        Some(Action::PreviousDifference) => compare.step(false, height),
        Some(Action::LineDown) => compare.scroll(1, height),
        Some(Action::LineUp) => compare.scroll(-1, height),
        Some(Action::PageDown) => compare.scroll(page, height),
        Some(Action::PageUp) => compare.scroll(-page, height),
        Some(Action::Left) => compare.pan = compare.pan.saturating_sub(PAN),
        Some(Action::Right) => compare.pan = (compare.pan + PAN).min(draw::widest(compare)),
        Some(Action::Top) => compare.scroll(isize::MIN, height),
        Some(Action::Last) => compare.scroll(isize::MAX, height),
        Some(Action::Reload) => {
            let [left, right] = compare.sides.each_ref().map(|side| side.id.clone());
            *compare = Compare::new(left, right);
        }
        Some(Action::Palette) => model.open_commands(),
        Some(Action::Help) => help::open(model),
        Some(Action::Leave) => model.leave(),
        None => {
            let name = &press.name;
            let back = hints::sentence(model, Action::Leave, "goes back");
            model.note(format!("No command on \"{name}\" here.{back}"));
        }
    }
}

fn scroll(model: &mut Model, rows: isize) {
    let height = draw::height(model);
    if let Some(compare) = model.state_mut::<Compare>() {
        compare.scroll(rows, height);
    }
}

/// Requests the logs that have not been requested.
fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let height = draw::height(model);
    let is_up = model.daemon.link == Link::Up;
    let Some(compare) = model.state_mut::<Compare>() else {
        return;
    };
    compare.scroll(0, height);
    let sides = compare.sides.iter_mut();
    for side in sides.filter(|side| is_up && side.lines.is_none() && !side.is_pending) {
        side.is_pending = true;
        let params = Log {
            session_id: Some(side.id.to_string()),
            tail: Some(LINES),
            ..Log::default()
        };
        let kind = RequestKind::Compare(side.id.clone());
        cmds.push(Cmd::Request(kind, Request::Log(params)));
    }
}

/// Handles the lines of a log; `None` if it could not be read.
pub fn received(model: &mut Model, id: &SessionId, value: Option<Value>) {
    let height = draw::height(model);
    if let Some(compare) = model.state_mut::<Compare>() {
        let read = value.and_then(|value| serde_json::from_value(value).ok());
        compare.receive(id, read, height);
        model.dirty = true;
    }
}

impl Mode for Compare {
    fn name(&self) -> &'static str {
        "COMPARE"
    }

    fn handlers(&self) -> Handlers {
        Handlers {
            scroll,
            reconcile,
            ..Handlers::of_keys(press)
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            window: true,
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
            Some(Action::Reload | Action::Leave) => Letter::Reads,
            Some(_) => Letter::Motion,
        }
    }

    fn forget(&mut self, id: &SessionId) -> bool {
        self.sides.iter().any(|side| side.id == *id)
    }

    fn disconnected(&mut self, _now_ms: i64) {
        for side in &mut self.sides {
            side.is_pending = false;
        }
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        Some(draw::bar(model, self, area))
    }

    fn hints(&self, model: &Model) -> Hints {
        let move_by = [
            Action::NextDifference,
            Action::PreviousDifference,
            Action::LineDown,
            Action::PageDown,
            Action::Help,
        ];
        Hints {
            keys: hints::hints(model, &move_by),
            exits: hints::hints(model, &[Action::Leave]),
        }
    }

    fn draw(&self, model: &Model, _: Rect, canvas: &mut Canvas) {
        draw::draw(model, self, canvas.buffer_mut());
    }
}
