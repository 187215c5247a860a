//! Reaches the node on which an engine runs a session: to type into it, and to ask what only its kernel knows.

use std::rc::Rc;
use std::time::Duration;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::id_of;
use crate::daemon::requests::there;
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::batch::{Batch, slurm};
use crate::link::Host;
use crate::link::host::Reach as By;
use crate::protocol::condition::Condition;
use crate::protocol::engine_job::NodeReach;
use crate::protocol::{Action, Error, ErrorCode, SessionId, Status, Targets};
use crate::sys::paths::own_program;

/// Default of `waitMs` of `wait`, in milliseconds.
const WAIT_MS: u64 = 10_000;

/// How long the script of a job that runs may take until it has begun.
const BEGINNING: Duration = Duration::from_secs(10);

/// Between two looks at whether it has.
const LOOK: Duration = Duration::from_millis(200);

/// Carries out an action on the node of its session; `None` if this machine can do it, or if no engine runs the
/// session.
pub(crate) async fn run(hub: &Hub, client: &Rc<Client>, action: &Action) -> Option<Answer> {
    if hub.read().engines.is_empty() || !needs_node(action) {
        return None;
    }
    let name = match action.targets() {
        Targets::One(name) => name,
        Targets::Several([name]) => name.as_str(),
        _ => return None,
    };
    if let Action::Wait(wait) = action {
        placed(hub, client, name, wait.wait_ms.or(wait.timeout_ms)).await;
    }
    let _ = tokio::time::timeout(BEGINNING, begun(hub, client, name)).await;
    let (link, id) = match node_of(hub, client, name)? {
        Ok(node) => node,
        Err(error) => return Some(Err(error)),
    };
    Some(there::run_on_node(hub, client, &link, &id, action).await)
}

/// Waits until a session has left the queue of its engine, at most as long as a request for it waits.
async fn placed(hub: &Hub, client: &Client, name: &str, wait_ms: Option<u64>) {
    let leaves = async {
        loop {
            let changed = hub.read().engines.placed();
            let changed = changed.notified();
            let is_queued = hub.change(|state| {
                let id = id_of(state, client, name).ok();
                let session = id.and_then(|id| state.sessions.get(&id));
                session.is_some_and(|session| {
                    session.batch.is_some() && session.life.status() == Status::Queued
                })
            });
            if !is_queued {
                return;
            }
            changed.await;
        }
    };
    let patience = Duration::from_millis(wait_ms.unwrap_or(WAIT_MS));
    // Then the request itself finds that its time is over.
    let _ = tokio::time::timeout(patience, leaves).await;
}

/// Waits until the present run of a session owns it: another run is not to be reached in its place. The engine says that
/// a job runs a moment before its script does, and nobody tells of files that another machine writes.
async fn begun(hub: &Hub, client: &Client, name: &str) {
    let has_begun = |state: &mut State| {
        let id = id_of(state, client, name).ok();
        id.is_none_or(|id| state.has_begun_on_node(&id))
    };
    while !hub.change(has_begun) {
        tokio::time::sleep(LOOK).await;
    }
}

/// Whether an action is about the processes of a session, or its terminal.
fn needs_node(action: &Action) -> bool {
    match action {
        Action::Write(_)
        | Action::SendKeys(_)
        | Action::Exec(_)
        | Action::Resize(_)
        | Action::Signal(_)
        | Action::Hold(_) => true,
        Action::Wait(wait) => {
            let mut conditions = wait.until.iter().chain(&wait.fail).flatten();
            conditions.any(|one| matches!(one, Condition::Input(_) | Condition::Port(_)))
        }
        _ => false,
    }
}

/// How the node of a session is reached, once the engine has given its job a number; `None` if it is not.
pub(crate) fn of(batch: &Batch) -> Option<NodeReach> {
    let (job, node) = (batch.job.job_id.as_deref()?, batch.job.node.as_deref());
    Some(NodeReach {
        command: slurm::reach(&batch.launcher, job, node)?,
        // The nodes see the same file system.
        bgproc: own_program().ok().map(|path| path.display().to_string()),
        home: batch.dir.clone(),
    })
}

/// The name of the link to the node of a session, and the session. `None` if the session is not one that an engine
/// runs now: this machine answers then.
fn node_of(hub: &Hub, client: &Client, name: &str) -> Option<Result<(String, SessionId), Error>> {
    hub.change(|state| {
        let id = id_of(state, client, name).ok()?;
        let session = state.sessions.get(&id)?;
        let batch = session.batch.as_ref()?;
        if !session.life.status().is_alive() {
            return None;
        }
        let node = batch.job.node.clone()?;
        if !state.has_begun_on_node(&id) {
            let message = format!("run {} of session {id} has not begun on {node}", batch.job.run);
            let error = Error::new(ErrorCode::HostUnreachable, message);
            return Some(Err(error.hint("try again in a moment, or see `engine.log` in its directory")));
        }
        let Some(reach) = of(batch) else {
            let message = format!(
                "session {id} runs on {node}, which launcher {} does not reach (`reach = \"none\"`)",
                batch.launcher.name
            );
            return Some(Err(Error::new(ErrorCode::Unsupported, message)
                .hint("its output is read from its log, and `kill` cancels it")));
        };
        let host = Host {
            name: batch.link(),
            reach: By::Command(reach.command),
            bgproc: reach.bgproc,
            home: Some(reach.home),
            written: None,
            control: std::path::PathBuf::new(),
            agent: None,
        };
        let name = host.name.clone();
        state.hosts.set_node(host);
        Some(Ok((name, id)))
    })
}
