//! How the dashboard is opened.

use super::keymap::Rebound;
use super::model::Replay;
use super::theme::Scheme;
use crate::config::{Background, Config, Notify};

/// What the command line decided before the dashboard opens.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Session id: open zoomed and typing into it. Leaving goes to NORMAL over the zoomed screen, where `q` or
    /// `d` goes back to the shell.
    pub job: Option<String>,
    /// Show how that session went instead of typing into it; leaving goes back to the shell.
    pub replay: Option<Replay>,
    /// Look only: no key reaches a job and nothing is changed.
    pub read_only: bool,
    /// Glyphs and lines of ASCII only.
    pub ascii: bool,
    /// No colour, not even the jobs' own.
    pub mono: bool,
    /// The list's filter at the start.
    pub filter: Option<String>,
    /// Keys that leave INSERT, by name (`ctrl-]`, `f12`); empty: `ctrl-]`.
    pub leave_keys: Vec<String>,
    /// Keys that leave INSERT when they are pressed one after the other, in place of those; empty: there are none.
    pub leave_sequence: Vec<String>,
    /// Keys bound anew.
    pub keys: Vec<Rebound>,
    /// The colours.
    pub theme: Scheme,
    /// What the terminal's background is taken for.
    pub background: Background,
    /// Whether the mouse is taken at the start.
    pub mouse: bool,
    /// How a person who looks at something else is told.
    pub notify: Notify,
    /// Whether it asks before it ends or removes something.
    pub asks: bool,
    /// Time between TERM and KILL for jobs that it stops, in milliseconds.
    pub stop_grace_ms: u64,
    /// Whether the last line is ours while typing into a zoomed job.
    pub status_line: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            job: None,
            replay: None,
            read_only: false,
            ascii: false,
            mono: false,
            filter: None,
            leave_keys: Vec::new(),
            leave_sequence: Vec::new(),
            keys: Vec::new(),
            theme: Scheme::default(),
            background: Background::Auto,
            mouse: true,
            notify: Notify::Terminal,
            asks: true,
            stop_grace_ms: Config::default().stop_grace_ms(),
            status_line: true,
        }
    }
}
