//! The tests with the real binary, in one program so that they link once.
//!
//! Each test has its own `BGPROC_HOME`, waits for named events with a deadline
//! and prints everything that was said when it fails ([`support`]).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod actions_life;
mod actions_output;
mod cli_basics;
mod cli_jobs;
mod cli_output;
mod config_file;
mod dashboard;
mod dashboard_window;
mod fuzz_corpus;
mod hostile_bytes;
mod hostile_names;
mod layers;
mod long_logs;
mod programs;
mod programs_screen;
mod serve;
mod serve_edges;
mod serve_pump;
mod slow_clients;
mod stuffed_input;
mod support;
mod takeover;
mod terminal;
