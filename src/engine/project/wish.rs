//! What is wished for a project's jobs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::seen::{Seen, SeenState};
use crate::protocol::Timestamp;
use crate::protocol::cause::{Cause, Files};
pub use crate::protocol::project::{Level, Need, Overlap};

/// A run that is owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Demand {
    /// The run that is owed has a number greater than this.
    pub after: u32,
    /// Order among owed runs, for queues.
    pub place: u64,
    /// Whether the run before may end by itself first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// Whether its schedule has asked for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scheduled: bool,
    /// Whether it starts although its queue is full or paused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_turn: bool,
    /// Whether it starts although its needs are not met.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// When it starts at the earliest: see [`delay`](super::delay).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
}

/// A person's stop, which holds until the job is started or the project is brought up again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// Who stopped the job.
    pub by: String,
}

/// Whose job a part of a wish is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Member {
    /// The project's own.
    #[default]
    Own,
    /// A session that no file defines, which leaves again: see [`guest`](super::guest).
    Guest,
    /// The job of another project, which is only looked at.
    Borrowed,
}

impl Member {
    /// Whether it is the project's own.
    pub fn is_own(&self) -> bool {
        *self == Self::Own
    }
}

/// What is wished for one job.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobWish {
    /// What it needs, in the order of the file.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// Whether it is a task, which runs once, or a service, which keeps running.
    #[serde(default)]
    pub is_task: bool,
    /// Whether it starts without being named or needed.
    #[serde(default)]
    pub autostart: bool,
    /// Whether its readiness is known from a probe.
    #[serde(default)]
    pub has_probe: bool,
    /// Whether a schedule starts it, and not `up`.
    #[serde(default)]
    pub is_scheduled: bool,
    /// Whether a job with a schedule also runs when it is brought up.
    #[serde(default)]
    pub at_start: bool,
    /// The queue that it runs in.
    #[serde(default)]
    pub queue: Option<String>,
    /// The run that its queue has let start, until that run has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Whose job it is.
    #[serde(default, skip_serializing_if = "Member::is_own")]
    pub member: Member,
    /// Whether it is part of what was brought up.
    #[serde(default)]
    pub wanted: bool,
    /// The run that is owed.
    #[serde(default)]
    pub owed: Option<Demand>,
    /// A person's stop.
    #[serde(default)]
    pub hold: Option<Hold>,
    /// Runs up to this one do not count as done: they were runs of another definition, or of a project that has
    /// been brought down since.
    #[serde(default)]
    pub forget: u32,
    /// Why the last run that was owed could not be started; absent if it could. There is no run with a number
    /// for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// Whether it is a task whose last run ended well and whose session was removed since. The result stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passed: bool,
    /// Why the run that is owed was requested, if nobody has asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<Cause>,
    /// The file by whose changes it restarted itself again and again. It does not react to changes until somebody
    /// starts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<String>,
}

/// Whether a project is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Its jobs are kept as wished.
    Up,
    /// All its jobs are to be stopped, and nothing starts.
    #[default]
    Down,
}

/// What is wished for a project.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wish {
    /// Whether it is up.
    pub standing: Standing,
    /// Its jobs by name.
    pub jobs: BTreeMap<String, JobWish>,
    /// Its queues by name.
    #[serde(default)]
    pub queues: BTreeMap<String, Queue>,
    /// The last place that was given to an owed run.
    #[serde(default)]
    pub places: u64,
    /// Whether the end of one service, or the failure of a task, brings all jobs down.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_or_none: bool,
    /// The job whose end has brought the others down so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
}

impl Wish {
    /// The jobs with these names and, with `needs`, all that they need, also through others.
    pub fn with_needs<'a>(
        &'a self,
        names: impl IntoIterator<Item = &'a str>,
        needs: bool,
    ) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = names.into_iter().collect();
        while let Some(name) = open.pop() {
            let Some((name, job)) = self.jobs.get_key_value(name) else {
                continue;
            };
            if found.insert(name.clone()) && needs {
                open.extend(job.needs.iter().map(|need| need.job.as_str()));
            }
        }
        found
    }

    /// Brings jobs up: those that do not run are owed a run, and what a person has stopped may start again. A
    /// task that has ended well is not run again. A queue starts them in the order of `names`.
    pub fn up<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a String>,
        seen: impl Fn(&str) -> Seen,
    ) {
        self.standing = Standing::Up;
        self.ended_by = None;
        for name in names {
            let now = seen(name);
            let Some(job) = self.jobs.get_mut(name) else {
                continue;
            };
            let is_new = !job.wanted || job.hold.is_some();
            job.wanted = true;
            job.hold = None;
            job.suspended = None;
            let is_left = job.is_scheduled && !(job.at_start && is_new);
            if is_left {
                // What its schedule could not start is past.
                job.broken = None;
            }
            let is_done = job.is_task && job.has_ended(now) == Some(true);
            // What is being ended starts again afterwards.
            let is_gone = !now.state.is_alive() || now.state == SeenState::Stopping;
            if is_gone && !is_done && !is_left {
                self.owe(name, now.run);
            }
        }
    }

    /// Lets the runs that these jobs are owed start although their needs are not met.
    pub fn start_alone<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        for name in names {
            let job = self.jobs.get_mut(name);
            if let Some(owed) = job.and_then(|job| job.owed.as_mut()) {
                owed.alone = true;
            }
        }
    }

    /// The jobs that are to run again after the loss of daemon and keeper: those that were wanted and that nobody had
    /// stopped. None if the project was down.
    pub fn lost(&self) -> BTreeSet<String> {
        let is_up = self.standing == Standing::Up;
        let wanted = self.jobs.iter();
        let wanted = wanted.filter(|(_, job)| is_up && job.wanted && job.hold.is_none());
        wanted.map(|(name, _)| name.clone()).collect()
    }

    /// Brings the whole project down. What has ended well is run again by the next `up`, and a failure does not
    /// pause its queue any more.
    pub fn down(&mut self, seen: impl Fn(&str) -> Seen) {
        self.standing = Standing::Down;
        self.all_or_none = false;
        self.ended_by = None;
        let failed = self
            .queues
            .values_mut()
            .filter(|queue| queue.failed.is_some());
        failed.for_each(Queue::resume);
        let own = self.jobs.iter_mut().filter(|(_, job)| job.member.is_own());
        for (name, job) in own {
            job.wanted = false;
            job.owed = None;
            job.hold = None;
            job.broken = None;
            job.passed = false;
            job.because = None;
            job.suspended = None;
            job.forget = seen(name).run;
        }
    }

    /// The job whose end brings all others down, if there is one. A job that a person has stopped does not.
    pub fn ends_all(&self, seen: impl Fn(&str) -> Seen) -> Option<&str> {
        let counts = |job: &JobWish| {
            job.member.is_own() && job.wanted && job.hold.is_none() && !job.is_scheduled
        };
        let is_over = |(name, job): &(&String, &JobWish)| match job.has_ended(seen(name)) {
            Some(ok) => counts(job) && !(ok && job.is_task),
            None => false,
        };
        let mut jobs = self.jobs.iter();
        let may = self.all_or_none && self.standing == Standing::Up;
        jobs.find(|job| may && is_over(job))
            .map(|(name, _)| name.as_str())
    }

    /// Requests a new run of a job, also if it runs now; so do the jobs that are to be restarted with it, if
    /// they run. The cause of their runs is that the job was restarted.
    pub fn restart(&mut self, root: &str, seen: impl Fn(&str) -> Seen) {
        for name in self.with_dependents(root, false, &seen) {
            self.owe(&name, seen(&name).run);
            if let Some(job) = self.jobs.get_mut(&name) {
                job.wanted = true;
                job.hold = None;
                job.suspended = None;
                job.because = (name != root).then(|| Cause::Restarted(root.to_owned()));
            }
        }
        self.standing = Standing::Up;
        self.ended_by = None;
    }

    /// Requests a new run of a job because these files have changed; with `cascade` also of all jobs that need it and run.
    /// Returns false if there is none: nobody wants the job, a person has stopped it, or a run is owed already,
    /// which will see the files as they are.
    pub fn change(
        &mut self,
        name: &str,
        cascade: bool,
        files: &Files,
        seen: impl Fn(&str) -> Seen,
        is_paused: impl Fn(&str) -> bool,
    ) -> bool {
        let reacts = |wish: &Self, name: &str| {
            let job = wish.jobs.get(name);
            job.is_some_and(|job| job.wanted && job.hold.is_none() && !job.is_owed(seen(name)))
        };
        if self.standing != Standing::Up || !reacts(self, name) {
            return false;
        }
        for other in self.with_dependents(name, cascade, &seen) {
            if reacts(self, &other) && (other == name || !is_paused(&other)) {
                self.owe(&other, seen(&other).run);
                if let Some(job) = self.jobs.get_mut(&other) {
                    job.because = Some(Cause::Changed(files.clone()));
                }
            }
        }
        true
    }

    /// A job and the jobs that are to be restarted with it: those that say so in their needs, or all that need it.
    /// Only jobs that run are, and that nobody has stopped.
    fn with_dependents(&self, name: &str, all: bool, seen: impl Fn(&str) -> Seen) -> Vec<String> {
        let mut open = vec![name.to_owned()];
        let mut found = Vec::new();
        while let Some(next) = open.pop() {
            let is_held = self.jobs.get(&next).is_some_and(|job| job.hold.is_some());
            let is_left = next != name && (is_held || !seen(&next).state.is_alive());
            if is_left || found.contains(&next) {
                continue;
            }
            found.push(next.clone());
            let restarted = |job: &JobWish| {
                let needs = |need: &Need| need.job == next && (all || need.restart);
                job.needs.iter().any(needs)
            };
            let with_it = self.jobs.iter().filter(|(_, job)| restarted(job));
            open.extend(with_it.map(|(name, _)| name.clone()));
        }
        found
    }

    /// Requests the run of a job whose time has come. Returns false if there is none, because another one is owed or
    /// has not ended.
    pub fn come(&mut self, name: &str, overlap: Overlap, now: Seen) -> bool {
        let Some(job) = self.jobs.get(name) else {
            return false;
        };
        let is_busy = now.state.is_alive();
        if job.is_owed(now) || (is_busy && overlap == Overlap::Skip) {
            return false;
        }
        self.owe(name, now.run);
        let owed = self.jobs.get_mut(name).and_then(|job| job.owed.as_mut());
        if let Some(owed) = owed {
            owed.waits = is_busy && overlap == Overlap::Queue;
            owed.scheduled = true;
        }
        true
    }

    /// Stops a job until somebody starts it. If its watch is suspended, those of other jobs that the same file has
    /// restarted are not any more: it may be the one that writes the file.
    pub fn hold(&mut self, name: &str, by: &str) {
        let Some(job) = self.jobs.get_mut(name) else {
            return;
        };
        job.owed = None;
        job.hold = Some(Hold { by: by.to_owned() });
        let Some(file) = job.suspended.clone() else {
            return;
        };
        let others = self.jobs.iter_mut().filter(|(other, _)| *other != name);
        for (_, job) in others.filter(|(_, job)| job.suspended.as_ref() == Some(&file)) {
            job.suspended = None;
        }
    }

    /// Whether the file by which the watch of a job is suspended has restarted other jobs, too, so that it is not known
    /// which of them writes it.
    pub fn is_suspended_with_others(&self, name: &str) -> bool {
        let file = self.jobs.get(name).and_then(|job| job.suspended.as_ref());
        file.is_some_and(|file| {
            let mut others = self.jobs.iter().filter(|(other, _)| *other != name);
            others.any(|(_, job)| job.hold.is_none() && job.suspended.as_ref() == Some(file))
        })
    }

    /// Owes a job the run after run `after`, at the end of its queue. A run that is owed already keeps its place, unless
    /// it is being started.
    pub fn owe(&mut self, name: &str, after: u32) {
        let Some(job) = self.jobs.get_mut(name) else {
            return;
        };
        let (place, out_of_turn) = match job.owed {
            Some(owed) if owed.after >= after => (owed.place, owed.out_of_turn),
            _ => {
                self.places += 1;
                (self.places, false)
            }
        };
        job.owed = Some(Demand {
            after,
            place,
            waits: false,
            scheduled: false,
            out_of_turn,
            alone: false,
            not_before: None,
        });
        job.broken = None;
        job.passed = false;
        job.because = None;
    }

    /// Records that the session of a job was removed, whose runs were as seen `before`. A task that has ended well is not
    /// run again for that. Runs are counted from 1 again.
    pub fn session_removed(&mut self, name: &str, before: Seen) {
        if let Some(job) = self.jobs.get_mut(name) {
            job.passed = job.is_task && job.has_ended(before) == Some(true);
            job.forget = 0;
            if let Some(owed) = &mut job.owed {
                owed.after = 0;
            }
        }
    }

    /// Records that the run that a job was owed could not be started. It has ended, and not well.
    pub fn start_failed(&mut self, name: &str, why: &str) {
        if let Some(job) = self.jobs.get_mut(name) {
            job.owed = None;
            job.broken = Some(why.to_owned());
        }
        self.pause_after_failure(name);
    }

    /// Takes over what has happened since: forgets the demands that have been met, and looks at the ends of runs
    /// that queues have let start. A run is owed until it has begun: a daemon that takes over starts it otherwise.
    /// Returns whether anything has changed.
    pub fn settle(&mut self, seen: impl Fn(&str) -> Seen) -> bool {
        let mut changed = false;
        for (name, job) in &mut self.jobs {
            let now = seen(name);
            // The start of a run that was to be forgotten was called off, and the next run has its number.
            if job.forget > now.run && now.state != SeenState::Stopping {
                job.forget = now.run;
                changed = true;
            }
            if job.owed.is_none_or(|owed| now.run <= owed.after) {
                continue;
            }
            let turn = job.queue.as_ref().map(|_| now.run);
            changed |= job.turn != turn;
            job.turn = turn;
            if now.state != SeenState::Starting {
                job.owed = None;
                changed = true;
            }
        }
        self.end_turns(&seen) | self.take_leave(&seen) | changed
    }
}

impl JobWish {
    /// Whether a run is owed that has not begun.
    pub fn is_owed(&self, now: Seen) -> bool {
        self.owed.is_some_and(|owed| now.run <= owed.after)
    }

    /// Whether the run that is seen gives way to the one that is owed.
    pub fn gives_way(&self, now: Seen) -> bool {
        self.is_owed(now) && self.owed.is_some_and(|owed| !owed.waits)
    }

    /// How its last run that counts has ended; `None` if none has, or if another one is owed or in progress.
    pub fn has_ended(&self, now: Seen) -> Option<bool> {
        if self.broken.is_some() && !now.state.is_alive() {
            return Some(false);
        }
        match now.state {
            SeenState::Ended { ok } if now.run > self.forget && !self.is_owed(now) => Some(ok),
            SeenState::Never if self.passed => Some(true),
            _ => None,
        }
    }
}
