//! The status line of INSERT: where keys go, and the key that leaves.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::{Action, Insert, lost, send};
use crate::tui::bar::Bar;
use crate::tui::keymap::NORMAL;
use crate::tui::model::Model;
use crate::tui::model::counts::Counts;
use crate::tui::model::job::Job;
use crate::tui::model::mode::Mode;
use crate::tui::state::State;
use crate::tui::status::{self, Alarms, add_hint, add_who_types, begin, beside, job_items};
use crate::tui::{hints, pane, text};

/// The status line.
pub(super) fn bar(model: &Model, insert: &Insert, area: Rect) -> Bar {
    let theme = &model.theme;
    let wide = area.width >= 60;
    let mut bar = status::bar(model, area);
    let leave = hints::hint(model, Action::Leave);
    if insert.lost_at.is_some() {
        lost::hint(model, &mut bar);
        if let Some(hint) = leave {
            bar.right(0, hints::spans(model, hint));
        }
        lost::words(model, &mut bar, area);
        return bar;
    }
    if !insert.also.is_empty() {
        let ids = insert.jobs();
        let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
        let mode = insert.name();
        let gap = if wide { "  " } else { " " };
        let badge = format!("{mode}{gap}TYPING INTO {} JOBS", ids.len());
        bar = begin(model, area, &badge);
        let room = usize::from(area.width).saturating_sub(50).max(8);
        let names = text::clip(&names.join(", "), room, theme.glyph("…"));
        bar.text(2, names, theme.strong());
        if let Some(hint) = leave {
            bar.right(0, hints::spans(model, hint));
        }
        return bar;
    }
    let mut ended = None;
    match model.current() {
        Some(job) if job.is_going() => {
            job_items(model, job, &mut bar, wide);
            let asked = model.layout().title.is_none();
            let asked = asked.then(|| pane::question(model, beside(area)));
            match asked.flatten() {
                Some(question) => bar.text(1, question, theme.state(&State::Asked)),
                None if add_who_types(model, &mut bar, wide) => {}
                None => bar.right(4, vec![where_keys_go(model, job)]),
            }
        }
        Some(job) => {
            let restart = model.keymap.key_named(NORMAL, "restart");
            let restart = restart.map(|key| (key.to_owned(), "restart".to_owned()));
            add_hint(model, &mut bar, 1, restart);
            ended = Some(job);
        }
        // It was removed.
        None => {
            let name = text::clip_middle(&insert.name, 24, theme.glyph("…"));
            bar.text(0, format!("{name} was removed."), theme.strong());
        }
    }
    if let Some((leave, label)) = leave {
        let next = model.keymap.key_named(NORMAL, "next-alert");
        if let Some(next) = next.filter(|_| wide && has_alarm_elsewhere(model)) {
            let next = (format!("{leave} then {next}"), "next".to_owned());
            // Where keys go is more important.
            add_hint(model, &mut bar, 5, Some(next));
        }
        bar.right(0, hints::spans(model, (leave, label)));
    }
    if let Some(job) = ended {
        // The key that runs it again is more important than how it ended.
        let room = match bar.room(area, 1) {
            ..5 => bar.room(area, 0),
            room => room,
        };
        let words = text::worded(&has_ended(model, job), room, theme.glyph("…"));
        bar.text(0, words, theme.state(&job.state()));
    }
    bar
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
