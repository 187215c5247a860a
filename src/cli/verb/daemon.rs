//! `daemon`: the daemon itself.

use clap::{Args, Subcommand};

use super::daemon_logs::DaemonLogs;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::style::Tone;
use crate::cli::words;
use crate::protocol::params::{Shutdown, ShutdownSessions, Stats};
use crate::protocol::reply::StatsReply;
use crate::protocol::{Action, ErrorCode, VERSION};

#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct Daemon {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Show whether a daemon runs, and which (exit code 3 if none does)
    Status,
    /// End the daemon; jobs go on and the next command finds them
    Stop {
        /// End all jobs, too
        #[arg(long)]
        kill: bool,
    },
    /// Replace daemon and keeper by the bgproc that is installed now; jobs go on
    Upgrade,
    /// Show what the daemon has said about itself; none has to run
    Logs(DaemonLogs),
}

impl Daemon {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Status => status(ctx),
            Verb::Stop { kill } => stop(ctx, kill),
            Verb::Upgrade => upgrade(ctx),
            Verb::Logs(verb) => verb.run(ctx),
        }
    }
}

/// The daemon that runs, or `None`.
fn stats(ctx: &mut Context) -> Result<Option<(serde_json::Value, StatsReply)>, Failure> {
    match ctx.running_daemon() {
        Ok(_) => {}
        Err(Failure::Refused(error)) if error.code == ErrorCode::DaemonUnavailable => {
            note(&error.message);
            return Ok(None);
        }
        Err(other) => return Err(other),
    }
    let value = ctx.daemon()?.call(Action::Stats(Stats {}))?;
    let stats = serde_json::from_value(value.clone()).map_err(std::io::Error::from)?;
    Ok(Some((value, stats)))
}

fn status(ctx: &mut Context) -> Result<Exit, Failure> {
    let Some((value, stats)) = stats(ctx)? else {
        return Ok(Exit::STATE);
    };
    if ctx.json {
        ctx.out.json(&value)?;
        return Ok(Exit::OK);
    }
    let counts = stats.counts.iter().filter(|(_, count)| **count > 0);
    let counts: Vec<_> = counts
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    let jobs = if counts.is_empty() {
        "none".to_owned()
    } else {
        counts.join(", ")
    };
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
        ("home", stats.home),
        ("jobs", jobs),
        ("clients", stats.connections.to_string()),
        ("memory", memory),
        ("logs", words::bytes(stats.log_bytes)),
    ] {
        let what = ctx.out.tint(Tone::Faint, &format!("{what:>8}"));
        ctx.out.line(&format!("{what}  {text}"))?;
    }
    Ok(Exit::OK)
}

fn stop(ctx: &mut Context, kill: bool) -> Result<Exit, Failure> {
    let Some((_, stats)) = stats(ctx)? else {
        return Ok(Exit::OK);
    };
    let sessions = if kill {
        ShutdownSessions::Kill
    } else {
        ShutdownSessions::Keep
    };
    shut_down(ctx, sessions, false)?;
    let pid = stats.daemon_pid;
    ctx.out.line(&match sessions {
        ShutdownSessions::Kill => format!("daemon stopped (pid {pid}), and all jobs with it"),
        ShutdownSessions::Keep => format!("daemon stopped (pid {pid}); jobs go on"),
    })?;
    Ok(Exit::OK)
}

fn upgrade(ctx: &mut Context) -> Result<Exit, Failure> {
    let before = match stats(ctx)? {
        Some((_, before)) => {
            match shut_down(ctx, ShutdownSessions::Keep, true) {
                // One that knows nothing of keepers that can be upgraded.
                Err(Failure::Refused(error)) if error.code == ErrorCode::InvalidParams => {
                    note("this daemon cannot upgrade its keeper; the next one will");
                    shut_down(ctx, ShutdownSessions::Keep, false)?;
                }
                other => other?,
            }
            Some(before)
        }
        None => None,
    };
    // Connecting is what starts the next one, from the program on disk.
    ctx.hang_up();
    let value = ctx.daemon()?.call(Action::Stats(Stats {}))?;
    let now: StatsReply = serde_json::from_value(value.clone()).map_err(std::io::Error::from)?;
    if ctx.json {
        ctx.out.json(&value)?;
        return Ok(Exit::OK);
    }
    let was = before.map_or("none ran".to_owned(), |before| {
        format!("was {}, pid {}", before.version, before.daemon_pid)
    });
    let is = format!(
        "daemon is bgproc {}, pid {} ({was})",
        now.version, now.daemon_pid
    );
    ctx.out.line(&format!("{is}; jobs went on"))?;
    if let Some(error) = now.upgrade_error {
        let (version, pid) = (now.keeper_version, now.keeper_pid);
        note(&format!(
            "the keeper (pid {pid}) is still bgproc {version}: {error}"
        ));
        return Ok(Exit::FAILED);
    }
    if now.version != VERSION {
        let version = &now.version;
        note(&format!(
            "this is bgproc {VERSION}, but the daemon started as {version}"
        ));
        return Ok(Exit::FAILED);
    }
    Ok(Exit::OK)
}

/// Asks it to end and waits until the connection says that it has.
fn shut_down(ctx: &mut Context, sessions: ShutdownSessions, upgrade: bool) -> Result<(), Failure> {
    let shutdown = Action::Shutdown(Shutdown {
        sessions: Some(sessions),
        upgrade: upgrade.then_some(true),
    });
    let daemon = ctx.daemon()?;
    match daemon.call(shutdown) {
        Err(error) if error.code != ErrorCode::DaemonUnavailable => return Err(error.into()),
        // It may have ended before its answer was on the way.
        _ => {}
    }
    while daemon.next_event().is_ok() {}
    ctx.hang_up();
    Ok(())
}
