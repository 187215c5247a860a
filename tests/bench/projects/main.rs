//! What a project costs beside the same jobs without one: starts, a second `up`, reading the file, watches and
//! schedules at rest, and thousands of changed files.
//!
//! `cargo bench --bench projects -- [--only PART]… [--markdown]`
//!
//! Each figure has a bound, and the program fails where one is not kept. They mean something on a machine that does
//! nothing else. It takes about four minutes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

#[allow(dead_code, reason = "shared with the bench `large`")]
#[path = "../client.rs"]
mod client;
#[path = "../figure.rs"]
mod figure;
#[path = "../beside/guard.rs"]
mod guard;
mod scenes;
mod serve;
#[path = "../work.rs"]
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    figure::play(&scenes::ALL)
}
