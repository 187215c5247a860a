//! What other hosts cost, over a real sshd on loopback: echo beside plain `ssh HOST cat`, and one list of fifty hosts
//! with a hundred jobs each. And what a job on a node of a real Slurm cluster costs beside `srun`.
//!
//! `cargo bench --bench hosts -- [--only PART]… [--markdown]`
//!
//! Each figure has a bound, and the program fails where one is not kept. They mean something on a machine that does
//! nothing else. It takes about five minutes, and needs `sshd`; without Slurm the last scene is left out.

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
#[allow(dead_code, reason = "shared with the suite")]
#[path = "../../suite/support/cluster.rs"]
mod cluster;
#[path = "../figure.rs"]
mod figure;
#[path = "../beside/guard.rs"]
mod guard;
mod node;
#[allow(dead_code, reason = "shared with the suite")]
#[path = "../../suite/support/process.rs"]
mod process;
mod scenes;
mod server;
#[allow(dead_code, reason = "shared with the suite")]
#[path = "../../suite/support/wait.rs"]
mod wait;
#[path = "../work.rs"]
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    figure::play(&scenes::ALL)
}
