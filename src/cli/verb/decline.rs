//! `decline`: tells agents that nobody will answer their questions.

use clap::Args;
use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::protocol::Action;
use crate::protocol::params::Decline;

#[derive(Args, Debug)]
pub struct DeclineFor {
    /// The job
    #[arg(value_name = "JOB")]
    job: String,
}

impl DeclineFor {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        let value: Value = ctx.daemon()?.call(Action::Decline(Decline {
            session_id: job.summary.session_id.to_string(),
        }))?;
        if ctx.json {
            ctx.out.json(&value)?;
        }
        Ok(Exit::OK)
    }
}
