//! Restores every session: from its record, from what the keeper holds, or from both.

use std::collections::{HashMap, HashSet};
use std::io;

use serde_json::json;

use super::greeting::Handed;
use super::rebuild::{self, Remains};
use super::saved_start::SavedStart;
use super::unseen::{Unseen, begin_unseen};
use crate::daemon::clock::now;
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::state::State;
use crate::daemon::state::publish::RunBefore;
use crate::daemon::storage::log_reader::LogReader;
use crate::daemon::storage::store::{Loaded, parse_meta};
use crate::engine::Now;
use crate::engine::life::Actor;
use crate::engine::meta::Meta;
use crate::engine::session::Session;
use crate::protocol::keeper::Exit;
use crate::protocol::{EventKind, Mode, SessionId, Status};
use crate::sys::{process, pty};

/// The last lifecycle event of each session in the journal.
type LastEvents = HashMap<SessionId, EventKind>;

/// A session that was being ended, and who has asked for that, if it is known.
pub(super) type Ending = (SessionId, Option<Actor>);

/// Restores all sessions. Returns those that were being ended; the caller resumes that.
///
/// # Errors
///
/// If the directory of the sessions cannot be read.
pub(super) fn take_over(
    state: &mut State,
    kept: HashMap<SessionId, Handed>,
) -> io::Result<Vec<Ending>> {
    let last_events = state.events.bus.past.last_turns();
    state.take_over(kept, &last_events)
}

impl State {
    fn take_over(
        &mut self,
        mut kept: HashMap<SessionId, Handed>,
        last_events: &LastEvents,
    ) -> io::Result<Vec<Ending>> {
        let mut ending = Vec::new();
        let (loaded, refused) = self.load_records()?;
        for meta in loaded.metas {
            let id = meta.id.clone();
            if is_removed(&id, last_events) {
                // The removal was published but not completed. Further down, the keeper is told to
                // forget the session.
                self.drop_record(&id);
                continue;
            }
            let mine = kept.remove(&id);
            if mine.is_none() && self.was_never_started(&meta) {
                tracing::info!(session = %id, "it was not started before the daemon died");
                self.drop_record(&id);
                continue;
            }
            let on_disk = (!refused.contains(&id)).then(|| meta.clone());
            // Read before the end of its first process is known: others that it has left are still to be ended.
            let ended_by = meta.life.ending().cloned();
            self.take_over_session(meta, mine, last_events);
            self.persist_if_changed(&id, on_disk.as_ref());
            if ended_by.is_some() || self.is_ending(&id) {
                ending.push((id, ended_by));
            }
        }
        for id in loaded.bare {
            if is_removed(&id, last_events) {
                // The daemon died before the keeper had forgotten the session. The keeper is told to forget it
                // below.
                self.sessions.store.remove(&id);
            } else if kept.contains_key(&id) {
                // Its record is rebuilt below.
            } else if self.has_remains(&id) {
                self.take_over_unknown(id, None, last_events);
            } else {
                self.sessions.store.remove_if_empty(&id);
            }
        }
        for id in loaded.without {
            let kept = kept.remove(&id);
            self.take_over_unknown(id, kept, last_events);
        }
        for (id, kept) in kept {
            if is_removed(&id, last_events) {
                // The session was removed, but the daemon died before it told the keeper.
                drop(self.keeper.forget(&id));
            } else {
                // Somebody has removed its directory, or the daemon died before it had created the record.
                self.take_over_unknown(id, Some(kept), last_events);
            }
        }
        self.check_log_quota();
        Ok(ending)
    }

    /// Reads the records, and says which of them the disk does not have.
    fn load_records(&mut self) -> io::Result<(Loaded, HashSet<SessionId>)> {
        let mut loaded = self.sessions.store.load()?;
        let refused = self.kept_records();
        let ids = refused.iter().map(|meta| meta.id.clone()).collect();
        for record in refused {
            loaded.replace(record);
        }
        Ok((loaded, ids))
    }

    /// Whether a session without a record has run: it has a log, or its end is known. Without them, the daemon has died
    /// before it had written the record, and nobody knows of the session.
    fn has_remains(&self, id: &SessionId) -> bool {
        let store = &self.sessions.store;
        store.has_log(id) || store.read_exit(id).is_some()
    }

    fn drop_record(&mut self, id: &SessionId) {
        self.sessions.store.remove(id);
        self.forget_record(id);
    }

    /// Whether somebody was ending a session.
    fn is_ending(&self, id: &SessionId) -> bool {
        let session = self.sessions.get(id);
        session.is_some_and(|s| s.life.ending().is_some() || s.life.kill_at().is_some())
    }

    /// The records that the disk refused, and that the keeper has kept. They are newer than what is on disk.
    fn kept_records(&self) -> Vec<Meta> {
        let kept = self.keeper.kept_records().into_iter();
        kept.filter_map(|(id, text)| parse_meta(&text, &id).ok())
            .collect()
    }

    /// Whether a session was saved, but no keeper received its start. Such a session can be
    /// removed: no client has its id, and the client that asked can ask again. No keeper received
    /// the start if there is no log (creating it is a keeper's first step), or if the present
    /// keeper is older than the session but does not have it.
    fn was_never_started(&self, meta: &Meta) -> bool {
        let is_new = meta.life.status() == Status::Starting && meta.life.runs().is_empty();
        let since = process::read(self.keeper.pid()).map(|keeper| keeper.started_boot());
        let would_have_it = since.is_some_and(|since| since < meta.life.started_boot());
        is_new
            && meta.boot_id == self.sessions.store.boot_id()
            && (would_have_it || !self.sessions.store.has_log(&meta.id))
            && self.sessions.store.read_exit(&meta.id).is_none()
    }

    /// Restores a session without a record: a running one continues, and a finished one is listed.
    fn take_over_unknown(
        &mut self,
        id: SessionId,
        handed: Option<Handed>,
        last_events: &LastEvents,
    ) {
        let dir = self.sessions.store.dir(&id);
        if !dir.exists() {
            tracing::warn!(session = %id, "its directory is gone and is created again");
            if let Err(error) = self.sessions.store.create(&id) {
                tracing::error!(session = %id, %error, "its directory cannot be created");
            }
        }
        let (first, _) = LogReader::new(dir.clone()).bounds();
        let remains = match &handed {
            Some((kept, fds)) => Remains {
                id,
                argv: kept.spec.argv.clone(),
                cwd: kept.spec.cwd.clone(),
                mode: kept.spec.mode,
                size: fds.first().filter(|_| kept.has_input).and_then(pty::size),
                pid: kept.exit.is_none().then_some(kept.pid),
                first,
            },
            None => Remains {
                id,
                argv: Vec::new(),
                cwd: String::new(),
                mode: Mode::Pty,
                size: None,
                pid: None,
                first,
            },
        };
        tracing::warn!(session = %remains.id, pid = remains.pid, "rebuilt its record");
        let meta = rebuild::rebuilt(remains, &dir, self.sessions.store.boot_id(), now());
        let id = meta.id.clone();
        self.take_over_session(meta, handed, last_events);
        self.persist(&id);
    }

    fn take_over_session(&mut self, meta: Meta, kept: Option<Handed>, last_events: &LastEvents) {
        let now = now();
        let id = meta.id.clone();
        let same_boot = meta.boot_id == self.sessions.store.boot_id();
        let (mut session, mut io) = self.restored(meta, kept.as_ref(), now);
        self.events.bus.set_shared(&id, !session.share.is_none());
        let exit = self.exit_of(&session, kept.as_ref());
        let was_alive = session.life.status().has_process();
        let is_first = session.life.runs().is_empty();
        let before = RunBefore::of(&session.life);
        let mut unseen = match session.life.pid() {
            None if was_alive && exit.is_some() => Some(Unseen::Start),
            _ => None,
        };
        if let Some(handed) = kept {
            let run = self.take_kept(&mut session, &mut io, handed, exit.as_ref(), now);
            unseen = run.or(unseen);
        } else if was_alive && exit.is_none() && session.batch.is_none() {
            let why = if same_boot {
                "the keeper died"
            } else {
                "the machine was restarted"
            };
            session.life.lost(why, now);
        }
        self.sessions.insert(session, io);
        if let Some(unseen) = unseen
            && !unseen.is_published(is_first, last_events.get(&id))
        {
            self.publish_start(&id, before);
        }
        let was_over = !was_alive && unseen.is_none();
        self.continue_life(&id, exit, was_over);
        self.begin_probe(&id);
        self.look_for_input(&id);
        self.release(&id);
        self.render_queue.add(&id);
    }

    /// How the program of a session has ended, as far as the keeper or a file says.
    fn exit_of(&self, session: &Session, kept: Option<&Handed>) -> Option<Exit> {
        let pid = match kept {
            Some((kept, _)) => Some(kept.pid),
            None => session.life.pid(),
        };
        let exit = kept.and_then(|(kept, _)| kept.exit.clone());
        exit.or_else(|| {
            let saved = self.sessions.store.read_exit(&session.id);
            // The keeper could not remove that of the run before, if it is of another process.
            saved.filter(|exit| pid.is_none_or(|pid| pid == exit.pid))
        })
    }

    /// Takes what the keeper has of a session. Returns the run that the record does not know.
    fn take_kept(
        &mut self,
        session: &mut Session,
        io: &mut SessionIo,
        (kept, fds): Handed,
        exit: Option<&Exit>,
        now: Now,
    ) -> Option<Unseen> {
        self.keeper.take_slot(kept.slot, &session.id);
        session.tty_open = !kept.open.is_empty();
        session.log_degraded.clone_from(&kept.degraded);
        let shown = self.keeper.shared_table().slot(kept.slot).shown();
        session.output.show(&session.scope, shown);
        let end = io.extent(self.keeper.shared_table()).end;
        let unseen = begin_unseen(session, kept.pid, exit, end, now);
        io.hold(kept, fds, self.keeper.shared_table());
        unseen
    }

    /// Goes on with the life of a session: with its end, if that is new, or with its run.
    fn continue_life(&mut self, id: &SessionId, exit: Option<Exit>, was_over: bool) {
        let status = self.sessions.get(id).map(|s| s.life.status());
        match exit.filter(|_| !was_over) {
            Some(exit) => self.finish(id, &exit),
            None if was_over => self.take_over_ended(id),
            None if status.is_some_and(Status::is_finished) => {
                self.publish_end(EventKind::Lost, id);
            }
            None => {
                self.publish(EventKind::Adopted, id, json!({}));
                self.see_if_stopped(id);
            }
        }
    }

    /// The session of a record, with its log as far as it has been written.
    fn restored(&self, meta: Meta, kept: Option<&Handed>, now: Now) -> (Session, SessionIo) {
        let store = &self.sessions.store;
        let saved = SavedStart::of(&meta);
        let same_boot = meta.boot_id == store.boot_id();
        let log = store.log(&meta.id, meta.batch.as_deref());
        let (first, end) = log.bounds();
        let dropped = kept.map(|(kept, _)| self.keeper.shared_table().slot(kept.slot).dropped());
        // The keeper publishes where the log begins before it removes files.
        let (first, newlines) = match dropped {
            Some((known, newlines)) if known >= first => (known, newlines),
            _ => (first, None),
        };
        let mut session = Session::from_meta(meta, same_boot, now);
        let lines_before = saved.lines_before(&log, first, newlines);
        let newlines = newlines.or(saved.newlines.filter(|_| saved.offset == first));
        session.output.begin_at(first, lines_before + 1, newlines);
        if let Some(last) = end.checked_sub(1).and_then(|last| log.arrival_at(last)) {
            let at = Now {
                boot: 0,
                wall: last.at,
            };
            session.output.was_written(end, at.carried_over(now));
        }
        (session, SessionIo::restored(log, end))
    }

    /// Has it checked soon whether a program that was taken over waits for input. It may have been quiet for long,
    /// and write nothing that would cause it.
    fn look_for_input(&mut self, id: &SessionId) {
        if let Some(session) = self.sessions.get_mut(id)
            && session.takes_input()
            && session.input.on_activity(now().boot, false)
        {
            self.arm_input(id);
        }
    }

    /// Resumes the work on a session that has ended: its restarts, and its `onExit` command.
    fn take_over_ended(&mut self, id: &SessionId) {
        let can_run = self.sessions.io(id).is_some_and(|io| io.spec().is_some());
        let waits = self
            .sessions
            .get(id)
            .is_some_and(|s| s.life.retry_at().is_some());
        if waits && !can_run {
            self.stop_retrying(id, None);
        }
        self.run_on_exit(id);
    }
}

/// Whether the last event of a session says that it was removed.
fn is_removed(id: &SessionId, last_events: &LastEvents) -> bool {
    last_events.get(id) == Some(&EventKind::Removed)
}
