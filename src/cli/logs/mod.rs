//! Shows the logs of jobs: from which position, in which form, and live.

pub mod follow;
pub mod lane;
pub mod of_command;
pub mod origins;
pub mod place;
pub mod restarts;
pub mod schedule;
pub mod several;
pub mod show;
pub mod sieve;
pub mod skipped;
pub mod told;
pub mod typed;
