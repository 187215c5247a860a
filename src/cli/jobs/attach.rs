//! Opens the dashboard on one job.

use std::io::IsTerminal;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::takes_screens;
use crate::cli::settings::dashboard;
use crate::protocol::SessionId;
use crate::protocol::environment::MARK;
use crate::protocol::shell::quote;
use crate::tui;

/// Fails unless standard input and output are a terminal that can show a screen. `target` says how the job is called in
/// another command; `None` if there is none yet.
pub(in crate::cli) fn need_terminal(
    target: impl FnOnce() -> Option<String>,
) -> Result<(), Failure> {
    if takes_screens() {
        return Ok(());
    }
    let failure = Failure::with_message(Exit::USAGE, no_terminal("attaching"));
    let target = target();
    let job = target.as_deref().map_or("JOB".into(), quote);
    Err(failure.hint(format!(
        "bgproc capture {job} prints the screen, bgproc logs -f {job} follows the output"
    )))
}

/// Why something that fills the screen cannot be done here.
pub(in crate::cli) fn no_terminal(what: &str) -> String {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        format!("{what} needs a terminal that can move its cursor, and TERM says dumb")
    } else {
        format!("{what} needs a terminal")
    }
}

/// Opens the dashboard on one job.
pub(in crate::cli) fn open(
    job: &SessionId,
    read_only: bool,
    leave_keys: &[String],
    status_line: bool,
) -> Result<(), Failure> {
    if std::env::var(MARK).is_ok_and(|own| own == job.as_str()) {
        // What it draws would be output of the job, which it would draw again.
        let message = "this runs inside the job, which cannot be attached in itself";
        let failure = Failure::with_message(Exit::USAGE, message.to_owned());
        return Err(failure.hint("run it in another terminal"));
    }
    let defaults = dashboard::options(leave_keys, None)?;
    tui::run(tui::Options {
        job: Some(job.to_string()),
        read_only,
        status_line,
        ..defaults
    })?;
    Ok(())
}

/// The exit code of a job that has ended; 0 while it runs.
pub(in crate::cli) fn code(ctx: &mut Context, id: &SessionId) -> Result<Exit, Failure> {
    let record = ctx.record(id, false)?;
    let job = record.summary;
    Ok(if job.status.is_finished() {
        Exit::of_job(job.status, job.exit_code, job.signal.as_deref())
    } else {
        Exit::OK
    })
}
