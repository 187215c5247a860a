//! The dashboard seen from outside: keys in, pictures out.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod behaviour;
mod harness;
pub(super) mod jobs;
mod pictures;
