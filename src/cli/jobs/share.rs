//! Shares a job with agents that did not start it.

use clap::ValueEnum;

use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::protocol::params::Set;
use crate::protocol::record::Share;
use crate::protocol::{Action, Record, SessionId};

/// What agents that did not start a job may do with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(in crate::cli) enum Agents {
    /// They cannot see the job
    None,
    /// They may read its output
    Read,
    /// They may read its output and type into it
    Write,
}

/// Sets who may use a job.
pub(in crate::cli) fn set(
    ctx: &mut Context,
    id: &SessionId,
    agents: Agents,
) -> Result<Record, Failure> {
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
