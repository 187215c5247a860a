//! The card of a job that waits: why, what it needs and how that stands, and when it runs next. Its lines are the same for people and tests; [`draw`](super::draw) places them below the output of the last run.

use ratatui::text::{Line, Span};

use super::draw::{INDENT, heading, key_line};
use crate::protocol::Timestamp;
use crate::protocol::project::{PhaseName, ProjectRole, Waiting};
use crate::term::sanitize::clean;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::state::State;
use crate::tui::{text, units};

/// What a skipped job does when what it needs comes after all.
const STARTS_LATER: &str = "It starts by itself when that comes.";

/// Maximum columns of what is needed.
const NEED: usize = 24;

/// The lines of the card of a job that waits; `None` if it does not.
pub(super) fn lines(model: &Model, job: &Job, width: usize) -> Option<Vec<Line<'static>>> {
    if !job.state().waits() {
        return None;
    }
    let Some(role) = job.role() else {
        return alone(model, job, width);
    };
    let theme = &model.theme;
    let mut lines = heading(model, job, &words(model, job, role), width);
    let room = width.saturating_sub(INDENT.len());
    let mut dim = |words: &str| {
        for part in text::wrap(words, room.max(8)) {
            lines.push(Line::styled(format!("{INDENT}{part}"), theme.dim()));
        }
    };
    if role.phase == PhaseName::Scheduled {
        if let Some(next) = role.next_run {
            dim(&format!("next run {}", ahead(model, next)));
        }
        if let Some(missed) = job.why() {
            dim(&missed);
        }
    }
    if job.state() == State::Skipped {
        dim(STARTS_LATER);
    }
    let column = role
        .needs
        .iter()
        .map(|need| text::width(&wanted(&need.job, need.is.as_str())));
    let column = column.max().unwrap_or(0);
    for need in &role.needs {
        let there = |other: &&Job| other.host() == job.host();
        let other = model.jobs.iter().filter(there).find(|job| {
            job.role()
                .is_some_and(|other| other.project.dir == role.project.dir && other.job == need.job)
        });
        let wanted = wanted(&need.job, need.is.as_str());
        lines.push(needed(model, &wanted, column, other, room));
    }
    lines.push(keys(model, job, room));
    Some(lines)
}

/// A moment that is to come: `14:20, in 8m`.
fn ahead(model: &Model, at: Timestamp) -> String {
    let now = model.now.ms;
    let until = units::until((at.millis() - now).max(0));
    format!("{}, {until}", units::moment_ahead(at, now, &model.zone))
}

/// The card of a job of no project: one that waits after others, in a queue, or in that of a batch system.
fn alone(model: &Model, job: &Job, width: usize) -> Option<Vec<Line<'static>>> {
    let glyph = job.state().glyph(model.theme.ascii);
    let delayed = job.record.summary.delayed_until();
    let words = match (delayed, job.why()) {
        (Some(at), _) => format!("{glyph} starts at {}", ahead(model, at)),
        (None, why) => format!("{glyph} {}: {}", job.word(), why?),
    };
    let mut lines = heading(model, job, &words, width);
    let room = width.saturating_sub(INDENT.len());
    let engine = job.record.summary.engine.as_ref();
    let start = engine
        .and_then(|engine| engine.estimated_start_at)
        .map(|start| format!("expected to start at {}", ahead(model, start)));
    let silent = engine.and_then(|engine| engine.silent_since).map(|since| {
        let since = units::moment(since, model.now.ms, &model.zone);
        let kind = job.record.summary.launcher.as_ref();
        let kind = kind.map_or("the batch system", |launcher| launcher.kind.name());
        format!("{kind} has not answered since {since}")
    });
    for words in [job.engine(), start, silent].into_iter().flatten() {
        for part in text::wrap(&words, room.max(8)) {
            lines.push(Line::styled(format!("{INDENT}{part}"), model.theme.dim()));
        }
    }
    if job.state() == State::Skipped {
        lines.push(Line::styled(
            format!("{INDENT}{STARTS_LATER}"),
            model.theme.dim(),
        ));
    }
    let waiting = job.record.summary.waiting.as_ref();
    if let Some((name, level)) = waiting.and_then(Waiting::needed) {
        // It was there when this one was started after it.
        let created = job.record.summary.created_at;
        let mut others = model.jobs.iter().rev();
        let other =
            others.find(|other| other.name == name && other.record.summary.created_at < created);
        let wanted = wanted(name, level);
        lines.push(needed(model, &wanted, text::width(&wanted), other, room));
    }
    lines.push(keys(model, job, room));
    Some(lines)
}

/// `skipped: needs migrate ok`, `queued: 2 before it in its queue`, `scheduled`.
fn words(model: &Model, job: &Job, role: &ProjectRole) -> String {
    let glyph = job.state().glyph(model.theme.ascii);
    match job.why().filter(|_| role.phase != PhaseName::Scheduled) {
        Some(why) => format!("{glyph} {}: {why}", role.phase.as_str()),
        None => format!("{glyph} {}", role.phase.as_str()),
    }
}

/// `needs migrate ok`.
fn wanted(job: &str, level: &str) -> String {
    format!("needs {} {level}", clean(job))
}

/// `needs migrate ok    ✗ exit 1, 2m ago`: what is needed, in a column of this width, and how that job stands.
fn needed(
    model: &Model,
    wanted: &str,
    column: usize,
    other: Option<&Job>,
    room: usize,
) -> Line<'static> {
    let theme = &model.theme;
    let column = column.min(NEED).min(room / 2);
    let wanted = text::clip_middle(wanted, column, theme.glyph("…"));
    let blank = " ".repeat(column - text::width(&wanted) + 2);
    let (state, how) = match other {
        Some(job) => {
            let time = model.time_of(job);
            let time = if time.is_empty() {
                time
            } else {
                format!(", {time}")
            };
            let state = job.state();
            let glyph = state.glyph(theme.ascii);
            (theme.state(&state), format!("{glyph} {}{time}", job.word()))
        }
        None => (theme.dim(), "was never started".to_owned()),
    };
    let left = room.saturating_sub(column + 2);
    Line::from(vec![
        Span::raw(format!("{INDENT}{wanted}{blank}")),
        Span::styled(text::clip(&how, left, theme.glyph("…")), state),
    ])
}

fn keys(model: &Model, job: &Job, room: usize) -> Line<'static> {
    let is_skipped = job.role().is_some() && job.state() == State::Skipped;
    // A project of another machine is brought up there.
    let is_skipped = is_skipped && job.host().is_none();
    let up = is_skipped.then_some(("project-up", "bring up"));
    let run = (job.state() == State::Scheduled).then_some(("restart", "run now"));
    let rest = [("stop", "stop waiting"), ("details", "details")];
    let labelled = up.into_iter().chain(run).chain(rest);
    key_line(
        model,
        labelled.map(|(action, label)| (action, label.to_owned())),
        room,
    )
}
