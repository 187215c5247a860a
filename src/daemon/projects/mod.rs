//! The projects that were brought up: the wish for each, what was applied of its file, and where it is stored.
//!
//! This room only holds and stores. What follows from a wish is decided by
//! [`engine::project`](crate::engine::project); the steps are taken by [`tasks`](super::tasks). What a project
//! file means is in [`project`](crate::project), which reads it through [`disk`].
//!
//! - [`project`](mod@project): one project. [`stored`]: its file. [`wishes`]: from the definitions of jobs to the
//!   wish for them. [`spec`]: from the definition of a job to what its session runs. [`times`]: its schedule.
//!   [`watches`]: the files that it reacts to. [`rename`]: another name for a job that goes on.
//! - [`guests`]: sessions that wait in a queue or for others, without a project file.

pub(crate) mod disk;
pub(crate) mod guests;
pub(crate) mod project;
mod rename;
pub(crate) mod spec;
mod stored;
pub(crate) mod times;
pub(crate) mod watches;
pub(crate) mod wishes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::engine::project::WallClock;
use crate::protocol::Timestamp;
use crate::sys::paths::{Home, private_dir};
use crate::sys::users;
use guests::QUEUES;
use project::Project;
use times::{JobTimes, NextAlarms};
use watches::JobWatch;

/// Id of a project, which stays the same when its directory moves.
pub(crate) type ProjectId = String;

/// All projects.
#[derive(Default)]
pub(crate) struct Projects {
    known: BTreeMap<ProjectId, Project>,
    /// Those for which something has changed since the last decision.
    due: BTreeSet<ProjectId>,
    /// Compares the wall clock with the boot clock, for schedules.
    pub(crate) wall_clock: WallClock,
    /// Whether a schedule or a delay has begun or ended since the alarms were set.
    has_new_times: bool,
    /// Whether other files are to be watched than before.
    has_new_watches: bool,
}

impl Projects {
    /// Reads the projects that earlier daemons have stored. `kept`: those that the disk has refused, which are newer.
    pub(crate) fn load(home: &Home, kept: Vec<Vec<u8>>) -> Self {
        // A keeper of an older version has not created it.
        if let Err(error) = private_dir(&home.projects()) {
            tracing::error!(%error, "projects cannot be stored");
        }
        let kept = kept.iter().filter_map(|text| {
            let read = stored::parse(text);
            read.inspect_err(|error| tracing::error!(error, "a kept project is unreadable"))
                .ok()
        });
        let known = stored::load(home).into_iter().chain(kept);
        let mut known: BTreeMap<_, _> =
            known.map(|project| (project.id.clone(), project)).collect();
        let queues = known.entry(QUEUES.to_owned());
        queues.or_insert_with(Project::of_queues);
        for project in known.values_mut() {
            project.told_queues.clone_from(&project.wish.queues);
        }
        let due = known.keys().cloned().collect();
        let has_times =
            |project: &Project| !project.times.is_empty() || project.wish.next_time().is_some();
        let has_new_times = known.values().any(has_times);
        Self {
            known,
            due,
            has_new_times,
            ..Self::default()
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Project> {
        self.known.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut Project> {
        self.known.get_mut(id)
    }

    /// The project of a directory: by its path, or, after it was moved, by what identifies the directory.
    pub(crate) fn at(&self, dir: &Path) -> Option<&Project> {
        let by_path = self.of_files().find(|project| project.dir == dir);
        by_path.or_else(|| {
            let identity = users::identity(dir)?;
            self.of_files().find(|project| {
                let same = (project.device, project.inode) == identity;
                // Inode numbers are used again, so the old path must be gone.
                same && !project.dir.exists()
            })
        })
    }

    pub(crate) fn insert(&mut self, project: Project) {
        self.known.insert(project.id.clone(), project);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Project> {
        self.known.values()
    }

    /// The ids of all of them.
    pub(crate) fn ids(&self) -> Vec<ProjectId> {
        self.known.keys().cloned().collect()
    }

    /// Those that a file defines.
    pub(crate) fn of_files(&self) -> impl Iterator<Item = &Project> {
        self.known.values().filter(|project| project.id != QUEUES)
    }

    /// Marks a project: what follows from its wish is to be decided again.
    pub(crate) fn touch(&mut self, id: &str) {
        if self.known.contains_key(id) {
            self.due.insert(id.to_owned());
        }
    }

    /// Marks all projects of which this is true.
    pub(crate) fn touch_where(&mut self, is: impl Fn(&Project) -> bool) {
        let found = self.known.iter().filter(|(_, project)| is(project));
        self.due.extend(found.map(|(id, _)| id.clone()));
    }

    /// When the first service that has just begun counts as settled, in boot-time milliseconds.
    pub(crate) fn next_to_settle(&self) -> Option<u64> {
        let fresh = self.known.values().flat_map(|known| known.fresh.values());
        fresh.min().copied()
    }

    /// Marks the projects in which a service counts as settled now.
    pub(crate) fn touch_settled(&mut self, now: u64) {
        self.touch_where(|project| project.fresh.values().any(|at| *at <= now));
    }

    /// Whether this project is marked.
    pub(crate) fn is_due(&self, id: &str) -> bool {
        self.due.contains(id)
    }

    /// Whether any project is marked.
    pub(crate) fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// The next project that is marked. Takes the mark away.
    pub(crate) fn take_due(&mut self) -> Option<ProjectId> {
        self.due.pop_first()
    }

    /// Notes that a schedule or a delay has begun or ended.
    pub(crate) fn times_changed(&mut self) {
        self.has_new_times = true;
    }

    /// Whether a schedule or a delay has begun or ended since the alarms were set.
    pub(crate) fn has_new_times(&self) -> bool {
        self.has_new_times
    }

    /// Notes that other files are to be watched.
    pub(crate) fn watches_changed(&mut self) {
        self.has_new_watches = true;
    }

    /// Whether other files are to be watched than when [`Self::watches`] was called.
    pub(crate) fn has_new_watches(&self) -> bool {
        self.has_new_watches
    }

    /// The files that are to be watched, by projects and jobs.
    pub(crate) fn watches(&mut self) -> impl Iterator<Item = (&Project, &String, &JobWatch)> {
        self.has_new_watches = false;
        let known = self.known.values();
        known.flat_map(|project| {
            let watches = project.watches.iter();
            watches.map(move |(job, watch)| (project, job, watch))
        })
    }

    /// When the schedules and delays have to be looked at next.
    pub(crate) fn next_alarms(&mut self) -> NextAlarms {
        self.has_new_times = false;
        let followed = self.known.values();
        let followed = followed.filter(|known| known.follows_schedules());
        let times = followed.flat_map(|known| known.times.values());
        let times = times.map(JobTimes::next);
        let delays = self.known.values().map(|known| NextAlarms {
            wall: known.wish.next_time().map(Timestamp::millis),
            boot: None,
        });
        times
            .chain(delays)
            .fold(NextAlarms::default(), NextAlarms::with)
    }

    /// Writes a project to disk. Returns what the disk has refused.
    pub(crate) fn save(&self, home: &Home, id: &str) -> Result<(), Vec<u8>> {
        match self.known.get(id) {
            Some(project) => stored::save(home, project),
            None => Ok(()),
        }
    }
}
