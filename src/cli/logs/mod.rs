//! Showing the logs of jobs: from where on, in which form, and as they grow.

pub mod follow;
pub mod lane;
pub mod origins;
pub mod place;
pub mod restarts;
pub mod show;
pub mod typed;
