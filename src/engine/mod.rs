//! Sessions as state machines: what happened and when goes in, what to do comes out.
//!
//! Pure: no clock, no files, no environment, no tokio. The daemon drives it and
//! its tests move the time themselves. [`session`] is one session, made of its
//! [`life`] and its [`output`]; [`registry`] is all of them with limits and
//! retention; [`matcher`] and [`waits`] are what clients wait for; [`timers`]
//! says when something is due; [`bus`] numbers what happens and tells who
//! wants to know, and [`past`] is what has happened.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod bus;
pub mod life;
pub mod matcher;
pub mod output;
pub mod past;
pub mod registry;
pub mod session;
pub mod timers;
pub mod waits;

use crate::protocol::Timestamp;

/// What time it is, as a driver tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Now {
    /// Milliseconds since the machine started: never jumps; deadlines use it.
    pub boot: u64,
    /// The wall clock, for display.
    pub wall: Timestamp,
}
