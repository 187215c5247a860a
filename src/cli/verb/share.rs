//! `share`: opens a job to agents of other scopes, or closes it again.

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::words;
use crate::protocol::params::Set;
use crate::protocol::record::Share;
use crate::protocol::{Action, Record, SessionId};

/// What agents that did not start a job may do with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Agents {
    /// Not even know that it is there
    None,
    /// Look at it
    Read,
    /// Look at it, and type into it
    Write,
}

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

/// Shares a job.
pub(super) fn set(ctx: &mut Context, id: &SessionId, agents: Agents) -> Result<Record, Failure> {
    let share = match agents {
        Agents::None => Share::None,
        Agents::Read => Share::Read,
        Agents::Write => Share::Write,
    };
    Ok(ctx.daemon()?.call_as(Action::Set(Set {
        session_id: id.to_string(),
        share: Some(share),
        ..Set::default()
    }))?)
}
