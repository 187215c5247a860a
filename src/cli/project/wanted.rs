//! The jobs of a project that a verb brings up, waits for and shows.

use std::collections::BTreeSet;

use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::reply::{ChangeKind, PlannedChange, ProjectJob, ProjectState};

/// Jobs of a project.
#[derive(Clone, PartialEq, Debug)]
pub struct Wanted {
    /// A request that names the project, and nothing else.
    project: Project,
    /// Their names. `None`: all that are brought up.
    jobs: Option<BTreeSet<String>>,
}

impl Wanted {
    /// Those that `request` brings up, which the plan in its reply names.
    pub fn of(request: &Project, state: &ProjectState) -> Self {
        let prunes = request.prune == Some(true);
        let is_wanted = |change: &&PlannedChange| change.change != ChangeKind::Gone || prunes;
        let names = state.plan.iter().filter(is_wanted);
        let jobs: BTreeSet<String> = names.map(|change| change.job.clone()).collect();
        Self {
            jobs: Some(jobs).filter(|jobs| !jobs.is_empty()),
            ..Self::all(request)
        }
    }

    /// All that are brought up of the project of a request.
    pub fn all(request: &Project) -> Self {
        let project = Project {
            files: request.files.clone(),
            dir: request.dir.clone(),
            ..Project::default()
        };
        Self {
            project,
            jobs: None,
        }
    }

    /// Whether the project is named by its files, not by its directory.
    pub fn is_of_files(&self) -> bool {
        self.project.files.is_some()
    }

    /// The jobs of a state that are wanted, in the order of the file.
    pub fn among<'a>(&'a self, state: &'a ProjectState) -> impl Iterator<Item = &'a ProjectJob> {
        let is_meant = |job: &&ProjectJob| match &self.jobs {
            Some(names) => names.contains(&job.job),
            None => job.wanted,
        };
        state.jobs.iter().filter(is_meant)
    }

    /// Leaves out jobs that are not in the project any more. Returns whether any of them was meant.
    pub fn leave_out(&mut self, gone: &BTreeSet<String>) -> bool {
        let Some(jobs) = &mut self.jobs else {
            return false;
        };
        let before = jobs.len();
        jobs.retain(|job| !gone.contains(job));
        jobs.len() < before
    }

    /// A request about the project as a whole.
    pub fn request(&self, op: ProjectOp) -> Project {
        Project {
            op: Some(op),
            ..self.project.clone()
        }
    }

    /// A request for the state of these jobs, now.
    pub fn status(&self) -> Project {
        let jobs = self.jobs.as_ref();
        Project {
            jobs: jobs.map(|jobs| jobs.iter().cloned().collect()),
            no_deps: Some(true),
            ..self.request(ProjectOp::Status)
        }
    }

    /// A request for the state of one job.
    pub fn status_of(&self, job: &str) -> Project {
        Project {
            jobs: Some(vec![job.to_owned()]),
            no_deps: Some(true),
            ..self.request(ProjectOp::Status)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A project whose file names its jobs in no order.
    fn shop() -> ProjectState {
        let job = |name: &str| json!({"job": name, "phase": "ready", "wanted": name != "docs"});
        let change = |kind: &str, name: &str| json!({"change": kind, "job": name});
        let jobs = ["web", "old", "api", "docs", "db"].map(job);
        let plan = [
            change("start", "web"),
            change("keep", "db"),
            change("gone", "old"),
            change("start", "api"),
        ];
        serde_json::from_value(json!({
            "name": "shop", "dir": "/srv/shop", "up": true, "files": [], "seq": 1,
            "settled": true, "failed": false,
            "jobs": jobs, "plan": plan,
        }))
        .unwrap()
    }

    #[test]
    fn the_plan_says_which_jobs_are_meant_in_whatever_order() {
        let mut state = shop();
        let request = Project {
            dir: Some("/srv/shop".to_owned()),
            apply: Some(true),
            ..Project::default()
        };
        let names = |wanted: &Wanted, state: &ProjectState| -> Vec<String> {
            wanted.among(state).map(|job| job.job.clone()).collect()
        };
        let wanted = Wanted::of(&request, &state);
        assert_eq!(names(&wanted, &state), ["web", "api", "db"]);
        let asked = wanted.status();
        assert_eq!((asked.dir, asked.apply), (request.dir.clone(), None));
        assert_eq!(asked.jobs.unwrap().len(), 3);
        let pruning = Project {
            prune: Some(true),
            ..request.clone()
        };
        let mut wanted = Wanted::of(&pruning, &state);
        assert_eq!(names(&wanted, &state), ["web", "old", "api", "db"]);
        let gone = BTreeSet::from(["old".to_owned()]);
        assert!(wanted.leave_out(&gone) && !wanted.leave_out(&gone));
        assert_eq!(names(&wanted, &state), ["web", "api", "db"]);
        state.plan.clear();
        let wanted = Wanted::of(&request, &state);
        assert_eq!(names(&wanted, &state), ["web", "old", "api", "db"]);
        assert_eq!(wanted.status().jobs, None);
    }
}
