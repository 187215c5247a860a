//! One project: what is wished, what was applied of its file, and which sessions run its jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::ProjectId;
use super::guests::FirstRun;
use super::times::JobTimes;
use super::watches::JobWatch;
use crate::engine::life::Actor;
use crate::engine::project::{Decision, JobWish, Phase, Queue, Seen, Standing, Why, Wish};
use crate::project as file;
use crate::protocol::cause::Cause;
use crate::protocol::project::{ProjectName, ProjectRole};
use crate::protocol::record::MASKED;
use crate::protocol::{Greeting, SessionId};

/// A project.
pub(crate) struct Project {
    pub(crate) id: ProjectId,
    /// The canonical directory that identifies it.
    pub(crate) dir: PathBuf,
    /// Device and inode of that directory, by which it is known again after a move.
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Its branch, or the name of its directory, if it is a linked worktree; else empty.
    pub(crate) worktree: String,
    /// The definitions that are in force: those of the last `up` or `reload`.
    pub(crate) applied: file::Project,
    pub(crate) wish: Wish,
    /// What is added to the ports of the file.
    pub(crate) offset: u16,
    /// The ports that each job was given, by their names.
    pub(crate) ports: BTreeMap<String, BTreeMap<String, u16>>,
    /// Where to open its jobs in a browser, by the jobs' names: `open` of the file with everything filled in, but what
    /// looks secret.
    pub(crate) urls: BTreeMap<String, String>,
    /// Stands for the variables that `.env` files gave the last run of each job, by the jobs' names. Absent if it is not
    /// known.
    pub(crate) env_prints: BTreeMap<String, String>,
    /// What has come of the schedules of its jobs, by the jobs' names.
    pub(crate) times: BTreeMap<String, JobTimes>,
    /// The files that its jobs react to, by the jobs' names. Not stored.
    pub(crate) watches: BTreeMap<String, JobWatch>,
    /// When the last run of each job was requested, in boot-time milliseconds. Not stored.
    pub(crate) requested: BTreeMap<String, u64>,
    /// The client that has last asked for a start: its environment, umask and limits are those of the jobs. `None`
    /// if daemon and keeper have both died since.
    pub(crate) caller: Option<Rc<Greeting>>,
    /// Who has last asked for a change of the wish.
    pub(crate) asked_by: Actor,
    /// The sessions that run its jobs, by the jobs' names. Guests have the session's id as their name.
    pub(crate) sessions: BTreeMap<String, SessionId>,
    /// The jobs of other projects that it looks at (`per = "repo"` in a linked worktree), and whose they are.
    pub(crate) borrowed: BTreeMap<String, ProjectId>,
    /// What guests run that wait for their first run, by their names.
    pub(crate) first_runs: BTreeMap<String, FirstRun>,
    /// Steps that are being taken, by the jobs' names.
    pub(crate) under_way: BTreeMap<String, UnderWay>,
    /// What was last decided.
    pub(crate) decision: Decision,
    /// The place of each job in the order of need.
    pub(crate) places: BTreeMap<String, u32>,
    /// The phases that clients were last told, by the jobs' names.
    pub(crate) told: BTreeMap<String, ProjectRole>,
    /// Whether clients were last told of a guest as skipped, or as waiting. `None`: of a new one, they were told nothing.
    pub(crate) told_guests: BTreeMap<SessionId, Option<bool>>,
    /// Its queues as clients were last told, by name.
    pub(crate) told_queues: BTreeMap<String, Queue>,
    /// What was seen of each job at the last decision.
    pub(crate) seen: BTreeMap<String, Seen>,
    /// Number of the last change.
    pub(crate) seq: u64,
    /// Whether the last `up` was for all jobs that start by themselves. Jobs that are new in the file belong to it.
    pub(crate) all: bool,
    /// Whether `down` sends KILL at once.
    pub(crate) kill: bool,
    /// How long the run of a session has to end, if a restart says so: the number of the run, and milliseconds. Not
    /// stored.
    pub(crate) graces: BTreeMap<SessionId, (u32, u64)>,
    /// Services without a probe that have begun so lately that they may still end at once, and when they count as
    /// settled, in boot-time milliseconds.
    pub(crate) fresh: BTreeMap<String, u64>,
    /// Jobs that are not ready in the time that their probes have, or not any more, or have ended before, and why.
    pub(crate) late: BTreeMap<String, String>,
    /// Processes of its jobs that could not be ended.
    pub(crate) survivors: BTreeMap<String, Vec<u32>>,
    /// Why the `stop` lines of its jobs failed, by the jobs' names.
    pub(crate) failed_stops: BTreeMap<String, String>,
    /// Notified at each change.
    pub(crate) changed: Rc<Notify>,
}

/// What is never written to a disk.
#[derive(Serialize, Deserialize)]
pub(crate) struct Secrets {
    caller: Option<Greeting>,
    applied: file::Project,
}

/// How people know a project: `shop`, or `shop@branch` in a linked worktree.
pub(crate) fn named(name: &str, worktree: &str, dir: &Path) -> ProjectName {
    ProjectName {
        name: match worktree {
            "" => name.to_owned(),
            worktree => format!("{name}@{worktree}"),
        },
        dir: dir.display().to_string(),
    }
}

/// Replaces masked values of variables by those of the same variables elsewhere.
fn fill_in(variables: &mut file::job::Variables, known: &file::job::Variables) {
    for (name, value) in variables {
        let other = known.iter().find(|(other, _)| other == name);
        if let (Some(MASKED), Some((_, Some(text)))) = (value.as_deref(), other) {
            *value = Some(text.clone());
        }
    }
}

/// A step that is being taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnderWay {
    /// The run with this number is being started.
    Starting(u32),
    /// Its processes are being ended.
    Stopping,
}

impl Project {
    /// A project that was never up.
    pub(crate) fn new(applied: file::Project, worktree: String, identity: (u64, u64)) -> Self {
        Self {
            id: SessionId::fresh().to_string(),
            dir: applied.dir.clone(),
            device: identity.0,
            inode: identity.1,
            worktree,
            applied,
            wish: Wish::default(),
            offset: 0,
            ports: BTreeMap::new(),
            urls: BTreeMap::new(),
            env_prints: BTreeMap::new(),
            times: BTreeMap::new(),
            watches: BTreeMap::new(),
            requested: BTreeMap::new(),
            caller: None,
            asked_by: Actor::Human,
            sessions: BTreeMap::new(),
            borrowed: BTreeMap::new(),
            first_runs: BTreeMap::new(),
            under_way: BTreeMap::new(),
            decision: Decision::default(),
            places: BTreeMap::new(),
            told: BTreeMap::new(),
            told_guests: BTreeMap::new(),
            told_queues: BTreeMap::new(),
            seen: BTreeMap::new(),
            seq: 0,
            all: false,
            kill: false,
            graces: BTreeMap::new(),
            fresh: BTreeMap::new(),
            late: BTreeMap::new(),
            survivors: BTreeMap::new(),
            failed_stops: BTreeMap::new(),
            changed: Rc::default(),
        }
    }

    /// The ports that a job was given.
    pub(crate) fn ports_of(&self, job: &str) -> Vec<u16> {
        let ports = self.ports.get(job).into_iter();
        ports.flat_map(|ports| ports.values().copied()).collect()
    }

    /// Where to open a job in a browser, if its definition says so.
    pub(crate) fn url_of(&self, job: &str) -> Option<String> {
        self.applied.jobs.get(job)?.open.as_ref()?;
        if let Some(url) = self.urls.get(job) {
            return Some(url.clone());
        }
        // What the text refers to is known when the job has been started.
        let port = self.ports_of(job).first().copied()?;
        Some(format!("http://localhost:{port}"))
    }

    /// Notes where to open a job in a browser.
    pub(crate) fn set_url(&mut self, job: &str, url: Option<String>) {
        match url {
            Some(url) => drop(self.urls.insert(job.to_owned(), url)),
            None => drop(self.urls.remove(job)),
        }
    }

    /// How people know it.
    pub(crate) fn name(&self) -> ProjectName {
        named(&self.applied.name, &self.worktree, &self.dir)
    }

    /// What is never written to a disk.
    pub(crate) fn secrets(&self) -> Secrets {
        Secrets {
            caller: self.caller.as_deref().cloned(),
            applied: self.applied.clone(),
        }
    }

    /// Takes over what an earlier daemon had.
    pub(crate) fn take_secrets(&mut self, secrets: Secrets) {
        self.caller = secrets.caller.map(Rc::new);
        self.restore_secrets(&secrets.applied);
    }

    /// Fills in the values that are not in the project's own file, from the same definitions elsewhere.
    pub(crate) fn restore_secrets(&mut self, from: &file::Project) {
        for (name, job) in &mut self.applied.jobs {
            let Some(known) = from.jobs.get(name) else {
                continue;
            };
            fill_in(&mut job.env, &known.env);
            fill_in(&mut job.own_env, &known.own_env);
        }
    }

    /// Notes a change, and notifies those who wait for it.
    pub(crate) fn bump(&mut self) {
        self.seq += 1;
        self.changed.notify_waiters();
    }

    /// The jobs that a request is about: `only` these, or all that are wanted.
    pub(crate) fn meant<'a>(
        &'a self,
        only: Option<&'a BTreeSet<String>>,
    ) -> impl Iterator<Item = (&'a String, &'a JobWish)> {
        let is_meant = move |(name, job): &(&String, &JobWish)| match only {
            Some(only) => only.contains(*name),
            None => job.wanted,
        };
        self.wish.jobs.iter().filter(is_meant)
    }

    /// Whether every job that a request is about has settled, and the files that jobs react to are watched.
    pub(crate) fn is_settled(&self, only: Option<&BTreeSet<String>>) -> bool {
        !self.watches.values().any(JobWatch::is_being_set)
            && self
                .meant(only)
                .all(|(name, job)| self.has_settled(name, job))
    }

    fn has_settled(&self, name: &str, job: &JobWish) -> bool {
        let phases = &self.decision.phases;
        let settled = phases.get(name).is_none_or(|phase| job.has_settled(phase))
            && !self.under_way.contains_key(name)
            && !self.fresh.contains_key(name);
        let wants_request = || {
            let awaited = phases.get(self.awaited(name));
            matches!(awaited, Some(Phase::Queued(why)) if why.wants_request())
        };
        settled || self.is_late(name) || wants_request()
    }

    /// The queue that a job waits in, if that is paused.
    pub(crate) fn paused_queue(&self, name: &str) -> Option<&str> {
        match self.decision.phases.get(name)? {
            Phase::Queued(Why::Paused(_)) => self.wish.jobs.get(name)?.queue.as_deref(),
            _ => None,
        }
    }

    /// Whether a job of the project waits only for the environment that was lost with daemon and keeper.
    pub(crate) fn waits_for_environment(&self, name: &str) -> bool {
        let is_so = self.decision.phases.get(name) == Some(&Phase::Queued(Why::Environment));
        is_so && !self.is_foreign(name)
    }

    /// Whether a job, or one that it waits for, is not ready in the time that its probe has, or keeps ending.
    pub(crate) fn is_late(&self, name: &str) -> bool {
        let awaited = self.awaited(name);
        let phase = self.decision.phases.get(awaited);
        matches!(phase, Some(Phase::Starting | Phase::Retrying)) && self.late.contains_key(awaited)
    }

    /// The job that a job waits for in the end, through the needs of others; itself if it waits for none.
    fn awaited<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        // A chain of needs is no longer than there are jobs.
        for _ in 0..=self.wish.jobs.len() {
            match self.decision.phases.get(name) {
                Some(Phase::Queued(Why::Needs(need))) => name = &need.job,
                _ => break,
            }
        }
        name
    }

    /// Whether the first process of a job could not be ended.
    pub(crate) fn survives(&self, name: &str) -> bool {
        self.survivors.contains_key(name)
    }

    /// On whose behalf the run that a job is owed is started, and the one before it ended.
    pub(crate) fn on_behalf_of(&self, name: &str) -> Actor {
        let is_up = self.wish.standing == Standing::Up;
        let job = self.wish.jobs.get(name);
        let Some(job) = job.filter(|job| is_up && job.hold.is_none()) else {
            return self.asked_by.clone();
        };
        match (&job.because, job.owed) {
            (Some(Cause::Changed(files)), Some(_)) => Actor::Watch(files.clone()),
            (_, Some(owed)) if owed.scheduled => Actor::Schedule,
            _ => self.asked_by.clone(),
        }
    }

    /// Whether the times of schedules are looked at: there are some, and the environment for the runs is known.
    pub(crate) fn follows_schedules(&self) -> bool {
        !self.times.is_empty() && self.caller.is_some()
    }

    /// Whether all its jobs have ended, with all their processes.
    pub(crate) fn is_at_rest(&self) -> bool {
        let ended = |(name, seen): (&String, &Seen)| !seen.state.is_alive() || self.survives(name);
        self.under_way.is_empty() && self.seen.iter().all(ended)
    }
}
