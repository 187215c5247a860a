//! Options of the dashboard.

use super::keymap::Rebound;
use super::theme::Appearance;
use crate::client::greeting;
use crate::config::{Config, Notify};
use crate::protocol::Greeting;

/// How to replay a job's past when the view is opened for that.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Replay {
    /// Time to start at, in milliseconds since the epoch; `None` for the beginning.
    pub from_ms: Option<i64>,
    /// Playback speed; 1 is the original speed.
    pub speed: f64,
}

/// The options chosen on the command line and in the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Id of a job to open zoomed in INSERT. Leaving goes to NORMAL over the zoomed screen, where
    /// `q` or `d` returns to the shell.
    pub job: Option<String>,
    /// Directory of a project that was brought up: it is selected, and what becomes of it is told.
    pub project: Option<String>,
    /// Replay the past of that job instead of typing into it; leaving returns to the shell.
    pub replay: Option<Replay>,
    /// Read-only: no key reaches a job and nothing is changed.
    pub read_only: bool,
    /// How it looks.
    pub appearance: Appearance,
    /// The initial filter of the list.
    pub filter: Option<String>,
    /// Names of the keys that leave INSERT (`ctrl-]`, `f12`); if empty, `ctrl-]`.
    pub leave_keys: Vec<String>,
    /// A sequence of keys that leaves INSERT and replaces `leave_keys`; empty if there is none.
    pub leave_sequence: Vec<String>,
    /// Rebound keys.
    pub keys: Vec<Rebound>,
    /// Whether the dashboard takes the mouse at the start.
    pub mouse: bool,
    /// How to notify a person while the window has no focus.
    pub notify: Notify,
    /// Whether to ask for confirmation before ending or removing something.
    pub asks: bool,
    /// Time between TERM and KILL for jobs stopped by this view, in milliseconds.
    pub stop_grace_ms: u64,
    /// Whether the status line stays visible while typing into a zoomed job.
    pub status_line: bool,
}

impl Options {
    /// The greeting of the view. If the view may only look, so may its connection: the daemon refuses what the
    /// modes should have refused.
    pub fn greeting(&self) -> Greeting {
        let mut greeting = greeting::with_surroundings(greeting::human());
        greeting.policy.read_only = self.read_only;
        greeting
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            job: None,
            project: None,
            replay: None,
            read_only: false,
            appearance: Appearance::default(),
            filter: None,
            leave_keys: Vec::new(),
            leave_sequence: Vec::new(),
            keys: Vec::new(),
            mouse: true,
            notify: Notify::Terminal,
            asks: true,
            stop_grace_ms: Config::default().stop_grace_ms(),
            status_line: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_of_a_read_only_view_may_only_read() {
        assert!(!Options::default().greeting().policy.read_only);
        let options = Options {
            read_only: true,
            ..Options::default()
        };
        assert!(options.greeting().policy.read_only);
    }
}
