//! `daemon stop`: ends the daemon, and all jobs with `--kill`.

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::verb::daemon::{shut_down, stats};
use crate::client::{self, keeper, last_resort};
use crate::protocol::params::{Shutdown, ShutdownSessions};
use crate::protocol::{Error, ErrorCode};

#[derive(Args, Debug)]
pub(crate) struct DaemonStop {
    /// End all jobs too, even if the daemon does not respond
    #[arg(long)]
    kill: bool,
}

impl DaemonStop {
    pub(crate) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        match stats(ctx) {
            Ok(Some((_, stats))) => {
                let pid = stats.daemon_pid;
                let (sessions, said) = if self.kill {
                    (ShutdownSessions::Kill, ", and all jobs with it")
                } else {
                    (ShutdownSessions::Keep, "; jobs continue")
                };
                let stopped = shut_down(ctx, asked(sessions))?;
                client::await_end(pid);
                let value = json!({ "daemonPid": pid, "sessions": sessions });
                ctx.result(&value, &format!("daemon stopped (pid {pid}){said}"))?;
                let kept = stopped.map_or(0, |stopped| stopped.kept);
                if self.kill && kept > 0 {
                    let message =
                        format!("jobs of a cluster that could not be cancelled, and go on: {kept}");
                    return Err(Failure::with_message(Exit::FAILED, message));
                }
                Ok(Exit::OK)
            }
            Ok(None) if self.kill => kill_without_daemon(ctx),
            Ok(None) => Ok(Exit::OK),
            Err(Failure::Refused(error)) if self.kill && is_unavailable(&error) => {
                note(&error.message);
                last_resort::wake(&client::home()?);
                kill_without_daemon(ctx)
            }
            Err(error) => Err(error),
        }
    }
}

fn asked(sessions: ShutdownSessions) -> Shutdown {
    Shutdown {
        sessions: Some(sessions),
        ..Shutdown::default()
    }
}

fn is_unavailable(error: &Error) -> bool {
    error.code == ErrorCode::DaemonUnavailable
}

/// Ends all jobs if no daemon answers. If a keeper holds jobs, a new daemon is started to end them in the
/// regular way.
fn kill_without_daemon(ctx: &mut Context) -> Result<Exit, Failure> {
    let is_kept = matches!(keeper::ask(&client::home()?), Ok(Some(_)));
    if is_kept {
        let started = ctx.daemon().map(|daemon| daemon.hello().pid);
        match started.and_then(|pid| {
            shut_down(ctx, asked(ShutdownSessions::Kill))?;
            Ok(pid)
        }) {
            Ok(pid) => {
                client::await_end(pid);
                let value = json!({ "daemonPid": pid, "sessions": ShutdownSessions::Kill });
                ctx.result(&value, "all jobs were ended")?;
                return Ok(Exit::OK);
            }
            Err(Failure::Refused(error)) if is_unavailable(&error) => note(&error.message),
            Err(error) => return Err(error),
        }
    }
    end_everything(ctx)
}

fn end_everything(ctx: &mut Context) -> Result<Exit, Failure> {
    ctx.hang_up();
    let ended = last_resort::end_everything(&client::home()?);
    let pids = |pids: &[u32]| {
        pids.iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let jobs = match ended.jobs {
        0 => "no job was running".to_owned(),
        1 => "1 job was ended".to_owned(),
        jobs => format!("{jobs} jobs were ended"),
    };
    let line = if ended.own.is_empty() {
        jobs
    } else {
        format!(
            "killed keeper and daemon (pid {})\n{jobs}",
            pids(&ended.own)
        )
    };
    let value = json!({
        "killedPids": ended.own, "sessionsEnded": ended.jobs, "survivors": ended.survivors,
    });
    ctx.result(&value, &line)?;
    if ended.survivors.is_empty() {
        return Ok(Exit::OK);
    }
    let left = pids(&ended.survivors);
    note(&format!("these processes could not be ended: {left}"));
    Ok(Exit::FAILED)
}
