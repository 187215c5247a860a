//! Queues: some of their jobs run at once, and the others wait for their turn in the order in which their runs were
//! asked for.
//!
//! A queue that pauses after a failure looks at the end of each run that it has let start
//! ([`JobWish::turn`](super::JobWish::turn)). That number is part of the wish, so an end that comes while no daemon
//! runs is not missed.

use serde::{Deserialize, Serialize};

use super::seen::{Seen, SeenState};
use super::wish::{JobWish, Member, Wish};

/// A queue.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    /// How many of its jobs run at once; 0 means all.
    pub parallel: u32,
    /// Whether it starts nothing.
    pub paused: bool,
    /// The job whose failure has paused it; absent if a person has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Whether a job that fails pauses it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pauses_on_failure: bool,
}

/// How a queue stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// Its jobs that run, by name.
    pub running: Vec<String>,
    /// Its jobs that wait, the next one first.
    pub waiting: Vec<String>,
}

impl Queue {
    /// Lets it start jobs again.
    pub fn resume(&mut self) {
        (self.paused, self.failed) = (false, None);
    }
}

impl Wish {
    /// How a queue stands.
    pub fn line(&self, queue: &str, seen: impl Fn(&str) -> Seen) -> Line {
        let mut line = Line::default();
        let mut waiting = Vec::new();
        for (name, job) in &self.jobs {
            if job.queue.as_deref() != Some(queue) {
                continue;
            }
            let now = seen(name);
            match job.owed.filter(|_| job.is_owed(now)) {
                Some(_) if job.hold.is_some() => {}
                Some(owed) => waiting.push((owed.place, name.clone())),
                None if job.has_place(now) => line.running.push(name.clone()),
                None => {}
            }
        }
        waiting.sort_unstable();
        line.waiting = waiting.into_iter().map(|(_, name)| name).collect();
        line
    }

    /// Moves a waiting job to a place in its queue, counted from 1; a place after the last one is the last. Returns
    /// false if the job does not wait in a queue.
    pub fn move_to(&mut self, name: &str, place: u32, seen: impl Fn(&str) -> Seen) -> bool {
        let queue = self.jobs.get(name).and_then(|job| job.queue.clone());
        let Some(queue) = queue else { return false };
        let mut order = self.line(&queue, seen).waiting;
        let Some(from) = order.iter().position(|other| other == name) else {
            return false;
        };
        let moved = order.remove(from);
        let to = usize::try_from(place.saturating_sub(1)).unwrap_or(usize::MAX);
        order.insert(to.min(order.len()), moved);
        // The jobs of the queue share the places that they had.
        let places = |name: &String| Some(self.jobs.get(name)?.owed?.place);
        let mut places: Vec<u64> = order.iter().filter_map(places).collect();
        places.sort_unstable();
        for (name, place) in order.iter().zip(places) {
            if let Some(owed) = self.jobs.get_mut(name).and_then(|job| job.owed.as_mut()) {
                owed.place = place;
            }
        }
        true
    }

    /// Lets a job start although its queue is full or paused, or its time has not come; a guest does not wait for its
    /// needs either. Returns false if it does not wait.
    pub fn start_out_of_turn(&mut self, name: &str) -> bool {
        let Some(job) = self.jobs.get_mut(name) else {
            return false;
        };
        if job.member == Member::Guest {
            job.needs.clear();
        }
        let Some(owed) = &mut job.owed else {
            return false;
        };
        owed.out_of_turn = true;
        owed.not_before = None;
        true
    }

    /// Whether a job starts although its queue is full or paused.
    pub(super) fn is_out_of_turn(&self, name: &str) -> bool {
        let owed = self.jobs.get(name).and_then(|job| job.owed);
        owed.is_some_and(|owed| owed.out_of_turn)
    }

    /// Looks at the ends of runs that queues have let start. Returns whether there were any.
    pub(super) fn end_turns(&mut self, seen: &impl Fn(&str) -> Seen) -> bool {
        let mut failed = Vec::new();
        let mut changed = false;
        for (name, job) in &mut self.jobs {
            let Some(run) = job.turn else { continue };
            let now = seen(name);
            if now.run >= run && now.state.is_alive() {
                // The next run of its restart policy belongs to the same turn.
                changed |= now.run != run;
                job.turn = Some(now.run);
                continue;
            }
            job.turn = None;
            changed = true;
            // What a person has stopped has not failed.
            if now.run >= run && now.state == (SeenState::Ended { ok: false }) && job.hold.is_none()
            {
                failed.push(name.clone());
            }
        }
        for name in failed {
            self.pause_after_failure(&name);
        }
        changed
    }

    /// Pauses the queue of a job that has failed, if the queue is to be paused then.
    pub(super) fn pause_after_failure(&mut self, name: &str) {
        let queue = self.jobs.get(name).and_then(|job| job.queue.as_deref());
        let queue = queue.and_then(|queue| self.queues.get_mut(queue));
        if let Some(queue) = queue.filter(|queue| queue.pauses_on_failure && !queue.paused) {
            queue.paused = true;
            queue.failed = Some(name.to_owned());
        }
    }
}

impl JobWish {
    /// Whether the job takes one of the places at which jobs of its queue run. It keeps its place while its restart
    /// policy waits, unless it was asked to run again: then it waits for its turn.
    pub(super) fn has_place(&self, now: Seen) -> bool {
        now.state.is_alive() && !(now.state == SeenState::Retrying && self.is_owed(now))
    }
}
