//! The files that jobs of projects react to: which are watched, and what follows when they have changed.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::State;
use super::job_states::{seen_of, seen_of_all};
use crate::daemon::clock::now;
use crate::daemon::keeper_link::ForNext;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::Project;
use crate::daemon::projects::watches::JobWatch;
use crate::daemon::sessions::Sessions;
use crate::daemon::watching::{Changes, JobKey, Wanted};
use crate::engine::Now;
use crate::engine::project::watching::MANY;
use crate::engine::project::{Seen, SeenState, Standing, Why};
use crate::project::watch::WatchDo;
use crate::protocol::cause::{Cause, Files};
use crate::protocol::project::Watching;
use crate::protocol::{SessionId, Status};
use crate::sys::signal;

/// What is to be done with a program because files have changed, besides what follows from the wish.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reaction {
    /// It gets a signal, because these files have changed.
    Signal(SessionId, i32, Files),
    /// Keys are typed into it.
    Keys(SessionId, Vec<String>),
}

impl State {
    /// Begins to watch the files of the jobs of a project that are wanted, and ends the watch of the others: a job is
    /// watched while its project is up, nobody has stopped it, and it does not restart itself by what it writes.
    pub(super) fn follow_watches(&mut self, id: &ProjectId) {
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        let is_up = project.wish.standing == Standing::Up && project.caller.is_some();
        let mut changed = false;
        for (name, job) in &project.applied.jobs {
            let wish = project.wish.jobs.get(name).filter(|_| is_up);
            let is_wanted = wish
                .is_some_and(|wish| wish.wanted && wish.hold.is_none() && wish.suspended.is_none());
            let watch = job.watch.as_ref().filter(|_| is_wanted);
            if project.watches.get(name).map(|known| &known.watch) == watch {
                continue;
            }
            changed = true;
            match watch {
                Some(watch) => {
                    project.watches.insert(name.clone(), JobWatch::new(watch));
                }
                None => {
                    project.watches.remove(name);
                    let change = ForNext::Change {
                        project: id,
                        job: name,
                    };
                    self.keeper.drop_kept(change);
                }
            }
        }
        let before = project.watches.len();
        let jobs = &project.applied.jobs;
        project.watches.retain(|name, _| jobs.contains_key(name));
        let (sessions, all) = (&self.sessions, &project.sessions);
        let mut holding = project.watches.iter().filter(|(_, watch)| watch.holds());
        let is_due = holding.any(|(name, _)| !is_paused(sessions, all.get(name)));
        if changed || is_due || before != project.watches.len() {
            self.projects.watches_changed();
        }
    }

    /// The files that are to be watched.
    pub(crate) fn wanted_watches(&mut self) -> Vec<Wanted> {
        let watches = self.projects.watches();
        let wanted = watches.filter_map(|(project, name, watch)| {
            Some(Wanted {
                job: (project.id.clone(), name.clone()),
                dir: project.applied.jobs.get(name)?.dir.clone(),
                watch: watch.watch.clone(),
                attempt: watch.attempt,
            })
        });
        wanted.collect()
    }

    /// Somebody has asked for these jobs: files that could not be watched are tried again.
    pub(crate) fn watch_again(&mut self, id: &str, names: &[String]) {
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        let mut again = false;
        for name in names {
            let watch = project.watches.get_mut(name);
            again |= watch.is_some_and(JobWatch::try_again);
        }
        if again {
            self.projects.watches_changed();
        }
    }

    /// The files of a job are watched from now on.
    pub(crate) fn watch_is_set(&mut self, (id, name): &JobKey) {
        self.change_watch(id, name, JobWatch::mark_set);
    }

    /// Something has happened to files of a job, and its reaction is still to come. The keeper keeps that, so that the
    /// next daemon reacts if this one is killed or replaced before.
    pub(crate) fn change_pends(&mut self, job: &JobKey, file: Option<&Path>) {
        let mut kept = now().boot.to_le_bytes().to_vec();
        kept.extend(file.map_or(&[][..], |file| file.as_os_str().as_bytes()));
        self.keeper.keep(unsettled(job), &kept);
        tracing::debug!(project = job.0, job = job.1, "a change is kept");
    }

    /// The reaction has come, or nothing has changed.
    pub(crate) fn change_settled(&mut self, job: &JobKey) {
        let watch = self.projects.get(&job.0);
        let watch = watch.and_then(|project| project.watches.get(&job.1));
        // Of a job that is paused, it is still to come.
        if !watch.is_some_and(JobWatch::holds) {
            self.keeper.drop_kept(unsettled(job));
        }
    }

    /// The changes that came while programs were paused which are not paused any more.
    pub(crate) fn changes_since_pause(&mut self) -> Vec<(JobKey, Changes)> {
        let mut found = Vec::new();
        for id in self.projects.ids() {
            let Some(project) = self.projects.get_mut(&id) else {
                continue;
            };
            for (name, watch) in &mut project.watches {
                let session = project.sessions.get(name);
                if is_paused(&self.sessions, session) {
                    continue;
                }
                let Some(changes) = watch.take_held() else {
                    continue;
                };
                let life = session.and_then(|id| self.sessions.get(id));
                let began = life.map_or(0, |session| session.life.started_boot());
                let job = (id.clone(), name.clone());
                self.keeper.drop_kept(unsettled(&job));
                // What was started since has begun with the changed files.
                if began <= changes.last {
                    found.push((job, changes));
                }
            }
        }
        found
    }

    /// The program of a session was continued: its job reacts to what has changed meanwhile.
    pub(super) fn catch_up_on_changes(&mut self, id: &SessionId) {
        let of = self
            .sessions
            .get(id)
            .and_then(|known| known.spec.project.clone());
        if let Some(of) = of {
            self.projects.touch(&of.id);
        }
    }

    /// A change to which nobody has reacted, because the daemon was killed or replaced, or the watch was set anew.
    pub(crate) fn unsettled_change(&mut self, job: &JobKey) -> Option<Changes> {
        let kept = self.keeper.kept(unsettled(job));
        self.keeper.drop_kept(unsettled(job));
        let kept = kept?;
        let (at, file) = kept.split_first_chunk()?;
        let at = u64::from_le_bytes(*at);
        let session = self.projects.get(&job.0)?.sessions.get(&job.1);
        let session = session.and_then(|id| self.sessions.get(id));
        if session.is_some_and(|session| session.life.started_boot() > at) {
            // Its program has been started since.
            return None;
        }
        let file = PathBuf::from(OsString::from_vec(file.to_vec()));
        let known = Some(file).filter(|file| file.has_root());
        Some(Changes {
            files: known.into_iter().collect(),
            new: Vec::new(),
            more: 0,
            first: at,
            last: at,
        })
    }

    /// The files of a job cannot be watched. It runs all the same.
    pub(crate) fn watch_failed(&mut self, (id, name): &JobKey, why: &str) {
        tracing::warn!(project = id, job = name, why, "its files are not watched");
        self.change_watch(id, name, |watch| watch.mark_failed(why));
    }

    /// No files can be watched.
    pub(crate) fn watches_failed(&mut self, why: &str) {
        let wanted = self.wanted_watches();
        for wanted in wanted {
            self.watch_failed(&wanted.job, why);
        }
    }

    fn change_watch(&mut self, id: &str, name: &str, change: impl FnOnce(&mut JobWatch)) {
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        if let Some(watch) = project.watches.get_mut(name) {
            change(watch);
            project.bump();
        }
    }

    /// What follows when files of a job have changed.
    pub(crate) fn files_changed(
        &mut self,
        (id, name): &JobKey,
        changes: &Changes,
        now: Now,
    ) -> Option<Reaction> {
        let project = self.projects.get_mut(id)?;
        let defined = project.applied.jobs.get(name)?;
        let watch = defined.watch.as_ref()?;
        let (what, cascade) = (watch.what.clone(), watch.cascade);
        let files = described(changes, &defined.dir);
        let seen = seen_of(project, &self.sessions, name);
        if !is_concerned(project, name, seen, &what, changes) {
            return None;
        }
        let session = project.sessions.get(name).cloned();
        if is_paused(&self.sessions, session.as_ref()) {
            // As one that somebody has stopped, it stays so.
            tracing::debug!(project = id, job = name, %files, "its reaction waits until it is continued");
            return self.hold_change(id, name, changes);
        }
        let run = session.as_ref().filter(|_| seen.run > 0);
        let run = run.and_then(|id| self.sessions.get(id));
        let began = run.map(|session| session.life.started_boot());
        let watch = project.watches.get_mut(name)?;
        let began = began.max(watch.reacted_at);
        let times = (began, changes.first, now.boot);
        if let Some(file) = watch.loops.note(times, &traces(changes)) {
            let file = file.strip_prefix(&defined.dir).unwrap_or(&file);
            let file = file.display().to_string();
            return self.suspend(id, name, &file);
        }
        tracing::debug!(project = id, job = name, %files, "its files have changed");
        if let Some(session) = session.filter(|_| what != WatchDo::Restart && is_running(seen)) {
            watch.reacted_at = Some(now.boot);
            return reaction(session, what, files);
        }
        let all = seen_of_all(project, &self.sessions);
        let look = |name: &str| Seen::of(&all, name);
        let sessions = &self.sessions;
        let is_paused = |name: &str| is_paused(sessions, project.sessions.get(name));
        if project.wish.change(name, cascade, &files, look, is_paused) {
            self.wish_changed(id);
        }
        None
    }

    /// Keeps the changes of a job that is paused until it is continued.
    fn hold_change(&mut self, id: &ProjectId, name: &str, changes: &Changes) -> Option<Reaction> {
        let project = self.projects.get_mut(id)?;
        project.watches.get_mut(name)?.hold(changes.clone());
        let first = changes.files.first().cloned();
        self.change_pends(&(id.clone(), name.to_owned()), first.as_deref());
        None
    }

    /// Leaves a job alone that restarts itself by what it writes.
    fn suspend(&mut self, id: &ProjectId, name: &str, file: &str) -> Option<Reaction> {
        tracing::warn!(
            project = id,
            job = name,
            file,
            "it restarts itself; its watch is suspended"
        );
        let project = self.projects.get_mut(id)?;
        let job = project.wish.jobs.get_mut(name)?;
        job.suspended = Some(file.to_owned());
        self.wish_changed(id);
        None
    }

    /// Why the run of a session that begins now was requested, if nobody has asked for it.
    pub(super) fn cause_of(&self, id: &SessionId) -> Option<&Cause> {
        let of = self.sessions.get(id)?.spec.project.as_ref()?;
        let project = self.projects.get(&of.id)?;
        project.wish.jobs.get(&of.job)?.because.as_ref()
    }

    /// The run of a session has begun: its cause is not that of the next one.
    pub(super) fn forget_cause(&mut self, id: &SessionId) {
        let of = self.sessions.get(id).map(|session| &session.spec.project);
        let Some(of) = of.cloned().flatten() else {
            return;
        };
        let project = self.projects.get_mut(&of.id);
        if let Some(job) = project.and_then(|project| project.wish.jobs.get_mut(&of.job)) {
            job.because = None;
        }
    }
}

/// The files that a job watches, for people.
pub(crate) fn watching(project: &Project, name: &str) -> Option<Watching> {
    let job = project.applied.jobs.get(name)?;
    let what = job.watch.as_ref()?.shown(&job.dir);
    let known = project.watches.get(name);
    let wish = project.wish.jobs.get(name)?;
    let is_up = project.wish.standing == Standing::Up;
    let is_lost = project.caller.is_none() && is_up && wish.wanted && wish.hold.is_none();
    let why = match (known, suspension(project, name)) {
        (_, Some((file, true))) => Some(format!("suspended: {file} changes at each restart")),
        (_, Some((file, false))) => Some(format!("suspended: restarts itself by writing {file}")),
        (Some(watch), None) if watch.is_being_set() => Some("being set up".to_owned()),
        (Some(watch), None) => watch.failure().map(str::to_owned),
        (None, None) => is_lost.then(|| Why::Environment.to_string()),
    };
    Some(Watching {
        what,
        on: known.is_some() && why.is_none(),
        why,
    })
}

/// The file by which the watch of a job is suspended, and whether it has restarted other jobs, too.
pub(crate) fn suspension<'a>(project: &'a Project, name: &str) -> Option<(&'a str, bool)> {
    let wish = &project.wish;
    let file = wish.jobs.get(name)?.suspended.as_deref()?;
    Some((file, wish.is_suspended_with_others(name)))
}

fn is_running(seen: Seen) -> bool {
    matches!(seen.state, SeenState::Starting | SeenState::Running { .. })
}

/// Whether a change is one that a job has not started with, and the job has what can react to it: a program to which
/// something is sent, or one that runs again.
fn is_concerned(
    project: &Project,
    name: &str,
    seen: Seen,
    what: &WatchDo,
    changes: &Changes,
) -> bool {
    let requested = project.requested.get(name).copied().unwrap_or_default();
    if is_running(seen) && changes.last <= requested {
        // Its program has been started since.
        return false;
    }
    let has_ended_well = seen.state == SeenState::Ended { ok: true };
    // Its session was removed if it has ended since; the next run gets a new one.
    *what == WatchDo::Restart || (!has_ended_well && project.sessions.contains_key(name))
}

/// What is sent to the program of a job.
fn reaction(session: SessionId, what: WatchDo, files: Files) -> Option<Reaction> {
    match what {
        WatchDo::Signal(signal) => {
            let number = signal::number(&signal)?;
            Some(Reaction::Signal(session, number, files))
        }
        WatchDo::Keys(keys) => Some(Reaction::Keys(session, keys)),
        WatchDo::Restart => None,
    }
}

/// Whether the program of a session is paused.
fn is_paused(sessions: &Sessions, id: Option<&SessionId>) -> bool {
    let session = id.and_then(|id| sessions.get(id));
    session.is_some_and(|session| session.life.status() == Status::Paused)
}

/// A change to which a job has not reacted.
fn unsettled((project, job): &JobKey) -> ForNext<'_> {
    ForNext::Change { project, job }
}

/// The files that have changed. Paths below `dir` are shown relative to it.
fn described(changes: &Changes, dir: &Path) -> Files {
    let Some(first) = changes.files.first() else {
        return Files::many();
    };
    let first = first.strip_prefix(dir).unwrap_or(first).display();
    let first = first.to_string();
    match changes.files.len() - 1 + changes.more {
        0 => Files::one(first),
        // Of more, not all are counted.
        more => Files::several(&first, (more + 1 < MANY).then_some(more)),
    }
}

/// By what a job that restarts itself is known: the files, and the directories in which it creates files with other
/// names each time.
fn traces(changes: &Changes) -> Vec<PathBuf> {
    let mut traces = changes.files.clone();
    let directories = changes.new.iter().filter_map(|file| file.parent());
    traces.extend(directories.map(PathBuf::from));
    traces.dedup();
    traces
}
