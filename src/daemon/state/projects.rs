//! Projects beside their sessions: what is decided from what is seen of each job, and what has come of it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::State;
use super::job_states::{fresh, late, seen_of, seen_of_all};
use crate::daemon::clock::now;
use crate::daemon::keeper_link::ForNext;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::{Project, UnderWay};
use crate::daemon::projects::spec;
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::storage::log_reader::LogReader;
use crate::engine::life::{Actor, Life};
use crate::engine::project::order::places;
use crate::engine::project::{JobWish, Phase, Seen, Step, Why, decide};
use crate::engine::session::Session;
use crate::project::stop::Stop;
use crate::protocol::{Error, Greeting, Scope, SessionId, Status};

/// Why a job without a session is not started or stopped.
pub(crate) const WITHOUT_SESSION: &str = "its session was removed; run bgproc up again";

impl State {
    /// Whether every job that a request is about (`only` these, or all that are wanted) has settled, those of the main
    /// checkout included.
    pub(crate) fn has_settled(&self, project: &Project, only: Option<&BTreeSet<String>>) -> bool {
        let borrows = borrows(project, only);
        !self.projects.is_due(&project.id)
            && project.is_settled(only)
            && (!borrows || self.borrowed_settled(project))
    }

    /// Whether such a job has failed or was skipped, or a paused queue keeps it. One with a schedule has failed if its
    /// last run could not be started.
    pub(crate) fn has_failed(&self, project: &Project, only: Option<&BTreeSet<String>>) -> bool {
        let mut meant = project.meant(only);
        let is_bad = |(name, job): (&String, &JobWish)| {
            let phase = project.decision.phases.get(name);
            let is_broken = phase == Some(&Phase::Scheduled) && job.broken.is_some();
            let keeps_ending = phase == Some(&Phase::Retrying) && project.late.contains_key(name);
            is_broken || keeps_ending || phase.is_some_and(Phase::is_bad)
        };
        meant.any(is_bad) || (borrows(project, only) && self.borrowed_failed(project))
    }

    /// Remembers the client whose environment the jobs of a project get. It is kept in memory only, with the values of
    /// the definitions in force: here and, for the next daemon, by the keeper.
    pub(crate) fn set_caller(&mut self, project: &ProjectId, caller: Greeting) {
        let Some(known) = self.projects.get_mut(project) else {
            return;
        };
        let was_lost = known.caller.replace(Rc::new(caller)).is_none();
        self.keeper
            .keep_json(ForNext::Caller(project), &known.secrets());
        if was_lost {
            // Its schedules go on.
            self.projects.times_changed();
        }
    }

    /// Stores what was changed in the wish for a project, and marks the project.
    pub(crate) fn wish_changed(&mut self, project: &str) {
        self.save_project(project);
        self.projects.touch(project);
    }

    /// Stores a project. What the disk refuses is kept by the keeper, for the next daemon: jobs that were accepted into a
    /// queue on a full disk are not forgotten.
    pub(super) fn save_project(&mut self, project: &str) {
        let kept = ForNext::Project(project);
        match self.projects.save(self.sessions.store.home(), project) {
            Ok(()) => self.keeper.drop_kept(kept),
            Err(refused) => self.keeper.keep(kept, &refused),
        }
    }

    /// Finds the sessions of each project and its client's environment again, after the start of this daemon.
    pub(crate) fn adopt_project_sessions(&mut self) {
        for id in self.projects.ids() {
            let secrets = self.keeper.kept_json(ForNext::Caller(&id));
            if let (Some(project), Some(secrets)) = (self.projects.get_mut(&id), secrets) {
                project.take_secrets(secrets);
            }
        }
        self.adopt_guests();
        let found: Vec<_> = self
            .sessions
            .iter()
            .filter_map(|session| Some((session.spec.project.clone()?, session.id.clone())))
            .collect();
        for (of, session) in found {
            let over = self.sessions.is_over(&session);
            if let Some(project) = self.projects.get_mut(&of.id) {
                // The newest session of a job is its session, unless an older one runs.
                match project.sessions.get(&of.job) {
                    Some(other) if over && !self.sessions.is_over(other) => {}
                    _ => drop(project.sessions.insert(of.job, session)),
                }
            }
        }
        // The first decision may bring a project down, which asks what runs.
        for id in self.projects.ids() {
            self.look_at_borrowed(&id);
            if let Some(project) = self.projects.get_mut(&id) {
                project.seen = seen_of_all(project, &self.sessions);
            }
        }
    }

    /// Marks the project of a session if something that it depends on has changed.
    pub(crate) fn touch_project(&mut self, id: &SessionId) {
        self.touch_as_guest(id);
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let Some(of) = &session.spec.project else {
            return;
        };
        let Some(project) = self.projects.get(&of.id) else {
            return;
        };
        let known = project.seen.get(&of.job).copied();
        if known != Some(seen_of(project, &self.sessions, &of.job)) {
            let id = of.id.clone();
            self.projects.touch(&id);
        }
    }

    /// Decides what follows for a project, and notes the steps as being under way. The caller takes them.
    pub(crate) fn drive_project(&mut self, id: &ProjectId) -> Vec<Step> {
        self.end_with_first(id);
        self.follow_schedules(id);
        self.look_at_borrowed(id);
        self.follow_watches(id);
        let has_queues = |project: &Project| !project.wish.queues.is_empty();
        let room = if self.projects.get(id).is_some_and(has_queues) {
            self.room()
        } else {
            usize::MAX
        };
        let Some(project) = self.projects.get_mut(id) else {
            return Vec::new();
        };
        let before = seen_of_all(project, &self.sessions);
        let settled = project.wish.settle(|name| Seen::of(&before, name));
        let mut decision = decide(&project.wish, |name| Seen::of(&before, name), room);
        let mut steps = std::mem::take(&mut decision.steps);
        withhold_starts(project, &mut steps, &mut decision.phases);
        note_under_way(project, &steps, &before, &mut decision.phases);
        project.seen = seen_of_all(project, &self.sessions);
        project.late = late(project, &self.sessions);
        project.decision = decision;
        project.fresh = fresh(project, &self.sessions);
        project.places = places(&project.wish, &project.applied.order);
        // Also if nothing differs: who has asked for something waits for the decision.
        project.bump();
        let waits = who_waits(project);
        if settled {
            self.save_project(id);
            self.forget_guests(id);
        }
        for (session, waits) in waits {
            self.wait_for_turn(&session, waits);
        }
        self.touch_borrowers(id);
        self.tell_queues(id, None);
        self.tell_phases(id);
        self.look_at_skipped(id);
        steps
    }

    /// Brings the status of a session whose program does not run in line with its phase: it waits for its turn, or
    /// it gets none.
    fn wait_for_turn(&mut self, id: &SessionId, waits: bool) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        match session.life.status() {
            Status::Queued if !waits => {
                self.leave_queue(id, &Actor::Human);
            }
            status if status.is_finished() && waits => {
                session.life.queue();
                self.persist(id);
            }
            _ => {}
        }
    }

    /// Creates the session of a job, which waits for its turn.
    pub(crate) fn create_job_session(
        &mut self,
        project: &str,
        job: &str,
    ) -> Result<SessionId, Error> {
        let gone = || Error::internal(format!("the job {job} is not defined any more"));
        let known = self.projects.get(project).ok_or_else(gone)?;
        let defined = known.applied.jobs.get(job).ok_or_else(gone)?;
        let described = spec::described(project, job, defined);
        let (size, share) = (spec::size(defined), spec::share(&known.applied));
        let limits = spec::time_limits(defined, self.settings.caps.retention);
        let id = SessionId::fresh();
        self.sessions.store.create(&id).map_err(|error| {
            Error::internal(format!(
                "the session's directory could not be created: {error}"
            ))
        })?;
        let at = self.sessions.registry.after_newest(now());
        let mut session = Session::new(id.clone(), Scope::human(), described, size, limits, at);
        session.life = Life::queued(at);
        session.share = share;
        self.events.bus.set_shared(&id, !share.is_none());
        if let Some(colors) = &self.colors {
            session.output.set_colors(colors);
        }
        let io = SessionIo::new(LogReader::new(self.sessions.store.dir(&id)));
        self.sessions.insert(session, io);
        self.persist(&id);
        if let Some(project) = self.projects.get_mut(project) {
            project.sessions.insert(job.to_owned(), id.clone());
        }
        Ok(id)
    }

    /// Notes that the job of a project which a session runs is being stopped, and stays so until it is started
    /// again. Returns the project, and how the job is stopped. `None` if the session runs no such job.
    pub(crate) fn hold_job(&mut self, id: &SessionId, by: &str) -> Option<(ProjectId, Stop)> {
        let of = self
            .sessions
            .get(id)
            .and_then(|session| session.spec.project.clone());
        let of = of?;
        let project = self.projects.get_mut(&of.id)?;
        project.wish.hold(&of.job, by);
        project.under_way.insert(of.job.clone(), UnderWay::Stopping);
        let stop = project
            .applied
            .jobs
            .get(&of.job)
            .map(|job| job.stop.clone());
        self.wish_changed(&of.id);
        Some((of.id, stop.unwrap_or_default()))
    }

    /// How the job of a project which a session runs is stopped, as its file says.
    pub(crate) fn stop_of(&self, id: &SessionId) -> Option<&Stop> {
        let of = self.sessions.get(id)?.spec.project.as_ref()?;
        let project = self.projects.get(&of.id)?;
        Some(&project.applied.jobs.get(&of.job)?.stop)
    }

    /// Ends a session that waits for its turn to run. Returns false if it did not wait, or if the keeper has been asked to
    /// start it, which cannot be called off.
    pub(crate) fn leave_queue(&mut self, id: &SessionId, by: &Actor) -> bool {
        if self.keeper.is_spawning(id) {
            return false;
        }
        let Some(session) = self.sessions.get_mut(id) else {
            return false;
        };
        let left = session
            .life
            .leave_queue(Some(by), "it was stopped before it ran", now());
        if left {
            self.wait_no_more(id);
            self.end_without_start(id);
        }
        left
    }

    /// The name of the job that a session runs, which may have changed since.
    pub(crate) fn job_of(&self, project: &str, session: &SessionId) -> Option<String> {
        let mut sessions = self.projects.get(project)?.sessions.iter();
        let found = sessions.find(|(_, id)| *id == session);
        found.map(|(name, _)| name.clone())
    }

    /// Whether this run of a job is still to be started: nobody has stopped the job meanwhile. Returns its name.
    pub(crate) fn is_to_start(
        &self,
        project: &str,
        session: &SessionId,
        run: u32,
    ) -> Option<String> {
        let job = self.job_of(project, session)?;
        let known = self.projects.get(project)?;
        (known.under_way.get(&job) == Some(&UnderWay::Starting(run))).then_some(job)
    }

    /// Whether a run of a session has begun, or is being started.
    pub(crate) fn has_begun(&self, session: &SessionId, run: u32) -> bool {
        let known = self.sessions.get(session);
        self.keeper.is_spawning(session)
            || known.is_some_and(|known| {
                let last = known.life.runs().last();
                known.life.status().has_process() || last.is_some_and(|last| last.run >= run)
            })
    }

    /// Records that the start of a run is over, and why it failed, if it did.
    pub(crate) fn job_started(
        &mut self,
        project: &str,
        session: &SessionId,
        run: u32,
        failure: Option<&str>,
    ) {
        let Some(job) = self.is_to_start(project, session, run) else {
            return;
        };
        let Some(known) = self.projects.get_mut(project) else {
            return;
        };
        known.under_way.remove(&job);
        if let Some(why) = failure {
            known.wish.start_failed(&job, why);
            self.start_of_job_failed(session, why);
            self.save_project(project);
        }
        self.projects.touch(project);
    }

    /// Records that the session of a job is about to be removed.
    pub(super) fn job_lets_go(&mut self, id: &SessionId) {
        let of = self.sessions.get(id);
        let Some(of) = of.and_then(|session| session.spec.project.clone()) else {
            return;
        };
        let Some(project) = self.projects.get_mut(&of.id) else {
            return;
        };
        // An older session of the job may still be known.
        if project.sessions.get(&of.job) == Some(id) {
            let before = seen_of(project, &self.sessions, &of.job);
            project.wish.session_removed(&of.job, before);
            project.sessions.remove(&of.job);
            self.wish_changed(&of.id);
        }
    }

    /// The number of a run that was just decided, and the session for it. A job whose session was removed gets a new
    /// one.
    pub(crate) fn session_to_start(
        &mut self,
        project: &str,
        job: &str,
    ) -> Result<(u32, SessionId), Error> {
        let removed = || Error::internal(WITHOUT_SESSION);
        let known = self.projects.get(project).ok_or_else(removed)?;
        let Some(UnderWay::Starting(run)) = known.under_way.get(job) else {
            return Err(removed());
        };
        let run = *run;
        if let Some(session) = known.sessions.get(job) {
            return Ok((run, session.clone()));
        }
        if !known.applied.jobs.contains_key(job) {
            return Err(removed());
        }
        let registry = &self.sessions.registry;
        registry.check_room_for(1, |session| self.is_in_queue(session))?;
        Ok((run, self.create_job_session(project, job)?))
    }

    /// Records that a job cannot be started or stopped, because it has no session, and why.
    pub(crate) fn job_has_no_session(&mut self, project: &str, job: &str, why: &str) {
        if let Some(known) = self.projects.get_mut(project) {
            known.under_way.remove(job);
            known.wish.start_failed(job, why);
        }
        self.wish_changed(project);
    }

    /// Records why the shell line failed that was to stop a job.
    pub(crate) fn stop_line_failed(&mut self, id: &SessionId, why: String) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        session.life.stop_line_failed(why.clone());
        let of = session.spec.project.clone();
        if let Some(of) = of
            && let Some(project) = self.projects.get_mut(&of.id)
        {
            project.failed_stops.insert(of.job, why);
        }
        self.persist(id);
    }

    /// Records that the processes of a job have ended, except the survivors.
    pub(crate) fn job_stopped(&mut self, project: &str, session: &SessionId, survivors: &[u32]) {
        if let Some(job) = self.job_of(project, session)
            && let Some(known) = self.projects.get_mut(project)
        {
            if known.under_way.get(&job) == Some(&UnderWay::Stopping) {
                known.under_way.remove(&job);
            }
            if survivors.is_empty() {
                known.survivors.remove(&job);
            } else {
                known.survivors.insert(job, survivors.to_vec());
            }
        }
        self.projects.touch(project);
    }

    fn start_of_job_failed(&mut self, id: &SessionId, why: &str) {
        if let Some(session) = self.sessions.get_mut(id)
            && !session.life.status().has_process()
        {
            session.life.failed_to_start(why, now());
            self.end_without_start(id);
        }
    }
}

/// Takes out the starts of jobs whose environment is lost, because daemon and keeper have died. They start when a client
/// brings it, and schedules are followed again then.
fn withhold_starts(project: &Project, steps: &mut Vec<Step>, phases: &mut BTreeMap<String, Phase>) {
    let has_environment = |name: &str| {
        if project.is_guest(name) {
            project.first_runs.contains_key(name)
        } else {
            project.caller.is_some()
        }
    };
    steps.retain(|step| match step {
        Step::Start(name) if !has_environment(name) => {
            phases.insert(name.clone(), Phase::Queued(Why::Environment));
            false
        }
        _ => true,
    });
    for (name, phase) in phases {
        let is_own = !project.is_foreign(name);
        if *phase == Phase::Scheduled && is_own && !has_environment(name) {
            *phase = Phase::Queued(Why::Environment);
        }
    }
}

/// Notes that these steps are being taken. `before` is how the jobs are.
fn note_under_way(
    project: &mut Project,
    steps: &[Step],
    before: &BTreeMap<String, Seen>,
    phases: &mut BTreeMap<String, Phase>,
) {
    for step in steps {
        let (name, under_way) = match step {
            Step::Start(name) => {
                project.requested.insert(name.clone(), now().boot);
                (name, UnderWay::Starting(Seen::of(before, name).run + 1))
            }
            Step::Stop(name) => {
                phases.insert(name.clone(), Phase::Stopping);
                (name, UnderWay::Stopping)
            }
        };
        project.under_way.insert(name.clone(), under_way);
    }
}

/// The sessions of the jobs, and whether each waits for its turn as long as its program does not run.
fn who_waits(project: &Project) -> Vec<(SessionId, bool)> {
    let own = project.sessions.iter();
    let own = own.filter(|(name, _)| !project.is_foreign(name));
    let waits = own.filter_map(|(name, session)| {
        let phase = project.decision.phases.get(name)?;
        let job = project.wish.jobs.get(name)?;
        let seen = Seen::of(&project.seen, name);
        let waits = match phase {
            Phase::Queued(Why::Environment) if job.is_owed(seen) => true,
            // Later its session shows how the last run has ended.
            Phase::Scheduled | Phase::Queued(Why::Environment) => {
                seen.run == 0 && job.broken.is_none()
            }
            Phase::Queued(_) | Phase::Skipped(_) | Phase::Starting => true,
            _ => false,
        };
        Some((session.clone(), waits))
    });
    waits.collect()
}

/// Whether a request is about jobs of the main checkout.
fn borrows(project: &Project, only: Option<&BTreeSet<String>>) -> bool {
    let mut borrowed = project.borrowed.keys();
    only.is_none_or(|only| borrowed.any(|name| only.contains(name)))
}
