//! The stop of one job of a project, in the way that its file says.

use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::keys;
use crate::daemon::hub::Hub;
use crate::daemon::programs::program::{SHELL, SHELL_ARGV};
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::tasks::restart;
use crate::daemon::tasks::tree_kill;
use crate::engine::life::Actor;
use crate::engine::matcher::Conditions;
use crate::project::stop::Stop;
use crate::project::stop::StopHow;
use crate::protocol::SessionId;
use crate::sys::signal;
use crate::sys::tree::MARK;

/// How long to wait for the exit after all processes were killed, in milliseconds.
const EXIT_MS: u64 = 5000;

/// Stops a job, as was just decided.
pub(super) fn begin(hub: &Hub, project: &str, job: &str) {
    let known = {
        let state = hub.read();
        let project = state.projects.get(project);
        project.and_then(|project| {
            let stop = project.applied.jobs.get(job).map(|job| job.stop.clone());
            let stop = match project.kill {
                true => None,
                false => Some(stop.unwrap_or_default()),
            };
            Some((project.sessions.get(job)?.clone(), stop))
        })
    };
    let (hub, project, job) = (hub.clone(), project.to_owned(), job.to_owned());
    tokio::task::spawn_local(async move {
        let survivors = match known {
            Some((session, stop)) => end(&hub, &session, stop).await,
            None => Vec::new(),
        };
        hub.change(|state| state.job_stopped(&project, &job, &survivors));
    });
}

/// Ends a session; without `stop` with KILL. Returns the processes that could not be ended.
async fn end(hub: &Hub, session: &SessionId, stop: Option<Stop>) -> Vec<u32> {
    restart::stop(hub, session, &Actor::Human).await;
    let leader = hub
        .read()
        .sessions
        .get(session)
        .and_then(|session| session.life.pid());
    let task = match stop {
        None => tree_kill::begin(hub, session, Actor::Human, signal::KILL, 0),
        Some(stop) => {
            let first = politely(hub, session, &stop).await;
            tree_kill::begin(hub, session, Actor::Human, first, stop.grace_ms)
        }
    };
    let ended = task.await.unwrap_or_default();
    if !leader.is_some_and(|leader| ended.survivors.contains(&leader)) {
        hub.wait_from_now(session, Conditions::exit(), Some(EXIT_MS))
            .await;
    }
    ended.survivors
}

/// Asks a job to end as its file says, if that is not a signal, and waits for its grace period. Returns the signal
/// that ends what is left then.
pub(crate) async fn politely(hub: &Hub, session: &SessionId, stop: &Stop) -> i32 {
    let line = match &stop.how {
        StopHow::Signal(name) => return signal::number(name).unwrap_or(signal::TERM),
        StopHow::Keys(keys) => {
            keys::press(hub, session, keys).await;
            None
        }
        StopHow::Run(line) => Some(line),
    };
    let within = Duration::from_millis(stop.grace_ms);
    let spec = hub
        .read()
        .sessions
        .io(session)
        .and_then(SessionIo::spec)
        .cloned();
    if let (Some(line), Some(spec)) = (line, spec) {
        let mut command = Command::new(SHELL);
        command
            .args([SHELL_ARGV[1], line])
            .current_dir(&spec.cwd)
            .env_clear()
            .envs(spec.env.iter().filter(|(name, _)| *name != MARK))
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .kill_on_drop(true);
        let _ = timeout(within, command.status()).await;
    }
    let is_alive = |session: &SessionId| {
        let state = hub.read();
        state
            .sessions
            .get(session)
            .is_some_and(|session| session.life.status().is_alive())
    };
    if is_alive(session) {
        hub.wait_from_now(session, Conditions::exit(), Some(stop.grace_ms))
            .await;
    }
    signal::TERM
}
