//! What a project costs beside the same jobs without one: starts, a second `up`, reading the file, watches and
//! schedules at rest, and thousands of changed files. The scenes beside others run the same jobs with pitchfork,
//! supervisord and pm2, of which those are measured that are on `PATH`.
//!
//! `cargo bench --bench projects -- [--only PART]… [--markdown]`
//!
//! Each figure of bgproc alone has a bound, and the program fails where one is not kept. Those beside others have none:
//! they are multiples of the first one, which is that of bgproc. They mean something on a machine that does
//! nothing else. It takes about four minutes, and ten more with all the others.

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
mod peer;
mod rivals;
mod running;
mod scenes;
mod serve;
#[path = "../work.rs"]
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    figure::play(&scenes::ALL)
}
