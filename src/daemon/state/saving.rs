//! Saves the records of sessions. The keeper keeps those that the disk refuses, for the next daemon.

use std::io;

use super::State;
use crate::daemon::clock::now;
use crate::daemon::keeper_link::ForNext;
use crate::engine::meta::Meta;
use crate::engine::timers::Due;
use crate::protocol::SessionId;

/// How long the record of a session that has just started is not written, in milliseconds. The reply goes out first,
/// and a session that ends at once is written once.
const SAVE_MS: u64 = 1;

/// After how many milliseconds a record that could not be written is written again.
const SAVE_AGAIN_MS: u64 = 5000;

/// How long the removal of a whole home may take, in milliseconds.
const REMOVAL_MS: u64 = 1000;

impl State {
    /// Writes a session's record to disk. If the disk refuses it, it is written again later.
    pub(crate) fn persist(&mut self, id: &SessionId) {
        // `save` has logged why.
        let _ = self.save(id);
    }

    /// Like [`Self::persist`], if the record differs from `on_disk`. A rename over a file costs milliseconds, and there
    /// may be thousands of sessions that have ended.
    pub(crate) fn persist_if_changed(&mut self, id: &SessionId, on_disk: Option<&Meta>) {
        let session = self.sessions.get(id);
        let record = session.map(|session| self.sessions.store.record(session));
        if record.as_ref() != on_disk {
            return self.persist(id);
        }
        if let Some(session) = self.sessions.get_mut(id) {
            session.saved();
        }
        self.arm(id);
    }

    /// Like [`Self::persist`], for a caller that tells of a failure.
    pub(crate) fn save(&mut self, id: &SessionId) -> io::Result<()> {
        self.timers.set(Due::Save(id.clone()), None);
        let saved = self.write_record(id);
        let failed = saved.as_ref().err().map(io::Error::kind);
        // The directory of an ended session that somebody has removed does not come back.
        if failed.is_some_and(|kind| kind != io::ErrorKind::NotFound) {
            let at = now().boot + SAVE_AGAIN_MS;
            self.timers.set(Due::Save(id.clone()), Some(at));
        }
        self.arm(id);
        saved
    }

    /// Writes a session's record to disk in a moment, when the reply is out. Only for what the next daemon learns from
    /// the keeper if this one is killed before.
    pub(crate) fn persist_soon(&mut self, id: &SessionId) {
        let at = now().boot + SAVE_MS;
        self.timers.set(Due::Save(id.clone()), Some(at));
        self.arm(id);
    }

    /// Writes the records of all sessions that have not ended, in a moment: somebody removes files of the home, and may
    /// not be done.
    pub(super) fn save_all_again(&mut self) {
        let at = now().boot + REMOVAL_MS;
        let going = self
            .sessions
            .iter()
            .filter(|session| !session.life.status().is_finished());
        let going: Vec<SessionId> = going.map(|session| session.id.clone()).collect();
        for id in going {
            self.timers.set(Due::Save(id.clone()), Some(at));
            self.arm(&id);
        }
    }

    /// Forgets the record that the keeper keeps, if it has one.
    pub(crate) fn forget_record(&mut self, id: &SessionId) {
        self.keeper.drop_kept(ForNext::Record(id));
    }

    /// Whether the keeper keeps the record of a session, because the disk has refused it.
    pub(crate) fn keeps_record(&self, id: &SessionId) -> bool {
        self.keeper.has_kept(ForNext::Record(id))
    }

    /// Has the keeper keep the events that the disk has refused, so that the next daemon knows of them.
    pub(crate) fn keep_refused_events(&mut self) {
        match self.events.take_refused() {
            Some([]) => self.keeper.drop_kept(ForNext::Events),
            Some(lines) => self.keeper.keep(ForNext::Events, lines),
            None => {}
        }
    }

    fn write_record(&mut self, id: &SessionId) -> io::Result<()> {
        let Some(session) = self.sessions.registry.get_mut(id) else {
            return Ok(());
        };
        let store = &self.sessions.store;
        let saved = store.write_meta(session).or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound || session.life.status().is_finished() {
                return Err(error);
            }
            store.create_again(id)?;
            store.write_meta(session)
        });
        if saved.is_ok() {
            session.saved();
        }
        let was_stale = self
            .sessions
            .io_mut(id)
            .map(|io| std::mem::replace(&mut io.is_record_stale, saved.is_err()));
        match (&saved, was_stale.unwrap_or_default()) {
            (Err(error), false) => {
                tracing::error!(session = %id, %error, "its record cannot be written");
            }
            (Ok(()), true) => tracing::info!(session = %id, "its record is written again"),
            _ => {}
        }
        match saved {
            Ok(()) => self.forget_record(id),
            Err(_) => self.keep_record(id),
        }
        saved
    }

    /// Has the keeper keep the record of a session, so that one that was started on a full disk stays known.
    fn keep_record(&mut self, id: &SessionId) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let record = self.sessions.store.record(session);
        self.keeper.keep_json(ForNext::Record(id), &record);
    }
}
