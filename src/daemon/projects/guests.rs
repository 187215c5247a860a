//! Sessions that wait in a queue or for others, although no project file defines them.
//!
//! They are guests of the wish of a project, or of [`QUEUES`], which is no project: it has the queues that people make
//! on the command line. What such a session runs is kept in memory only, as the environment of projects is.

use serde::{Deserialize, Serialize};

use super::ProjectId;
use super::project::Project;
use crate::engine::project::{JobWish, Member, Standing};
use crate::project as file;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::project::Level;
use crate::protocol::{SessionId, Timestamp};

/// Id of what has the queues that belong to no project.
pub(crate) const QUEUES: &str = "queues";

/// What is needed to start a session that waits for its first run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FirstRun {
    /// What the keeper is asked to start, with the whole environment.
    pub(crate) spawn: SpawnSpec,
    /// Text to type as soon as it runs.
    pub(crate) input: Option<String>,
    /// Where it waits, for a daemon that finds the session in no project. Absent if an earlier version has kept it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<Place>,
}

/// Where a session waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The project whose wish it becomes part of.
    pub(crate) project: ProjectId,
    /// The queue, if it is in one.
    pub(crate) queue: Option<String>,
    /// What it needs of other sessions.
    pub(crate) after: Vec<(SessionId, Level)>,
    /// When it starts at the earliest.
    pub(crate) not_before: Option<Timestamp>,
}

impl Project {
    /// What has the queues that belong to no project. It has no directory, no file and no jobs of its own.
    pub(super) fn of_queues() -> Self {
        let mut project = Self::new(file::Project::default(), String::new(), (0, 0));
        QUEUES.clone_into(&mut project.id);
        project.wish.standing = Standing::Up;
        project
    }

    /// Whether the project only looks at the session of this name: it is a guest, or the job of another project.
    pub(crate) fn is_foreign(&self, name: &str) -> bool {
        let job = self.wish.jobs.get(name);
        job.is_some_and(|job| !job.member.is_own())
    }

    /// Whether a guest of this name waits, and what it is to run was lost with daemon and keeper.
    pub(crate) fn has_lost_first_run(&self, name: &str) -> bool {
        let job = self.wish.jobs.get(name);
        job.is_some_and(JobWish::waits_as_guest) && !self.first_runs.contains_key(name)
    }

    /// Whether this is the name of a guest.
    pub(crate) fn is_guest(&self, name: &str) -> bool {
        let job = self.wish.jobs.get(name);
        job.is_some_and(|job| job.member == Member::Guest)
    }
}
