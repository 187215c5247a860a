//! The projects that this view has brought up and that have not settled yet.

use super::job::Job;
use crate::protocol::Timestamp;
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{ChangeKind, ProjectState};
use crate::term::sanitize::clean;

/// A project on its way up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComingUp {
    /// Its directory.
    pub dir: String,
    /// The jobs that were brought up; `None` for all that are wanted.
    pub jobs: Option<Vec<String>>,
    /// Whether the request that waits until it has settled is pending.
    pub is_asked: bool,
    /// How its jobs were when they were last looked at.
    pub looked: Option<Vec<Look>>,
}

/// How a job is, as far as a difference may mean that it has settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look {
    name: String,
    phase: PhaseName,
    why: Option<String>,
    pid: Option<u32>,
    ended_at: Option<Timestamp>,
}

impl ComingUp {
    /// Whether this job was brought up.
    pub fn has(&self, job: &str) -> bool {
        let jobs = self.jobs.as_ref();
        jobs.is_none_or(|jobs| jobs.iter().any(|name| name == job))
    }

    /// Looks at its jobs. Returns whether they are not as they were, and all look settled.
    pub fn look(&mut self, jobs: &[Job]) -> bool {
        let here = jobs.iter().filter(|job| job.host().is_none());
        let roles = here.filter_map(|job| Some((job, job.role()?)));
        let own = roles.filter(|(_, role)| role.project.dir == self.dir && self.has(&role.job));
        let look = own.map(|(job, role)| Look {
            name: role.job.clone(),
            phase: role.phase,
            why: role.why.clone(),
            pid: job.record.summary.pid,
            ended_at: job.record.summary.ended_at,
        });
        let now: Vec<Look> = look.collect();
        let settled = now.iter().all(|job| is_settled(job.phase));
        let before = self.looked.replace(now);
        settled && before.is_some_and(|before| self.looked.as_ref() != Some(&before))
    }
}

/// Whether nothing changes without a request, an end or a schedule.
pub fn is_settled(phase: PhaseName) -> bool {
    use PhaseName::{Queued, Retrying, Starting, Stopping};
    !matches!(phase, Queued | Starting | Retrying | Stopping)
}

/// The projects on their way up. What became of them is told once.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Projects {
    /// In the order in which they were brought up.
    pub coming: Vec<ComingUp>,
    /// The project of the directory in which the view was opened, if it was asked for and there is one.
    pub here: Option<Here>,
    /// Whether that was asked for since the list is empty.
    pub here_asked: bool,
}

/// The project of the directory in which the view was opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here {
    /// Its name.
    pub name: String,
    /// The name of its file, without directories.
    pub file: String,
    /// The names of its jobs, in the order of the file.
    pub jobs: Vec<String>,
}

impl Here {
    /// The project that a daemon has found.
    pub fn of(state: &ProjectState) -> Self {
        let file = state.files.first().map_or("", String::as_str);
        Self {
            name: clean(&state.project.name),
            file: clean(file.rsplit('/').next().unwrap_or_default()),
            jobs: state.jobs.iter().map(|job| clean(&job.job)).collect(),
        }
    }
}

impl Projects {
    /// Follows a project until it has settled. Once more for the same project adds its jobs.
    pub fn follow(&mut self, dir: &str, jobs: Option<Vec<String>>) {
        let Some(known) = self.coming.iter_mut().find(|known| known.dir == dir) else {
            self.coming.push(ComingUp {
                dir: dir.to_owned(),
                jobs,
                is_asked: false,
                looked: None,
            });
            return;
        };
        known.jobs = known.jobs.take().zip(jobs).map(|(mut all, more)| {
            all.extend(more);
            all
        });
    }

    /// Takes a project out, since it has settled.
    pub fn settled(&mut self, dir: &str) -> Option<ComingUp> {
        let at = self.coming.iter().position(|known| known.dir == dir)?;
        Some(self.coming.remove(at))
    }

    /// The connection broke, so pending requests will not be answered.
    pub fn disconnected(&mut self) {
        self.here_asked = false;
        for known in &mut self.coming {
            known.is_asked = false;
        }
    }
}

/// The jobs of a plan that are started, restarted or left as they are.
pub fn planned_jobs(state: &ProjectState) -> Vec<String> {
    let planned = state
        .plan
        .iter()
        .filter(|one| one.change != ChangeKind::Gone);
    planned.map(|one| one.job.clone()).collect()
}
