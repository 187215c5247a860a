//! The sessions the keeper holds.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::os::fd::OwnedFd;
use std::rc::Rc;

use super::log::Log;
use crate::protocol::SessionId;
use crate::protocol::keeper::{Exit, SpawnSpec};

/// The job of one session. It shares its descriptors with messages that wait to be sent: if they had duplicates, a
/// keeper with many sessions could start no daemon any more.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: SessionId,
    /// Reused when the session runs again.
    pub(super) spec: SpawnSpec,
    /// Least number of log bytes to keep.
    pub(super) keep: u64,
    /// `None` once nothing more will be written to it.
    pub(super) log: Option<Log>,
    pub(super) pid: u32,
    /// Whether the keeper is its parent. If so, SIGCHLD reports its end, otherwise its pidfd.
    pub(super) is_child: bool,
    pub(super) pidfd: Option<Rc<OwnedFd>>,
    /// PTY master, or writing end of stdin.
    pub(super) input: Option<Rc<OwnedFd>>,
    /// PTY master, or stdout and stderr; each is `None` once nothing more can come from it.
    pub(super) outputs: Vec<Option<Rc<OwnedFd>>>,
    pub(super) exit: Option<Exit>,
    /// What [`oom_kills`](crate::sys::memory::oom_kills) returned when it started, or when this keeper took it over.
    pub(super) oom_kills: Option<u64>,
    /// Whether `onExit` was started for the current run.
    pub(super) on_exit_ran: bool,
}

impl Job {
    /// Whether a process still has the terminal or an output pipe open.
    pub(super) fn is_open(&self) -> bool {
        self.outputs.iter().any(Option::is_some)
    }

    /// The descriptor of an output that has not reached its end.
    pub(super) fn output(&self, stream: u8) -> Option<&Rc<OwnedFd>> {
        self.outputs.get(usize::from(stream))?.as_ref()
    }

    /// Closes input and log once the session has ended and no process has its terminal or pipes open.
    pub(super) fn close_files(&mut self) {
        if self.exit.is_none() || self.is_open() {
            return;
        }
        self.input = None;
        // Keep a log whose newest bytes or times are only in memory: they still have to be saved.
        self.log
            .take_if(|log| log.degraded().is_none() && log.flush_index());
    }
}

/// Why nothing can be read from an output for now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stall {
    /// No process has the terminal open.
    HungUp,
    /// Reading it fails with an unexpected error, and is tried again.
    Refused,
}

/// Number of free slots that are left alone while others are there: the daemon may still read one of them for the
/// session that had it, until it knows of that session's next slot.
const RESTING: usize = 64;

/// The sessions by their slot in the shared table.
#[derive(Debug, Default)]
pub(super) struct JobTable {
    /// Boxed, because a growing `Vec` reserves room for twice its length.
    jobs: Vec<Option<Box<Job>>>,
    by_id: HashMap<SessionId, u32>,
    /// Oldest first.
    free: VecDeque<u32>,
    /// Slots whose index has an unwritten record.
    unflushed: Vec<u32>,
    /// Slots whose log cannot currently be written.
    degraded: BTreeSet<u32>,
    /// Slots whose exit could not be saved.
    unsaved_exits: BTreeSet<u32>,
    /// Outputs, by slot and stream, from which nothing could be read when this was tried last.
    stalls: BTreeMap<(u32, u8), Stall>,
}

impl JobTable {
    /// A free slot below `slots`, one that has been free for long if possible; `None` if there is none.
    pub(super) fn free_slot(&self, slots: u32) -> Option<u32> {
        let next = u32::try_from(self.jobs.len()).ok();
        let next = next.filter(|&slot| slot < slots);
        let free = self.free.front().copied();
        if self.free.len() > RESTING {
            free
        } else {
            next.or(free)
        }
    }

    /// Inserts a session at a free slot.
    pub(super) fn insert_at(&mut self, slot: u32, job: Job) {
        while self.jobs.len() <= slot as usize {
            self.free.push_back(self.jobs.len() as u32);
            self.jobs.push(None);
        }
        if let Some(at) = self.free.iter().position(|free| *free == slot) {
            self.free.remove(at);
        }
        self.by_id.insert(job.id.clone(), slot);
        self.jobs[slot as usize] = Some(Box::new(job));
    }

    pub(super) fn remove(&mut self, id: &SessionId) -> Option<Job> {
        let slot = self.by_id.remove(id)?;
        self.degraded.remove(&slot);
        self.unsaved_exits.remove(&slot);
        self.stalls.retain(|(of, _), _| *of != slot);
        self.free.push_back(slot);
        self.jobs.get_mut(slot as usize)?.take().map(|job| *job)
    }

    pub(super) fn slot_of(&self, id: &SessionId) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut Job> {
        self.jobs.get_mut(slot as usize)?.as_deref_mut()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Job)> {
        (0..)
            .zip(&self.jobs)
            .filter_map(|(slot, job)| Some((slot, job.as_deref()?)))
    }

    /// The slot whose running first process is the child with this pid.
    pub(super) fn slot_of_child(&self, pid: u32) -> Option<u32> {
        self.iter()
            .find(|(_, job)| job.pid == pid && job.is_child && job.exit.is_none())
            .map(|(s, _)| s)
    }

    /// Records whether a session's log cannot currently be written.
    pub(super) fn set_degraded(&mut self, slot: u32, is_degraded: bool) {
        set_member(&mut self.degraded, slot, is_degraded);
    }

    /// Slots whose log cannot currently be written.
    pub(super) fn degraded(&self) -> &BTreeSet<u32> {
        &self.degraded
    }

    /// Records whether a session's exit could not be saved.
    pub(super) fn set_exit_unsaved(&mut self, slot: u32, is_unsaved: bool) {
        set_member(&mut self.unsaved_exits, slot, is_unsaved);
    }

    /// Slots whose exit could not be saved.
    pub(super) fn unsaved_exits(&self) -> &BTreeSet<u32> {
        &self.unsaved_exits
    }

    /// Records why nothing can be read from an output, by slot and stream; `None` if there is no reason. Returns the
    /// reason before.
    pub(super) fn set_stall(&mut self, output: (u32, u8), stall: Option<Stall>) -> Option<Stall> {
        match stall {
            Some(stall) => self.stalls.insert(output, stall),
            None => self.stalls.remove(&output),
        }
    }

    /// Streams of a session from which nothing can be read.
    pub(super) fn stalled_of(&self, slot: u32) -> Vec<u8> {
        let streams = self.stalls.range((slot, 0)..=(slot, u8::MAX));
        streams.map(|((_, stream), _)| *stream).collect()
    }

    /// Outputs, by slot and stream, that are refused.
    pub(super) fn refused(&self) -> impl Iterator<Item = (u32, u8)> {
        let refused = self.stalls.iter();
        let refused = refused.filter(|(_, stall)| **stall == Stall::Refused);
        refused.map(|(output, _)| *output)
    }

    /// Records that a session's index has an unwritten record.
    pub(super) fn mark_unflushed(&mut self, slot: u32) {
        if !self.unflushed.contains(&slot) {
            self.unflushed.push(slot);
        }
    }

    /// Writes the pending records of all indexes.
    pub(super) fn flush_indexes(&mut self) {
        for slot in std::mem::take(&mut self.unflushed) {
            if let Some(log) = self.get_mut(slot).and_then(|job| job.log.as_mut()) {
                let _ = log.flush_index();
            }
        }
    }
}

/// Puts a slot into a set, or takes it out.
fn set_member(slots: &mut BTreeSet<u32>, slot: u32, is_member: bool) {
    if is_member {
        slots.insert(slot);
    } else {
        slots.remove(&slot);
    }
}
