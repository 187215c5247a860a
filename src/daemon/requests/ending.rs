//! Ends a session on behalf of a client, and waits for its end.

use super::client::Client;
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
