//! CONFIRM in the status line: the question with the facts needed to decide, and the answer keys.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::bar::Bar;
use super::hints;
use super::status::{begin, who_types};
use crate::protocol::SessionId;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::mode::Ask;
use crate::tui::state::State;
use crate::tui::update::{paste_lines, quit::group};
use crate::tui::{text, units};

/// A question and its answer keys.
pub(super) fn question(model: &Model, ask: &Ask, area: Rect) -> Bar {
    let theme = &model.theme;
    if *ask == Ask::Quit {
        return quit(model, area);
    }
    let (verb, what, kill) = match ask {
        Ask::Stop(ids) => ("STOP", about_alive(model, ids), true),
        Ask::Kill(ids) => ("KILL -9", about_alive(model, ids), false),
        Ask::Pause(ids, true) => ("PAUSE", about_alive(model, ids), false),
        Ask::Pause(ids, false) => ("CONTINUE", about_alive(model, ids), false),
        Ask::Restart(ids) => ("RESTART", about_alive(model, ids), false),
        Ask::Again(insert) => ("RUN AGAIN", about_end(model, &insert.id), false),
        Ask::Remove(ids) => ("REMOVE", about_ended(model, ids), false),
        // It has its own bar.
        Ask::Quit => ("", String::new(), false),
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
    // If there is no room for both, the names of several jobs are more important than the key that
    // kills.
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
    if let Some(words) = who_types(model).filter(|_| area.width >= 60) {
        bar.right(
            1,
            vec![Span::styled(words, theme.state(&State::NeedsInput))],
        );
    }
    bar.right(0, hint("y", "yes"));
    if kill {
        bar.right(2, hint("X", "kill -9"));
    }
    bar.right(0, hint("n", "no"));
    bar
}

/// `5 jobs are running   s stop shop (4)  A stop all 5  n no`
fn quit(model: &Model, area: Rect) -> Bar {
    let theme = &model.theme;
    let alive = model.counts().alive();
    let wide = area.width >= 60;
    let word = if wide { "QUIT AND STOP?" } else { "QUIT?" };
    let mut bar = begin(model, area, word);
    let are = match alive {
        1 => "1 job is running".to_owned(),
        n => format!("{n} jobs are running"),
    };
    bar.text(3, are, theme.strong());
    let stop = if wide { "stop " } else { "" };
    let mut key = |rank: u8, action: Action, label: String| {
        if let Some((key, _)) = hints::hint(model, Place::Confirm, action) {
            bar.right(rank, hints::spans(model, (key, label)));
        }
    };
    if let Some((title, ids)) = group(model).filter(|(_, ids)| ids.len() < alive) {
        let title = text::clip_middle(&title, 16, theme.glyph("…"));
        key(
            2,
            Action::StopGroup,
            format!("{stop}{title} ({})", ids.len()),
        );
    }
    let all = match alive {
        1 => "stop it".to_owned(),
        n => format!("{stop}all {n}"),
    };
    key(0, Action::StopAll, all);
    key(0, Action::No, "no".to_owned());
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
        let kept = ids.iter().filter_map(|id| model.job(id)).map(kept_bytes);
        let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
        return format!(
            "{} jobs and their logs ({}): {}?",
            ids.len(),
            units::bytes(kept.sum()),
            names.join(", ")
        );
    };
    let Some(job) = model.job(id) else {
        return format!("{id}?");
    };
    format!(
        "{} ({}) and its log ({})?",
        job.name,
        job.state().word(),
        units::bytes(kept_bytes(job))
    )
}

/// `lint (exit 1)?`
fn about_end(model: &Model, id: &SessionId) -> String {
    match model.job(id) {
        Some(job) => format!("{} ({})?", job.name, job.state().word()),
        None => format!("{id}?"),
    }
}

fn kept_bytes(job: &Job) -> u64 {
    let all = job.record.summary.output_bytes;
    all.saturating_sub(job.record.dropped_bytes)
}

/// `4 jobs: web, api, db, tests?`
fn several(model: &Model, ids: &[SessionId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
    format!("{} jobs: {}?", ids.len(), names.join(", "))
}
