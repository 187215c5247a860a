//! How a session has ended.

use serde::{Deserialize, Serialize};

use super::Life;
use super::actor::UNKNOWN_END;
use crate::engine::Now;
use crate::protocol::Timestamp;
use crate::protocol::run::EndedBy;

/// How the latest run has ended, or the session without one. Empty while a run goes on; a session that waits for its
/// next run still has the end of the last one.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct End {
    /// When, by the wall clock.
    #[serde(rename = "endedAt")]
    pub(super) at: Option<Timestamp>,
    /// When the first process of the run ended, in boot-time milliseconds.
    #[serde(rename = "endedBoot")]
    pub(super) boot: Option<u64>,
    /// Duration of the run, in milliseconds.
    pub(super) runtime_ms: Option<u64>,
    /// Exit code; `None` if it died of a signal, or had no process.
    pub(super) exit_code: Option<i32>,
    /// Number of the signal that it died of.
    pub(super) signal: Option<i32>,
    /// Why, for people.
    pub(super) reason: Option<String>,
    /// Who has ended it.
    #[serde(rename = "endedBy")]
    pub(super) by: Option<EndedBy>,
}

impl End {
    /// Adds to the reason.
    pub(super) fn add_reason(&mut self, note: &str) {
        self.reason = Some(match self.reason.take() {
            Some(reason) => format!("{reason}; {note}"),
            None => note.to_owned(),
        });
    }

    /// What ran it elsewhere knows better why it has ended.
    pub(super) fn explain(&mut self, why: String) {
        let known = self.reason.take().filter(|reason| reason != UNKNOWN_END);
        self.reason = Some(why);
        if let Some(known) = known {
            self.add_reason(&known);
        }
    }

    /// A session that ended before it ran waits again. How it left the queue does not count any more; how its last run
    /// ended does.
    pub(super) fn forget_if_it_never_ran(&mut self) {
        let has_run = self.exit_code.is_some() || self.signal.is_some();
        if !has_run && self.runtime_ms == Some(0) {
            *self = Self::default();
        }
    }
}

/// What is known of an end.
impl Life {
    /// When its first process ended, in boot-time milliseconds, with the pid of that process.
    pub fn last_process(&self) -> Option<(u32, u64)> {
        Some((self.last_pid?, self.end.boot?))
    }

    /// Exit code; `None` if it died of a signal or has not ended.
    pub fn exit_code(&self) -> Option<i32> {
        self.end.exit_code
    }

    /// Number of the signal that it died of.
    pub fn signal(&self) -> Option<i32> {
        self.end.signal
    }

    /// Why it ended as it did.
    pub fn reason(&self) -> Option<&str> {
        self.end.reason.as_deref()
    }

    /// Why it ended, if it has no exit code and no signal that would say it.
    pub fn reason_without_end(&self) -> Option<&str> {
        let has_end = self.end.exit_code.is_some() || self.end.signal.is_some();
        self.reason().filter(|_| !has_end)
    }

    /// Who ended it.
    pub fn ended_by(&self) -> Option<&EndedBy> {
        self.end.by.as_ref()
    }

    /// When it ended.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.end.at
    }

    /// Duration of the current or last run, in milliseconds.
    pub fn runtime_ms(&self, now: Now) -> u64 {
        let ran = self.end.runtime_ms;
        ran.unwrap_or_else(|| now.boot.saturating_sub(self.started_boot))
    }
}
