//! How a session is being ended: who has asked for it, what it was sent, and until when it may go on.

use serde::{Deserialize, Serialize};

use super::{Actor, Life};
use crate::protocol::Status;

/// Number of SIGKILL, the signal that cannot be caught.
pub(super) const KILL: i32 = 9;

/// How the current run is being ended, and what is left of it after its first process has ended.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Ending {
    /// Who asked it to end, while the ending is in progress.
    #[serde(rename = "ending")]
    pub(super) by: Option<Actor>,
    /// Until when it may end by itself, in boot-time milliseconds, because its file says how it is asked to end. A new
    /// daemon keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_until: Option<u64>,
    /// When its remaining processes get KILL, in boot-time milliseconds. Set from the first signal
    /// until no process is left; a new daemon keeps it.
    pub(super) kill_at: Option<u64>,
    /// The last signal that bgproc sent to this run, and who asked for it.
    last_signal: Option<(i32, Actor)>,
    /// The other signals that bgproc sent to this run before, each with who asked for it last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    earlier_signals: Vec<(i32, Actor)>,
    /// Whether this run has outlived the grace period of its ending, so that it got KILL.
    #[serde(skip_serializing_if = "crate::protocol::keeper::is_false")]
    outlived_grace: bool,
}

impl Ending {
    /// Takes who asked for this signal, if bgproc sent it to this run.
    pub(super) fn take_sender(&mut self, signal: Option<i32>) -> Option<Actor> {
        let earlier = std::mem::take(&mut self.earlier_signals);
        let mut sent = self.last_signal.take().into_iter().chain(earlier);
        let found = sent.find(|(sent, _)| Some(*sent) == signal);
        found.map(|(_, by)| by)
    }

    /// Whether the run that died of this signal has outlived its grace period. It is asked once.
    pub(super) fn take_outlived_grace(&mut self, signal: Option<i32>) -> bool {
        signal == Some(KILL) && std::mem::take(&mut self.outlived_grace)
    }

    /// The machine was restarted: no process is left, and the boot clock began again.
    pub(super) fn forget_times(&mut self) {
        self.asked_until = None;
        self.kill_at = None;
    }
}

/// Its ending.
impl Life {
    /// An actor asks it to end. Returns false if it is not alive or is already ending. A request goes before a limit: it
    /// ends the restart policy, too.
    pub fn ask_to_end(&mut self, by: Actor) -> bool {
        if !by.is_limit() && self.ending.by.as_ref().is_some_and(Actor::is_limit) {
            self.ending.by = Some(by);
            return true;
        }
        if !self.status.has_process() || self.ending.by.is_some() {
            return false;
        }
        self.status = Status::Stopping;
        self.ending.by = Some(by);
        true
    }

    /// An actor asks it to end in the way of its file: it has until `until` (boot-time milliseconds) to end by itself.
    pub fn ask_to_end_until(&mut self, by: Actor, until: u64) {
        if self.ask_to_end(by) {
            self.ending.asked_until = Some(until);
        }
    }

    /// It was asked to end, but what runs it refuses.
    pub fn goes_on(&mut self) {
        if self.status == Status::Stopping {
            self.status = Status::Running;
        }
        self.ending.by = None;
    }

    /// The first signal of its ending was sent. Processes that are left at `kill_at` (boot-time
    /// milliseconds) get KILL. If a time was set before, the earlier one applies.
    pub fn grace_began(&mut self, kill_at: u64) {
        let earlier = self.ending.kill_at;
        self.ending.kill_at = Some(earlier.map_or(kill_at, |at| at.min(kill_at)));
        // If the signal was KILL, it was asked for, and no grace period is over.
        self.ending.outlived_grace = false;
    }

    /// Its ending is complete. `refused` names the processes that could not be ended.
    pub fn grace_ended(&mut self, refused: Option<String>) {
        self.ending.kill_at = None;
        // A finished session already has another reason.
        if self.ending.by.is_some() && refused.is_some() {
            self.end.reason = refused;
        }
    }

    /// Records that bgproc sent it a signal. It may die of one that was sent before: a stopped program gets it only
    /// once it is continued.
    pub fn signalled(&mut self, signal: i32, by: Actor) {
        let ending = &mut self.ending;
        ending.outlived_grace |= signal == KILL && ending.kill_at.is_some();
        ending.earlier_signals.extend(ending.last_signal.take());
        ending.earlier_signals.retain(|(sent, _)| *sent != signal);
        ending.last_signal = Some((signal, by));
    }

    /// Who asked it to end, while the ending is in progress.
    pub fn ending(&self) -> Option<&Actor> {
        self.ending.by.as_ref()
    }

    /// Until when it may end by itself, in boot-time milliseconds, if its file says how it is asked to end.
    pub fn asked_until(&self) -> Option<u64> {
        self.ending.asked_until
    }

    /// When its remaining processes get KILL, in boot-time milliseconds.
    pub fn kill_at(&self) -> Option<u64> {
        self.ending.kill_at
    }
}
