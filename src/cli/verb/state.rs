//! What the verbs share that change the state of jobs: `start`, `restart`, `pause` and `resume`.

use crate::cli::context::{Context, Found};
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::started::started_line;
use crate::cli::output::words;
use crate::cli::start::launch::Taken;
use crate::client::read_reply;
use crate::protocol::params::{SignalName, SignalParams, SignalTarget, StatusParams};
use crate::protocol::{Action, Error, Record};

/// Performs `action` on each job and prints the state of each afterwards.
pub(super) fn each(
    ctx: &mut Context,
    found: Found,
    action: impl Fn(&Record) -> Action,
) -> Result<Exit, Failure> {
    let ids = found
        .jobs
        .iter()
        .map(|job| job.summary.session_id.to_string());
    let ids: Vec<_> = ids.collect();
    let actions = found.jobs.iter().map(action).collect();
    let answers = ctx.daemon()?.call_all(actions);
    let mut exit = found.exit;
    let is_one_of_several = found.jobs.len() > 1;
    for ((id, job), answer) in ids.into_iter().zip(&found.jobs).zip(answers) {
        let refused = |mut error: Error| {
            let name = words::name(&job.summary);
            if is_one_of_several && !error.message.contains(&name) {
                error.message = format!("{name}: {}", error.message);
            }
            refused(error)
        };
        let outcome = answer.map_err(refused).and_then(|_| show(ctx, id));
        if let Err(failure) = outcome {
            exit = exit.or(ctx.complain(failure));
        }
    }
    Ok(exit)
}

/// Explains the refusal to restart a job whose name another job has meanwhile taken.
pub(super) fn refused(error: Error) -> Failure {
    match Taken::by(&error) {
        Some(taken) => taken
            .refusal()
            .hint("stop that job, or rename one of the two"),
        None => error.into(),
    }
}

/// Sends a signal to all processes of a session.
pub(super) fn tree_signal(session_id: String, signal: &str) -> Action {
    Action::Signal(SignalParams {
        session_id,
        signal: SignalName::Name(signal.to_owned()),
        target: Some(SignalTarget::Tree),
    })
}

/// Prints the state of a session.
pub(super) fn show(ctx: &mut Context, session_id: String) -> Result<(), Failure> {
    let value = ctx.daemon()?.call(Action::Status(StatusParams {
        session_id,
        ..StatusParams::default()
    }))?;
    if ctx.json {
        ctx.out.json(&value)?;
        return Ok(());
    }
    let record: Record = read_reply(value)?;
    let line = started_line(ctx, &record);
    ctx.out.line(&line)
}
