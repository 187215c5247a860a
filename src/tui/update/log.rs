//! Receives parts of a log, and scrolls the pane in NORMAL.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::msg::Cmd;
use super::{hunt, scroll};
use crate::protocol::reply::LogBytes;
use crate::protocol::{Record, SessionId};
use crate::tui::keymap::Action;
use crate::tui::model::mode::Mode;
use crate::tui::model::scroll::{FIRST_BYTES, MAX_PART, Move, Part, Scroll};
use crate::tui::model::{Link, Model};
use crate::tui::pane;

/// Handles a requested part.
pub(super) fn came(
    model: &mut Model,
    id: &SessionId,
    part: Part,
    value: Value,
    cmds: &mut Vec<Cmd>,
) {
    let lines = model
        .job(id)
        .map_or(0, |job| job.record.summary.output_lines);
    model.dirty = true;
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    if scroll.id != *id || scroll.loading != Some(part) {
        return;
    }
    let read = serde_json::from_value::<LogBytes>(value)
        .ok()
        .and_then(|log| Some((STANDARD.decode(&log.output).ok()?, log)));
    let Some((bytes, log)) = read else {
        scroll.loading = None;
        return;
    };
    if let Part::Probe(edge) = part {
        hunt::probed(model, edge, &bytes, log.offset, cmds);
        return;
    }
    let times = log.times.iter().flatten();
    scroll.note_times(part, times.map(|time| (time.offset, time.at.millis())));
    scroll.receive(part, &bytes, log.offset, log.first_offset);
    if part != Part::Older {
        scroll.has_end = log.next_offset >= log.total_bytes;
        if scroll.has_end {
            scroll.lines_then = lines;
        }
    }
    if let Part::Around(_) = part {
        scroll.to_match_in_line();
    }
    hunt::go_on(model, cmds);
    hunt::fill(model, cmds);
    if part == Part::First {
        hold_full_screen(model);
    }
}

/// Freezes the screen of a full-screen program, so that it can be read and copied. Such a program
/// leaves no output that scrolls.
fn hold_full_screen(model: &mut Model) {
    let Mode::Scroll(scroll, _) = &model.mode else {
        return;
    };
    let id = scroll.id.clone();
    let (Some(screen), Some(area), Some(size)) =
        (model.screen(&id), model.layout().pane, model.pane_size())
    else {
        return;
    };
    let is_blank = scroll.text.rows.iter().all(|row| row.text.is_empty());
    if !screen.alt_screen() || !is_blank {
        return;
    }
    let crop = pane::crop(screen, area, model.pan, false);
    let still = Scroll::still(id, size, screen, (crop.top, crop.left));
    if let Mode::Scroll(scroll, _) = &mut model.mode {
        **scroll = still;
    }
}

/// Stores where runs start; `None` if that is not available.
pub(super) fn runs_came(
    model: &mut Model,
    id: &SessionId,
    record: Option<Record>,
    cmds: &mut Vec<Cmd>,
) {
    model.dirty = true;
    let Some(scroll) = model.scroll_mut().filter(|scroll| scroll.id == *id) else {
        return;
    };
    let runs = record
        .and_then(|record| record.detail)
        .map(|detail| detail.runs);
    let offsets = runs.unwrap_or_default().into_iter().map(|run| run.offset);
    scroll.runs = Some(offsets.collect());
    hunt::go_on(model, cmds);
}

/// Scrolls the pane without leaving NORMAL.
pub(super) fn nudge(model: &mut Model, action: Action, cmds: &mut Vec<Cmd>) {
    let Some(display) = model.display().filter(|_| model.current().is_some()) else {
        model.note("There is no pane to scroll.");
        return;
    };
    let half = isize::try_from(display.pane.rows() / 2).unwrap_or(1).max(1);
    let rows = match action {
        Action::HalfUp => -half,
        Action::HalfDown => half,
        Action::LineUp => -1,
        _ => 1,
    };
    nudge_by(model, rows, cmds);
}

/// Scrolls by `rows`, positive downwards. At the end the pane is live again.
pub(super) fn nudge_by(model: &mut Model, rows: isize, cmds: &mut Vec<Cmd>) {
    if model.peek.as_ref().is_none_or(|peek| peek.is_still) {
        if rows > 0 {
            return;
        }
        model.peek = scroll::begin(model, cmds);
    }
    if let Some(peek) = &mut model.peek {
        peek.follows &= rows > 0;
    }
    scroll::go(model, Move::View, rows, cmds);
    let written = scroll::written(model);
    let back = model.peek.as_ref().is_some_and(|peek| {
        rows > 0 && peek.loading.is_none() && peek.is_at_end() && peek.text.end >= written
    });
    if back {
        model.peek = None;
    }
}

/// In NORMAL, the log replaces the screen if timestamps are shown or lines are cut, because the
/// screen can do neither. A scrolled-back pane is closed when another job is selected.
pub(super) fn settle(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let id = model.current_id().cloned();
    if model
        .peek
        .as_ref()
        .is_some_and(|peek| Some(&peek.id) != id.as_ref())
    {
        model.peek = None;
    }
    let is_log = model.times || !model.wrap;
    if let (Mode::Insert(_), Some(peek)) = (&model.mode, &model.peek)
        && !peek.is_still
    {
        model.peek = None;
    }
    if model.link != Link::Up {
        return;
    }
    let follows = model.peek.as_ref().is_some_and(|peek| peek.follows);
    if follows && !is_log {
        model.peek = None;
    }
    let is_screen = id.as_ref().and_then(|id| model.screen(id));
    let is_full_screen = is_screen.is_some_and(|screen| screen.alt_screen());
    let wants = is_log && matches!(model.mode, Mode::Normal) && !is_full_screen;
    if wants && model.peek.is_none() && !model.frame.grid {
        model.peek = scroll::begin(model, cmds);
        if let Some(peek) = &mut model.peek {
            peek.follows = true;
        }
        model.dirty = true;
    }
    follow(model, cmds);
}

/// Requests new output if the viewport stays at the end.
fn follow(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if matches!(model.mode, Mode::Scroll(..)) {
        return;
    }
    let written = scroll::written(model);
    let Some(peek) = model.peek.as_ref() else {
        return;
    };
    if !peek.follows || peek.loading.is_some() || written <= peek.text.end {
        return;
    }
    // The view has fallen far behind: start again at the end.
    if peek.text.is_full() || written - peek.text.end > MAX_PART {
        let from = written.saturating_sub(FIRST_BYTES);
        scroll::load(model, Part::First, from, MAX_PART, cmds);
    } else {
        scroll::newer(model, cmds);
    }
}

/// Requests again what was pending when the connection broke.
pub(super) fn again(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let written = scroll::written(model);
    let Some(scroll) = model.scroll_mut().filter(|scroll| !scroll.is_still) else {
        return;
    };
    if scroll.loading.take() == Some(Part::First) {
        let from = written.saturating_sub(FIRST_BYTES);
        scroll::load(model, Part::First, from, MAX_PART, cmds);
    }
}
