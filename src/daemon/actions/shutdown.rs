//! `shutdown`: stops the daemon, and its sessions only if requested.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::job_stop::JobStop;
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::stopping::{Manner, Stopping};
use crate::daemon::state::State;
use crate::daemon::tasks::tree_kill::{self, Ended, GRACE_MS};
use crate::daemon::transport::Answer;
use crate::protocol::SessionId;
use crate::protocol::keeper::ToKeeper;
use crate::protocol::params::{Shutdown, ShutdownSessions};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::ShutDown;
use crate::protocol::{Error, ErrorCode};
use crate::sys::paths::own_program;
use crate::sys::{detach, signal};

/// Time to send the reply before the daemon stops.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// For people only.
pub(super) async fn shutdown(hub: &Hub, client: &Rc<Client>, params: Shutdown) -> Answer {
    let upgrade = params.upgrade == Some(true);
    let program = if upgrade {
        Some(upgrade_to(params.program).await?)
    } else {
        None
    };
    let running = running(hub);
    let kill = params.sessions == Some(ShutdownSessions::Kill);
    let survivors = if kill {
        hold_scheduled(hub, client);
        end_all(hub, client, &running).await
    } else {
        Vec::new()
    };
    hub.change(|state| release_keeper(state, kill, upgrade, program));
    stop_soon(hub);
    let all = running.len() as u64;
    // A batch job that could not be cancelled goes on.
    let kept = if kill {
        hub.read().open_batches() as u64
    } else {
        all
    };
    let killed = all.saturating_sub(kept);
    answer(ShutDown {
        kept,
        killed,
        survivors,
    })
}

/// The sessions that have not ended.
fn running(hub: &Hub) -> Vec<SessionId> {
    let state = hub.read();
    let alive = state.sessions.iter().filter(|session| {
        !session.life.status().is_finished() || state.keeper.is_spawning(&session.id)
    });
    alive.map(|session| session.id.clone()).collect()
}

/// Ends the running sessions, and what the others have left, all at the same time. Returns the processes that could not
/// be ended.
async fn end_all(hub: &Hub, client: &Rc<Client>, running: &[SessionId]) -> Vec<u32> {
    let tasks: Vec<_> = running
        .iter()
        .cloned()
        .map(|id| {
            let (hub, client) = (hub.clone(), client.clone());
            tokio::task::spawn_local(async move { stop_session(&hub, &client, id).await })
        })
        .collect();
    let over: Vec<SessionId> = {
        let state = hub.read();
        let sessions = state.sessions.iter();
        let over = sessions.filter(|session| session.life.status().is_finished());
        over.map(|session| session.id.clone()).collect()
    };
    let strays: Vec<_> = over
        .iter()
        .map(|id| tree_kill::end_remaining(hub, id, signal::TERM, GRACE_MS))
        .collect();
    let mut survivors = Vec::new();
    for task in strays.into_iter().chain(tasks) {
        survivors.extend(task.await.unwrap_or_default().survivors);
    }
    survivors
}

/// Lets the keeper rest, or end if there is nothing left for it to keep. With `upgrade`, it goes on as `program`.
fn release_keeper(state: &mut State, kill: bool, upgrade: bool, program: Option<PathBuf>) {
    // A job that waits for its turn or its schedule has nothing that could be ended.
    let mut sessions = state.sessions.iter();
    let is_kept = match kill {
        _ if upgrade => true,
        true => sessions.any(|session| session.life.status().has_process()),
        false => state.sessions.registry.any_alive(),
    };
    if is_kept || !kill {
        state.keeper.send(&ToKeeper::Rest { upgrade, program });
    }
    // No session is running.
    if !is_kept {
        state.keeper.quit(kill);
    }
}

/// Stops the daemon once the reply has been sent.
fn stop_soon(hub: &Hub) {
    let stopping = hub.clone();
    tokio::task::spawn_local(async move {
        tokio::time::sleep(LAST_WORDS).await;
        stopping.stop();
    });
}

/// Stops the schedules of jobs that have run before. One that has never run is among the sessions that are ended.
fn hold_scheduled(hub: &Hub, client: &Client) {
    let scheduled: Vec<SessionId> = {
        let state = hub.read();
        let over = state.sessions.iter().filter(|session| {
            let role = state.project_role(session);
            // It is queued if the environment for its runs was lost.
            let is_scheduled = role
                .is_some_and(|role| matches!(role.phase, PhaseName::Scheduled | PhaseName::Queued));
            session.life.status().is_finished() && is_scheduled
        });
        over.map(|session| session.id.clone()).collect()
    };
    for id in scheduled {
        // It has nothing that could be ended, so that its stop is over at once.
        drop(JobStop::begin(hub, client, &id));
    }
}

/// Ends a session as `kill` does: a job of a project is asked as its file says, and stays stopped, also one that waits
/// for its schedule, until somebody starts it.
async fn stop_session(hub: &Hub, client: &Client, id: SessionId) -> Ended {
    match Stopping::begin(hub, client, &id, Manner::default()).await {
        Ok(stopping) => stopping.end(hub, client, &id).await,
        Err(error) => {
            tracing::warn!(session = %id, %error, "the batch job could not be cancelled");
            Ended::default()
        }
    }
}

/// The program of an upgrade, after a test run. It is tested now, because after the daemon has stopped no
/// client could be told of a failure.
async fn upgrade_to(program: Option<String>) -> Result<PathBuf, Error> {
    let refuse = |why: String| {
        let message = format!("The program cannot be run: {why}");
        Error::new(ErrorCode::SpawnFailed, message).hint("nothing was changed")
    };
    let program = match program {
        Some(program) => PathBuf::from(program),
        None => own_program().map_err(|error| refuse(error.to_string()))?,
    };
    if !program.is_absolute() {
        return Err(refuse(format!(
            "`{}` is not an absolute path",
            program.display()
        )));
    }
    let tried = detach::try_program(&program).await;
    tried.map_err(|error| refuse(error.to_string()))?;
    Ok(program)
}
