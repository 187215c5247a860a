//! The shell lines that a session's file has beside its command: which is still to be run, and which failed.

use serde::{Deserialize, Serialize};

use super::Life;

/// What became of these lines in the current run.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ShellLines {
    /// Whether its `onExit` has still to be run.
    #[serde(skip_serializing_if = "crate::protocol::keeper::is_false")]
    owes_on_exit: bool,
    /// Why its `onExit` failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_exit_failure: Option<String>,
    /// Why the line failed that was to stop this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_failure: Option<String>,
    /// Which line failed that was run because something happened to this run, and how; the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_failure: Option<String>,
}

/// Its shell lines.
impl Life {
    /// It has ended for good, and its `onExit` must be run.
    pub fn owe_on_exit(&mut self) {
        self.lines.owes_on_exit = true;
    }

    /// Its `onExit` is running.
    pub fn on_exit_began(&mut self) {
        self.lines.owes_on_exit = false;
    }

    /// Its `onExit` has ended; `failure` says why it failed.
    pub fn on_exit_ended(&mut self, failure: Option<String>) {
        self.lines.owes_on_exit = false;
        self.lines.on_exit_failure = failure;
    }

    /// Whether its `onExit` has still to be run.
    pub fn owes_on_exit(&self) -> bool {
        self.lines.owes_on_exit
    }

    /// Why its `onExit` failed.
    pub fn on_exit_failure(&self) -> Option<&str> {
        self.lines.on_exit_failure.as_deref()
    }

    /// The line that was to stop it failed. It is ended by signals then.
    pub fn stop_line_failed(&mut self, why: String) {
        self.lines.stop_failure = Some(why);
    }

    /// Why the line failed that was to stop the last run.
    pub fn stop_failure(&self) -> Option<&str> {
        self.lines.stop_failure.as_deref()
    }

    /// A line failed that was run because something happened to it. `what` is which one: `on.ready line`.
    pub fn hook_failed(&mut self, what: &str, why: &str) {
        self.lines.hook_failure = Some(format!("its {what} failed: {why}"));
    }

    /// Which such line of this run failed last, and why.
    pub fn hook_failure(&self) -> Option<&str> {
        self.lines.hook_failure.as_deref()
    }
}
