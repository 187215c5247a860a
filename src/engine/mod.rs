//! Sessions as pure state machines: an event and the time go in, effects come out.
//!
//! This layer uses no clock, no files, no environment and no tokio. The daemon drives it; its tests
//! set the time themselves.
//!
//! - [`session`] is one session, and [`meta`] its record. It consists of its [`life`] (with [`retry`], the restart policy),
//!   its [`output`], its [`input`] (with [`echo`], what comes back of what was typed) and its [`readiness`]. [`report`]:
//!   what its program says of itself. [`shell_marks`] are those of a shell that says where commands begin and end, and
//!   [`shell_command`] is what is typed into one that does not.
//! - Parts of [`output`]: [`catch_up`] for large backlogs, [`display`], its screen, with [`sync_update`];
//!   [`checkpoints`] and [`line_counter`], with which lines are found; [`sizes`] and [`layouts`], the sizes of the terminal
//!   over time; [`log_start`], where the kept output begins.
//! - [`registry`] holds all sessions and applies [`retention`], by the time of `age_clock`. [`admission`] decides whether
//!   another session may run.
//! - [`quota`] chooses the output to delete when the logs are too large. [`usage`] measures how
//!   busy a session is. [`lease`] tracks who holds the keyboard. [`tombstones`] remembers removed
//!   sessions.
//! - [`waits`] and [`matcher`] evaluate what clients wait for: [`conditions`], which are compared with
//!   [`wait_inputs`]. [`pattern`] is a compiled search pattern, and `pattern_search` finds it in lines.
//! - `flaky` marks sessions whose runs fail and succeed although nothing has changed.
//! - [`timers`] returns the next deadline. [`urls`] finds the addresses that a session serves.
//! - [`batch`] is what a session and the batch system that runs it know of each other.
//! - [`project`] compares what is wished for the jobs of a project with what they do.
//! - [`bus`] numbers events and delivers them to subscribers. [`event_history`] keeps past events, as
//!   [`journal_note`] and `packed` write them, and [`unsettled`] reads from them what people still have to do.
//! - [`hosts`] decides when the link to another host is opened, tried again and closed.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod admission;
mod age_clock;
pub mod batch;
pub mod bus;
pub mod catch_up;
pub mod checkpoints;
pub mod conditions;
pub mod display;
pub mod echo;
pub mod event_history;
mod flaky;
pub mod hosts;
pub mod input;
pub mod journal_note;
pub mod layouts;
pub mod lease;
pub mod life;
pub mod line_counter;
pub mod log_start;
pub mod matcher;
pub mod meta;
pub mod output;
mod packed;
pub mod pattern;
mod pattern_search;
pub mod project;
pub mod quota;
pub mod readiness;
pub mod registry;
pub mod report;
pub mod retention;
pub mod retry;
pub mod session;
pub mod shell_command;
pub mod shell_marks;
pub mod sizes;
pub mod sync_update;
pub mod timers;
pub mod tombstones;
pub mod unsettled;
pub mod urls;
pub mod usage;
pub mod wait_inputs;
pub mod waits;

use serde::{Deserialize, Serialize};

use crate::protocol::Timestamp;

/// The current time, as supplied by a driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Now {
    /// Milliseconds since the machine started (boot time). It never jumps, so deadlines use it.
    pub boot: u64,
    /// Wall-clock time, for display only.
    pub wall: Timestamp,
}

impl Now {
    /// Converts a moment of an earlier (or unknown) boot to the boot clock of `now`, using the wall
    /// clock. A moment before the machine started becomes 0, and a moment in the future becomes
    /// `now`.
    #[must_use]
    pub fn carried_over(self, now: Self) -> Self {
        let age = u64::try_from(now.wall.millis() - self.wall.millis()).unwrap_or(0);
        Self {
            boot: now.boot.saturating_sub(age),
            wall: self.wall,
        }
    }
}
