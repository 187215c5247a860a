//! Loads parts of the log into the pane, and moves through what is loaded.

use crate::protocol::params::{Log, LogFormat};
use crate::protocol::{Action, Mode as JobMode, SessionId};
use crate::tui::keymap::{NORMAL, SCROLL};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::Model;
use crate::tui::scrollback::{FIRST_BYTES, MAX_PART, Move, Part, Scroll};

/// Requests the end of the log of the job in the pane, and returns a view for it.
pub fn begin(model: &Model, cmds: &mut Vec<Cmd>) -> Option<Box<Scroll>> {
    let summary = &model.current()?.record.summary;
    let id = summary.session_id.clone();
    let mut scroll = Scroll::new(id, model.display()?, summary.mode == JobMode::Pipe);
    let (offsets, breaks) = model.run_places(&scroll.id);
    if summary.restarts > 0 && !offsets.is_empty() {
        scroll.set_runs(offsets, breaks);
    }
    // The limit is larger than the size known so far, to include output written since.
    let from = summary.output_bytes.saturating_sub(FIRST_BYTES);
    cmds.push(request(model, &scroll.id, Part::First, from, MAX_PART));
    Some(Box::new(scroll))
}

/// Moves by `rows`, positive downwards; at an end, requests more of the log.
pub fn go(model: &mut Model, how: Move, rows: isize, cmds: &mut Vec<Cmd>) {
    let written = written(model);
    let Some(scroll) = &mut model.pane.scroll else {
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
pub fn move_or_wait(scroll: &mut Scroll, how: Move, rows: isize) {
    if scroll.loading == Some(Part::First) {
        let before = scroll.rest.map_or(0, |(_, rows)| rows);
        scroll.rest = Some((how, before + rows));
    } else {
        scroll.go(how, rows);
    }
}

/// Requests the part before the loaded stretch.
pub fn older(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = &mut model.pane.scroll else {
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
pub fn newer(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = &mut model.pane.scroll else {
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
pub fn around(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    scroll.hold_place();
    let row = scroll.text.rows.get(scroll.cursor.row);
    let offset = row.map_or(scroll.text.start, |row| row.offset);
    load_around(model, offset, cmds);
}

/// Reloads around an offset.
pub fn load_around(model: &mut Model, offset: u64, cmds: &mut Vec<Cmd>) {
    let from = offset.saturating_sub(MAX_PART / 2);
    load(model, Part::Around(offset), from, MAX_PART, cmds);
}

/// Requests a part of the log in the pane.
pub fn load(model: &mut Model, part: Part, from: u64, limit: u64, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    scroll.loading = Some(part);
    let id = scroll.id.clone();
    cmds.push(request(model, &id, part, from, limit));
}

/// Number of bytes that the job in the pane has written.
pub fn written(model: &Model) -> u64 {
    let job = model.current();
    job.map_or(0, |job| job.record.summary.output_bytes)
}

/// Toggles timestamps.
pub fn times(model: &mut Model, cmds: &mut Vec<Cmd>) {
    model.pane.times = !model.pane.times;
    let text = if model.pane.times {
        let context = if model.mode().scrolls() {
            SCROLL
        } else {
            NORMAL
        };
        let key = model.keymap.instead_of(context, "t");
        format!("Times of the lines: on. {key} turns them off.")
    } else {
        "Times of the lines: off.".to_owned()
    };
    model.note_state("times".to_owned(), text, None);
    let needs = model
        .pane
        .scroll
        .as_ref()
        .is_some_and(|scroll| scroll.loading.is_none() && !scroll.is_still);
    if model.pane.times && needs {
        around(model, cmds);
    }
}

/// Toggles wrapping of long lines.
pub fn wrap(model: &mut Model) {
    model.pane.wrap = !model.pane.wrap;
    let text = if model.pane.wrap {
        "Long lines wrap.".to_owned()
    } else {
        // With times, the log takes the place of the screen.
        let is_log = model.pane.scroll.as_ref();
        let shown = if is_log.is_some_and(|scroll| !scroll.is_still) {
            "Long lines are cut"
        } else {
            "The screen as it is"
        };
        format!(
            "{shown}; {} and {} move sideways, {} wraps long lines again.",
            model.key(","),
            model.key("."),
            model.key("w")
        )
    };
    model.note_state("wrap".to_owned(), text, None);
}

/// The request for a part of a log.
fn request(model: &Model, id: &SessionId, part: Part, offset: u64, limit: u64) -> Cmd {
    let params = Log {
        session_id: Some(id.to_string()),
        offset: Some(offset),
        limit: Some(limit.clamp(1, MAX_PART)),
        format: Some(LogFormat::Base64),
        // A part that is only searched is never displayed.
        times: (model.pane.times && !matches!(part, Part::Probe(_))).then_some(true),
        ..Log::default()
    };
    Cmd::Request(RequestKind::Log(id.clone(), part), Action::Log(params))
}
