//! Sessions as state machines: what happened and when goes in, what to do comes out.
//!
//! Pure: no clock, no files, no environment, no tokio. The daemon drives it and
//! its tests move the time themselves. [`session`] is one session, made of its
//! [`life`] (with [`retry`], its restart policy), its [`output`] (with [`catch_up`], where
//! much of it comes at once, and [`display`], its screen), its [`input`] and
//! its [`readiness`]; [`registry`] is all of them with retention,
//! [`admission`] says whether one more may run, [`quota`] which output goes when logs
//! are too large, [`usage`] how busy a session is, [`lease`] who has the keyboard,
//! [`tombstones`] is what is remembered of removed ones; [`matcher`] and [`waits`] are
//! what clients wait for, [`pattern`] what they look for in text, [`wait_inputs`] what it is compared with; [`timers`]
//! says when something is due; [`urls`] finds where it serves; [`bus`] numbers what happens and tells who
//! wants to know, and [`event_history`] is what has happened.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod admission;
pub mod bus;
pub mod catch_up;
pub mod checkpoints;
pub mod display;
pub mod event_history;
pub mod input;
pub mod lease;
pub mod life;
pub mod lines;
pub mod matcher;
pub mod meta;
pub mod output;
mod packed;
pub mod pattern;
pub mod quota;
pub mod readiness;
pub mod registry;
pub mod retention;
pub mod retry;
pub mod session;
pub mod sizes;
pub mod timers;
pub mod tombstones;
pub mod urls;
pub mod usage;
pub mod wait_inputs;
pub mod waits;

use serde::{Deserialize, Serialize};

use crate::protocol::Timestamp;

/// What time it is, as a driver tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Now {
    /// Milliseconds since the machine started: never jumps; deadlines use it.
    pub boot: u64,
    /// The wall clock, for display.
    pub wall: Timestamp,
}

impl Now {
    /// This moment of an earlier boot (or of one that nobody knows) on the clock
    /// of the present one, by the wall clock. What happened before the machine
    /// started, or in the future, is put where the clock begins, or at `now`.
    #[must_use]
    pub fn carried_over(self, now: Self) -> Self {
        let age = u64::try_from(now.wall.millis() - self.wall.millis()).unwrap_or(0);
        Self {
            boot: now.boot.saturating_sub(age),
            wall: self.wall,
        }
    }
}
