//! `hosts add NAME --on LAUNCHER`: a node of a cluster, for as long as a job holds it. bgproc runs on it like on any other
//! host.

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent;
use crate::cli::output::{note, words};
use crate::cli::settings;
use crate::cli::start::engine::Engine;
use crate::config::HostEntry;
use crate::link::Host;
use crate::link::host::{Reach, SshOptions};
use crate::protocol::engine_job::NodeReach;
use crate::protocol::params::{Kill, Start, StatusParams};
use crate::protocol::reply::Started;
use crate::protocol::{Action, ErrorCode, Record, SessionId};

/// Submits a job that holds a node until it is stopped, or its time is over. Returns the job, and the entry of a host
/// that is reached through it.
pub(super) fn submit(
    ctx: &mut Context,
    name: &str,
    engine: &Engine,
) -> Result<(Record, HostEntry), Failure> {
    let (launcher, resources) = engine.params();
    let through = through(engine)?;
    let start = Start {
        command: "sleep".to_owned(),
        args: Some(vec!["infinity".to_owned()]),
        // A directory that every node has.
        cwd: Some("/".to_owned()),
        label: Some(name.to_owned()),
        unique_label: Some(true),
        key: Some(SessionId::fresh().to_string()),
        background: Some(true),
        launcher,
        resources,
        ..Start::default()
    };
    let connection = ctx.daemon_with_surroundings()?;
    let started: Started = connection.call_as(Action::Start(start))?;
    let id = started.session_id;
    let status = StatusParams {
        session_id: id.to_string(),
        detail: Some(true),
        full_env: None,
    };
    let job: Record = ctx.read(&Action::Status(status))?;
    let reach = job.detail.as_ref().and_then(|detail| detail.reach.clone());
    let entry = reach.and_then(|reach| entry(&id, reach, through.as_ref()));
    match entry {
        Some(entry) => Ok((job, entry)),
        None => {
            release(ctx, id.as_str())?;
            let message = format!("{} has no way to its node", words::name(&job.summary));
            let hint = "its launcher needs reach = \"srun\"";
            Err(Failure::with_message(Exit::FAILED, message).hint(hint))
        }
    }
}

/// Says what became of the job so far.
pub(super) fn tell(name: &str, job: &Record) {
    let (state, _) = words::state(&job.summary);
    let number = job.summary.engine.as_ref();
    let number = number.and_then(|engine| engine.job_id.as_deref());
    note(&format!(
        "{name} is held by job {} ({state})",
        number.unwrap_or("-")
    ));
    note(&format!(
        "as soon as that runs, bgproc -H {name} run COMMAND starts jobs there; bgproc hosts rm {name} gives it back"
    ));
}

/// Asks, and ends the job that holds a host, and with it all jobs there.
pub(super) fn give_back(
    ctx: &mut Context,
    name: &str,
    session: &str,
    yes: bool,
) -> Result<(), Failure> {
    if !yes {
        let question = format!("end the job that holds {name}, with all jobs on it");
        let unasked = format!("{name} is held by a job, which ends with all jobs on it");
        consent::require(ctx, &question, "nothing was removed", unasked)?;
    }
    release(ctx, session)
}

fn release(ctx: &mut Context, session: &str) -> Result<(), Failure> {
    let kill = Kill {
        session_id: Some(session.to_owned()),
        ..Kill::default()
    };
    match ctx.daemon()?.call(Action::Kill(kill)) {
        Ok(_) => Ok(()),
        Err(error) => match error.code {
            // It has ended, and was perhaps removed.
            ErrorCode::SessionNotFound | ErrorCode::SessionRemoved => Ok(()),
            _ => Err(error.into()),
        },
    }
}

/// The host on which the launcher submits; `None` for this machine.
fn through(engine: &Engine) -> Result<Option<Host>, Failure> {
    let config = settings::configuration()?;
    let launcher = engine
        .launcher()
        .and_then(|name| config.launchers.get(name));
    let host = launcher.and_then(|entry| entry.get_ref().host.clone());
    host.map(|name| settings::host::named(&name)).transpose()
}

/// The entry of the host; `None` if it cannot be reached through `through`.
fn entry(id: &SessionId, reach: NodeReach, through: Option<&Host>) -> Option<HostEntry> {
    let command = match through {
        None => reach.command,
        Some(host) => {
            let Reach::Ssh(_) = host.reach else {
                return None;
            };
            let mut words = host.shell(SshOptions::default());
            // In place of the shell there.
            words.pop();
            words.push(shlex::try_join(reach.command.iter().map(String::as_str)).ok()?);
            words
        }
    };
    Some(HostEntry {
        command: Some(command),
        bgproc: reach.bgproc,
        home: Some(reach.home),
        session: Some(id.to_string()),
        ..HostEntry::default()
    })
}
