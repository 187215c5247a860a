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

mod client;
#[path = "../beside/guard.rs"]
mod guard;
mod scenes;

use std::process::ExitCode;

/// A figure, and what it may be at most.
pub(crate) struct Figure {
    pub(crate) scene: &'static str,
    pub(crate) what: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    pub(crate) bound: f64,
}

impl Figure {
    fn is_kept(&self) -> bool {
        self.value <= self.bound
    }

    fn row(&self, markdown: bool) -> String {
        let Self {
            scene, what, unit, ..
        } = self;
        let (value, bound) = (number(self.value), number(self.bound));
        match markdown {
            true => format!("| {scene} | {what} | {value} {unit} |"),
            false => {
                let mark = if self.is_kept() { "" } else { "  NOT KEPT" };
                format!("{scene:24} {what:52} {value:>7} {unit:4} (at most {bound}){mark}")
            }
        }
    }
}

fn number(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut only, mut markdown) = (Vec::new(), false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => only.push(args.next().expect("a part of a scene's name")),
            "--markdown" => markdown = true,
            // What `cargo bench` adds.
            "--bench" => {}
            other => panic!("`{other}`: there are --only PART and --markdown"),
        }
    }
    guard::watch_signals();
    let is_wanted =
        |name: &str| only.is_empty() || only.iter().any(|part| name.contains(part.as_str()));
    let mut all_kept = true;
    for (name, play) in scenes::ALL {
        if !is_wanted(name) {
            continue;
        }
        eprintln!("{name} …");
        for figure in play(name) {
            println!("{}", figure.row(markdown));
            all_kept &= figure.is_kept();
        }
    }
    match all_kept {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
