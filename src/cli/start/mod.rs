//! Starts a job: its name, its program, and standard input that is passed on to it.

pub mod env_file;
pub mod launch;
pub mod program;
pub mod stdin;
