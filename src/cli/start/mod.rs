//! Starts a job: its name, its program, and standard input that is passed on to it.

pub mod launch;
pub mod program;
pub mod stdin;
