//! What the daemon holds for a session besides what the engine knows: its log,
//! where to write, and everything that the keeper has of it, so that it can be
//! handed to another keeper.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use tokio::sync::Notify;

use super::frames::Frames;
use super::input::Input;
use super::ports::PortSweep;
use crate::daemon::storage::log_reader::{LogReader, SharedTail};
use crate::protocol::keeper::{Exit, Kept};
use crate::protocol::record::Mode;
use crate::sys::kept::KeptFds;
use crate::sys::readiness;
use crate::sys::shared_table::SharedTable;
use crate::sys::tail::Tail;

/// One session's descriptors and whereabouts.
pub(crate) struct SessionIo {
    /// What the keeper has of it, while it has it. Boxed: the table of drivers keeps
    /// room for twice what is in it.
    held: Option<Box<Held>>,
    /// Where to write.
    pub(crate) input: Option<Rc<Input>>,
    /// A handle on its first process.
    pub(crate) pidfd: Option<Rc<OwnedFd>>,
    /// Its log.
    pub(crate) log: LogReader,
    /// Where its log ended when this daemon began, of a session that no keeper
    /// has: it may not have been looked at yet.
    pub(crate) end: u64,
    /// Bytes of that which no file has.
    pub(crate) unsaved: u64,
    /// How it ended, until its output up to then has been looked at.
    pub(crate) pending_exit: Option<Exit>,
    /// Rung when its screen changes.
    pub(crate) watchers: Vec<Rc<Notify>>,
    /// What they are told, while there are any.
    pub(crate) frames: Option<Box<Frames>>,
    /// When its next live `output` event may be sent, in boot-time milliseconds.
    pub(crate) next_output_event: u64,
    /// Up to where the growth of its log was counted.
    pub(crate) measured: u64,
    /// Bytes that were dropped and not told of yet.
    pub(crate) dropped: u64,
    /// When its next `output_dropped` event may be sent, in boot-time milliseconds.
    pub(crate) next_dropped_event: u64,
    /// How its ports are being looked up, while somebody waits for one.
    pub(crate) sweep: Option<PortSweep>,
}

struct Held {
    kept: Kept,
    /// With pipes: where the keeper reads, so that a job that outlives it never
    /// finds its pipe closed.
    outputs: Vec<OwnedFd>,
}

impl SessionIo {
    /// What there is of a session before its program runs: its log.
    pub(crate) fn new(log: LogReader) -> Self {
        Self {
            held: None,
            input: None,
            pidfd: None,
            log,
            end: 0,
            unsaved: 0,
            pending_exit: None,
            watchers: Vec::new(),
            frames: None,
            next_output_event: 0,
            measured: 0,
            dropped: 0,
            next_dropped_event: 0,
            sweep: None,
        }
    }

    /// Takes what the keeper has sent of it.
    pub(crate) fn hold(&mut self, kept: Kept, fds: Vec<OwnedFd>, shared_table: &Rc<SharedTable>) {
        let fds = KeptFds::split(&kept, fds);
        self.input = fds.input.map(|fd| Rc::new(Input::new(fd)));
        self.pidfd = fds.pidfd.map(Rc::new);
        self.log.set_growing(!kept.open.is_empty());
        self.held = Some(Box::new(Held {
            kept,
            outputs: fds.outputs,
        }));
        self.share_tail(fds.tail, shared_table);
    }

    fn share_tail(&mut self, tail: Option<Tail>, shared_table: &Rc<SharedTable>) {
        let slot = self.slot();
        let shared = tail.zip(slot).map(|(tail, slot)| SharedTail {
            tail,
            shared_table: shared_table.clone(),
            slot,
        });
        self.log.set_tail(shared);
    }

    /// Whether all that its program has written by now is in its log, as the shared table says.
    pub(crate) fn has_no_output_left(&self, shared_table: &SharedTable) -> bool {
        let (Some(held), Some(slot)) = (&self.held, self.slot()) else {
            return false;
        };
        let fds = match held.kept.spec.mode {
            Mode::Pty => self.input.iter().map(|input| input.as_fd()).collect(),
            Mode::Pipe => held.outputs.iter().map(AsFd::as_fd).collect::<Vec<_>>(),
        };
        // In this order: what is not there to be read any more has been taken up before.
        !readiness::any_readable(&fds) && !shared_table.is_moving(slot)
    }

    /// Its slot on the shared table.
    pub(crate) fn slot(&self) -> Option<u32> {
        self.held.as_ref().map(|held| held.kept.slot)
    }

    /// Its first process has ended.
    pub(crate) fn ended(&mut self, exit: &Exit) {
        self.pidfd = None;
        if let Some(held) = &mut self.held {
            held.kept.exit = Some(exit.clone());
        }
    }

    /// Its `onExit` is being run, or was.
    pub(crate) fn on_exit_began(&mut self) {
        if let Some(held) = &mut self.held {
            held.kept.on_exit_ran = true;
        }
    }

    /// Nobody has its terminal or pipes open any more.
    pub(crate) fn closed(&mut self) {
        if let Some(held) = &mut self.held {
            held.kept.open.clear();
            held.outputs.clear();
        }
    }

    /// Its log is not being written, or is again.
    pub(crate) fn degraded(
        &mut self,
        reason: Option<String>,
        tail: Option<OwnedFd>,
        shared_table: &Rc<SharedTable>,
    ) {
        let Some(held) = &mut self.held else { return };
        held.kept.degraded = reason;
        self.share_tail(tail.map(Tail::open), shared_table);
    }

    /// Everything that another keeper needs to go on with it.
    pub(crate) fn hand_over(&self) -> io::Result<Option<(Kept, Vec<OwnedFd>)>> {
        let Some(held) = &self.held else {
            return Ok(None);
        };
        let input = self.input.as_ref().map(|input| input.as_fd());
        let outputs = held.outputs.iter().map(OwnedFd::try_clone);
        let fds = KeptFds {
            input: input.map(|fd| fd.try_clone_to_owned()).transpose()?,
            pidfd: self.pidfd.as_ref().map(|fd| fd.try_clone()).transpose()?,
            tail: self.log.tail().map(Tail::try_clone).transpose()?,
            outputs: outputs.collect::<io::Result<_>>()?,
        };
        let mut kept = held.kept.clone();
        // Without its master there is nothing to read from.
        if kept.spec.mode == Mode::Pty && self.input.is_none() {
            kept.open.clear();
        }
        let fds = fds.join(&mut kept);
        Ok(Some((kept, fds)))
    }

    /// What it runs, as the keeper has it.
    pub(crate) fn spec(&self) -> Option<&crate::protocol::keeper::SpawnSpec> {
        self.held.as_ref().map(|held| &held.kept.spec)
    }
}
