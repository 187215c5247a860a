//! `daemon`: shows, ends or replaces the daemon.

mod install;
mod logs;
mod start;
mod stop;
pub(super) mod upgrade;

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::style::Tone;
use crate::cli::output::words;
use crate::client::read_reply;
use crate::protocol::params::{Shutdown, Stats};
use crate::protocol::reply::{ShutDown, StatsReply};
use crate::protocol::{Action, ErrorCode, Status};
use install::DaemonInstall;
use logs::DaemonLogs;
use start::DaemonStart;
use stop::DaemonStop;

#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Daemon {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Show the running daemon; exit code 3 if none is running
    Status,
    /// Start the daemon; with --restore also the projects that were up, and jobs with --restart always
    Start(DaemonStart),
    /// End the daemon; jobs continue, and the next command starts a new daemon
    Stop(DaemonStop),
    /// Replace the daemon and the keeper with this program; jobs continue
    Upgrade,
    /// Start bgproc, and the projects that were up, at boot (systemd)
    Install(DaemonInstall),
    /// Print the diagnostics of the daemon, running or not
    Logs(DaemonLogs),
}

impl Daemon {
    pub(crate) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Status => status(ctx),
            Verb::Start(verb) => verb.run(ctx),
            Verb::Install(verb) => verb.run(ctx),
            Verb::Stop(verb) => verb.run(ctx),
            Verb::Upgrade => upgrade::run(ctx),
            Verb::Logs(verb) => verb.run(ctx),
        }
    }
}

/// The state of the running daemon, or `None` after a note that none is running. An error means that a
/// daemon should run but does not answer.
pub(crate) fn stats(ctx: &mut Context) -> Result<Option<(serde_json::Value, StatsReply)>, Failure> {
    let Some(_) = ctx.running_daemon()? else {
        return Ok(None);
    };
    let value = ctx.daemon()?.call(Action::Stats(Stats {}))?;
    let stats = read_reply(value.clone())?;
    Ok(Some((value, stats)))
}

fn status(ctx: &mut Context) -> Result<Exit, Failure> {
    let Some((value, stats)) = stats(ctx)? else {
        if ctx.json {
            ctx.out.json(&json!({ "running": false }))?;
        }
        return Ok(Exit::STATE);
    };
    if ctx.json {
        ctx.out.json(&value)?;
        return Ok(Exit::OK);
    }
    let jobs = counted(&stats.counts);
    let memory = stats
        .memory_bytes
        .map_or("unknown".to_owned(), words::bytes);
    for (what, text) in [
        (
            "version",
            format!("{} (protocol {})", stats.version, stats.protocol),
        ),
        (
            "daemon",
            format!(
                "pid {}, up {}",
                stats.daemon_pid,
                words::span(stats.uptime_ms)
            ),
        ),
        (
            "keeper",
            format!("pid {}, version {}", stats.keeper_pid, stats.keeper_version),
        ),
        (
            "program",
            stats.program.unwrap_or_else(|| "unknown".to_owned()),
        ),
        ("home", stats.home),
        ("jobs", jobs),
        ("clients", stats.connections.to_string()),
        ("memory", memory),
        ("logs", format!("{} bytes", words::bytes(stats.log_bytes))),
    ] {
        let what = ctx.out.tint(Tone::Faint, &format!("{what:>8}"));
        ctx.out.line(&format!("{what}  {text}"))?;
    }
    Ok(Exit::OK)
}

/// The numbers of jobs in the words of `ls`: `1 failed, 2 running, 1 timed out`. `counts` has the names of the wire.
fn counted(counts: &BTreeMap<String, u64>) -> String {
    let is_any = counts.iter().filter(|(_, count)| **count > 0);
    let counts = is_any.map(|(name, count)| {
        // `ls` shows how each of them has failed.
        let word = match name.as_str() {
            name if name == Status::Error.as_str() => "failed".to_owned(),
            name => name.replace('_', " "),
        };
        format!("{count} {word}")
    });
    let counts: Vec<_> = counts.collect();
    if counts.is_empty() {
        "none".to_owned()
    } else {
        counts.join(", ")
    }
}

/// Asks the daemon to end and waits until the connection is closed.
pub(crate) fn shut_down(ctx: &mut Context, how: Shutdown) -> Result<Option<ShutDown>, Failure> {
    let daemon = ctx.daemon()?;
    let answer = match daemon.call(Action::Shutdown(how)) {
        // A daemon of another version says what it likes.
        Ok(answer) => serde_json::from_value(answer).ok(),
        // It may have ended before it sent its answer.
        Err(error) if error.code == ErrorCode::DaemonUnavailable => None,
        Err(error) => return Err(error.into()),
    };
    while daemon.next_event().is_ok() {}
    ctx.hang_up();
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_counted_in_the_words_of_the_list() {
        let counts = [("error", 6), ("running", 0), ("done", 2), ("timed_out", 1)];
        let counts = counts.map(|(name, count)| (name.to_owned(), count)).into();
        assert_eq!(counted(&counts), "2 done, 6 failed, 1 timed out");
        assert_eq!(counted(&BTreeMap::new()), "none");
    }
}
