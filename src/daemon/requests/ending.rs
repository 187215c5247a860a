//! Ends a session on behalf of a client, and waits for its end.

use super::client::Client;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::tasks::tree_kill::{self, Ended};
use crate::engine::conditions::Conditions;
use crate::protocol::{Error, ErrorCode, SessionId};

/// Ends a session's process tree and waits until its exit is known.
pub(crate) async fn end(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    number: i32,
    grace: u64,
) -> Ended {
    tree_kill::end(hub, id, client.principal.actor(), number, grace).await
}

/// Ends the processes that remain of a session whose first process has ended.
pub(crate) async fn end_strays(hub: &Hub, id: &SessionId, number: i32, grace: u64) -> Ended {
    let task = tree_kill::end_remaining(hub, id, number, grace);
    task.await.unwrap_or_default()
}

/// The grace period of a request that names none, in milliseconds: `usual`, or what an ending that is under way has
/// left, if that is more. The time that somebody has given is not cut short.
pub(crate) fn grace_left(hub: &Hub, id: &SessionId, usual: u64) -> u64 {
    let kill_at = hub
        .read()
        .sessions
        .get(id)
        .and_then(|session| session.life.kill_at());
    kill_at.map_or(usual, |at| at.saturating_sub(now().boot).max(usual))
}

/// Waits until a session has ended, at most `within` milliseconds.
pub(crate) async fn wait_for_exit(hub: &Hub, id: &SessionId, within: Option<u64>) {
    hub.wait_from_now(id, Conditions::exit(), within).await;
}

/// The error that a session was not `what` (for example "removed"), because some of its processes could not be
/// ended.
pub(crate) fn cannot_end(id: &SessionId, what: &str, ended: &Ended) -> Error {
    let pids: Vec<String> = ended.survivors.iter().map(u32::to_string).collect();
    let message = format!(
        "Session {id} was not {what}: pid {} could not be ended",
        pids.join(", ")
    );
    Error::new(ErrorCode::PermissionDenied, message)
        .data(serde_json::json!({ "survivors": ended.survivors }))
}
