//! Starts a job: its name, its program, its variables, the jobs after which it starts, standard input that is passed on
//! to it, and notices that nobody would get.

pub mod after;
pub mod batch;
pub mod directory;
pub mod env_file;
pub mod launch;
pub mod program;
pub mod queue_name;
pub mod stdin;
pub mod unheard;
pub mod variables;
