//! The tests with the real binary, in one program so that they link once.
//!
//! Each test has its own `BGPROC_HOME`, waits for named events with a deadline
//! and prints everything that was said when it fails ([`support`]).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod actions_life;
mod actions_output;
mod bridges;
mod cli_basics;
mod cli_jobs;
mod cli_output;
mod config_file;
mod damaged_records;
mod dashboard;
mod dashboard_window;
mod diagnostics;
mod doctor;
mod endings;
mod endings_refused;
mod fault_table;
mod full_disk;
mod fuzz_corpus;
mod golden_home;
mod hostile_bytes;
mod hostile_names;
mod hostile_places;
mod jobs_short;
mod journal;
mod keeper_death;
mod layers;
mod limits_log;
mod limits_sessions;
mod limits_system;
mod long_logs;
mod mcp_own;
mod mcp_python;
mod mcp_seeds;
mod programs;
mod programs_screen;
mod restart_refused;
mod retention;
mod secrets;
mod serve;
mod serve_edges;
mod serve_pump;
mod slow_clients;
mod soak;
mod strangers;
mod stuffed_input;
mod support;
mod takeover;
mod takeover_storm;
mod terminal;
mod upgrade;
mod versions;
