//! SCROLL: moving through the log, and loading more of it.

use super::msg::{Cmd, Tag};
use super::{copy, edit, hunt, insert, pager, rewind};
use crate::protocol::Action as Request;
use crate::protocol::params::{Log, LogFormat};
use crate::protocol::{Mode as JobMode, SessionId};
use crate::term::keyparse::Key;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::line::Line;
use crate::tui::model::mode::{Frame, Mode};
use crate::tui::model::scroll::seek::Goal;
use crate::tui::model::scroll::selection::Shape;
use crate::tui::model::scroll::{FIRST_BYTES, MAX_PART, Move, Part, Scroll};

/// Enters SCROLL on the selected job; `page_up` if the key for a page up was used.
pub(super) fn enter(model: &mut Model, page_up: bool, cmds: &mut Vec<Cmd>) {
    if model.current().is_none() {
        model.note("There is no job to look back through.");
        return;
    }
    let back = match &model.mode {
        Mode::Insert(insert) => insert.back,
        _ => model.frame,
    };
    let before = model.frame;
    model.frame = Frame {
        open: true,
        grid: false,
        ..model.frame
    };
    let looking = model.peek.take().filter(|peek| !peek.is_still);
    let Some(mut scroll) = looking.or_else(|| begin(model, cmds)) else {
        model.frame = before;
        return;
    };
    scroll.follows = false;
    if page_up {
        let page = isize::try_from(scroll.height()).unwrap_or(1);
        move_or_wait(&mut scroll, Move::Page, -page);
    }
    model.mode = Mode::Scroll(scroll, back);
}

/// Requests the end of the log of the job in the pane, and returns a view for it.
pub(super) fn begin(model: &Model, cmds: &mut Vec<Cmd>) -> Option<Box<Scroll>> {
    let summary = &model.current()?.record.summary;
    let id = summary.session_id.clone();
    let scroll = Scroll::new(id, model.display()?, summary.mode == JobMode::Pipe);
    // The limit is larger than the size known so far, to include output written since.
    let from = summary.output_bytes.saturating_sub(FIRST_BYTES);
    cmds.push(ask(model, &scroll.id, Part::First, from, MAX_PART));
    Some(Box::new(scroll))
}

/// Enters SCROLL and opens the search line.
pub(super) fn find(model: &mut Model, cmds: &mut Vec<Cmd>) {
    enter(model, false, cmds);
    if let Mode::Scroll(scroll, _) = &mut model.mode {
        scroll.input = Some(Line::default());
    }
}

/// Enters SCROLL on a job, with a search, at the line that starts at `offset`.
pub(super) fn enter_at(
    model: &mut Model,
    id: &SessionId,
    search: &str,
    offset: Option<u64>,
    cmds: &mut Vec<Cmd>,
) {
    super::select::job(model, id);
    let before = cmds.len();
    enter(model, false, cmds);
    let offset = offset.unwrap_or_else(|| written(model));
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    scroll.search(search);
    scroll.land_at(offset);
    // Request the part around the offset instead of the end.
    cmds.truncate(before);
    load_around(model, offset, cmds);
}

/// Handles a key in SCROLL.
pub(super) fn press(model: &mut Model, key: Key, name: &str, cmds: &mut Vec<Cmd>) {
    if rewind::press(model, name, cmds) {
        return;
    }
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    if scroll.input.is_some() {
        type_search(model, key, name, cmds);
        return;
    }
    // Any key cancels the search in progress.
    scroll.hunt = None;
    let height = isize::try_from(scroll.height()).unwrap_or(1);
    let (half, page) = ((height / 2).max(1), (height - 1).max(1));
    match model.keymap.action(Place::Scroll, name) {
        Some(Action::LineDown) => go(model, Move::Cursor, 1, cmds),
        Some(Action::LineUp) => go(model, Move::Cursor, -1, cmds),
        Some(Action::HalfDown) => go(model, Move::Page, half, cmds),
        Some(Action::HalfUp) => go(model, Move::Page, -half, cmds),
        Some(Action::PageDown) => go(model, Move::Page, page, cmds),
        Some(Action::PageUp) => go(model, Move::Page, -page, cmds),
        Some(Action::Top) => top(model, cmds),
        Some(Action::ColumnLeft) => scroll.step(false),
        Some(Action::ColumnRight) => scroll.step(true),
        Some(Action::NextWord) => scroll.word(true),
        Some(Action::PreviousWord) => scroll.word(false),
        Some(Action::FirstColumn) => scroll.to_column(Some(0)),
        Some(Action::LastColumn) => scroll.to_column(None),
        Some(Action::PanLeft) => scroll.pan(false),
        Some(Action::PanRight) => scroll.pan(true),
        Some(Action::SelectText) => scroll.select(Shape::Text),
        Some(Action::SelectLines) => scroll.select(Shape::Lines),
        Some(Action::SelectBlock) => scroll.select(Shape::Block),
        Some(Action::OtherEnd) => scroll.other_end(),
        Some(Action::CopySelection) => {
            let text = scroll.selected();
            scroll.selection = None;
            copy::lines(model, text, cmds);
        }
        // Leave one level at a time.
        Some(Action::Leave) if scroll.selection.is_some() => scroll.selection = None,
        Some(Action::Live | Action::Leave) => leave(model),
        Some(Action::Search) => scroll.input = Some(Line::default()),
        Some(Action::OnlyMatches) => match scroll.search.is_some() {
            true => scroll.filter(),
            false => hunt::nothing_yet(model),
        },
        Some(Action::Older) => hunt::jump(model, Goal::Match, true, cmds),
        Some(Action::Newer) => hunt::jump(model, Goal::Match, false, cmds),
        Some(Action::NextError) => hunt::jump(model, Goal::Error, false, cmds),
        Some(Action::PreviousError) => hunt::jump(model, Goal::Error, true, cmds),
        Some(Action::NextPrompt) => hunt::jump(model, Goal::Boundary, false, cmds),
        Some(Action::PreviousPrompt) => hunt::jump(model, Goal::Boundary, true, cmds),
        Some(Action::Times) => times(model, cmds),
        Some(Action::Pager) => pager::log(model, cmds),
        Some(Action::Type) => {
            if model.read_only {
                model.note("This view is read-only.");
            } else {
                let zoom = model.frame.zoom;
                insert::enter(model, zoom);
            }
        }
        Some(Action::Rewind) => rewind::enter(model, cmds),
        Some(Action::Forward) => {
            let key = model.keymap.instead_of(Place::Scroll, "<");
            model.note(format!("This is how it is now. {key} goes back."));
        }
        Some(Action::Redraw) => cmds.push(Cmd::Redraw),
        _ => model.note(format!(
            "No command on \"{name}\" in SCROLL. Esc goes back."
        )),
    }
}

/// Moves by `rows`, positive downwards; at an end, requests more of the log.
pub(super) fn go(model: &mut Model, how: Move, rows: isize, cmds: &mut Vec<Cmd>) {
    let written = written(model);
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    let left = match scroll.loading {
        Some(Part::First | Part::Around(_)) => {
            move_or_wait(scroll, how, rows);
            return;
        }
        _ => scroll.go(how, rows),
    };
    if left == 0 || scroll.loading.is_some() || scroll.is_still {
        return;
    }
    if left < 0 && scroll.text.has_older() {
        scroll.rest = Some((how, left));
        older(model, cmds);
    } else if left > 0 && written > scroll.text.end {
        scroll.rest = Some((how, left));
        newer(model, cmds);
    }
}

/// Moves, or remembers the movement until the first part has arrived.
pub(super) fn move_or_wait(scroll: &mut Scroll, how: Move, rows: isize) {
    if scroll.loading == Some(Part::First) {
        let before = scroll.rest.map_or(0, |(_, rows)| rows);
        scroll.rest = Some((how, before + rows));
    } else {
        scroll.go(how, rows);
    }
}

/// Requests the part before the loaded stretch.
pub(super) fn older(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    if scroll.text.is_full() {
        around(model, cmds);
        return;
    }
    let (from, limit) = scroll.older_part();
    load(model, Part::Older, from, limit, cmds);
}

/// Requests the output written since.
pub(super) fn newer(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    if scroll.text.is_full() {
        around(model, cmds);
        return;
    }
    let from = scroll.text.end;
    load(model, Part::Newer, from, MAX_PART, cmds);
}

/// Reloads around the cursor, which keeps its position.
pub(super) fn around(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    scroll.hold_place();
    let row = scroll.text.rows.get(scroll.cursor.row);
    let offset = row.map_or(scroll.text.start, |row| row.offset);
    load_around(model, offset, cmds);
}

/// Reloads around an offset.
pub(super) fn load_around(model: &mut Model, offset: u64, cmds: &mut Vec<Cmd>) {
    let from = offset.saturating_sub(MAX_PART / 2);
    load(model, Part::Around(offset), from, MAX_PART, cmds);
}

/// Requests a part of the log in the pane.
pub(super) fn load(model: &mut Model, part: Part, from: u64, limit: u64, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    scroll.loading = Some(part);
    let id = scroll.id.clone();
    cmds.push(ask(model, &id, part, from, limit));
}

/// Number of bytes that the job in the pane has written.
pub(super) fn written(model: &Model) -> u64 {
    let job = model.current();
    job.map_or(0, |job| job.record.summary.output_bytes)
}

/// Goes to the start of the log.
fn top(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    scroll.go(Move::Page, isize::MIN + 1);
    scroll.to_column(Some(0));
    // The pending part is no longer needed.
    if scroll.text.has_older() {
        let first = scroll.text.first;
        scroll.land_at(first);
        load_around(model, first, cmds);
    }
}

fn type_search(model: &mut Model, key: Key, name: &str, cmds: &mut Vec<Cmd>) {
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    let Some(line) = &mut scroll.input else {
        return;
    };
    // Accept keeps the search and leave clears it, as in the filter of the list.
    match model.keymap.action(Place::Filter, name) {
        Some(Action::Leave) => scroll.input = None,
        Some(Action::Accept) => {
            let text = line.text();
            scroll.input = None;
            if text.is_empty() {
                scroll.search = None;
            } else {
                scroll.search(&text);
                hunt::first_match(model, cmds);
            }
        }
        _ => {
            edit(&model.keymap, line, key, name);
        }
    }
}

/// Returns to the live screen.
pub(super) fn leave(model: &mut Model) {
    if let Mode::Scroll(_, back) = std::mem::replace(&mut model.mode, Mode::Normal) {
        model.frame = back;
    }
}

/// Toggles timestamps.
pub(super) fn times(model: &mut Model, cmds: &mut Vec<Cmd>) {
    model.times = !model.times;
    model.note(match model.times {
        true => {
            let place = match model.mode {
                Mode::Scroll(..) => Place::Scroll,
                _ => Place::Normal,
            };
            let key = model.keymap.instead_of(place, "t");
            format!("Times of the lines: on. {key} turns them off.")
        }
        false => "Times of the lines: off.".to_owned(),
    });
    let needs = model
        .scroll()
        .is_some_and(|scroll| scroll.loading.is_none() && !scroll.is_still);
    if model.times && needs {
        around(model, cmds);
    }
}

/// Toggles wrapping of long lines.
pub(super) fn wrap(model: &mut Model) {
    model.wrap = !model.wrap;
    model.note(match model.wrap {
        true => "Long lines of the log wrap.".to_owned(),
        false => format!(
            "Long lines of the log are cut; {} and {} move sideways, {} wraps them again.",
            model.key(","),
            model.key("."),
            model.key("w")
        ),
    });
}

/// The request for a part of a log.
fn ask(model: &Model, id: &SessionId, part: Part, offset: u64, limit: u64) -> Cmd {
    let params = Log {
        session_id: id.to_string(),
        offset: Some(offset),
        limit: Some(limit.clamp(1, MAX_PART)),
        format: Some(LogFormat::Base64),
        // A part that is only searched is never displayed.
        times: (model.times && !matches!(part, Part::Probe(_))).then_some(true),
        ..Log::default()
    };
    Cmd::Ask(Tag::Log(id.clone(), part), Request::Log(params))
}
