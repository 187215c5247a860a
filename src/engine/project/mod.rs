//! A project: what is wished for its jobs, and what follows from it.
//!
//! A project file is a wish, which is stored durably. What its jobs do is seen in their sessions. This module
//! compares the two: [`decide()`] takes a [`Wish`] and what is seen of each job, and returns the [`Phase`] of each
//! job and the [`Step`]s to take now. Nothing is remembered between two calls but the wish. So after the death of
//! daemon or keeper the same call goes on where the last one stopped.
//!
//! - [`wish`]: which jobs are wanted, which runs are owed, what a person has stopped.
//! - [`seen`]: what is seen of a job, and the levels (`started`, `ready`, `ok`, `done`) that hold.
//! - [`queue`]: queues, in which some jobs run at once and the others wait for their turn.
//! - [`guest`]: sessions that wait here although no file defines them.
//! - [`delay`]: runs that start at a time, and not before.
//! - [`need`]: whether the needs of a job are met, may still come, or cannot come any more.
//! - [`timetable`]: which times of a schedule have come.
//! - [`order`]: which job is needed first.
//! - [`watching`]: when a job reacts to changes of files.
//! - [`decide`](mod@decide): the phases and steps. It is the only place that starts and stops jobs of a project.
//!
//! A run is owed by number: "a run later than run 3". A run that began before a crash therefore counts, and none
//! is started twice.

pub mod decide;
pub mod delay;
pub mod guest;
pub mod need;
pub mod order;
pub mod queue;
pub mod seen;
pub mod timetable;
pub mod watching;
pub mod wish;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;

pub use decide::{Decision, Phase, Step, decide};
pub use need::Why;
pub use queue::Queue;
pub use seen::{Seen, SeenState};
pub use timetable::{Rules, Timetable, WallClock};
pub use wish::{Demand, Hold, JobWish, Level, Member, Need, Overlap, Standing, Wish};
