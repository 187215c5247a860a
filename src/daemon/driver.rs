//! What the daemon holds for a session besides what the engine knows: its log,
//! where to write, and everything that the keeper has of it, so that it can be
//! handed to another keeper.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use tokio::sync::Notify;

use super::input::Input;
use super::log_reader::{LogReader, SharedTail};
use crate::protocol::keeper::{Exit, Kept};
use crate::protocol::record::Mode;
use crate::sys::board::Board;
use crate::sys::tail::Tail;

/// One session's descriptors and whereabouts.
pub(super) struct Driver {
    /// What the keeper has of it, while it has it.
    held: Option<Held>,
    /// Where to write.
    pub(super) input: Option<Rc<Input>>,
    /// A handle on its first process.
    pub(super) pidfd: Option<Rc<OwnedFd>>,
    /// Its log.
    pub(super) log: LogReader,
    /// Where its log ended when this daemon began, of a session that no keeper
    /// has: it may not have been looked at yet.
    pub(super) end: u64,
    /// Bytes of that which no file has.
    pub(super) unsaved: u64,
    /// How it ended, until its output up to then has been looked at.
    pub(super) pending_exit: Option<Exit>,
    /// Rung when its screen changes.
    pub(super) watchers: Vec<Rc<Notify>>,
    /// When its next live `output` event may be sent, in boot-time milliseconds.
    pub(super) next_output_event: u64,
    /// Up to where the growth of its log was counted.
    pub(super) measured: u64,
    /// Bytes that were dropped and not told of yet.
    pub(super) dropped: u64,
    /// When its next `output_dropped` event may be sent, in boot-time milliseconds.
    pub(super) next_dropped_event: u64,
}

struct Held {
    kept: Kept,
    /// With pipes: where the keeper reads, so that a job that outlives it never
    /// finds its pipe closed.
    outputs: Vec<OwnedFd>,
}

impl Driver {
    /// What there is of a session before its program runs: its log.
    pub(super) fn new(log: LogReader) -> Self {
        Self {
            held: None,
            input: None,
            pidfd: None,
            log,
            end: 0,
            unsaved: 0,
            pending_exit: None,
            watchers: Vec::new(),
            next_output_event: 0,
            measured: 0,
            dropped: 0,
            next_dropped_event: 0,
        }
    }

    /// Takes what the keeper has sent of it.
    pub(super) fn hold(&mut self, kept: Kept, fds: Vec<OwnedFd>, board: &Rc<Board>) {
        let mut fds = fds.into_iter();
        self.input = kept
            .has_input
            .then(|| fds.next())
            .flatten()
            .map(|fd| Rc::new(Input::new(fd)));
        self.pidfd = kept.has_pidfd.then(|| fds.next()).flatten().map(Rc::new);
        let tail = kept.has_tail.then(|| fds.next()).flatten();
        let slot = kept.slot;
        self.log.set_growing(!kept.open.is_empty());
        self.held = Some(Held {
            kept,
            outputs: fds.collect(),
        });
        self.log.set_tail(tail.map(|fd| SharedTail {
            tail: Tail::open(fd),
            board: board.clone(),
            slot,
        }));
    }

    /// Its slot on the board.
    pub(super) fn slot(&self) -> Option<u32> {
        self.held.as_ref().map(|held| held.kept.slot)
    }

    /// Its first process has ended.
    pub(super) fn ended(&mut self, exit: &Exit) {
        self.pidfd = None;
        if let Some(held) = &mut self.held {
            held.kept.exit = Some(exit.clone());
        }
        self.close();
    }

    /// Nobody has its terminal or pipes open any more.
    pub(super) fn closed(&mut self) {
        if let Some(held) = &mut self.held {
            held.kept.open.clear();
            held.outputs.clear();
        }
        self.close();
    }

    /// Nothing can be written to it any more: its terminal is given back.
    fn close(&mut self) {
        let held = self.held.as_ref();
        if held.is_some_and(|held| held.kept.exit.is_some() && held.kept.open.is_empty()) {
            self.input = None;
            self.log.set_growing(false);
        }
    }

    /// Its log is not being written, or is again.
    pub(super) fn degraded(
        &mut self,
        reason: Option<String>,
        tail: Option<OwnedFd>,
        board: &Rc<Board>,
    ) {
        let Some(held) = &mut self.held else { return };
        held.kept.degraded = reason;
        let slot = held.kept.slot;
        self.log.set_tail(tail.map(|fd| SharedTail {
            tail: Tail::open(fd),
            board: board.clone(),
            slot,
        }));
    }

    /// Everything that another keeper needs to go on with it.
    pub(super) fn hand_over(&self) -> io::Result<Option<(Kept, Vec<OwnedFd>)>> {
        let Some(held) = &self.held else {
            return Ok(None);
        };
        let mut fds = Vec::new();
        if let Some(input) = &self.input {
            fds.push(input.as_fd().try_clone_to_owned()?);
        }
        if let Some(pidfd) = &self.pidfd {
            fds.push(pidfd.try_clone()?);
        }
        let tail = self.log.tail_fd()?;
        let has_tail = tail.is_some();
        fds.extend(tail);
        for output in &held.outputs {
            fds.push(output.try_clone()?);
        }
        let mut kept = held.kept.clone();
        // Without its master there is nothing to read from.
        if kept.spec.mode == Mode::Pty && self.input.is_none() {
            kept.open.clear();
        }
        kept.has_input = self.input.is_some();
        kept.has_pidfd = self.pidfd.is_some();
        kept.has_tail = has_tail;
        Ok(Some((kept, fds)))
    }

    /// What it runs, as the keeper has it.
    pub(super) fn spec(&self) -> Option<&crate::protocol::keeper::SpawnSpec> {
        self.held.as_ref().map(|held| &held.kept.spec)
    }
}
