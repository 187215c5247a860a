//! `decline`: tells agents that nobody will answer their questions.

use clap::Args;
use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::words;
use crate::protocol::params::Decline;
use crate::protocol::{Action, ErrorCode};

#[derive(Args, Debug)]
pub struct DeclineFor {
    /// The job
    #[arg(value_name = "JOB")]
    job: String,
}

impl DeclineFor {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        let answer = ctx.daemon()?.call(Action::Decline(Decline {
            session_id: job.summary.session_id.to_string(),
        }));
        let value: Value = match answer {
            // There is nothing wrong with the command: the job is not in the state for it.
            Err(error) if error.code == ErrorCode::InvalidRequest => {
                let name = words::name(&job.summary);
                let message = format!("no question is open about {name}");
                return Err(Failure::with_message(Exit::STATE, message));
            }
            answer => answer?,
        };
        if ctx.json {
            ctx.out.json(&value)?;
        }
        Ok(Exit::OK)
    }
}
