//! Sends signals to jobs.

use clap::ValueEnum;

use crate::cli::context::{Context, Found};
use crate::cli::exit::{Exit, Failure};
use crate::client::read_reply;
use crate::protocol::params::{SignalName, SignalParams, SignalTarget};
use crate::protocol::reply::Signalled;
use crate::protocol::signal::{NUMBERS, number};
use crate::protocol::{Action, Record};

/// The processes of a job that receive a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(in crate::cli) enum To {
    /// The foreground processes, which a key such as Ctrl-C reaches
    #[default]
    Foreground,
    /// The first process
    Leader,
    /// All processes of the job
    Tree,
}

/// Whether this is a signal, by name or number.
pub(in crate::cli) fn is_known(signal: &str) -> bool {
    number(signal).is_some() || signal.parse().is_ok_and(|number| NUMBERS.contains(&number))
}

/// Whether this is SIGKILL, by name or number.
pub(in crate::cli) fn is_kill(signal: &str) -> bool {
    ["KILL", "SIGKILL", "9"].contains(&signal.to_uppercase().as_str())
}

/// Sends a signal to jobs and prints the pids that received it.
pub(in crate::cli) fn send(
    ctx: &mut Context,
    found: Found,
    signal: &str,
    to: To,
) -> Result<Exit, Failure> {
    let Found { jobs, mut exit } = found;
    let action = |job: &Record| {
        Action::Signal(SignalParams {
            session_id: job.summary.session_id.to_string(),
            signal: name(signal),
            target: Some(match to {
                To::Foreground => SignalTarget::Foreground,
                To::Leader => SignalTarget::Leader,
                To::Tree => SignalTarget::Tree,
            }),
        })
    };
    let names = ctx.names_from_here(&jobs);
    let answers = ctx.daemon()?.call_all(jobs.iter().map(action).collect());
    for ((job, name), answer) in jobs.iter().zip(&names).zip(answers) {
        let outcome = answer.map_err(Failure::from).and_then(|mut value| {
            if ctx.json {
                // Of several lines one must know whose they are.
                value["sessionId"] = job.summary.session_id.as_str().into();
                ctx.out.json(&value)?;
            }
            let sent = read_reply(value)?;
            report(ctx, name, &sent, signal)
        });
        if let Err(failure) = outcome {
            exit = exit.or(ctx.complain(failure));
        }
    }
    Ok(exit)
}

/// Reads a signal given by number or name.
pub(in crate::cli) fn name(text: &str) -> SignalName {
    match text.parse() {
        Ok(number) => SignalName::Number(number),
        Err(_) => SignalName::Name(text.to_owned()),
    }
}

/// Prints `web  SIGHUP sent to pid 48213`.
fn report(ctx: &mut Context, name: &str, sent: &Signalled, signal: &str) -> Result<(), Failure> {
    let pids: Vec<_> = sent.delivered_to.iter().map(u32::to_string).collect();
    if pids.is_empty() {
        let message = format!("{name}: no process received {}", shown(signal));
        return Err(Failure::with_message(Exit::FAILED, message));
    }
    if !ctx.json {
        let line = format!("{name}  {} sent to pid {}", shown(signal), pids.join(", "));
        ctx.out.line(&line)?;
    }
    Ok(())
}

/// The name to print: `SIGHUP` for `hup`. A number stays a number.
fn shown(signal: &str) -> String {
    let upper = signal.to_uppercase();
    match upper.starts_with("SIG") || upper.parse::<i32>().is_ok() {
        true if upper.starts_with("SIG") => upper,
        true => format!("signal {upper}"),
        false => format!("SIG{upper}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_known_by_its_name_or_number() {
        for name in [
            "HUP", "SIGTERM", "sigint", "IO", "SYS", "STKFLT", "PWR", "9",
        ] {
            assert!(is_known(name), "{name}");
        }
        assert!(!is_known("web") && !is_known("-9"));
    }
}
