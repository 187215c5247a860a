//! The search line of SCROLL: searches while one types.
//!
//! A search starts after a pause, and only one part of the log is requested at a time: a search that has
//! become obsolete ends with the reply that it waits for, and the next one starts then.

use super::ScrollBack;
use crate::tui::keymap::KeyPress;
use crate::tui::line::{Edit, Line};
use crate::tui::message::Cmd;
use crate::tui::model::{Link, Model};
use crate::tui::modes::filter::Action;
use crate::tui::pane::{jump, load};
use crate::tui::scrollback::place::Place;
use crate::tui::scrollback::{Part, Scroll};

/// Delay between the last key and the start of the search, in milliseconds.
const PAUSE_MS: i64 = 150;

/// State of the search line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Find {
    /// When to search for what is typed.
    next: Next,
    /// Where the cursor was before, as an offset of the log; `None` on a frozen screen.
    origin: Option<u64>,
    /// The search before, which Esc restores.
    before: Option<String>,
    /// Whether Esc leaves SCROLL, because the line was opened from the live screen.
    leaves: bool,
}

/// When to search for what is typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    /// It was searched for.
    Never,
    /// At this time, in milliseconds since the epoch.
    At(i64),
    /// As soon as the pending part of the log has arrived.
    Soon,
}

impl Find {
    /// When the search starts.
    pub(super) fn due(&self) -> Option<i64> {
        match self.next {
            Next::At(at) => Some(at),
            Next::Never | Next::Soon => None,
        }
    }
}

/// Opens the search line. `leaves` says whether Esc leaves SCROLL as well.
pub(super) fn open(model: &mut Model, leaves: bool) {
    let written = load::written(model);
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    scroll.input = Some(Line::default());
    scroll.jump = None;
    // Before anything is loaded, the cursor is at the end.
    let row = scroll.text.rows.get(scroll.cursor.row);
    let origin = row.map_or(written, |row| row.offset);
    let find = Find {
        next: Next::Never,
        origin: (!scroll.is_still).then_some(origin),
        before: scroll.search.as_ref().map(|search| search.text.clone()),
        leaves,
    };
    if let Some(mode) = model.state_mut::<ScrollBack>() {
        mode.find = Some(find);
    }
}

/// Handles a key. Accept keeps the search and leave goes back, as in the filter of the list.
pub(super) fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let edit = Edit::of(&model.keymap, press);
    match model.keymap.action(&press.name) {
        Some(Action::Leave) => cancel(model, cmds),
        Some(Action::Accept) => accept(model, cmds),
        _ => change(model, |line| {
            line.apply(edit);
        }),
    }
}

/// Pastes into the search line.
pub(super) fn paste(model: &mut Model, bytes: &[u8]) {
    change(model, |line| line.paste(bytes));
}

fn change(model: &mut Model, edit: impl FnOnce(&mut Line)) {
    let now = model.now.ms;
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    let Some(line) = &mut scroll.input else {
        return;
    };
    let before = line.text();
    edit(line);
    if line.text() == before {
        return;
    }
    // The search for the earlier text ends with the next reply.
    scroll.jump = None;
    if let Some(find) = find(model) {
        find.next = Next::At(now + PAUSE_MS);
    }
}

/// After each message: searches when it is time to.
pub(super) fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let now = model.now.ms;
    let is_busy = model
        .pane
        .scroll
        .as_ref()
        .is_some_and(|scroll| is_busy(scroll));
    if model.daemon.link != Link::Up {
        return;
    }
    let Some(find) = find(model) else {
        return;
    };
    let is_due = match find.next {
        Next::Never => false,
        Next::At(at) => at <= now,
        Next::Soon => true,
    };
    if !is_due {
        return;
    }
    find.next = if is_busy { Next::Soon } else { Next::Never };
    if !is_busy {
        search(model, cmds);
    }
}

/// Whether a part is pending that an obsolete search has requested.
fn is_busy(scroll: &Scroll) -> bool {
    matches!(scroll.loading, Some(Part::Probe(_) | Part::Around(_)))
}

/// Searches for what is typed, from where the cursor was before.
fn search(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let origin = find(model).and_then(|find| find.origin);
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    let text = scroll.input.as_ref().map(Line::text).unwrap_or_default();
    model.dirty = true;
    if let Some(origin) = origin {
        go_back(scroll, origin);
    }
    if text.is_empty() {
        scroll.search = None;
        return;
    }
    scroll.search(&text);
    jump::first_match(model, cmds);
}

/// Enter: closes the line. What was searched for already stays where it is.
fn accept(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let next = find(model).map(|find| find.next);
    // A pending part of an obsolete search is ignored when it arrives.
    if let Some(scroll) = model.pane.scroll.as_mut().filter(|scroll| is_busy(scroll))
        && next.is_some_and(|next| next != Next::Never)
    {
        scroll.loading = None;
    }
    if next.is_none_or(|next| next != Next::Never) {
        search(model, cmds);
    }
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    let text = scroll.input.take().map(|line| line.text());
    if text.is_none_or(|text| text.is_empty()) {
        scroll.search = None;
    } else if scroll.jump.is_none() && scroll.loading.is_none() && has_nothing(scroll) {
        model.note(jump::NO_MATCH);
    }
    close(model);
}

fn has_nothing(scroll: &Scroll) -> bool {
    let search = scroll.search.as_ref();
    search.is_some_and(|search| search.found.is_empty())
}

/// Esc: closes the line, and everything is as before.
fn cancel(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let before = find(model).cloned();
    close(model);
    if before.as_ref().is_some_and(|find| find.leaves) {
        super::leave(model);
        return;
    }
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    scroll.input = None;
    scroll.jump = None;
    let Some(before) = before else {
        return;
    };
    match &before.before {
        Some(text) => scroll.search(text),
        None => scroll.search = None,
    }
    let Some(origin) = before.origin else {
        return;
    };
    if !go_back(scroll, origin) {
        scroll.land_at(origin);
        load::load_around(model, origin, cmds);
    }
}

/// Moves the cursor to the row at an offset; `false` if that is not loaded. The rows of a frozen screen have none, so the
/// cursor stays.
fn go_back(scroll: &mut Scroll, origin: u64) -> bool {
    if scroll.is_still {
        return true;
    }
    let text = &scroll.text;
    let is_loaded = origin >= text.start && (scroll.has_end || origin <= text.end);
    if is_loaded && !scroll.text.rows.is_empty() {
        let row = scroll.text.row_at(origin);
        scroll.put(Place { row, col: 0 });
    }
    is_loaded
}

fn find(model: &mut Model) -> Option<&mut Find> {
    model.state_mut::<ScrollBack>()?.find.as_mut()
}

fn close(model: &mut Model) {
    if let Some(mode) = model.state_mut::<ScrollBack>() {
        mode.find = None;
    }
}
