//! Reaches the node on which a batch system runs a session: to type into it, and to ask what only its kernel knows.

use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::id_of;
use crate::daemon::requests::there;
use crate::daemon::transport::Answer;
use crate::engine::batch::{Batch, slurm};
use crate::link::Host;
use crate::link::host::Reach as By;
use crate::protocol::batch_job::NodeReach;
use crate::protocol::bounds::DEFAULT_WAIT_MS;
use crate::protocol::condition::Condition;
use crate::protocol::{Action, Error, ErrorCode, SessionId, Status, Targets};
use crate::sys::paths::own_program;

/// Carries out an action on the node of its session; `None` if this machine can do it, or if no batch system runs the
/// session.
pub(crate) async fn run(hub: &Hub, client: &Rc<Client>, action: &Action) -> Option<Answer> {
    if hub.read().batch_systems.is_empty() || !needs_node(action) {
        return None;
    }
    let name = match action.targets() {
        Targets::One(name) => name,
        Targets::Several([name]) => name.as_str(),
        _ => return None,
    };
    let mut left = None;
    if let Action::Wait(wait) = action {
        let patience = wait.wait_ms.or(wait.timeout_ms);
        let patience = Duration::from_millis(patience.unwrap_or(DEFAULT_WAIT_MS));
        let began = Instant::now();
        // When its time is over, the request itself finds that.
        let _ = tokio::time::timeout(patience, placed(hub, client, name)).await;
        let mut wait = wait.clone();
        wait.timeout_ms = None;
        wait.wait_ms = Some(millis(patience.saturating_sub(began.elapsed())));
        left = Some(Action::Wait(wait));
    }
    let (link, id) = match node_of(hub, client, name)? {
        Ok(node) => node,
        Err(error) => return Some(Err(error)),
    };
    let action = left.as_ref().unwrap_or(action);
    Some(there::run_on_node(hub, client, &link, &id, action).await)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Pause between looks whether a node has begun a session: no file system that several machines see tells of changes
/// which another one makes.
const LOOK: Duration = Duration::from_millis(250);

/// Waits until a session has left the queue of its batch system.
async fn placed(hub: &Hub, client: &Client, name: &str) {
    loop {
        let changed = hub.read().batch_systems.placed();
        let changed = changed.notified();
        let is_queued = hub.change(|state| {
            let id = id_of(state, client, name).ok();
            if let Some(id) = &id {
                state.batch_grown(id);
            }
            let session = id.and_then(|id| state.sessions.get(&id));
            session.is_some_and(|session| {
                session.batch.is_some() && session.life.status() == Status::Queued
            })
        });
        if !is_queued {
            return;
        }
        let _ = tokio::time::timeout(LOOK, changed).await;
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

/// How the node of a session is reached, once the batch system has given its job a number; `None` if it is not.
pub(crate) fn of(batch: &Batch) -> Option<NodeReach> {
    let (job, node) = (batch.job.job_id.as_deref()?, batch.job.node.as_deref());
    Some(NodeReach {
        command: slurm::reach(&batch.launcher, job, node)?,
        // The nodes see the same file system.
        bgproc: own_program().ok().map(|path| path.display().to_string()),
        home: batch.dir.clone(),
    })
}

/// The name of the link to the node of a session, and the session. `None` if the session is not one that a batch system
/// runs now: this machine answers then.
fn node_of(hub: &Hub, client: &Client, name: &str) -> Option<Result<(String, SessionId), Error>> {
    hub.change(|state| {
        let id = id_of(state, client, name).ok()?;
        // It may have begun just now.
        state.batch_used(&id);
        let session = state.sessions.get(&id)?;
        let batch = session.batch.as_ref()?;
        if !session.life.status().has_process() {
            return None;
        }
        let node = batch.job.node.clone()?;
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
            env: std::collections::BTreeMap::new(),
        };
        let name = host.name.clone();
        state.hosts.set_node(host);
        Some(Ok((name, id)))
    })
}
