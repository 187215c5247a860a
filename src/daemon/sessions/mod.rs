//! What the daemon holds for each session: the engine's model, the log, the input and the processes.
//!
//! This module only reads. It starts nothing, ends nothing and notifies no client; the rules for what happens
//! to a session are in [`state`](super::state). [`Sessions`] is the table of all sessions, [`session_io`] the
//! descriptors of one, [`text`] its log as clean text, [`records`] its description for clients, [`processes`]
//! its process tree, [`ports`] the ports it listens on, [`usage`] its use of CPU and memory, and [`walk`] looks at the
//! processes of all, in scans that callers share ([`process_scan`]). [`input`](mod@input) writes to a program.
//! [`look`] says when its output is looked at, and [`frames`] are what the watchers of its screen get. [`port_owners`]
//! says who listens on a port.

pub(crate) mod frames;
pub(crate) mod input;
pub(crate) mod look;
pub(crate) mod port_owners;
mod ports;
pub(crate) mod process_scan;
mod processes;
mod records;
pub(crate) mod session_io;
pub(crate) mod text;
pub(crate) mod usage;
pub(crate) mod walk;

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::rc::Rc;

use crate::daemon::storage::store::Store;
use crate::engine::registry::Registry;
use crate::engine::session::Session;
use crate::protocol::record::OutputFile;
use crate::protocol::{Error, Scope, SessionId};
use crate::sys::pty;
use crate::sys::shared_table::{SharedTable, Slot};
pub(crate) use ports::PortSweep;
use session_io::SessionIo;

/// Every session: its model, and the daemon's descriptors for it.
pub(crate) struct Sessions {
    pub(crate) registry: Registry,
    pub(crate) io: HashMap<SessionId, SessionIo>,
    pub(crate) store: Store,
    shared_table: Rc<SharedTable>,
    /// Pid of the keeper.
    pub(crate) keeper: u32,
    /// Name of this machine.
    host: String,
}

impl Sessions {
    pub(crate) fn new(
        registry: Registry,
        store: Store,
        shared_table: Rc<SharedTable>,
        keeper: u32,
    ) -> Self {
        Self {
            registry,
            io: HashMap::new(),
            store,
            shared_table,
            keeper,
            host: rustix::system::uname()
                .nodename()
                .to_string_lossy()
                .into_owned(),
        }
    }

    pub(crate) fn get(&self, id: &SessionId) -> Option<&Session> {
        self.registry.get(id)
    }

    /// Whether a session has ended, or is gone.
    pub(crate) fn is_over(&self, id: &SessionId) -> bool {
        let session = self.get(id);
        session.is_none_or(|session| session.life.status().is_finished())
    }

    pub(crate) fn get_mut(&mut self, id: &SessionId) -> Option<&mut Session> {
        self.registry.get_mut(id)
    }

    /// Every session, oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.registry.iter()
    }

    /// How far the connections of a scope have been shown the output of each session.
    pub(crate) fn shown_to(&self, scope: &Scope) -> HashMap<SessionId, u64> {
        let shown = |session: &Session| {
            let offset = session.output.shown(scope);
            (offset > 0).then(|| (session.id.clone(), offset))
        };
        self.iter().filter_map(shown).collect()
    }

    pub(crate) fn io(&self, id: &SessionId) -> Option<&SessionIo> {
        self.io.get(id)
    }

    pub(crate) fn io_mut(&mut self, id: &SessionId) -> Option<&mut SessionIo> {
        self.io.get_mut(id)
    }

    /// A session and its descriptors.
    pub(crate) fn both(&self, id: &SessionId) -> Option<(&Session, &SessionIo)> {
        Some((self.registry.get(id)?, self.io.get(id)?))
    }

    /// A session and its descriptors, mutable.
    pub(crate) fn both_mut(&mut self, id: &SessionId) -> Option<(&mut Session, &mut SessionIo)> {
        Some((self.registry.get_mut(id)?, self.io.get_mut(id)?))
    }

    pub(crate) fn insert(&mut self, session: Session, io: SessionIo) {
        self.io.insert(session.id.clone(), io);
        self.registry.insert(session);
    }

    /// Offset at which a session's log ends now.
    pub(crate) fn log_end(&self, id: &SessionId) -> u64 {
        let seen = self.get(id).map_or(0, |session| session.output.end());
        seen.max(self.io(id).map_or(0, |io| self.end_of(io)))
    }

    /// Reads at most `max` bytes of a session's log within a range of offsets. Returns the offset of the first
    /// one, which is later than the range begins if the log has dropped its beginning.
    pub(crate) fn read_log(
        &self,
        id: &SessionId,
        range: Range<u64>,
        max: usize,
    ) -> Result<(u64, Vec<u8>), Error> {
        let io = self.io(id);
        let io = io.ok_or_else(|| Error::session_not_found(id.as_str()))?;
        let read = io.log.try_read(range.start, range.end, max);
        read.map_err(|error| unreadable(id, &error))
    }

    fn end_of(&self, io: &SessionIo) -> u64 {
        io.extent(&self.shared_table).end
    }

    /// Offset at which a session's log starts now.
    pub(crate) fn log_first(&self, id: &SessionId) -> u64 {
        let seen = self.get(id).map_or(0, |session| session.output.first());
        let slot = self.io(id).and_then(|io| self.slot(io));
        slot.map_or(seen, |slot| slot.first().max(seen))
    }

    /// Bytes of a session's log that could not be saved to a file, not counting dropped ones.
    pub(crate) fn unsaved(&self, id: &SessionId) -> u64 {
        let extent = self.io(id).map(|io| io.extent(&self.shared_table));
        extent.map_or(0, |extent| extent.unsaved)
    }

    /// The process group in the foreground of a session's terminal; `None` with pipes.
    pub(crate) fn foreground(&self, id: &SessionId) -> Option<u32> {
        pty::foreground_group(&**self.io(id)?.input.as_ref()?)
    }

    /// The files of a session's log, oldest first.
    pub(crate) fn log_files(&self, id: &SessionId) -> Vec<OutputFile> {
        self.io(id).map_or_else(Vec::new, |io| self.files_of(io))
    }

    fn files_of(&self, io: &SessionIo) -> Vec<OutputFile> {
        io.log.files(self.slot(io).and_then(Slot::segments))
    }

    /// Whether everything that a session's program has written so far is in its log.
    pub(crate) fn has_no_output_left(&self, io: &SessionIo) -> bool {
        io.has_no_output_left(&self.shared_table)
    }

    /// A session's slot in the shared table, while the keeper holds the session.
    pub(crate) fn slot(&self, io: &SessionIo) -> Option<&Slot> {
        io.slot().map(|slot| self.shared_table.slot(slot))
    }
}

/// The error of a log that cannot be read.
pub(crate) fn unreadable(id: &SessionId, error: &io::Error) -> Error {
    Error::internal(format!("the log of {id} cannot be read: {error}"))
}
