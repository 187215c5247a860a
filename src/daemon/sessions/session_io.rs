//! What the daemon holds for a session besides the engine's model: its log, its input, and duplicates of all
//! that the keeper holds, so that the session can be handed to another keeper.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use tokio::sync::Notify;

use super::frames::Frames;
use super::input::Input;
use super::look::Look;
use super::ports::PortSweep;
use crate::daemon::storage::log_reader::{LogReader, SharedTail};
use crate::protocol::keeper::{Exit, Kept};
use crate::protocol::status::Mode;
use crate::sys::file::Stamp;
use crate::sys::kept::KeptFds;
use crate::sys::readiness;
use crate::sys::shared_table::SharedTable;
use crate::sys::tail::Tail;

/// How long output may stay unreadable until it is skipped, in milliseconds: for want of a descriptor, or since the
/// keeper's message that a log cannot be written has not come. It is sent before the output is published that is in no
/// file.
const AWAITED_MS: u64 = 1000;

/// How often it is tried to read such output until then, in milliseconds.
const TRY_MS: u64 = 10;

/// The descriptors and the log positions of one session.
pub(crate) struct SessionIo {
    place: Place,
    /// The input of the program; `None` once it is closed.
    pub(crate) input: Option<Rc<Input>>,
    /// The pidfd of the first process; `None` once it has ended.
    pub(crate) pidfd: Option<Rc<OwnedFd>>,
    pub(crate) log: LogReader,
    /// Whether its record could not be written.
    pub(crate) is_record_stale: bool,
    /// Since when output cannot be read that may be there soon, in boot-time milliseconds.
    unreadable_since: Option<u64>,
    /// The exit of the first process, held back until the output before it is rendered.
    pub(crate) pending_exit: Option<Exit>,
    /// The newest look at its output.
    pub(crate) look: Look,
    /// Notified when the screen changes.
    pub(crate) watchers: Vec<Rc<Notify>>,
    /// The frames for the watchers, while there are any.
    pub(crate) frames: Option<Box<Frames>>,
    /// When the next live `output` event may be sent, in boot-time milliseconds.
    pub(crate) next_output_event: u64,
    /// Whether the next one waits for a frame.
    pub(crate) holds_output_event: bool,
    /// The log offset up to which growth was counted.
    pub(crate) measured: u64,
    /// Dropped bytes that no event has reported yet.
    pub(crate) dropped: u64,
    /// When the next `output_dropped` event may be sent, in boot-time milliseconds.
    pub(crate) next_dropped_event: u64,
    /// Which word of its node has been read, if a batch system runs it.
    pub(crate) node_state: Option<Stamp>,
    /// The polling of its ports, while a wait or the probe needs one.
    pub(crate) sweep: Option<PortSweep>,
}

/// What there is of a session outside the daemon.
enum Place {
    /// The keeper has it. Boxed, because the hash map reserves room for more entries than it has.
    WithKeeper(Box<Held>),
    /// It has only files. The log reaches as far as it did when it was looked at last, and may not be rendered yet.
    InFiles(Extent),
}

/// How far a log reaches.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extent {
    /// The offset at which it ends.
    pub(crate) end: u64,
    /// Bytes of it that could not be saved to a file, not counting dropped ones.
    pub(crate) unsaved: u64,
}

struct Held {
    kept: Kept,
    /// With pipes: the reading ends, held here so that a job that outlives the keeper never finds its pipe
    /// closed.
    outputs: Vec<OwnedFd>,
}

impl SessionIo {
    /// A session before its program runs: it has only an empty log.
    pub(crate) fn new(log: LogReader) -> Self {
        Self::in_files_of(log, Extent::default())
    }

    /// A session of which this daemon knows only the log, which ends at `end`.
    pub(crate) fn restored(log: LogReader, end: u64) -> Self {
        let unsaved = log.gaps(end);
        Self::in_files_of(log, Extent { end, unsaved })
    }

    fn in_files_of(log: LogReader, extent: Extent) -> Self {
        Self {
            place: Place::InFiles(extent),
            input: None,
            pidfd: None,
            log,
            is_record_stale: false,
            unreadable_since: None,
            pending_exit: None,
            look: Look::default(),
            watchers: Vec::new(),
            frames: None,
            next_output_event: 0,
            holds_output_event: false,
            measured: extent.end,
            dropped: 0,
            next_dropped_event: 0,
            node_state: None,
            sweep: None,
        }
    }

    /// Takes the descriptors that the keeper sent for the session.
    pub(crate) fn hold(&mut self, kept: Kept, fds: Vec<OwnedFd>, shared_table: &Rc<SharedTable>) {
        let fds = KeptFds::split(&kept, fds);
        self.input = fds.input.map(|fd| Rc::new(Input::new(fd)));
        self.pidfd = fds.pidfd.map(Rc::new);
        self.log.set_growing(!kept.open.is_empty());
        self.place = Place::WithKeeper(Box::new(Held {
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

    /// Whether all that its program has written so far is in its log, according to the shared table.
    pub(crate) fn has_no_output_left(&self, shared_table: &SharedTable) -> bool {
        let (Some(held), Some(slot)) = (self.held(), self.slot()) else {
            return false;
        };
        let fds = match held.kept.spec.mode {
            Mode::Pty => self.input.iter().map(|input| input.as_fd()).collect(),
            Mode::Pipe => held.outputs.iter().map(AsFd::as_fd).collect::<Vec<_>>(),
        };
        // Check in this order: bytes that are no longer readable are either in the log or marked as moving.
        !readiness::any_readable(&fds) && !shared_table.is_moving(slot)
    }

    /// Its slot in the shared table.
    pub(crate) fn slot(&self) -> Option<u32> {
        self.held().map(|held| held.kept.slot)
    }

    /// How far its log reaches: the keeper publishes that for the sessions that it has.
    pub(crate) fn extent(&self, shared_table: &SharedTable) -> Extent {
        match &self.place {
            Place::WithKeeper(held) => {
                let slot = shared_table.slot(held.kept.slot);
                Extent {
                    end: slot.end(),
                    unsaved: slot.unsaved(),
                }
            }
            Place::InFiles(extent) => *extent,
        }
    }

    /// How far its log reaches, to be changed, if the keeper does not have it.
    pub(crate) fn in_files_mut(&mut self) -> Option<&mut Extent> {
        match &mut self.place {
            Place::WithKeeper(_) => None,
            Place::InFiles(extent) => Some(extent),
        }
    }

    fn held(&self) -> Option<&Held> {
        match &self.place {
            Place::WithKeeper(held) => Some(held),
            Place::InFiles(_) => None,
        }
    }

    fn held_mut(&mut self) -> Option<&mut Held> {
        match &mut self.place {
            Place::WithKeeper(held) => Some(held),
            Place::InFiles(_) => None,
        }
    }

    /// Notes that its first process has ended.
    pub(crate) fn ended(&mut self, exit: &Exit) {
        self.pidfd = None;
        if let Some(held) = self.held_mut() {
            held.kept.exit = Some(exit.clone());
        }
    }

    /// Notes that its `onExit` has been started.
    pub(crate) fn on_exit_began(&mut self) {
        if let Some(held) = self.held_mut() {
            held.kept.on_exit_ran = true;
        }
    }

    /// Notes that no process has its terminal or pipes open any more.
    pub(crate) fn closed(&mut self) {
        if let Some(held) = self.held_mut() {
            held.kept.open.clear();
            held.outputs.clear();
        }
    }

    /// Notes that its log can no longer be written, or can be written again.
    pub(crate) fn degraded(
        &mut self,
        reason: Option<String>,
        tail: Option<OwnedFd>,
        shared_table: &Rc<SharedTable>,
    ) {
        let Some(held) = self.held_mut() else { return };
        held.kept.degraded = reason;
        self.unreadable_since = None;
        self.share_tail(tail.map(Tail::open), shared_table);
    }

    /// Whether output that could not be read may be there soon, since the read has `failed`, or because it is in memory
    /// of which the keeper's message has not been read yet. `unsaved` is the number of bytes that are in no file. After
    /// [`AWAITED_MS`] it is given up.
    pub(crate) fn awaits_output(&mut self, failed: bool, unsaved: u64, now: u64) -> bool {
        let is_told = |held: &Held| held.kept.degraded.is_some();
        let is_in_memory = unsaved > 0 && !self.held().is_none_or(is_told);
        if !failed && !is_in_memory {
            return false;
        }
        now < *self.unreadable_since.get_or_insert(now) + AWAITED_MS
    }

    /// Output that can be read has come, or is given up.
    pub(crate) fn output_came(&mut self) {
        self.unreadable_since = None;
    }

    /// When it is tried again to read output of which [`Self::awaits_output`] says so.
    pub(crate) fn next_try(&self, now: u64) -> Option<u64> {
        let is_awaited = |since: u64| now < since + AWAITED_MS;
        self.unreadable_since
            .is_some_and(is_awaited)
            .then_some(now + TRY_MS)
    }

    /// Whether the keeper holds it.
    pub(crate) fn is_held(&self) -> bool {
        self.held().is_some()
    }

    /// Everything that another keeper needs to take over the session.
    pub(crate) fn hand_over(&self) -> io::Result<Option<(Kept, Vec<OwnedFd>)>> {
        let Some(held) = self.held() else {
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
        // Without its PTY master there is nothing to read from.
        if kept.spec.mode == Mode::Pty && self.input.is_none() {
            kept.open.clear();
        }
        let fds = fds.join(&mut kept);
        Ok(Some((kept, fds)))
    }

    /// The program it runs, as the keeper started it.
    pub(crate) fn spec(&self) -> Option<&crate::protocol::keeper::SpawnSpec> {
        self.held().map(|held| &held.kept.spec)
    }
}
