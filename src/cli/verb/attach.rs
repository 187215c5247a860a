//! `attach`: the dashboard on one job, typing into it at once.

use std::io::IsTerminal;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::dashboard;
use crate::cli::exit::{Exit, Failure};
use crate::protocol::params::StatusParams;
use crate::protocol::{Action, Record, SessionId};
use crate::tui;

#[derive(Args, Debug)]
pub struct Attach {
    /// Which job
    #[arg(value_name = "JOB", default_value = "-")]
    job: String,
    /// Only look
    #[arg(long)]
    read_only: bool,
    /// Keys that leave instead of ctrl-]; several, as in ctrl-p,ctrl-q, are pressed one after the other
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    detach_keys: Vec<String>,
    /// The whole screen for the job
    #[arg(long)]
    no_status: bool,
    /// Exit with the job's code if it has ended by then
    #[arg(long)]
    exit_code: bool,
}

impl Attach {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        need_terminal()?;
        let job = ctx.one(&self.job)?;
        ctx.hang_up();
        let id = &job.summary.session_id;
        open(id, self.read_only, &self.detach_keys, !self.no_status)?;
        match self.exit_code {
            true => code(ctx, id),
            false => Ok(Exit::OK),
        }
    }
}

/// Refuses where there is nothing to show a screen on.
pub(super) fn need_terminal() -> Result<(), Failure> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    let failure = Failure::told(Exit::USAGE, "attaching needs a terminal");
    Err(failure.hint("bgproc capture JOB prints the screen, bgproc logs -f JOB follows the output"))
}

/// Opens the dashboard on one job.
pub(super) fn open(
    job: &SessionId,
    read_only: bool,
    leave_keys: &[String],
    status_line: bool,
) -> Result<(), Failure> {
    let defaults = dashboard::options(leave_keys, None)?;
    tui::run(tui::Options {
        job: Some(job.to_string()),
        read_only,
        status_line,
        ..defaults
    })?;
    Ok(())
}

/// The code of a job that has ended; 0 while it goes on.
pub(super) fn code(ctx: &mut Context, id: &SessionId) -> Result<Exit, Failure> {
    let record: Record = ctx.read(&Action::Status(StatusParams {
        session_id: id.to_string(),
        detail: None,
    }))?;
    let job = record.summary;
    Ok(match job.status.is_finished() {
        true => Exit::of_job(job.status, job.exit_code, job.signal.as_deref()),
        false => Exit::OK,
    })
}
