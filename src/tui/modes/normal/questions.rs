//! What NORMAL asks before it acts on jobs.

use ratatui::layout::Rect;

use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::modes::confirm::{Answer, Offer, Question, about_alive, add_about, begin};
use crate::tui::{removal, requests, units};

/// Whether to do something to jobs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ask {
    /// Stop them.
    Stop(Vec<SessionId>),
    /// Kill them.
    Kill(Vec<SessionId>),
    /// Kill what has survived a stop.
    KillSurvivors(Vec<SessionId>),
    /// Pause them.
    Pause(Vec<SessionId>),
    /// Restart them.
    Restart(Vec<SessionId>),
    /// Remove them and their logs.
    Remove(Vec<SessionId>),
    /// Clear their logs.
    Clear(Vec<SessionId>),
}

impl Ask {
    /// This question about those jobs that it still applies to: others may have ended, begun or been removed since it was
    /// asked. Jobs that have joined a group meanwhile were not named, and are left alone. `None` if no job is left.
    fn now(&self, model: &Model) -> Option<Self> {
        let applies = |id: &SessionId| match (self, model.job(id)) {
            (_, None) => false,
            (Self::Stop(_) | Self::Kill(_), Some(job)) => job.is_going(),
            (Self::KillSurvivors(_), Some(_)) => model.survivors.contains_key(id),
            (Self::Pause(_), Some(job)) => job.has_process(),
            (Self::Restart(_), Some(_)) => true,
            (Self::Remove(_), Some(job)) => !job.is_going(),
            (Self::Clear(_), Some(job)) => kept_bytes(job) > 0,
        };
        let (of, ids): (fn(Vec<SessionId>) -> Self, _) = match self {
            Self::Stop(ids) => (Self::Stop, ids),
            Self::Kill(ids) => (Self::Kill, ids),
            Self::KillSurvivors(ids) => (Self::KillSurvivors, ids),
            Self::Pause(ids) => (Self::Pause, ids),
            Self::Restart(ids) => (Self::Restart, ids),
            Self::Remove(ids) => (Self::Remove, ids),
            Self::Clear(ids) => (Self::Clear, ids),
        };
        let left: Vec<SessionId> = ids.iter().filter(|id| applies(id)).cloned().collect();
        (!left.is_empty()).then(|| of(left))
    }

    /// Why nothing is done, if it applies to no job any more.
    fn too_late(&self) -> &'static str {
        match self {
            Self::Stop(_) | Self::Kill(_) | Self::KillSurvivors(_) => {
                "Nothing of it runs any more."
            }
            Self::Pause(_) => "Nothing of it runs now.",
            Self::Restart(_) => "It was removed meanwhile.",
            Self::Remove(_) => "Nothing was removed: it runs again, or is gone.",
            Self::Clear(_) => "The log is empty already, or is gone.",
        }
    }
}

impl Question for Ask {
    fn answers(&self, _: &Model, _: Rect) -> Vec<Offer> {
        match self {
            Self::Stop(_) => vec![Offer::yes(), Offer::kill()],
            _ => vec![Offer::yes()],
        }
    }

    fn begin(&self, model: &Model, area: Rect) -> Bar {
        let verb = match self {
            Self::Stop(_) => "STOP",
            Self::Kill(_) | Self::KillSurvivors(_) => "KILL -9",
            Self::Pause(_) => "PAUSE",
            Self::Restart(_) => "RESTART",
            Self::Remove(_) => "REMOVE",
            Self::Clear(_) => "CLEAR",
        };
        begin(model, area, verb)
    }

    fn add_words(&self, model: &Model, bar: &mut Bar, area: Rect) {
        let now = self.now(model);
        let what = match now.as_ref().unwrap_or(self) {
            Self::Stop(ids) | Self::Kill(ids) | Self::Restart(ids) => about_alive(model, ids),
            Self::KillSurvivors(ids) => about_survivors(model, ids),
            Self::Pause(ids) => about_pause(model, ids),
            Self::Remove(ids) => about_ended(model, ids),
            Self::Clear(ids) => about_logs(model, ids),
        };
        add_about(model, bar, &what, area);
    }

    fn answer(self: Box<Self>, model: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>) {
        if !matches!(answer, Some(Answer::Yes | Answer::YesKill)) {
            return;
        }
        let Some(now) = self.now(model) else {
            return model.note(self.too_late());
        };
        match (now, answer) {
            (Self::Stop(ids), Some(Answer::Yes)) => requests::stop(model, &ids, false, cmds),
            (Self::Stop(ids), Some(Answer::YesKill)) | (Self::Kill(ids), Some(Answer::Yes)) => {
                requests::stop(model, &ids, true, cmds);
            }
            (Self::KillSurvivors(ids), Some(Answer::Yes)) => requests::kill_again(&ids, cmds),
            (Self::Pause(ids), Some(Answer::Yes)) => requests::pause(&ids, true, cmds),
            (Self::Restart(ids), Some(Answer::Yes)) => requests::restart(model, &ids, cmds),
            (Self::Remove(ids), Some(Answer::Yes)) => removal::remove(model, &ids),
            (Self::Clear(ids), Some(Answer::Yes)) => requests::clear(&ids, cmds),
            _ => {}
        }
    }
}

/// The facts of a job. On a heading, that it is about processes: `the processes of 2 jobs: a, b; the queue goes on?`
fn about_pause(model: &Model, ids: &[SessionId]) -> Vec<String> {
    let Some(group) = model.group().filter(|_| model.list.marked.is_empty()) else {
        return about_alive(model, ids);
    };
    let queue = model.queue_of_group(&group.key);
    let queue = queue.filter(|queue| !queue.paused);
    let goes_on = queue.map_or("", |_| "; the queue goes on");
    let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
    let (title, names) = (&group.title, names.join(", "));
    let jobs = match ids.len() {
        1 => "1 job".to_owned(),
        n => format!("{n} jobs"),
    };
    let mut what = vec![
        format!("the processes of {jobs} of {title}: {names}{goes_on}?"),
        format!("the processes of {jobs} of {title}{goes_on}?"),
        format!("the processes of {jobs}{goes_on}?"),
    ];
    what.push(format!("processes of {jobs}?"));
    what.push(format!("{jobs}?"));
    what
}

/// `the log of web (14K)?` and `3 logs (2.1M): web, api, db?`
fn about_logs(model: &Model, ids: &[SessionId]) -> Vec<String> {
    let kept = ids.iter().filter_map(|id| model.job(id)).map(kept_bytes);
    let kept = units::bytes(kept.sum());
    let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
    match names.as_slice() {
        [name] => vec![
            format!("the log of {name} ({kept} so far)?"),
            format!("the log of {name}?"),
            format!("{name}'s log?"),
        ],
        several => {
            let n = several.len();
            vec![
                format!(
                    "the logs of {n} jobs ({kept} so far): {}?",
                    several.join(", ")
                ),
                format!("the logs of {n} jobs ({kept})?"),
                format!("{n} logs?"),
            ]
        }
    }
}

/// `what still runs of web: pid 5123, 5124?` and `what still runs of web?`
fn about_survivors(model: &Model, ids: &[SessionId]) -> Vec<String> {
    let pids = ids
        .iter()
        .filter_map(|id| model.survivors.get(id))
        .flatten();
    let pids: Vec<String> = pids.map(u32::to_string).collect();
    let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
    let names = names.join(", ");
    vec![
        format!("what still runs of {names}: pid {}?", pids.join(", ")),
        format!("what still runs of {names}?"),
        format!("rest of {names}?"),
    ]
}

/// `lint (exit 1) and its log (14K)?`, `lint and its log?` and `lint?`
fn about_ended(model: &Model, ids: &[SessionId]) -> Vec<String> {
    let [id] = ids else {
        let kept = ids.iter().filter_map(|id| model.job(id)).map(kept_bytes);
        let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
        let (n, kept) = (ids.len(), units::bytes(kept.sum()));
        return vec![
            format!("{n} jobs and their logs ({kept}): {}?", names.join(", ")),
            format!("{n} jobs, logs ({kept})?"),
            format!("{n} jobs?"),
        ];
    };
    let Some(job) = model.job(id) else {
        return vec![format!("{id}?")];
    };
    let (name, word, kept) = (&job.name, job.word(), units::bytes(kept_bytes(job)));
    vec![
        format!("{name} ({word}) and its log ({kept})?"),
        format!("{name} and its log ({kept})?"),
        format!("{name} and its log?"),
        format!("{name}?"),
    ]
}

/// Bytes of output that are kept.
pub(super) fn kept_bytes(job: &Job) -> u64 {
    let all = job.record.summary.output_bytes;
    all.saturating_sub(job.record.summary.dropped_bytes)
}
