//! FILTER: the list is filtered on each key, and the best match is selected.

mod keys;

use ratatui::layout::Rect;

pub use self::keys::Action;
use crate::tui::bar::Bar;
use crate::tui::keymap::KeyPress;
use crate::tui::line::{Edit, Line};
use crate::tui::list::select;
use crate::tui::message::Cmd;
use crate::tui::model::mode::{Handlers, Hints, Mode, Needs};
use crate::tui::model::rows::{Row, group_of};
use crate::tui::model::{Model, Selected};
use crate::tui::theme::Tone;
use crate::tui::window::Canvas;
use crate::tui::{hints, status, text};

/// The mode: the filter that is edited.
pub struct Filter(Line);

/// Opens the filter.
pub fn open(model: &mut Model) {
    if model.list.filter.is_empty() {
        model.list.unfiltered.clone_from(&model.list.selected);
    }
    // What is typed is another filter. A key that moves the cursor changes the one that is there.
    let mut line = Line::new(&model.list.filter);
    line.select();
    model.enter(Filter(line));
}

/// Clears the filter. The selected job stays selected, and its group unfolds. If nothing was found, what was selected
/// before is selected again.
pub fn clear(model: &mut Model) {
    model.list.filter.clear();
    model.list.stale = true;
    let wanted = match &model.list.selected {
        Selected::Nothing => model.list.unfiltered.clone(),
        found => found.clone(),
    };
    if let Selected::Job(id) = &wanted
        && let Some(key) = model.job(id).map(|job| group_of(job).0)
    {
        model.list.folded.remove(&key);
    }
    select::restore(model, wanted);
}

fn press(model: &mut Model, press: &KeyPress, _: &mut Vec<Cmd>) {
    match model.keymap.action(&press.name) {
        Some(Action::Accept) => model.leave(),
        Some(Action::Leave) => {
            model.leave();
            clear(model);
        }
        Some(Action::Down) => select::step(model, true),
        Some(Action::Up) => select::step(model, false),
        None => {
            let edit = Edit::of(&model.keymap, press);
            change(model, |line| line.apply(edit));
        }
    }
}

fn paste(model: &mut Model, bytes: &[u8], _: &mut Vec<Cmd>) {
    change(model, |line| {
        line.paste(bytes);
        true
    });
}

/// Edits the line and filters by it. If `edit` did anything, selects the best match.
fn change(model: &mut Model, edit: impl FnOnce(&mut Line) -> bool) {
    let Some(Filter(line)) = model.state_mut() else {
        return;
    };
    let edited = edit(line);
    model.list.filter = line.text();
    if edited && model.list.filter.is_empty() {
        clear(model);
    } else if edited {
        model.list.stale = true;
        select::best_match(model);
    }
}

impl Mode for Filter {
    fn name(&self) -> &'static str {
        "FILTER"
    }

    fn tone(&self) -> Tone {
        Tone::Entry
    }

    fn handlers(&self) -> Handlers {
        Handlers::of_text(press, paste)
    }

    fn needs(&self) -> Needs {
        Needs {
            list: true,
            ..Needs::default()
        }
    }

    fn yields(&self) -> Option<fn(&mut Model)> {
        Some(|_| {})
    }

    fn bar(&self, _: &Model, _: Rect) -> Option<Bar> {
        None
    }

    /// The filter and the number of matching jobs.
    fn status(&self, model: &Model, area: Rect, canvas: &mut Canvas) {
        let Self(line) = self;
        let rows = model.list.rows.iter();
        let shown = rows.filter(|row| matches!(row, Row::Job(_))).count();
        let text = format!("{shown} of {} ", model.jobs.len());
        let area = status::edit_line(model, "/", line, text.len(), area, canvas);
        let width = u16::try_from(text.len()).unwrap_or(0);
        let typed = text::width(&line.text()) + 14;
        if typed + text.len() < usize::from(area.width) {
            let x = area.right() - width;
            canvas
                .buffer_mut()
                .set_string(x, area.y, text, model.theme.dim());
        }
    }

    fn hints(&self, model: &Model) -> Hints {
        let words = ["!failed", "?", "g:group", "@agent", ":port", "-done"];
        Hints {
            keys: words.map(|word| (word.to_owned(), String::new())).to_vec(),
            exits: hints::hints(model, &[Action::Accept, Action::Leave]),
        }
    }
}
