//! `daemon upgrade`: replaces daemon and keeper with this program.

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::settings::configuration;
use crate::cli::verb::daemon::{shut_down, stats};
use crate::client;
use crate::client::read_reply;
use crate::protocol::params::{Shutdown, ShutdownSessions, Stats};
use crate::protocol::reply::StatsReply;
use crate::protocol::{Action, ErrorCode, VERSION};

pub(crate) fn run(ctx: &mut Context) -> Result<Exit, Failure> {
    // The next daemon could not start with a configuration that cannot be read, and this one would be gone.
    configuration()?;
    let before = stats(ctx)?.map(|(_, before)| before);
    if before.is_some() {
        ask(ctx)?;
    }
    // Connecting starts the next daemon.
    ctx.hang_up();
    let value = ctx.daemon()?.call(Action::Stats(Stats {}))?;
    let now: StatsReply = read_reply(value.clone())?;
    if ctx.json {
        ctx.out.json(&value)?;
        return Ok(Exit::OK);
    }
    let was = before.map_or("none was running".to_owned(), |before| {
        format!("was {}", describe(&before))
    });
    let is = format!("daemon is bgproc {} ({was})", describe(&now));
    ctx.out.line(&format!("{is}; jobs continued"))?;
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

/// Version, pid and, if the daemon reports it, the path of its program.
fn describe(stats: &StatsReply) -> String {
    let about = format!("{}, pid {}", stats.version, stats.daemon_pid);
    match &stats.program {
        Some(program) => format!("{about}, {program}"),
        None => about,
    }
}

/// Asks the daemon to be replaced by this program. Older daemons can only restart the file that they were
/// started from, or cannot be upgraded.
fn ask(ctx: &mut Context) -> Result<(), Failure> {
    let keep = Some(ShutdownSessions::Keep);
    let program = client::own_program();
    let attempts = [
        (Some(true), program, None),
        (
            Some(true),
            None,
            Some("this daemon can only be replaced by the file that it was started from"),
        ),
        (
            None,
            None,
            Some("this daemon cannot upgrade its keeper; the next one will"),
        ),
    ];
    let mut outcome = Ok(());
    for (upgrade, program, why) in attempts {
        why.into_iter().for_each(note);
        outcome = shut_down(
            ctx,
            Shutdown {
                sessions: keep,
                upgrade,
                program,
            },
        )
        .map(drop);
        match &outcome {
            // This daemon does not know the parameter; try without it.
            Err(Failure::Refused(error)) if error.code == ErrorCode::InvalidParams => {}
            _ => break,
        }
    }
    outcome
}
