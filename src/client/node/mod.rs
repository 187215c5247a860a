//! `bgproc node DIR --run N`: the first process of a batch job. It holds a session on a node of a cluster, and ends as
//! the session does.
//!
//! Keeper and daemon run beside it, below the cluster's own process, so that the cluster ends them with the job. Their
//! home is that of the run in the directory of the session. A daemon on another machine reads the log there, and reaches
//! the daemon here by a step of the same batch job.

mod signals;

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::connection::AutoStart;
use super::greeting::{self, with_surroundings};
use super::{Connection, Running, await_end, connect, connect_running};
use crate::protocol::disk::{EXIT, META};
use crate::protocol::keeper::Exit;
use crate::protocol::node::{JOB, NodeJob, REFUSAL, Refusal, STATE};
use crate::protocol::params::{self, Restart, Shutdown, ShutdownSessions, Start, Wait};
use crate::protocol::reply::{Started, StatsReply, Waited};
use crate::protocol::{Action, Error, ErrorCode, Greeting, SessionId, bounds};
use crate::sys::{file, node_dirs, node_home, paths};

/// Added to the number of a signal: the exit code of a shell whose command died of it.
const SIGNALLED: i32 = 128;

/// How long one request waits for the end, in milliseconds; it is repeated until the end.
const WAIT_MS: u64 = bounds::MAX_WAIT_MS;

/// How long no daemon may answer until the job is given up, and the pause between two attempts. A busy node or a slow
/// file system is no reason to end a batch job.
const PATIENCE: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_secs(1);

/// Runs the job of a directory as this run of it, counted from 1. Returns the exit code that the batch job ends with.
///
/// # Errors
///
/// What of the directory cannot be read, or why the job does not run. The directory says so, too, unless a later run owns
/// it.
pub fn run(dir: &Path, run: u32) -> Result<u8, Error> {
    let outcome = home_of(dir, run).and_then(|home| match home {
        Some(home) if is_own(&home) => hold(dir),
        // The home of a process is in its environment, which cannot be changed from within.
        Some(home) => Err(failed("bgproc cannot run itself", &again(dir, run, &home))),
        None => Ok(None),
    });
    if let Err(error) = &outcome
        && !is_late(dir, run)
    {
        let message = match &error.hint {
            Some(hint) => format!("{}; {hint}", error.message),
            None => error.message.clone(),
        };
        let said = serde_json::to_vec(&Refusal { message }).unwrap_or_default();
        // It is on standard error, too, which the cluster keeps.
        let _ = file::replace(&dir.join(REFUSAL), &said);
    }
    outcome?.ok_or_else(|| {
        failed(
            "this run is too late",
            &"a later one has taken the job over",
        )
    })
}

/// The home of a run, which owns the session from now on; `None` if a later run does.
fn home_of(dir: &Path, run: u32) -> Result<Option<PathBuf>, Error> {
    // The directory has the name of the session.
    let session = dir
        .file_name()
        .and_then(|name| SessionId::parse(name.to_str()?));
    let session = session.ok_or_else(|| failed("there is no session", &dir.display()))?;
    node_home::take_over(dir, &session, run)
        .map_err(|error| failed("the job cannot be taken over", &error))
}

/// Whether a later run has taken the session over meanwhile.
fn is_late(dir: &Path, run: u32) -> bool {
    node_home::owner(dir).is_ok_and(|owner| owner.is_some_and(|owner| owner.run > run))
}

fn is_own(home: &Path) -> bool {
    std::env::var_os("BGPROC_HOME").is_some_and(|own| Path::new(&own) == home)
}

fn again(dir: &Path, run: u32, home: &Path) -> io::Error {
    let program = match paths::own_program() {
        Ok(program) => program,
        Err(error) => return error,
    };
    let mut command = Command::new(program);
    command
        .arg("node")
        .arg(dir)
        .arg("--run")
        .arg(run.to_string());
    command.env("BGPROC_HOME", home);
    command.exec()
}

fn hold(dir: &Path) -> Result<Option<u8>, Error> {
    // The cluster signals all processes of a job. This one tells how the job has ended, so it ends last.
    signals::outlast().map_err(|error| failed("signals cannot be caught", &error))?;
    let job: NodeJob = read(&dir.join(JOB))?;
    let home = super::home()?;
    node_dirs::clear(&home);
    // What a run before has said, and this one before its script was started again.
    for said in [dir.join(REFUSAL), home.state.join(STATE)] {
        let _ = std::fs::remove_file(said);
    }
    let greeting = Greeting {
        role: job.role,
        scope: Some(job.scope.clone()),
        umask: job.umask,
        ..with_surroundings(Greeting::default())
    };
    let held = until_end(&greeting, job);
    if let Err(error) = clear_away() {
        eprintln!("bgproc: {}", error.message);
    }
    let id = held?;
    let exit: Option<Exit> = read(&home.session(&id).join(EXIT)).ok();
    let code = exit.map_or(SIGNALLED - 1, |exit| match (exit.exit_code, exit.signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => SIGNALLED + signal,
        (None, None) => SIGNALLED - 1,
    });
    Ok(Some(u8::try_from(code).unwrap_or(u8::MAX)))
}

/// Ends daemon and keeper, with all that the job has left behind, and waits until they are gone: the cluster signals
/// what is left after this process.
fn clear_away() -> Result<(), Error> {
    let Running::Yes(mut connection) = connect_running(&greeting::human())? else {
        return Ok(());
    };
    let stats: StatsReply = connection.call_as(Action::Stats(params::Stats::default()))?;
    let stop = Shutdown {
        sessions: Some(ShutdownSessions::Kill),
        ..Shutdown::default()
    };
    connection.call(Action::Shutdown(stop))?;
    await_end(stats.daemon_pid);
    await_end(stats.keeper_pid);
    // Its sockets and locks are of no use to anybody now.
    let _ = std::fs::remove_dir_all(super::home()?.runtime);
    Ok(())
}

/// Starts the session, and waits for its end. Returns its id.
fn until_end(greeting: &Greeting, job: NodeJob) -> Result<SessionId, Error> {
    let mut connection = connect(greeting, AutoStart::Yes)?;
    let id = begin(&mut connection, job)?;
    let end = Wait {
        session_id: Some(id.to_string()),
        wait_ms: Some(WAIT_MS),
        ..Wait::default()
    };
    loop {
        // A wait may be repeated, so it survives the daemon.
        match connection.call_as::<Waited>(Action::Wait(end.clone())) {
            Ok(waited) if waited.polled.status.is_finished() => return Ok(id),
            Ok(_) => {}
            Err(error) if error.code == ErrorCode::DaemonUnavailable => {
                connection = connect_again(greeting, error)?;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Connects as soon as a daemon answers. `why`: the last one does not.
fn connect_again(greeting: &Greeting, mut why: Error) -> Result<Connection, Error> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        std::thread::sleep(PAUSE);
        match connect(greeting, AutoStart::Yes) {
            Ok(connection) => return Ok(connection),
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// Starts the session, or its next run if the cluster has put the job into its queue again.
fn begin(connection: &mut Connection, job: NodeJob) -> Result<SessionId, Error> {
    let home = super::home()?;
    let is_known = |id: &SessionId| home.session(id).join(META).exists();
    if let Some(id) = home.session.clone().filter(is_known) {
        let again = Restart {
            session_id: id.to_string(),
            ..Restart::default()
        };
        connection.call(Action::Restart(again))?;
        return Ok(id);
    }
    let start = Start {
        command: job.program,
        args: Some(job.args),
        cwd: Some(job.cwd),
        mode: Some(job.mode),
        rows: Some(job.rows),
        cols: Some(job.cols),
        limits: job.limits,
        background: Some(true),
        // The cluster has limits of its own.
        timeout_ms: Some(0),
        keep: Some(true),
        key: Some("node".to_owned()),
        ..Start::default()
    };
    let started: Started = connection.call_as(Action::Start(start))?;
    Ok(started.session_id)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let bytes = std::fs::read(path);
    let bytes =
        bytes.map_err(|error| failed(&format!("{} cannot be read", path.display()), &error))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| failed(&format!("{} is not as expected", path.display()), &error))
}

fn failed(what: &str, error: &impl ToString) -> Error {
    Error::new(
        ErrorCode::SpawnFailed,
        format!("{what}: {}", error.to_string()),
    )
}
