//! bgproc beside tmux and beside what the machine can do at most, measured in turns in
//! one run: only such ratios mean anything.
//!
//! `cargo bench --bench beside -- [--rounds N] [--only PART]… [--markdown]`
//!
//! Everything is started in homes of its own and ended again, also by `^C`. tmux is left out where it
//! is not installed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

mod bgproc;
#[path = "../data.rs"]
mod data;
mod emit;
mod guard;
mod limit;
mod measures;
mod peer;
mod table;
mod tmux;
#[allow(dead_code, reason = "shared with the bench `latency`")]
#[path = "../view.rs"]
mod view;
mod viewer;

/// Rounds where nobody says otherwise.
const ROUNDS: usize = 5;

fn main() {
    let mut args = std::env::args().skip(1);
    let (mut rounds, mut only, mut markdown) = (ROUNDS, Vec::new(), false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            emit::FLAG => return emit::run(args),
            "--rounds" => rounds = args.next().unwrap().parse().expect("a number"),
            "--only" => only.push(args.next().expect("a part of a line's name")),
            "--markdown" => markdown = true,
            // What `cargo bench` adds.
            "--bench" => {}
            other => panic!("`{other}`: there are --rounds N, --only PART and --markdown"),
        }
    }
    guard::watch_signals();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_owned();
    let _guard = guard::Guard::new(move || drop(std::fs::remove_dir_all(path)));
    let rows = measures::all(dir.path(), rounds, &only);
    print!("{}", table::shown(&rows, markdown));
}
