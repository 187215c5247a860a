//! Receives parts of a log, and scrolls the pane in NORMAL.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{group, jump, load};
use crate::protocol::SessionId;
use crate::protocol::reply::LogBytes;
use crate::tui::crop;
use crate::tui::message::Cmd;
use crate::tui::model::{Link, Model};
use crate::tui::scrollback::{FIRST_BYTES, MAX_PART, Move, Part, Scroll};

/// Handles a requested part.
pub fn received(model: &mut Model, id: &SessionId, part: Part, value: Value, cmds: &mut Vec<Cmd>) {
    let lines = model
        .job(id)
        .map_or(0, |job| job.record.summary.output_lines);
    model.dirty = true;
    let Some(scroll) = &mut model.pane.scroll else {
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
        jump::probed(model, edge, &bytes, log.offset, cmds);
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
    jump::go_on(model, cmds);
    jump::fill(model, cmds);
    if part == Part::First {
        hold_full_screen(model);
    }
}

/// Freezes the screen of a full-screen program, so that it can be read and copied. Such a program
/// leaves no output that scrolls.
fn hold_full_screen(model: &mut Model) {
    let Some(scroll) = model.pane.scroll.as_ref().filter(|_| model.scrolls()) else {
        return;
    };
    let id = scroll.id.clone();
    // A search may have been begun already.
    let (input, search) = (
        scroll.input.clone(),
        scroll.search.as_ref().map(|search| search.text.clone()),
    );
    let leaves_at_end = scroll.leaves_at_end;
    let (Some(screen), Some(area), Some(size)) =
        (model.screen(&id), model.layout().pane, model.pane_size())
    else {
        return;
    };
    let is_blank = scroll.text.rows.iter().all(|row| row.text.is_empty());
    if !screen.alt_screen() || !is_blank {
        return;
    }
    let crop = crop::crop(screen, area, model.pane.pan, false);
    let mut still = Scroll::still(id, size, screen, (crop.top, crop.left));
    (still.input, still.leaves_at_end) = (input, leaves_at_end);
    if let Some(text) = search {
        still.search(&text);
    }
    model.pane.scroll = Some(Box::new(still));
}

/// Scrolls the pane by a line or by half a page without leaving NORMAL.
pub fn nudge(model: &mut Model, by_half: bool, down: bool, cmds: &mut Vec<Cmd>) {
    let Some(display) = model
        .display()
        .filter(|_| model.current().is_some() || group::is_shown(model))
    else {
        model.note("There is no pane to scroll.");
        return;
    };
    let rows = if by_half {
        isize::try_from(display.pane.rows() / 2).unwrap_or(1).max(1)
    } else {
        1
    };
    nudge_by(model, if down { rows } else { -rows }, cmds);
}

/// Scrolls by `rows`, positive downwards. At the end the pane is live again. The screen of a full-screen program that
/// has more rows than the pane is shifted instead.
pub fn nudge_by(model: &mut Model, rows: isize, cmds: &mut Vec<Cmd>) {
    if group::is_shown(model) {
        group::scroll(model, rows);
        return;
    }
    if model.pan_down(rows) {
        return;
    }
    if model
        .pane
        .scroll
        .as_ref()
        .is_none_or(|scroll| scroll.is_still)
    {
        if rows > 0 {
            return;
        }
        let live = model.current_id().and_then(|id| model.screen(id));
        if live.is_some_and(crop::is_full_screen) {
            let key = model.key("s");
            model.note(format!(
                "This program draws its whole screen and leaves no lines; {key} shows earlier screens."
            ));
            return;
        }
        model.pane.scroll = load::begin(model, cmds);
    }
    if let Some(scroll) = &mut model.pane.scroll {
        scroll.follows &= rows > 0;
    }
    load::go(model, Move::View, rows, cmds);
    let written = load::written(model);
    let back = model.pane.scroll.as_ref().is_some_and(|scroll| {
        rows > 0 && scroll.loading.is_none() && scroll.is_at_end() && scroll.text.end >= written
    });
    if back {
        model.pane.scroll = None;
    }
}

/// In NORMAL, the log replaces the screen if timestamps are shown, because the screen has none. A
/// scrolled-back pane is closed when another job is selected.
pub fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    model.close_other_log();
    let id = model.current_id().cloned();
    let is_log = model.pane.times;
    if model.mode().types() {
        model.pane.scroll.take_if(|scroll| !scroll.is_still);
    }
    if model.daemon.link != Link::Up {
        return;
    }
    let follows = model
        .pane
        .scroll
        .as_ref()
        .is_some_and(|scroll| scroll.follows);
    let screen = id.as_ref().and_then(|id| model.screen(id));
    // The screen may come only after the log was shown.
    let is_full_screen = screen.is_some_and(crop::is_full_screen);
    if follows && (!is_log || is_full_screen) {
        model.pane.scroll = None;
        model.dirty |= is_log;
    }
    let wants = is_log && model.is_normal() && !is_full_screen;
    if wants && model.pane.scroll.is_none() && !model.frame.grid {
        model.pane.scroll = load::begin(model, cmds);
        if let Some(scroll) = &mut model.pane.scroll {
            scroll.follows = true;
        }
        model.dirty = true;
    }
    follow(model, cmds);
}

/// Requests new output if the viewport stays at the end.
fn follow(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.scrolls() {
        return;
    }
    let written = load::written(model);
    let Some(scroll) = model.pane.scroll.as_ref() else {
        return;
    };
    if !scroll.follows || scroll.loading.is_some() || written <= scroll.text.end {
        return;
    }
    // The view has fallen far behind: start again at the end.
    if scroll.text.is_full() || written - scroll.text.end > MAX_PART {
        let from = written.saturating_sub(FIRST_BYTES);
        load::load(model, Part::First, from, MAX_PART, cmds);
    } else {
        load::newer(model, cmds);
    }
}

/// Requests again what was pending when the connection broke.
pub fn again(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let written = load::written(model);
    let Some(scroll) = model.pane.scroll.as_mut().filter(|scroll| !scroll.is_still) else {
        return;
    };
    match scroll.loading.take() {
        Some(Part::First) => {
            let from = written.saturating_sub(FIRST_BYTES);
            load::load(model, Part::First, from, MAX_PART, cmds);
        }
        Some(Part::Around(offset)) => load::load_around(model, offset, cmds),
        _ => {}
    }
}
