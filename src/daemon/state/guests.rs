//! Sessions that wait in a queue or for others: how they come in, are started and leave.

use std::path::Path;

use super::State;
use super::job_states::seen_of;
use crate::daemon::clock::now;
use crate::daemon::keeper_link::ForNext;
use crate::daemon::programs::program::renewed;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::guests::{FirstRun, Place, QUEUES};
use crate::daemon::projects::project::{Project, UnderWay};
use crate::daemon::projects::wishes::canonical;
use crate::engine::meta::Spec;
use crate::engine::project::{JobWish, Member, Need, Phase, Seen, Why};
use crate::engine::session::Session;
use crate::engine::tombstones::Tombstone;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::project::{NEED_REMOVED, Needed, Waiting};
use crate::protocol::{Error, ErrorCode, EventKind, SessionId, Status};

impl State {
    /// The queue of that name for a session in directory `cwd`: that of the nearest project which has one, else the
    /// one that belongs to no project. The queue of a project that is down is meant, too: it starts nothing.
    pub(crate) fn queue_named(&self, name: &str, cwd: &Path) -> Option<ProjectId> {
        let has = |project: &&Project| {
            let queue = project.wish.queues.get(name);
            queue.is_some_and(|queue| queue.parallel > 0)
        };
        let mut around: Vec<&Project> = self
            .projects
            .of_files()
            .filter(|project| cwd.starts_with(&project.dir))
            .filter(has)
            .collect();
        around.sort_unstable_by_key(|project| project.dir.components().count());
        let nearest = around.pop();
        let found = nearest.or_else(|| self.projects.get(QUEUES).filter(has));
        found.map(|project| project.id.clone())
    }

    /// The queue of that name for a directory as it was given, which may be behind a symbolic link.
    pub(crate) fn queue_of(&self, name: &str, cwd: &str) -> Option<ProjectId> {
        self.queue_named(name, &canonical(Path::new(cwd)))
    }

    /// Lets a session that has ended wait for its next run.
    pub(crate) fn let_wait_again(&mut self, id: &SessionId, place: &Place, spawn: SpawnSpec) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.life.queue();
        }
        let first_run = FirstRun {
            spawn,
            input: None,
            place: Some(place.clone()),
        };
        self.keep_first_run(id, &first_run);
        self.let_wait(id, place, first_run);
        self.persist(id);
    }

    /// Takes a session that runs out of its queue, so that the queue does not pause when it ends.
    pub(crate) fn leave_turn(&mut self, id: &SessionId) {
        let name = id.as_str();
        let has_turn = |project: &&Project| {
            let job = project.wish.jobs.get(name);
            job.is_some_and(|job| job.member == Member::Guest && job.turn.is_some())
        };
        let project = self.projects.iter().find(has_turn);
        let project = project.map(|project| project.id.clone());
        let Some(project) = project else {
            return;
        };
        if let Some(known) = self.projects.get_mut(&project) {
            known.wish.hold(name, "somebody");
        }
        self.wish_changed(&project);
    }

    /// Lets a session that is queued wait for its next run, which is kept.
    pub(crate) fn let_wait(&mut self, id: &SessionId, place: &Place, first_run: FirstRun) {
        let Some(project) = self.projects.get_mut(&place.project) else {
            return;
        };
        let mut needs = Vec::new();
        for (other, is) in &place.after {
            // A job of the project has its own name there.
            let own = project.sessions.iter().find(|(_, known)| *known == other);
            let job = match own {
                Some((name, _)) => name.clone(),
                None => other.to_string(),
            };
            project.sessions.insert(job.clone(), other.clone());
            needs.push(Need {
                job,
                is: *is,
                restart: false,
            });
        }
        project.sessions.insert(id.to_string(), id.clone());
        // No other event tells of it before it starts.
        project.told_guests.insert(id.clone(), None);
        project.first_runs.insert(id.to_string(), first_run);
        let runs = self.sessions.get(id).map(|session| session.life.runs());
        let last = runs.and_then(|runs| runs.last()).map_or(0, |run| run.run);
        project
            .wish
            .invite(id.as_str(), place.queue.clone(), needs, last);
        if let Some(at) = place.not_before {
            project.wish.delay(id.as_str(), at);
            self.projects.times_changed();
        }
        self.wish_changed(&place.project);
    }

    /// Has the keeper keep what a session is to run, for the next daemon. This comes before the record that says that the
    /// session waits, so that no daemon finds such a record and nothing to run.
    pub(crate) fn keep_first_run(&mut self, id: &SessionId, first_run: &FirstRun) {
        self.keeper
            .keep_json(ForNext::FirstRun(id.as_str()), first_run);
    }

    /// The project in which the session is a guest that waits for its first run.
    pub(crate) fn waits_in(&self, id: &SessionId) -> Option<&Project> {
        let mut projects = self.projects.iter();
        projects.find(|project| {
            let job = project.wish.jobs.get(id.as_str());
            job.is_some_and(JobWish::waits_as_guest)
        })
    }

    /// How many more jobs queues may start.
    pub(super) fn room(&self) -> usize {
        let registry = &self.sessions.registry;
        registry.room(|session| self.is_in_queue(session) && !self.is_being_started(session))
    }

    /// Whether the turn of a session in a queue has come, and its program does not run yet.
    fn is_being_started(&self, session: &Session) -> bool {
        let place = self.place_of(session);
        let step = place.and_then(|(project, name)| project.under_way.get(name));
        matches!(step, Some(UnderWay::Starting(_)))
    }

    /// Marks the projects whose queues wait until fewer jobs run.
    pub(super) fn touch_full_queues(&mut self) {
        self.projects.touch_where(|project| {
            let mut phases = project.decision.phases.values();
            phases.any(|phase| *phase == Phase::Queued(Why::Limit))
        });
    }

    /// Whether a session waits in a queue for its turn.
    pub(crate) fn is_in_queue(&self, session: &Session) -> bool {
        if session.life.status() != Status::Queued || session.batch.is_some() {
            return false;
        }
        let place = self.place_of(session);
        let job = place.and_then(|(project, name)| project.wish.jobs.get(name));
        job.is_some_and(|job| job.queue.is_some() && job.owed.is_some())
    }

    /// What a session that waits would run if its record had this command. `None` if it does not wait.
    ///
    /// # Errors
    ///
    /// If the program is not found.
    pub(crate) fn renewed_first_run(
        &self,
        id: &SessionId,
        spec: &Spec,
    ) -> Result<Option<FirstRun>, Error> {
        let project = self.waits_in(id);
        let Some(known) = project.and_then(|project| project.first_runs.get(id.as_str())) else {
            return Ok(None);
        };
        Ok(Some(FirstRun {
            spawn: renewed(spec, known.spawn.clone())?,
            input: known.input.clone(),
            place: None,
        }))
    }

    /// Lets a session that waits run this when it is its turn. Where it waits stays.
    pub(crate) fn set_first_run(&mut self, id: &SessionId, first_run: FirstRun) {
        let Some(project) = self.waits_in(id).map(|project| project.id.clone()) else {
            return;
        };
        let first_run = FirstRun {
            place: self.place(id),
            ..first_run
        };
        self.keep_first_run(id, &first_run);
        if let Some(known) = self.projects.get_mut(&project) {
            known.first_runs.insert(id.to_string(), first_run);
        }
        self.wish_changed(&project);
    }

    /// Lets a session that waits do so in the queue of its present group, behind those that wait there. If that group
    /// is no queue, it waits only for what else it needs.
    pub(crate) fn follow_group(&mut self, id: &SessionId) {
        let Some(session) = self
            .sessions
            .get(id)
            .filter(|session| session.spec.project.is_none())
        else {
            return;
        };
        let group = session.spec.group.clone();
        let queue = group
            .as_deref()
            .and_then(|group| self.queue_of(group, &session.spec.cwd));
        let Some(from) = self.place(id) else {
            return;
        };
        let Some(known) = self.projects.get_mut(&from.project) else {
            return;
        };
        let place = Place {
            queue: group.filter(|_| queue.is_some()),
            project: queue.unwrap_or_else(|| QUEUES.to_owned()),
            after: from.after,
            not_before: from.not_before,
        };
        let is_starting = known.under_way.contains_key(id.as_str());
        if is_starting || (place.project == from.project && place.queue == from.queue) {
            return;
        }
        let Some(first_run) = known.first_runs.remove(id.as_str()) else {
            return;
        };
        known.wish.dismiss(id.as_str());
        self.wish_changed(&from.project);
        let first_run = FirstRun {
            place: Some(place.clone()),
            ..first_run
        };
        self.keep_first_run(id, &first_run);
        self.let_wait(id, &place, first_run);
    }

    /// Where a session waits. `None` if it does not, or if a session that it needs is not known any more: it must not forget
    /// what it waits for.
    fn place(&self, id: &SessionId) -> Option<Place> {
        let project = self.waits_in(id)?;
        let job = project.wish.jobs.get(id.as_str())?;
        let needs = job.needs.iter();
        let needs = needs.map(|need| Some((project.sessions.get(&need.job)?.clone(), need.is)));
        Some(Place {
            project: project.id.clone(),
            queue: job.queue.clone(),
            after: needs.collect::<Option<_>>()?,
            not_before: job.not_before(),
        })
    }

    /// Moves a session among those that wait in its queue. `place` counts from 1.
    pub(crate) fn move_in_queue(&mut self, id: &SessionId, place: u32) -> Result<(), Error> {
        let not_waiting = || {
            let message = format!("session {id} does not wait in a queue");
            Error::new(ErrorCode::SessionNotRunning, message)
        };
        let (project, name) = self.named_place_of(id).ok_or_else(not_waiting)?;
        let known = self.projects.get_mut(&project).ok_or_else(not_waiting)?;
        let seen = known.seen.clone();
        let look = |name: &str| Seen::of(&seen, name);
        if !known.wish.move_to(&name, place, look) {
            return Err(not_waiting());
        }
        self.wish_changed(&project);
        Ok(())
    }

    /// Lets a session that waits start now, whatever it waits for; a job of a project waits for its needs still.
    /// Returns what has it, or `None` if it does not wait.
    pub(crate) fn start_out_of_turn(&mut self, id: &SessionId) -> Option<ProjectId> {
        let (project, name) = self.named_place_of(id)?;
        let known = self.projects.get_mut(&project)?;
        if !known.wish.start_out_of_turn(&name) {
            return None;
        }
        self.wish_changed(&project);
        Some(project)
    }

    /// The project that decides when a session runs, and the session's name there: that of the job whose session it is,
    /// or that in which it waits as a guest.
    fn place_of<'a>(&'a self, session: &'a Session) -> Option<(&'a Project, &'a str)> {
        match &session.spec.project {
            Some(of) => Some((self.projects.get(&of.id)?, of.job.as_str())),
            None => Some((self.waits_in(&session.id)?, session.id.as_str())),
        }
    }

    /// The place of a session by names, for a caller that changes the project.
    fn named_place_of(&self, id: &SessionId) -> Option<(ProjectId, String)> {
        let (project, name) = self.place_of(self.sessions.get(id)?)?;
        Some((project.id.clone(), name.to_owned()))
    }

    /// Forgets that a session waits for its first run, also if its turn has just come.
    pub(crate) fn wait_no_more(&mut self, id: &SessionId) {
        let name = id.as_str();
        let is_to_run = |project: &&Project| {
            let is_owed = |job: &JobWish| job.owed.is_some() && job.hold.is_none();
            let job = project.wish.jobs.get(name);
            project.is_guest(name)
                && (job.is_some_and(is_owed) || project.under_way.contains_key(name))
        };
        let Some(project) = self.projects.iter().find(is_to_run) else {
            return;
        };
        let project = project.id.clone();
        if let Some(known) = self.projects.get_mut(&project) {
            known.under_way.remove(name);
            known.wish.hold(name, "somebody");
        }
        self.wish_changed(&project);
    }

    /// Marks the project in which the session is a guest, if something that it depends on has changed.
    pub(super) fn touch_as_guest(&mut self, id: &SessionId) {
        let name = id.as_str();
        self.projects.touch_where(|project| {
            let known = project.seen.get(name).copied();
            project.is_guest(name) && known != Some(seen_of(project, &self.sessions, name))
        });
    }

    /// Finds the sessions of the jobs that a project borrows of others: they may have new ones.
    pub(super) fn look_at_borrowed(&mut self, id: &ProjectId) {
        let Some(project) = self
            .projects
            .get(id)
            .filter(|project| !project.borrowed.is_empty())
        else {
            return;
        };
        let session = |(name, lender): (&String, &ProjectId)| {
            let session = self.projects.get(lender)?.sessions.get(name)?;
            Some((name.clone(), session.clone()))
        };
        let found: Vec<_> = project.borrowed.iter().filter_map(session).collect();
        if let Some(project) = self.projects.get_mut(id) {
            project.sessions.extend(found);
        }
    }

    /// Whether the jobs that a project borrows of others, and that its own jobs may wait for, have settled.
    pub(crate) fn borrowed_settled(&self, project: &Project) -> bool {
        let settled = |(name, lender): (&String, &ProjectId)| {
            let Some(lender) = self.projects.get(lender) else {
                return true;
            };
            let phase = lender.decision.phases.get(name);
            let has_settled =
                phase.is_none_or(Phase::is_settled) && !lender.under_way.contains_key(name);
            !self.projects.is_due(&lender.id) && (has_settled || lender.is_late(name))
        };
        project.borrowed.iter().all(settled)
    }

    /// Whether a job that a project borrows has failed or was skipped.
    pub(crate) fn borrowed_failed(&self, project: &Project) -> bool {
        let failed = |(name, lender): (&String, &ProjectId)| {
            let phase = self.projects.get(lender)?.decision.phases.get(name)?;
            Some(phase.is_bad())
        };
        project
            .borrowed
            .iter()
            .filter_map(failed)
            .any(|failed| failed)
    }

    /// Marks the projects that borrow jobs of this one.
    pub(crate) fn touch_borrowers(&mut self, lender: &ProjectId) {
        self.projects
            .touch_where(|project| project.borrowed.values().any(|from| from == lender));
    }

    /// Drops what is kept of guests that have begun to run, or have left.
    pub(super) fn forget_guests(&mut self, id: &ProjectId) {
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        let jobs = &project.wish.jobs;
        let applied = &project.applied.jobs;
        project.sessions.retain(|name, session| {
            name != session.as_str() || jobs.contains_key(name) || applied.contains_key(name)
        });
        let waits = |name: &String| jobs.get(name).is_some_and(|job| job.owed.is_some());
        let over: Vec<String> = project
            .first_runs
            .keys()
            .filter(|name| !waits(name))
            .cloned()
            .collect();
        for name in over {
            project.first_runs.remove(&name);
            self.keeper.drop_kept(ForNext::FirstRun(&name));
        }
    }

    /// Finds the guests again, after the start of this daemon. What they run is lost if the keeper has died, too: those
    /// of people wait until somebody resumes them, those of agents are lost, because nobody would.
    pub(super) fn adopt_guests(&mut self) {
        for id in self.projects.ids() {
            let Some(project) = self.projects.get_mut(&id) else {
                continue;
            };
            let guests = project
                .wish
                .jobs
                .iter()
                .filter(|(_, job)| job.member == Member::Guest);
            let guests: Vec<(String, bool)> = guests
                .map(|(name, job)| (name.clone(), job.owed.is_some()))
                .collect();
            for (name, waits) in guests {
                let Some(session) = SessionId::parse(&name) else {
                    continue;
                };
                project.sessions.insert(name.clone(), session);
                if waits && let Some(run) = self.keeper.kept_json(ForNext::FirstRun(&name)) {
                    project.first_runs.insert(name, run);
                }
            }
        }
        self.invite_again();
        let is_lost = |session: &&Session| {
            let can_start =
                |project: &Project| project.first_runs.contains_key(session.id.as_str());
            session.life.status() == Status::Queued
                && session.spec.project.is_none()
                && session.batch.is_none()
                && (!session.scope.is_human() || self.waits_in(&session.id).is_none())
                && !self.projects.iter().any(can_start)
        };
        let lost = self.sessions.iter().filter(is_lost);
        let lost: Vec<SessionId> = lost.map(|session| session.id.clone()).collect();
        for id in lost {
            self.wait_no_more(&id);
            if let Some(session) = self.sessions.get_mut(&id) {
                let why = "it waited for its turn, and daemon and keeper were killed";
                session.life.lost(why, now());
            }
            self.persist(&id);
            self.publish_end(EventKind::Lost, &id);
        }
    }

    /// Lets sessions wait again that are in no project: the daemon that let them wait died before it had saved that, or the
    /// file of the project was damaged.
    fn invite_again(&mut self) {
        let waits = |session: &&Session| {
            session.life.status() == Status::Queued
                && session.spec.project.is_none()
                && session.batch.is_none()
                && self.waits_in(&session.id).is_none()
        };
        let lone = self.sessions.iter().filter(waits);
        let lone: Vec<SessionId> = lone.map(|session| session.id.clone()).collect();
        for id in lone {
            let kept: Option<FirstRun> = self.keeper.kept_json(ForNext::FirstRun(id.as_str()));
            let Some((place, first_run)) = kept.and_then(|kept| Some((kept.place.clone()?, kept)))
            else {
                continue;
            };
            tracing::warn!(session = %id, "it waits again: its project did not know of it");
            self.let_wait(&id, &place, first_run);
        }
    }

    /// Why a session does not run yet, and its place in its queue.
    pub(crate) fn waiting(&self, session: &Session) -> Option<Waiting> {
        let of = session.spec.project.as_ref();
        // The session of a job with a schedule shows how its last run has ended.
        let is_stuck = of.is_some_and(|of| {
            let project = self.projects.get(&of.id);
            project.is_some_and(|project| project.waits_for_environment(&of.job))
        });
        if session.life.status() != Status::Queued && !is_stuck {
            return None;
        }
        if let Some(batch) = &session.batch {
            return Some(Waiting {
                why: batch.why(),
                needs: None,
                until: None,
                never: false,
                resumable: false,
                queue: None,
                place: None,
            });
        }
        let (project, name, phase) = self.phase_of(session)?;
        let why = match phase {
            Phase::Queued(why) | Phase::Skipped(why) => why,
            _ => return None,
        };
        let queue = project.wish.jobs.get(name)?.queue.clone();
        let place = match why {
            Why::Queue(before) | Why::Paused(before) => Some(before + 1),
            Why::Needs(_) | Why::Time(_) | Why::Limit | Why::Down | Why::Environment => None,
        };
        let until = match why {
            Why::Time(at) => Some(*at),
            _ => None,
        };
        let needs = match why {
            Why::Needs(need) => Some(self.needed(project, need)),
            _ => None,
        };
        Some(Waiting {
            why: self.told(project, name, why),
            needs,
            until,
            never: matches!(phase, Phase::Skipped(_)),
            resumable: project.has_lost_first_run(name) || project.waits_for_environment(name),
            queue,
            place,
        })
    }

    /// Whether a session has not started, and what it needs cannot come any more by itself.
    pub(crate) fn is_skipped(&self, id: &SessionId) -> bool {
        let session = self.sessions.get(id);
        let queued = session
            .filter(|session| session.life.status() == Status::Queued && session.batch.is_none());
        let phase = queued.and_then(|session| self.phase_of(session));
        matches!(phase, Some((_, _, Phase::Skipped(_))))
    }

    /// The project in which a job or session waits, its name there, and its phase.
    fn phase_of<'a>(&'a self, session: &'a Session) -> Option<(&'a Project, &'a str, &'a Phase)> {
        let (project, name) = self.place_of(session)?;
        Some((project, name, project.decision.phases.get(name)?))
    }

    /// Why a job or session waits, for people. Other sessions are named as people know them.
    fn told(&self, project: &Project, name: &str, why: &Why) -> String {
        match why {
            Why::Needs(need) => {
                let Needed { name, level } = self.needed(project, need);
                let level = level.as_str();
                match self.removed(project, need) {
                    Some(_) => format!("needs {name} {level}, {NEED_REMOVED}"),
                    None => format!("needs {name} {level}"),
                }
            }
            Why::Environment if project.has_lost_first_run(name) => {
                "waits for bgproc resume: its environment was lost".to_owned()
            }
            _ => why.to_string(),
        }
    }

    /// What is needed of another job or session, as people name that.
    fn needed(&self, project: &Project, need: &Need) -> Needed {
        let session = project.sessions.get(&need.job);
        let session = session.and_then(|id| self.sessions.get(id));
        let guest = session.filter(|_| project.is_guest(&need.job));
        let removed = self.removed(project, need);
        let removed = removed.and_then(|tombstone| tombstone.label.as_deref());
        let name = guest.map(Session::name).or(removed);
        Needed {
            name: name.unwrap_or(&need.job).to_owned(),
            level: need.is,
        }
    }

    /// What is remembered of a session that another one needs, if it was removed.
    fn removed(&self, project: &Project, need: &Need) -> Option<&Tombstone> {
        let is_of_file = project.applied.jobs.contains_key(&need.job);
        let id = SessionId::parse(&need.job).filter(|_| !is_of_file)?;
        self.sessions.registry.tombstones.get(&id)
    }
}
