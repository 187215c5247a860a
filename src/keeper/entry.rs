//! The sessions that the keeper has.

use std::collections::{BTreeSet, HashMap};
use std::os::fd::OwnedFd;

use super::log::Log;
use crate::protocol::SessionId;
use crate::protocol::keeper::{Exit, SpawnSpec};
use crate::sys::board::SLOTS;

/// One session.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: SessionId,
    /// Kept for a later run.
    pub(super) spec: SpawnSpec,
    /// Absent while no process of it has its terminal open.
    pub(super) log: Option<Log>,
    pub(super) pid: u32,
    pub(super) pidfd: Option<OwnedFd>,
    /// PTY master or stdin.
    pub(super) input: Option<OwnedFd>,
    /// PTY master, or stdout and stderr; `None` once ended.
    pub(super) outputs: Vec<Option<OwnedFd>>,
    pub(super) exit: Option<Exit>,
}

impl Entry {
    /// Whether a process still has its terminal or an output pipe open.
    pub(super) fn is_open(&self) -> bool {
        self.outputs.iter().any(Option::is_some)
    }
}

/// The sessions by their slot on the board.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: Vec<Option<Entry>>,
    by_id: HashMap<SessionId, u32>,
    free: BTreeSet<u32>,
    /// Slots whose index has a record in memory.
    unflushed: Vec<u32>,
}

impl Table {
    /// Puts a session on a free slot; `None` if there is none left.
    pub(super) fn insert(&mut self, entry: Entry) -> Option<u32> {
        let slot = match self.free.pop_first() {
            Some(slot) => slot,
            None => u32::try_from(self.entries.len())
                .ok()
                .filter(|&slot| slot < SLOTS)?,
        };
        if slot as usize == self.entries.len() {
            self.entries.push(None);
        }
        self.by_id.insert(entry.id.clone(), slot);
        self.entries[slot as usize] = Some(entry);
        Some(slot)
    }

    pub(super) fn remove(&mut self, id: &SessionId) -> Option<Entry> {
        let slot = self.by_id.remove(id)?;
        self.free.insert(slot);
        self.entries.get_mut(slot as usize)?.take()
    }

    pub(super) fn slot_of(&self, id: &SessionId) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut Entry> {
        self.entries.get_mut(slot as usize)?.as_mut()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Entry)> {
        (0..)
            .zip(&self.entries)
            .filter_map(|(slot, entry)| Some((slot, entry.as_ref()?)))
    }

    /// The slot whose running first process has this pid.
    pub(super) fn slot_of_pid(&self, pid: u32) -> Option<u32> {
        self.iter()
            .find(|(_, entry)| entry.pid == pid && entry.exit.is_none())
            .map(|(s, _)| s)
    }

    /// Remembers that a session's index has something to write.
    pub(super) fn mark_unflushed(&mut self, slot: u32) {
        if !self.unflushed.contains(&slot) {
            self.unflushed.push(slot);
        }
    }

    /// Writes what indexes have in memory.
    pub(super) fn flush_indexes(&mut self) {
        for slot in std::mem::take(&mut self.unflushed) {
            if let Some(log) = self.get_mut(slot).and_then(|entry| entry.log.as_mut()) {
                log.flush_index();
            }
        }
    }
}
