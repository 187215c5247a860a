//! Tests of the dashboard from outside: keys in, screen contents out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acting;
mod alarms;
mod behaviour;
mod contrast;
mod engines;
mod gone;
pub(super) mod harness;
mod held;
pub(super) mod jobs;
mod key_reports;
mod keyboard;
mod keymap;
mod leaving;
mod look;
mod manual;
mod marks;
mod messages;
mod mouse;
mod notice;
mod over;
mod pictures;
pub(crate) mod projects;
mod questions;
mod queues;
mod rebound;
mod retrying;
pub(crate) mod rows;
mod runs;
mod small;
mod typing;
mod wrapped;
