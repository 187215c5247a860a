//! Queues: pausing and resuming them, and the order and the start of what waits in them.

use ratatui::layout::Rect;

use crate::protocol::reply::QueueState;
use crate::protocol::shell::quote;
use crate::term::sanitize::clean;
use crate::tui::bar::Bar;
use crate::tui::message::Cmd;
use crate::tui::model::job::Job;
use crate::tui::model::rows::is_within;
use crate::tui::model::{Model, queues};
use crate::tui::modes::confirm::{Answer, Offer, Question, add_about, ask, begin};
use crate::tui::requests;
use crate::tui::shell::{self, Verb};

/// Resumes the queue of what is selected; asks before pausing it.
pub(super) fn pause(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(queue) = model.chosen_queue().cloned() else {
        return note(model, none_chosen);
    };
    if !model.has_daemon("Not done") {
        return;
    }
    if queue.paused {
        requests::pause_queue(&queue, false, cmds);
    } else {
        ask(model, Pause { queue }, cmds);
    }
}

/// Starts the selected jobs of a queue now, out of turn.
pub(super) fn start_now(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let ids = model.queued_targets();
    if ids.is_empty() {
        note(model, none_waits);
    } else {
        requests::restart(model, &ids, cmds);
    }
}

/// Moves the selected jobs to the front or to the end of their queue. Several keep their order.
pub(super) fn move_to(model: &mut Model, first: bool, cmds: &mut Vec<Cmd>) {
    let ids = model.queued_targets();
    if ids.is_empty() {
        note(model, none_waits);
    } else {
        requests::move_in_queue(&ids, first, cmds);
    }
}

fn note(model: &mut Model, why: fn(&Model) -> Option<String>) {
    if let Some(why) = why(model) {
        model.note(why);
    }
}

/// Why no queue can be paused or resumed, if that is so.
pub(super) fn none_chosen(model: &Model) -> Option<String> {
    if model.chosen_queue().is_some() {
        return None;
    }
    let chosen = model.targets();
    let mut jobs = chosen.iter().filter_map(|id| model.job(id));
    Some(
        if jobs.any(|job| queues::of(&model.queues, job).is_some()) {
            "These jobs are in several queues; select a job of the one that is meant.".to_owned()
        } else {
            "No queue is selected: bgproc group NAME --parallel N makes a group one.".to_owned()
        },
    )
}

/// Why there is nothing to move or to start out of turn, if that is so.
pub(super) fn none_waits(model: &Model) -> Option<String> {
    let targets = model.targets();
    if !model.queued_targets().is_empty() {
        return None;
    }
    Some(match targets.as_slice() {
        [] => "There is no job to move.".to_owned(),
        [id] => format!("{} does not wait in a queue.", model.name_of(id)),
        _ => "None of these jobs waits in a queue.".to_owned(),
    })
}

/// The shell command that pauses or resumes the queue.
pub(super) fn shell(model: &Model) -> Result<String, &'static str> {
    let queue = model.chosen_queue().ok_or("no queue is selected")?;
    command(model, queue, !queue.paused)
}

fn command(model: &Model, queue: &QueueState, pause: bool) -> Result<String, &'static str> {
    let is_here = queues::dir(queue).is_none_or(|dir| is_within(&model.origin.cwd, dir));
    let how = if pause { "--pause" } else { "--resume" };
    let line = format!("bgproc group {} {how}", quote(&clean(&queue.queue)));
    is_here
        .then_some(line)
        .ok_or("in the directory of its project")
}

/// The shell command on the selected jobs that wait in queues.
pub(super) fn shell_on(model: &Model, verb: Verb) -> Result<String, &'static str> {
    shell::on_jobs(verb, model, &model.queued_targets()).ok_or("no selected job waits in a queue")
}

/// The daemon has paused or resumed a queue.
pub fn paused(model: &mut Model, queue: &QueueState, pause: bool) {
    let (name, key) = (clean(&queue.queue), model.key("P"));
    let text = if pause {
        format!("The queue {name} starts nothing now; what runs goes on. {key} resumes it.")
    } else {
        format!("The queue {name} starts jobs again. {key} pauses it.")
    };
    let command = command(model, queue, pause).ok();
    model.note_state(format!("queue {name}"), text, command);
}

/// Whether to pause a queue.
struct Pause {
    queue: QueueState,
}

impl Question for Pause {
    fn answers(&self, _: &Model, _: Rect) -> Vec<Offer> {
        vec![Offer::yes()]
    }

    fn begin(&self, model: &Model, area: Rect) -> Bar {
        begin(model, area, "PAUSE")
    }

    fn add_words(&self, model: &Model, bar: &mut Bar, area: Rect) {
        let queue = &self.queue;
        let name = clean(&queue.queue);
        let of = queue.project.as_ref();
        let of = of.map_or_else(String::new, |of| format!(" of {}", clean(&of.name)));
        let is_of = |job: &&Job| {
            let own = queues::of(&model.queues, job);
            own.is_some_and(|own| queues::is_same(own, queue))
        };
        let jobs = model.jobs.iter().filter(is_of);
        let goes_on = match jobs.filter(|job| job.has_process()).count() {
            0 => "none of its jobs runs".to_owned(),
            1 => "the job that runs goes on".to_owned(),
            n => format!("the {n} jobs that run go on"),
        };
        let what = [
            format!("the queue {name}{of} (it starts nothing until it is resumed; {goes_on})?"),
            format!("the queue {name}{of} (it starts nothing; {goes_on})?"),
            format!("the queue {name} (it starts nothing)?"),
            format!("the queue {name}?"),
            format!("queue {name}?"),
        ];
        add_about(model, bar, &what, area);
    }

    fn answer(self: Box<Self>, _: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>) {
        if answer == Some(Answer::Yes) {
            requests::pause_queue(&self.queue, true, cmds);
        }
    }
}
