//! `node`: the first process of a batch job.

use std::path::PathBuf;

use clap::Args;

use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::client;

#[derive(Args, Debug)]
pub struct Node {
    /// The directory of the session
    dir: PathBuf,
    /// Number of the run, counted from 1
    #[arg(long, default_value_t = 1)]
    run: u32,
}

impl Node {
    /// Runs the job of the directory. The exit code is the job's, on which other jobs may depend.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        match client::node::run(&self.dir, self.run) {
            Ok(code) => Ok(Exit(code)),
            Err(error) => {
                note(&error.message);
                Ok(Exit::NOT_EXECUTABLE)
            }
        }
    }
}
