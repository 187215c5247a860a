//! bgproc with more than anybody has: a thousand running and ten thousand ended jobs, a log of 5 GB, a line of
//! 200 MB, a byte a millisecond, a million lines to search.
//!
//! `cargo bench --bench large -- [--only PART]… [--markdown]`
//!
//! Each figure has a bound, far beyond what a machine of two processors needs; the program fails where one is not
//! kept. It takes some minutes, and 6 GB where temporary files are.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

#[allow(dead_code, reason = "shared with the bench `latency`")]
#[path = "../client.rs"]
mod client;
#[path = "../figure.rs"]
mod figure;
#[path = "../beside/guard.rs"]
mod guard;
mod scenes;

use std::process::ExitCode;

fn main() -> ExitCode {
    figure::play(&scenes::ALL)
}
