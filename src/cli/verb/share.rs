//! `share`: gives agents of other scopes access to a job, or ends it.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::share::{Agents, set};
use crate::cli::jobs::unsaved;
use crate::cli::output::words;

#[derive(Args, Debug)]
pub struct ShareWith {
    /// The job
    #[arg(value_name = "JOB")]
    job: String,
    /// What agents may do with the job; only you may end it
    #[arg(value_name = "HOW")]
    agents: Agents,
}

impl ShareWith {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        let record = set(ctx, &job.summary.session_id, self.agents)?;
        unsaved::tell(record.unsaved);
        if ctx.json {
            ctx.out.json(&record)?;
        } else {
            let how = match self.agents {
                Agents::None => "not shared",
                Agents::Read => "every agent may read",
                Agents::Write => "every agent may read and type",
            };
            let name = words::name(&record.summary);
            ctx.out.line(&format!("{name}  {how}"))?;
        }
        Ok(Exit::OK)
    }
}
