//! How soon bgproc answers and what it costs at rest: the dashboard's first paint and its keys, others while one job
//! floods or one client does not read, a daemon that is stopped, many that wait.
//!
//! `cargo bench --bench latency -- [--only PART]… [--markdown]`
//!
//! Each figure has a bound, and the program fails where one is not kept. They mean something on a machine that does
//! nothing else; the suite, which runs beside anything, counts work instead. It takes about a minute.

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
#[path = "../view.rs"]
mod view;

use std::process::ExitCode;

fn main() -> ExitCode {
    figure::play(&scenes::ALL)
}
