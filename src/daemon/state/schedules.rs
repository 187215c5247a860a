//! The schedules of projects: which are followed, and what follows when a time has come. Also the delays of sessions.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::State;
use super::job_states::seen_of;
use crate::daemon::clock::now;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::times::JobTimes;
use crate::engine::Now;
use crate::engine::project::Standing;

impl State {
    /// Begins to follow the schedules of the jobs of a project that are wanted, and ends the others. A schedule is
    /// followed while its project is up and nobody has stopped the job. If the environment for its runs was lost, it
    /// goes on when that is known again, from where it was.
    pub(super) fn follow_schedules(&mut self, id: &ProjectId) {
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        let is_up = project.wish.standing == Standing::Up;
        if is_up && project.caller.is_none() {
            return;
        }
        let mut changed = false;
        for (name, job) in &project.applied.jobs {
            let wish = project.wish.jobs.get(name);
            let is_wanted = wish.is_some_and(|wish| wish.wanted && wish.hold.is_none());
            let schedule = job.schedule.as_ref().filter(|_| is_up && is_wanted);
            let known = project.times.get(name).map(|times| &times.schedule);
            if known == schedule {
                continue;
            }
            changed = true;
            match schedule {
                Some(schedule) => {
                    let mut seed = DefaultHasher::new();
                    (id, name).hash(&mut seed);
                    let times = JobTimes::starting(schedule, seed.finish(), now());
                    project.times.insert(name.clone(), times);
                }
                None => drop(project.times.remove(name)),
            }
        }
        let before = project.times.len();
        let jobs = &project.applied.jobs;
        project.times.retain(|name, _| jobs.contains_key(name));
        if changed || before != project.times.len() {
            self.projects.times_changed();
            self.save_project(id);
        }
    }

    /// Requests the runs of all jobs whose time has come.
    pub(crate) fn run_schedules(&mut self, now: Now) {
        let was_corrected = self.projects.wall_clock.was_corrected(now);
        if was_corrected {
            tracing::warn!("the wall clock was corrected; schedules go on from the new time");
        }
        let ids: Vec<ProjectId> = self
            .projects
            .iter()
            .filter(|project| project.follows_schedules())
            .map(|project| project.id.clone())
            .collect();
        for id in ids {
            self.run_schedules_of(&id, now, was_corrected);
        }
    }

    /// Lets all sessions start whose time has come, as far as nothing else holds them up.
    pub(crate) fn end_delays(&mut self, now: Now) {
        for id in self.projects.ids() {
            let project = self.projects.get_mut(&id);
            if project.is_some_and(|project| project.wish.time_passes(now.wall)) {
                self.wish_changed(&id);
            }
        }
    }

    fn run_schedules_of(&mut self, id: &ProjectId, now: Now, was_corrected: bool) {
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        let mut times = std::mem::take(&mut project.times);
        let mut changed = false;
        for (name, times) in &mut times {
            let before = times.table;
            if times.take(now, was_corrected) {
                let seen = seen_of(project, &self.sessions, name);
                if project.wish.come(name, times.schedule.overlap, seen) {
                    times.table.ran();
                } else {
                    times.table.overlap();
                }
            }
            changed |= times.table != before;
        }
        project.times = times;
        if changed {
            // The request and the time that it was made for are stored at once: neither is lost, nor comes twice.
            self.wish_changed(id);
        }
    }
}
