//! CONFIRM in the status line: what is asked, with the facts to decide by, and the keys that answer.

use ratatui::layout::Rect;

use super::bar::Bar;
use super::hints;
use super::status::begin;
use crate::protocol::SessionId;
use crate::tui::keymap::Place;
use crate::tui::model::Model;
use crate::tui::model::mode::Ask;
use crate::tui::update::paste_lines;
use crate::tui::{text, units};

/// A question and the keys that answer it.
pub(super) fn question(model: &Model, ask: &Ask, area: Rect) -> Bar {
    let theme = &model.theme;
    let (verb, what, kill) = match ask {
        Ask::Stop(ids) => ("STOP", about_alive(model, ids), true),
        Ask::Kill(ids) => ("KILL -9", about_alive(model, ids), false),
        Ask::Pause(ids, true) => ("PAUSE", about_alive(model, ids), false),
        Ask::Pause(ids, false) => ("CONTINUE", about_alive(model, ids), false),
        Ask::Restart(ids) => ("RESTART", about_alive(model, ids), false),
        Ask::Remove(ids) => ("REMOVE", about_ended(model, ids), false),
        Ask::Paste(bytes, insert) => {
            let n = paste_lines(bytes);
            let lines = if n == 1 { "line" } else { "lines" };
            let into = match insert.also.as_slice() {
                [] => format!("{}?", model.name_of(&insert.id)),
                _ => several(model, &insert.jobs()),
            };
            ("PASTE", format!("{n} {lines} into {into}"), false)
        }
    };
    let mut bar = begin(model, area, verb);
    let hint = |key: &str, label: &str| {
        let key = model.keymap.instead_of(Place::Confirm, key);
        hints::spans(model, (key.to_owned(), label.to_owned()))
    };
    // Names of several are worth more than the key that kills, where there is no room for both.
    let answers = match ask {
        Ask::Stop(ids) if ids.len() > 1 && area.width < 60 => 15,
        _ => 22,
    };
    let room = usize::from(area.width).saturating_sub(verb.len() + answers);
    bar.text(
        0,
        text::clip(&what, room.max(8), theme.glyph("…")),
        theme.strong(),
    );
    bar.right(0, hint("y", "yes"));
    if kill {
        bar.right(2, hint("X", "kill -9"));
    }
    bar.right(0, hint("n", "no"));
    bar
}

/// `web (pid 48213, 4 processes, up 2h04m)?`
fn about_alive(model: &Model, ids: &[SessionId]) -> String {
    let [id] = ids else {
        return several(model, ids);
    };
    let Some(job) = model.job(id) else {
        return format!("{id}?");
    };
    let mut facts = Vec::new();
    if let Some(pid) = job.record.summary.pid {
        facts.push(format!("pid {pid}"));
    }
    if let Some(n) = job.record.processes.filter(|&n| n > 1) {
        facts.push(format!("{n} processes"));
    }
    let up = units::uptime(job.runtime(model.now.ms));
    facts.push(format!("up {up}"));
    format!("{} ({})?", job.name, facts.join(", "))
}

/// `lint (exit 1) and its log (14K)?`
fn about_ended(model: &Model, ids: &[SessionId]) -> String {
    let [id] = ids else {
        return format!(
            "{} and their logs?",
            several(model, ids).trim_end_matches('?')
        );
    };
    let Some(job) = model.job(id) else {
        return format!("{id}?");
    };
    let summary = &job.record.summary;
    let kept = summary
        .output_bytes
        .saturating_sub(job.record.dropped_bytes);
    format!(
        "{} ({}) and its log ({})?",
        job.name,
        job.state().word(),
        units::bytes(kept)
    )
}

/// `4 jobs: web, api, db, tests?`
fn several(model: &Model, ids: &[SessionId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
    format!("{} jobs: {}?", ids.len(), names.join(", "))
}
