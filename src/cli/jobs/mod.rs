//! What several verbs do with jobs.

pub mod attach;
pub mod ending;
pub mod share;
pub mod signals;
pub mod started;
pub mod typing;
