//! The dashboard seen from outside: keys in, pictures out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acting;
mod behaviour;
mod forms;
mod harness;
pub(super) mod jobs;
mod keyboard;
mod notice;
mod palette;
mod pictures;
