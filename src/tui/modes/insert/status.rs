//! The status line of INSERT: where keys go, and the key that leaves.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::{Action, Insert, lost, send};
use crate::tui::bar::Bar;
use crate::tui::keymap::NORMAL;
use crate::tui::model::Model;
use crate::tui::model::counts::Counts;
use crate::tui::model::job::Job;
use crate::tui::model::mode::{Hint, Mode};
use crate::tui::state::State;
use crate::tui::status::{self, Alarms, add_hint, add_who_types, begin, beside, job_items};
use crate::tui::{hints, pane, text};

/// The status line.
pub(super) fn bar(model: &Model, insert: &Insert, area: Rect) -> Bar {
    if insert.lost_at.is_some() {
        keys_were_lost(model, area)
    } else if insert.also.is_empty() {
        one_job(model, insert, area)
    } else {
        several_jobs(model, insert, area)
    }
}

fn keys_were_lost(model: &Model, area: Rect) -> Bar {
    let mut bar = status::bar(model, area);
    lost::hint(model, &mut bar);
    add_hint(model, &mut bar, 0, leave(model));
    lost::words(model, &mut bar, area);
    bar
}

fn several_jobs(model: &Model, insert: &Insert, area: Rect) -> Bar {
    let theme = &model.theme;
    let ids = insert.jobs();
    let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
    let mode = insert.name();
    let gap = if is_wide(area) { "  " } else { " " };
    let badge = format!("{mode}{gap}TYPING INTO {} JOBS", ids.len());
    let mut bar = begin(model, area, &badge);
    let room = usize::from(area.width).saturating_sub(50).max(8);
    let names = text::clip(&names.join(", "), room, theme.glyph("…"));
    bar.text(2, names, theme.strong());
    add_hint(model, &mut bar, 0, leave(model));
    bar
}

fn one_job(model: &Model, insert: &Insert, area: Rect) -> Bar {
    let mut bar = status::bar(model, area);
    match model.current() {
        Some(job) if job.is_going() => running_job(model, job, &mut bar, area),
        Some(_) => {
            let restart = model.keymap.key_named(NORMAL, "restart");
            let restart = restart.map(|key| (key.to_owned(), "restart".to_owned()));
            add_hint(model, &mut bar, 1, restart);
        }
        // It was removed.
        None => {
            let name = text::clip_middle(&insert.name, 24, model.theme.glyph("…"));
            bar.text(0, format!("{name} was removed."), model.theme.strong());
        }
    }
    add_ways_out(model, &mut bar, area);
    if let Some(job) = model.current().filter(|job| !job.is_going()) {
        // The words take what the hints leave.
        ended_job(model, job, &mut bar, area);
    }
    bar
}

/// The state of a job, and what a person who types into it has to know: a question, who else types, where keys go.
fn running_job(model: &Model, job: &Job, bar: &mut Bar, area: Rect) {
    let wide = is_wide(area);
    job_items(model, job, bar, wide);
    // The title line shows the question, if there is one.
    let asked = model.layout().title.is_none();
    let asked = asked.then(|| pane::title::question(model, beside(area)));
    match asked.flatten() {
        Some(question) => bar.text(1, question, model.theme.state(&State::Asked)),
        None if add_who_types(model, bar, wide) => {}
        None => bar.right(4, vec![where_keys_go(model, job)]),
    }
}

/// How a job has ended.
fn ended_job(model: &Model, job: &Job, bar: &mut Bar, area: Rect) {
    let theme = &model.theme;
    // The key that runs it again is more important than how it ended.
    let room = match bar.room(area, 1) {
        ..5 => bar.room(area, 0),
        room => room,
    };
    let words = text::worded(&has_ended(model, job), room, theme.glyph("…"));
    bar.text(0, words, theme.state(&job.state()));
}

/// Adds the key that leaves, and how to go on to the next job that needs a person.
fn add_ways_out(model: &Model, bar: &mut Bar, area: Rect) {
    let Some((key, label)) = leave(model) else {
        return;
    };
    let next = model.keymap.key_named(NORMAL, "next-alert");
    if let Some(next) = next.filter(|_| is_wide(area) && has_alarm_elsewhere(model)) {
        let next = (format!("{key} then {next}"), "next".to_owned());
        // Where keys go is more important.
        add_hint(model, bar, 5, Some(next));
    }
    add_hint(model, bar, 0, Some((key, label)));
}

/// The key that leaves INSERT.
fn leave(model: &Model) -> Option<Hint> {
    hints::hint(model, Action::Leave)
}

/// Whether there is room for more than the shortest words.
fn is_wide(area: Rect) -> bool {
    area.width >= 60
}

/// Whether there is an alarm of another job than the one that is typed into.
fn has_alarm_elsewhere(model: &Model) -> bool {
    let here = Counts::of(model.current().map(Job::state)).input;
    Alarms::of(model).total() > here
}

fn where_keys_go(model: &Model, job: &Job) -> Span<'static> {
    match send::takes_nothing(job) {
        Some(_) => Span::styled("keys are not sent", model.theme.strong()),
        None => Span::styled("keys go to the job", model.theme.dim()),
    }
}

/// That a job has ended and how, the most detailed words first.
fn has_ended(model: &Model, job: &Job) -> Vec<String> {
    let name = text::clip_middle(&job.name, 24, model.theme.glyph("…"));
    let how = match job.state() {
        State::Done => "exit 0".to_owned(),
        other => other.word(),
    };
    vec![
        format!("{name} has ended: {how}."),
        format!("{name} has ended."),
        format!("ended: {how}"),
        "ended".to_owned(),
    ]
}
