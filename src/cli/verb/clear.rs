//! `clear`: drops the output of jobs so far.

use clap::Args;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::words;
use crate::client::read_reply;
use crate::protocol::params::Clear as Params;
use crate::protocol::reply::Cleared;
use crate::protocol::{Action, Record};

#[derive(Args, Debug)]
pub struct Clear {
    /// The jobs
    #[arg(value_name = "JOB", required = true)]
    jobs: Vec<String>,
}

impl Clear {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let found = ctx.many(&self.jobs, Among::Any)?;
        let clear = |job: &Record| {
            Action::Clear(Params {
                session_id: job.summary.session_id.to_string(),
            })
        };
        let answers = ctx
            .daemon()?
            .call_all(found.jobs.iter().map(clear).collect());
        let mut exit = found.exit;
        for (job, answer) in found.jobs.iter().zip(answers) {
            let outcome = answer
                .map_err(Failure::from)
                .and_then(|cleared| report(ctx, job, cleared));
            if let Err(failure) = outcome {
                exit = exit.or(ctx.complain(failure));
            }
        }
        Ok(exit)
    }
}

/// Prints `web  cleared, 9.1K bytes of output`.
fn report(ctx: &mut Context, job: &Record, mut value: serde_json::Value) -> Result<(), Failure> {
    let cleared: Cleared = read_reply(value.clone())?;
    // Of several objects one must know whose they are.
    value["sessionId"] = job.summary.session_id.as_str().into();
    let (name, size) = (
        words::name(&job.summary),
        words::bytes(cleared.cleared_bytes),
    );
    ctx.result(&value, &format!("{name}  cleared, {size} bytes of output"))
}
