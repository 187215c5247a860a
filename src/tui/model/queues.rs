//! The queues of this machine, and which of them a job or a heading belongs to.

use super::group_key::{GroupKey, Inner};
use super::job::Job;
use super::rows::{group_of, is_within};
use super::{Model, Selected};
use crate::protocol::SessionId;
use crate::protocol::reply::QueueState;
use crate::tui::state::State;

/// The queue of a job's group, as the daemon finds it: that of its project, or of the nearest project around its
/// directory, or else the one that belongs to no project. `None` if its group is no queue of this machine.
pub fn of<'a>(queues: &'a [QueueState], job: &Job) -> Option<&'a QueueState> {
    let summary = &job.record.summary;
    let group = summary.group.as_deref().filter(|_| job.host().is_none())?;
    let mut named = queues.iter().filter(|queue| queue.queue == group);
    if let Some(role) = job.role() {
        return named.find(|queue| dir(queue) == Some(&role.project.dir));
    }
    let around = named.filter(|queue| dir(queue).is_none_or(|dir| is_within(&summary.cwd, dir)));
    around.max_by_key(|queue| dir(queue).map_or(0, str::len))
}

/// The directory of the project whose file defines a queue.
pub fn dir(queue: &QueueState) -> Option<&str> {
    queue.project.as_ref().map(|project| project.dir.as_str())
}

/// Whether both are the same queue, as it was at different times.
pub fn is_same(one: &QueueState, other: &QueueState) -> bool {
    (&one.queue, dir(one)) == (&other.queue, dir(other))
}

impl Model {
    /// The queue of the marked jobs, or else of the selected heading or job, if they have one in common.
    pub fn chosen_queue(&self) -> Option<&QueueState> {
        match &self.list.selected {
            Selected::Group(key) if self.list.marked.is_empty() => self.queue_of_group(key),
            _ => self.common_queue(self.targets().iter().filter_map(|id| self.job(id))),
        }
    }

    /// The queue that a heading stands for: that of its jobs, or the only one of its project.
    pub fn queue_of_group(&self, key: &GroupKey) -> Option<&QueueState> {
        match (&key.host, &key.inner) {
            (None, Inner::Project(project)) => {
                let mut own = self
                    .queues
                    .iter()
                    .filter(|queue| dir(queue) == Some(project));
                own.next().filter(|_| own.next().is_none())
            }
            (None, Inner::Named(_)) => {
                self.common_queue(self.jobs.iter().filter(|job| group_of(job).0 == *key))
            }
            _ => None,
        }
    }

    /// The queue of which a heading tells the state: also the first of several of a project that is paused.
    pub fn queue_of_heading(&self, key: &GroupKey) -> Option<&QueueState> {
        let paused = || match (&key.host, &key.inner) {
            (None, Inner::Project(project)) => self
                .queues
                .iter()
                .find(|queue| dir(queue) == Some(project) && queue.paused),
            _ => None,
        };
        self.queue_of_group(key).or_else(paused)
    }

    /// The one queue of all those jobs that are in one.
    fn common_queue<'a>(&self, jobs: impl Iterator<Item = &'a Job>) -> Option<&QueueState> {
        let mut all = jobs.filter_map(|job| of(&self.queues, job));
        let first = all.next()?;
        all.all(|other| is_same(first, other)).then_some(first)
    }

    /// The marked or selected jobs that wait for their turn in a queue, the next one first.
    pub fn queued_targets(&self) -> Vec<SessionId> {
        let targets = self.targets();
        let jobs = targets.iter().filter_map(|id| self.job(id));
        let place = |job: &Job| job.record.summary.waiting.as_ref()?.place;
        let waiting = jobs.filter(|job| job.state() == State::Queued && job.host().is_none());
        let mut places: Vec<(u32, &Job)> =
            waiting.filter_map(|job| Some((place(job)?, job))).collect();
        places.sort_by_key(|(place, _)| *place);
        places
            .into_iter()
            .map(|(_, job)| job.id().clone())
            .collect()
    }
}
