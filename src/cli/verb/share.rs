//! `share`: opens a job to agents of other scopes, or closes it again.

use clap::Args;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::share::{Agents, set};
use crate::cli::output::words;

#[derive(Args, Debug)]
pub struct ShareWith {
    /// Which job
    #[arg(value_name = "JOB")]
    job: String,
    /// What every agent may do with it; ending it stays yours
    agents: Agents,
}

impl ShareWith {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        let record = set(ctx, &job.summary.session_id, self.agents)?;
        if ctx.json {
            ctx.out.json(&record)?;
        } else {
            let how = match self.agents {
                Agents::None => "not shared",
                Agents::Read => "every agent may look",
                Agents::Write => "every agent may look and type",
            };
            let name = words::name(&record.summary);
            ctx.out.line(&format!("{name}  {how}"))?;
        }
        Ok(Exit::OK)
    }
}
