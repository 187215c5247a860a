//! Tests of the dashboard from outside: keys in, screen contents out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acting;
mod behaviour;
mod card;
mod details;
mod forms;
mod found;
mod grid;
mod harness;
pub(super) mod jobs;
mod keyboard;
mod look;
mod manual;
mod marks;
mod mouse;
mod notice;
mod palette;
mod pictures;
mod rebound;
mod rewind;
mod rows;
mod scrolling;
