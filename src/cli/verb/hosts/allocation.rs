//! `hosts add NAME --on LAUNCHER`: a node of a cluster, for as long as a job holds it. bgproc runs on it like on any other
//! host.

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent::{self, needs_yes};
use crate::cli::output::{note, words};
use crate::cli::settings;
use crate::cli::start::batch::BatchRequest;
use crate::config::HostEntry;
use crate::link::Host;
use crate::link::host::{Reach, SshOptions};
use crate::link::spawn::configuration;
use crate::protocol::batch_job::{self, NodeReach};
use crate::protocol::params::{Kill, Start, StatusParams};
use crate::protocol::reply::Started;
use crate::protocol::{Action, ErrorCode, Record, SessionId};

/// Submits a job that holds a node until it is stopped, or its time is over. Returns the job, and the entry of a host
/// that is reached through it.
pub(super) fn submit(
    ctx: &mut Context,
    name: &str,
    batch: &BatchRequest,
) -> Result<(Record, HostEntry), Failure> {
    let (launcher, resources) = batch.params();
    let through = through(batch)?;
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
    let held = held(ctx, &id, through.as_ref());
    if held.is_err() {
        // Nobody knows of it yet.
        release(ctx, id.as_str())?;
    }
    held
}

/// The job, and how its node is reached.
fn held(
    ctx: &mut Context,
    id: &SessionId,
    through: Option<&Host>,
) -> Result<(Record, HostEntry), Failure> {
    let job = status(ctx, id.as_str())?;
    let reach = job.detail.as_ref().and_then(|detail| detail.reach.clone());
    let entry = reach.and_then(|reach| entry(id, reach, through));
    let entry = entry.ok_or_else(|| {
        let message = "the batch system has given the job no number, so its node cannot be reached";
        Failure::with_message(Exit::FAILED, message)
            .hint("the job was taken back; see whether squeue answers, then try again")
    })?;
    Ok((job, entry))
}

fn status(ctx: &mut Context, session: &str) -> Result<Record, Failure> {
    ctx.read(&Action::Status(StatusParams {
        session_id: session.to_owned(),
        detail: Some(true),
        ..StatusParams::default()
    }))
}

/// Says what became of the job so far.
pub(super) fn tell(name: &str, job: &Record) {
    let (state, _) = words::state(&job.summary);
    let number = job.summary.engine.as_ref();
    let number = number.and_then(|engine| engine.job_id.as_deref());
    note(&format!(
        "job {} will hold {name} ({state})",
        number.unwrap_or("-")
    ));
    note(&format!(
        "as soon as it runs, bgproc -H {name} run COMMAND starts jobs there; bgproc hosts rm {name} ends it"
    ));
}

/// Asks, and ends the job that holds a host, and with it all jobs there.
pub(super) fn give_back(
    ctx: &mut Context,
    name: &str,
    session: &str,
    yes: bool,
) -> Result<(), Failure> {
    let is_over = match status(ctx, session) {
        Ok(job) => job.summary.status.is_finished(),
        Err(Failure::Refused(error)) if error.code == ErrorCode::SessionRemoved => true,
        Err(Failure::Refused(error)) if error.code == ErrorCode::SessionNotFound => {
            let message = format!("the job that holds {name} is not known here ({session})");
            let hint = format!(
                "if another machine with this home has added {name}, remove it there; if the job is over, delete [hosts.{name}] from config.toml"
            );
            return Err(Failure::with_message(Exit::NO_JOB, message).hint(hint));
        }
        Err(failure) => return Err(failure),
    };
    if is_over {
        return Ok(());
    }
    if !yes {
        let question = format!("end the job that holds {name}, with all jobs on it");
        let unasked = format!("{name} is held by a job, which ends with all jobs on it");
        consent::require(ctx, &question, "nothing was removed", needs_yes(unasked))?;
    }
    release(ctx, session)
}

/// Ends the job that holds a host.
pub(super) fn release(ctx: &mut Context, session: &str) -> Result<(), Failure> {
    let kill = Kill {
        session_id: Some(session.to_owned()),
        ..Kill::default()
    };
    ctx.daemon()?.call(Action::Kill(kill))?;
    Ok(())
}

/// The host on which the launcher submits; `None` for this machine. Refuses launchers whose nodes are not reached from
/// there.
fn through(batch: &BatchRequest) -> Result<Option<Host>, Failure> {
    let config = settings::configuration()?;
    let refuse = |message: String, hint: &str| {
        Err(Failure::with_message(Exit::FAILED, message).hint(hint.to_owned()))
    };
    let Some((name, launcher)) = batch
        .launcher()
        .and_then(|name| Some((name, config.launchers.get(name)?.get_ref())))
    else {
        return Ok(None);
    };
    if launcher.reach != batch_job::Reach::Srun {
        let message = format!("launcher {name} does not reach its nodes by srun");
        return refuse(message, "a host needs reach = \"srun\" in its launcher");
    }
    let Some(host) = &launcher.host else {
        return Ok(None);
    };
    let host = settings::host::named(host)?;
    if !matches!(host.reach, Reach::Ssh(_)) {
        let message = format!(
            "launcher {name} submits on {}, which is not reached by ssh",
            host.name
        );
        return refuse(message, "bgproc reaches the node of a job by ssh and srun");
    }
    Ok(Some(host))
}

/// The entry of the host; `None` if it cannot be written as a command.
fn entry(id: &SessionId, reach: NodeReach, through: Option<&Host>) -> Option<HostEntry> {
    let command = match through {
        None => reach.command,
        Some(host) => {
            let ssh = configuration(host)?;
            let control = host.control.display().to_string();
            let mut words = host.shell(SshOptions {
                keepalive: ssh.alive_interval == 0,
                // That of `hosts login`, if there is one.
                control: ssh.control_path.is_none().then_some(control.as_str()),
            });
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
