//! SCROLL: moving through the log, and asking for more of it.

use super::msg::{Cmd, Tag};
use super::{edit, insert, rewind};
use crate::protocol::Action as Request;
use crate::protocol::SessionId;
use crate::protocol::params::{Log, LogFormat};
use crate::term::keyparse::Key;
use crate::tui::keymap::{Action, Keymap, Place};
use crate::tui::model::Model;
use crate::tui::model::line::Line;
use crate::tui::model::mode::{Frame, Mode};
use crate::tui::model::scroll::{FIRST_BYTES, Goal, Part, Scroll};

/// Bytes asked for at once at most (the daemon's own limit).
const MAX_PART: u64 = 1 << 20;

/// Bytes in front of a line that was asked for: what led to it.
const LEAD_BYTES: u64 = 32 << 10;

/// Goes into SCROLL on the selected job, a page up if asked with the key for that.
pub(super) fn enter(model: &mut Model, page_up: bool, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note("There is no job to look back through.");
        return;
    };
    let (id, bytes) = (job.id().clone(), job.record.summary.output_bytes);
    let back = model.frame;
    model.frame = Frame {
        open: true,
        ..model.frame
    };
    let Some(size) = model.pane_size() else {
        model.frame = back;
        return;
    };
    let up = if page_up { usize::from(size.rows()) } else { 0 };
    let scroll = Scroll::new(id.clone(), size, up);
    model.mode = Mode::Scroll(Box::new(scroll), back);
    // What was written since the record was told is wanted, too, so the limit is larger.
    let from = bytes.saturating_sub(FIRST_BYTES);
    cmds.push(ask(&id, Part::First, from, MAX_PART));
}

/// Goes into SCROLL on a job, with a search, at the line that begins at `offset`.
pub(super) fn enter_at(
    model: &mut Model,
    id: &SessionId,
    search: &str,
    offset: Option<u64>,
    cmds: &mut Vec<Cmd>,
) {
    super::select::job(model, id);
    let first = cmds.len();
    enter(model, false, cmds);
    let written = model
        .job(id)
        .map_or(0, |job| job.record.summary.output_bytes);
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    let offset = offset.unwrap_or(written);
    scroll.goal = Some(Goal {
        offset,
        search: search.to_owned(),
    });
    // As much as has the line and what led to it, if one question may ask for so much.
    let wanted = written.saturating_sub(offset.saturating_sub(LEAD_BYTES));
    let wanted = wanted.clamp(FIRST_BYTES, MAX_PART);
    cmds.truncate(first);
    cmds.push(ask(
        id,
        Part::First,
        written.saturating_sub(wanted),
        MAX_PART,
    ));
}

/// After a part of the log has come: goes to the line that was asked for, or asks for what is older.
pub(super) fn settle_goal(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    if scroll.loading.is_some() {
        return;
    }
    let Some(goal) = scroll.goal.take() else {
        return;
    };
    if scroll.start > goal.offset && scroll.has_older() {
        let (from, limit) = scroll.older_part();
        scroll.loading = Some(Part::Older);
        scroll.goal = Some(goal);
        cmds.push(ask(&scroll.id, Part::Older, from, limit));
    } else if !scroll.reach(&goal) {
        let id = scroll.id.clone();
        let name = model.name_of(&id);
        model.note(format!(
            "That line is older than what shows here. It is in: bgproc logs {name}"
        ));
    }
}

/// Takes a key in SCROLL.
pub(super) fn press(model: &mut Model, key: Key, name: &str, cmds: &mut Vec<Cmd>) {
    if rewind::press(model, name, cmds) {
        return;
    }
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    if scroll.input.is_some() {
        type_search(&model.keymap, scroll, key, name);
        return;
    }
    let height = isize::try_from(scroll.screen.size().rows()).unwrap_or(1);
    match model.keymap.action(Place::Scroll, name) {
        Some(Action::LineDown) => go(model, -1, cmds),
        Some(Action::LineUp) => go(model, 1, cmds),
        Some(Action::HalfDown) => go(model, -(height / 2).max(1), cmds),
        Some(Action::HalfUp) => go(model, (height / 2).max(1), cmds),
        Some(Action::PageDown) => go(model, -(height - 1).max(1), cmds),
        Some(Action::PageUp) => go(model, (height - 1).max(1), cmds),
        Some(Action::Top) => {
            if scroll.top() == 0 {
                go(model, isize::MAX, cmds);
            } else {
                scroll.to_top();
            }
        }
        Some(Action::Live | Action::Leave) => leave(model),
        Some(Action::Search) => scroll.input = Some(Line::default()),
        Some(Action::Older) => next_match(model, true, cmds),
        Some(Action::Newer) => next_match(model, false, cmds),
        Some(Action::Type) => {
            if model.read_only {
                model.note("This view is read-only.");
            } else {
                let zoom = model.frame.zoom;
                insert::enter(model, zoom);
            }
        }
        Some(Action::Rewind) => rewind::enter(model, cmds),
        Some(Action::Forward) => model.note("This is how it is now. < goes back."),
        Some(Action::Redraw) => cmds.push(Cmd::Redraw),
        Some(_) => model.note("This is not built yet."),
        None => model.note(format!(
            "No command on \"{name}\" in SCROLL. Esc goes back."
        )),
    }
}

/// Moves by so many lines; at an end asks for what lies beyond it.
fn go(model: &mut Model, lines: isize, cmds: &mut Vec<Cmd>) {
    let written = model
        .current()
        .map_or(0, |job| job.record.summary.output_bytes);
    let name = model
        .current()
        .map(|job| job.name.clone())
        .unwrap_or_default();
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    let before = scroll.up;
    let stopped = scroll.move_by(lines);
    if scroll.loading.is_some() {
        return;
    }
    if stopped && scroll.has_older() {
        let moved = isize::try_from(scroll.up - before.min(scroll.up)).unwrap_or(0);
        scroll.then_up = match lines {
            isize::MAX => 0,
            _ => usize::try_from(lines - moved).unwrap_or(0),
        };
        let (from, limit) = scroll.older_part();
        scroll.loading = Some(Part::Older);
        cmds.push(ask(&scroll.id, Part::Older, from, limit));
    } else if stopped && scroll.is_cut() {
        model.note(format!("What is older is in: bgproc logs {name}"));
    } else if lines < 0 && scroll.up == 0 && written > scroll.end {
        scroll.loading = Some(Part::Newer);
        let from = scroll.end;
        cmds.push(ask(&scroll.id, Part::Newer, from, MAX_PART));
    }
}

fn next_match(model: &mut Model, older: bool, cmds: &mut Vec<Cmd>) {
    let Mode::Scroll(scroll, _) = &mut model.mode else {
        return;
    };
    if scroll.search.is_none() {
        model.note("Nothing was searched for yet. / searches.");
        return;
    }
    if scroll.next_match(older) {
        return;
    }
    if older && scroll.has_older() && scroll.loading.is_none() {
        let (from, limit) = scroll.older_part();
        scroll.loading = Some(Part::Older);
        cmds.push(ask(&scroll.id, Part::Older, from, limit));
        model.note("No older match here. Reading more of the log; n again looks there.");
    } else {
        let way = if older { "older" } else { "newer" };
        model.note(format!("There is no {way} match."));
    }
}

fn type_search(keymap: &Keymap, scroll: &mut Scroll, key: Key, name: &str) {
    let Some(line) = &mut scroll.input else {
        return;
    };
    match name {
        "esc" => scroll.input = None,
        "enter" => {
            let text = line.text();
            scroll.input = None;
            if text.is_empty() {
                scroll.search = None;
            } else {
                scroll.search(&text);
            }
        }
        _ => {
            edit(keymap, line, key, name);
        }
    }
}

/// Back to NORMAL.
pub(super) fn leave(model: &mut Model) {
    if let Mode::Scroll(_, back) = std::mem::replace(&mut model.mode, Mode::Normal) {
        model.frame = back;
    }
}

fn ask(id: &SessionId, part: Part, offset: u64, limit: u64) -> Cmd {
    let params = Log {
        session_id: id.to_string(),
        offset: Some(offset),
        limit: Some(limit.min(MAX_PART)),
        format: Some(LogFormat::Base64),
        ..Log::default()
    };
    Cmd::Ask(Tag::Log(id.clone(), part), Request::Log(params))
}

/// Goes into SCROLL with a search to type.
pub(super) fn find(model: &mut Model, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}

/// Scrolls the pane without leaving NORMAL.
pub(super) fn nudge(model: &mut Model, _action: Action, _cmds: &mut Vec<Cmd>) {
    model.note("This is not built yet.");
}

/// Shows the times of the lines, or does not.
pub(super) fn times(model: &mut Model) {
    model.note("This is not built yet.");
}

/// Wraps long lines, or does not.
pub(super) fn wrap(model: &mut Model) {
    model.note("This is not built yet.");
}
