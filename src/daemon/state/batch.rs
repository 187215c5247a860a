//! What follows from what a batch system says of the sessions that it runs.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::State;
use super::publish::RunBefore;
use crate::daemon::clock::now;
use crate::daemon::keeper_link::ForNext;
use crate::engine::Now;
use crate::engine::batch::{Change, Ending, ExitStatus, JobState, Row};
use crate::engine::life::Actor;
use crate::engine::session::Session;
use crate::protocol::batch_job::LauncherSpec;
use crate::protocol::keeper::Exit;
use crate::protocol::{EventKind, SessionId, Status, Timestamp};

/// How long a submission that was interrupted may take to show in the batch system's list, in milliseconds.
const SUBMISSION_MS: i64 = 60_000;

/// Pause before the time limit of a session asks its batch system again to cancel it, in milliseconds.
const CANCEL_AGAIN_MS: u64 = 60_000;

/// Maximum number of sessions of a list whose files are looked at: they may be on a slow file system.
const LOOKS: usize = 16;

impl State {
    /// The batch system has taken a session's job.
    pub(crate) fn batch_submitted(&mut self, id: &SessionId, job: String) {
        let session = self.sessions.get_mut(id);
        let Some(batch) = session.and_then(|session| session.batch.as_mut()) else {
            return;
        };
        let data = json!({ "jobId": job, "launcher": batch.launcher.name });
        batch.job.job_id = Some(job);
        batch.job.run = 1;
        self.persist(id);
        self.publish(EventKind::Queued, id, data);
    }

    /// Forgets a session that its batch system did not take.
    pub(crate) fn batch_discard(&mut self, id: &SessionId) {
        self.remove_batch_files(id);
        self.sessions.registry.discard(id);
        self.sessions.io.remove(id);
        self.sessions.store.remove(id);
    }

    /// Whether a session is one that a batch system runs and that is not over.
    pub(crate) fn is_open_batch(&self, id: &SessionId) -> bool {
        let session = self.sessions.get(id);
        session.is_some_and(|session| session.open_batch().is_some())
    }

    /// The batch system did not cancel a session, which therefore goes on.
    pub(crate) fn batch_not_cancelled(&mut self, id: &SessionId) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.life.goes_on();
            if let Some(batch) = &mut session.batch {
                batch.cancelled_by = None;
                batch.cancel_again_at = Some(now().boot + CANCEL_AGAIN_MS);
            }
        }
        self.persist(id);
    }

    /// Removes what a session has on the file system that the nodes see.
    pub(super) fn remove_batch_files(&self, id: &SessionId) {
        let session = self.sessions.get(id);
        if let Some(batch) = session.and_then(|session| session.batch.as_ref())
            && let Err(error) = std::fs::remove_dir_all(&batch.dir)
        {
            tracing::warn!(session = %id, dir = batch.dir, %error, "its files cannot be removed");
        }
    }

    /// Number of sessions that batch systems run or have in their queues.
    pub(crate) fn open_batches(&self) -> usize {
        let open = self.sessions.iter().filter_map(Session::open_batch);
        open.count()
    }

    /// The sessions of a launcher that are not over.
    fn open_batches_of(&self, launcher: &str) -> Vec<SessionId> {
        let is_open = |session: &&Session| {
            let batch = session.open_batch();
            batch.is_some_and(|batch| batch.launcher.name == launcher)
        };
        let open = self.sessions.iter().filter(is_open);
        open.map(|session| session.id.clone()).collect()
    }

    /// Whether a launcher has sessions that are not over.
    pub(crate) fn has_open_batch(&self, launcher: &str) -> bool {
        !self.open_batches_of(launcher).is_empty()
    }

    /// Takes a batch system's list. Returns the sessions, with their jobs, that are missing in it.
    pub(crate) fn batch_rows(&mut self, launcher: &str, rows: &[Row]) -> Vec<(SessionId, String)> {
        let mut missing = Vec::new();
        for id in self.open_batches_of(launcher) {
            let job = self.sessions.get(&id).and_then(|session| {
                let batch = session.batch.as_ref()?;
                batch.job.job_id.clone()
            });
            let of_job = |row: &&Row| match &job {
                Some(job) => row.job_id == *job,
                None => row.session.as_deref() == Some(id.as_str()),
            };
            match (rows.iter().find(of_job), job) {
                (Some(row), _) => self.batch_row(&id, row),
                (None, Some(job)) => missing.push((id, job)),
                (None, None) => self.batch_never_submitted(&id),
            }
        }
        missing
    }

    /// A daemon has died while it submitted this session, and the batch system does not have it.
    fn batch_never_submitted(&mut self, id: &SessionId) {
        let at = now();
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let age = at.wall.millis() - session.life.created_at().millis();
        let why = "it was not submitted: the daemon ended before the batch system had taken it";
        if age > SUBMISSION_MS && session.life.leave_queue(None, why, at) {
            self.end_without_start(id);
        }
    }

    /// The batch system does not answer. Until it does, the nodes are believed.
    pub(crate) fn batch_silent(&mut self, launcher: &str) {
        for id in self.open_batches_of(launcher) {
            self.batch_unanswered(&id);
        }
    }

    /// The batch system does not answer when it is asked for this session.
    pub(crate) fn batch_unanswered(&mut self, id: &SessionId) {
        if let Some(session) = self.sessions.get_mut(id)
            && let Some(batch) = &mut session.batch
        {
            batch.job.silent_since.get_or_insert(now().wall);
        }
        self.batch_ended_on_node(id);
    }

    /// Takes a node's word for the end of a session while its batch system is silent. It has none for what follows from
    /// it: a job that was ended by a signal may be put into the queue again.
    fn batch_ended_on_node(&mut self, id: &SessionId) {
        let Some(exit) = self.node_exit(id) else {
            return;
        };
        let session = self.sessions.get(id);
        let batch = session.and_then(Session::open_batch);
        let is_final = batch.is_some_and(|batch| {
            let may_run_again = batch.launcher.requeue && exit.signal.is_some();
            batch.job.silent_since.is_some() && !may_run_again
        });
        if is_final {
            self.batch_over(id, None);
        }
    }

    /// Takes the batch system's word about one session.
    fn batch_row(&mut self, id: &SessionId, row: &Row) {
        self.batch_grown(id);
        let end = self.sessions.log_end(id);
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let status = session.life.status();
        let Some(batch) = &mut session.batch else {
            return;
        };
        let before = batch.job.clone();
        let change = batch.take(row, status);
        let is_news = batch.job != before;
        let data = json!({
            "jobId": row.job_id, "launcher": batch.launcher.name, "node": row.node, "run": batch.job.run,
        });
        match change {
            Change::None if is_news => self.persist(id),
            Change::None => {}
            Change::Queued => {
                self.persist(id);
                self.publish(EventKind::Queued, id, data);
            }
            Change::Requeued => {
                batch.next_run_at = end;
                batch.stopped_on_node = false;
                batch.typed_on_node = None;
                let link = batch.link();
                session.life.requeued(now());
                self.hosts.forget_node(&link);
                self.persist(id);
                self.publish(EventKind::Requeued, id, data.clone());
                self.look(id);
                if row.state != JobState::Waits {
                    self.batch_begins(id, row.start, data, true);
                }
            }
            Change::Placed => self.batch_begins(id, row.start, data, is_news),
            Change::Paused(paused) => self.set_paused(id, paused),
            Change::Ended(ending) => {
                // It may have run and ended between two questions.
                let has_run = status == Status::Queued && row.node.is_some();
                if has_run {
                    self.batch_placed(id, row.start, data);
                }
                self.batch_ended(id, ending, row.exit.unwrap_or_default());
            }
        }
    }

    /// A batch system says that it runs a session. That counts once the run owns the session, which it does a moment
    /// later; if the batch system's word is news, it is asked again soon.
    fn batch_begins(&mut self, id: &SessionId, start: Option<Timestamp>, data: Value, news: bool) {
        if self.has_begun_on_node(id) {
            self.batch_placed(id, start, data);
            return;
        }
        let session = self.sessions.get(id);
        let batch = session.and_then(|session| session.batch.as_ref());
        if let Some(batch) = batch.filter(|_| news) {
            self.batch_systems.ending(&batch.launcher.name, now().boot);
            self.persist(id);
        }
    }

    /// Takes a node's word that it has begun a session: its batch system is asked only every few seconds.
    fn batch_begun(&mut self, id: &SessionId) {
        let Some(began) = self.node_began(id) else {
            return;
        };
        let session = self.sessions.get_mut(id);
        let Some(batch) = session.and_then(|session| session.batch.as_mut()) else {
            return;
        };
        batch.begun(&began.node);
        let data = json!({
            "jobId": batch.job.job_id, "launcher": batch.launcher.name, "node": began.node, "run": batch.job.run,
        });
        // The clock of the node may be ahead.
        let start = began.at.min(now().wall);
        self.batch_placed(id, Some(start), data);
    }

    /// A batch system runs a session, since `start` if it says so.
    fn batch_placed(&mut self, id: &SessionId, start: Option<Timestamp>, data: Value) {
        let created = self
            .sessions
            .get(id)
            .map(|session| session.life.created_at());
        let created = created.unwrap_or(now().wall);
        let at = match start {
            // Slurm's times are in seconds.
            Some(wall) => Now {
                boot: 0,
                wall: wall.max(created),
            }
            .carried_over(now()),
            None => now(),
        };
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let before = RunBefore::of(&session.life);
        let offset = session.batch.as_ref().map_or(0, |batch| batch.next_run_at);
        session.life.placed(offset, at);
        session.life.set_definition(session.spec.definition());
        session.input.end();
        self.publish(EventKind::Placed, id, data);
        self.publish_start(id, before);
        self.begin_probe(id);
        self.persist(id);
        self.look(id);
        self.hosts.placed(id);
        // A wait may have begun while it was in the queue.
        self.batch_systems.left_queue();
    }

    /// Handles the end of a session that a batch system ran, or that it did not run any more. `exit` is what the batch
    /// system knows of exit code and signal.
    fn batch_ended(&mut self, id: &SessionId, ending: Ending, exit: ExitStatus) {
        let saved = self.node_exit(id);
        let at = now();
        let end = self.sessions.log_end(id);
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let Some(batch) = &mut session.batch else {
            return;
        };
        batch.ended = Some(ending);
        let by = batch.cancelled_by.clone();
        let link = batch.link();
        let never_ran = saved.is_none() && session.life.status() == Status::Queued;
        self.hosts.forget_node(&link);
        let why = if never_ran {
            self.why_ended(id, ending)
        } else {
            None
        };
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if never_ran {
            let why = match &by {
                Some(_) => "it was stopped before it ran".to_owned(),
                None => why.unwrap_or_else(|| "it did not run".to_owned()),
            };
            session.life.leave_queue(by.as_ref(), &why, at);
            if by.is_none() {
                session.life.ended_elsewhere(ending.status(), None);
            }
            self.end_for_good(id);
            self.end_held_hosts();
            self.batch_systems.left_queue();
            return;
        }
        if let Some(by) = by {
            session.life.ask_to_end(by);
        }
        let is_failure = ending != Ending::Itself;
        let known = match ending {
            // What is known then is about the end of the node, not about the program.
            Ending::NodeFailed => ExitStatus::default(),
            // A program that was ended, or that never ran, has no success of its own.
            _ if is_failure && exit.code == Some(0) => ExitStatus::default(),
            _ => exit,
        };
        let saved = saved.filter(|_| ending != Ending::NodeFailed);
        let exit = saved.unwrap_or(Exit {
            pid: 0,
            exit_code: known.code,
            signal: known.signal,
            core_dumped: false,
            ended_at: at.wall,
            end_offset: end,
            limit: None,
            out_of_memory: ending == Ending::OutOfMemory,
        });
        self.exited(id, exit);
        self.end_held_hosts();
    }

    /// What the batch system says of the end of a session, added to what its exit says.
    pub(super) fn batch_verdict(&mut self, id: &SessionId) {
        let session = self.sessions.get(id);
        let batch = session.and_then(|session| session.batch.as_ref());
        let Some((batch, ending)) = batch.and_then(|batch| Some((batch, batch.ended?))) else {
            return;
        };
        // Whoever has cancelled it through us is named already.
        let is_ours = batch.cancelled_by.is_some() && ending == Ending::Cancelled;
        let why = if is_ours {
            None
        } else {
            self.why_ended(id, ending)
        };
        let status = match &batch.cancelled_by {
            // Our own time limit has cancelled it.
            Some(Actor::TimeLimit(_)) if ending == Ending::Cancelled => Some(Status::TimedOut),
            _ => ending.status(),
        };
        if let Some(session) = self.sessions.get_mut(id) {
            session.life.ended_elsewhere(status, why);
        }
    }

    /// Why a session has ended, as far as its exit does not say it.
    fn why_ended(&self, id: &SessionId, ending: Ending) -> Option<String> {
        let batch = self.sessions.get(id)?.batch.as_ref()?;
        match ending {
            Ending::Itself => self.refusal(id),
            _ => ending.reason(batch.launcher.kind.name()),
        }
    }

    /// The batch system does not list a session's job any more. `found` is what another of its commands knows of it.
    pub(crate) fn batch_forgotten(&mut self, id: &SessionId, found: Option<(Ending, ExitStatus)>) {
        self.batch_grown(id);
        if self.is_open_batch(id) {
            self.batch_over(id, found);
        }
    }

    fn batch_over(&mut self, id: &SessionId, found: Option<(Ending, ExitStatus)>) {
        let saved = self.node_exit(id);
        let has_run = saved.is_some();
        let (ending, exit) = match (found, saved) {
            (Some(found), _) => found,
            (None, Some(exit)) => {
                let (code, signal) = (exit.exit_code, exit.signal);
                (Ending::Itself, ExitStatus { code, signal })
            }
            (None, None) => (Ending::NodeFailed, ExitStatus::default()),
        };
        let session = self.sessions.get(id);
        if has_run && session.is_some_and(|session| session.life.status() == Status::Queued) {
            self.batch_placed(id, None, json!({}));
        }
        self.batch_ended(id, ending, exit);
    }

    /// Somebody asks for a session. If a batch system runs it, what it has written since is read, and the batch system
    /// is asked soon.
    pub(crate) fn batch_used(&mut self, id: &SessionId) {
        let session = self.sessions.get(id);
        let Some(batch) = session.and_then(Session::open_batch) else {
            return;
        };
        self.batch_systems.looked(&batch.launcher.name, now().boot);
        self.batch_grown(id);
        self.batch_systems.used();
    }

    /// There are signs that a session has ended: the batch system that runs it is asked soon.
    pub(super) fn batch_ending(&mut self, id: &SessionId) {
        let batch = self.sessions.get(id).and_then(Session::open_batch);
        if let Some(batch) = batch {
            self.batch_systems.ending(&batch.launcher.name, now().boot);
        }
    }

    /// Somebody looks at a list with these sessions, newest first.
    pub(crate) fn batches_listed(&mut self, ids: &[SessionId]) {
        let open = ids.iter().filter(|id| self.is_open_batch(id));
        let (run, wait): (Vec<_>, Vec<_>) = open.partition(|id| !self.is_queued(id));
        // However many wait, those that run are looked at, too.
        for id in run
            .into_iter()
            .take(LOOKS)
            .chain(wait.into_iter().take(LOOKS))
        {
            self.batch_used(id);
        }
    }

    fn is_queued(&self, id: &SessionId) -> bool {
        let session = self.sessions.get(id);
        session.is_some_and(|session| session.life.status() == Status::Queued)
    }

    /// Looks for the start and for new output of the sessions that batch systems run and that somebody waits for or looks
    /// at. Returns whether there are any.
    pub(crate) fn follow_batches(&mut self) -> bool {
        let live = self.events.has_listeners(EventKind::Output);
        let is_followed = |session: &&Session| {
            session.open_batch().is_some() && {
                let io = self.sessions.io(&session.id);
                let is_watched = io.is_some_and(|io| !io.watchers.is_empty());
                // There may be thousands that wait, and nobody sees output of them.
                let is_live = live && session.life.status().has_process();
                is_live || is_watched || self.waiters.waits.has(&session.id)
            }
        };
        let followed = self.sessions.iter().filter(is_followed);
        let followed: Vec<SessionId> = followed.map(|session| session.id.clone()).collect();
        for id in &followed {
            self.batch_grown(id);
        }
        !followed.is_empty()
    }

    /// Looks how far the log of a session reaches that a batch system runs: no keeper of this machine tells. The first
    /// sign of its run may be there, too.
    pub(crate) fn batch_grown(&mut self, id: &SessionId) {
        if !self.is_open_batch(id) {
            return;
        }
        self.batch_begun(id);
        let Some(io) = self.sessions.io_mut(id) else {
            return;
        };
        let (first, end) = io.log.bounds();
        if let Some(known) = io.in_files_mut().filter(|known| end > known.end) {
            known.end = end;
            self.render_queue.add(id);
        }
        if first > 0 {
            self.log_begins_at(id, first, None);
        }
        self.take_node_state(id);
        // The batch system lists it as running for a while after its end.
        let has_ended = self.node_exit(id).is_some();
        let launcher = self.sessions.get(id).and_then(|session| {
            let runs = session.life.status().has_process();
            let batch = session.batch.as_ref().filter(|_| runs && has_ended)?;
            Some(batch.launcher.name.clone())
        });
        if let Some(launcher) = launcher {
            self.batch_systems.ending(&launcher, now().boot);
            self.batch_ended_on_node(id);
        }
    }

    /// A job was handed to a launcher with this environment, in which its commands run from now on. The keeper keeps it
    /// for the next daemon.
    pub(crate) fn batch_env(&mut self, launcher: &LauncherSpec, env: HashMap<String, String>) {
        self.keeper
            .keep_json(ForNext::Launcher(&launcher.name), &env);
        self.batch_systems
            .submitted(launcher, Some(env), now().boot);
    }

    /// Looks at all sessions that batch systems run, after a takeover from an earlier daemon.
    pub(crate) fn resume_batches(&mut self) {
        let open = self.sessions.iter().filter_map(Session::open_batch);
        let open: Vec<_> = open.map(|batch| batch.launcher.clone()).collect();
        for launcher in open {
            let env = self.keeper.kept_json(ForNext::Launcher(&launcher.name));
            self.batch_systems.submitted(&launcher, env, now().boot);
        }
        self.end_held_hosts();
    }
}
