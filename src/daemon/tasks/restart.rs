//! The next run of a session, by its restart policy or because a client asked for it. [`state`](crate::daemon::state)
//! decides when.

use std::collections::hash_map::Entry;
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::tree_kill::{self, GRACE_MS};
use crate::daemon::hub::Hub;
use crate::daemon::programs::reachable::reachable;
use crate::daemon::state::Restarting;
use crate::engine::life::Actor;
use crate::protocol::SessionId;
use crate::sys::signal;

/// Longest wait for a start that is under way.
const START: Duration = Duration::from_secs(5);

/// Starts the next run of a session. Called when the pause of its restart policy is over.
pub(crate) fn begin(hub: &Hub, id: &SessionId) {
    let (hub, id) = (hub.clone(), id.clone());
    tokio::task::spawn_local(async move { run_again(&hub, &id).await });
}

async fn run_again(hub: &Hub, id: &SessionId) {
    // A restart that a client asked for goes first.
    let Some(_guard) = RestartGuard::take(hub, id, None) else {
        return;
    };
    // End the remaining processes of the last run first: they may hold its port, for example.
    let strays = tree_kill::end_remaining(hub, id, signal::TERM, GRACE_MS);
    // Start the job even if some of them cannot be ended.
    let _ = strays.await;
    hub.catch_up_within_limit(id).await;
    let cwd = hub.read().sessions.get(id).map(|one| one.spec.cwd.clone());
    let reached = reachable(Path::new(&cwd.unwrap_or_default())).await;
    let Some(started) = hub.change(|state| state.relaunch_by_policy(id, reached)) else {
        return;
    };
    if let Ok(Err(failure)) = started.await {
        hub.change(|state| state.retry_failed(id, &failure.message));
    }
}

/// Makes sure that a session is not run again, neither by its policy nor by a restart that is under way. `by`
/// counts as the one who ended it. Waits for the result of a start that is under way, at most [`START`]. Returns
/// true if the session was waiting for its next run.
pub(crate) async fn stop(hub: &Hub, id: &SessionId, by: &Actor) -> bool {
    let deadline = Instant::now() + START;
    loop {
        let outcome = hub.change(|state| {
            state.restarting.remove(id);
            state.call_off_restart(id);
            match state.keeper.start_over(id) {
                Some(over) => Err(over),
                None => Ok(state.stop_retrying(id, Some(by))),
            }
        });
        let over = match outcome {
            Ok(has_waited) => return has_waited,
            Err(over) => over,
        };
        // The start can no longer be stopped: wait for its result. When that comes, its run may be over and the next
        // start under way.
        if timeout_at(deadline, over).await.is_err() {
            return hub.change(|state| state.stop_retrying(id, Some(by)));
        }
    }
}

/// Permits one restart of a session at a time. Dropping it permits the next one.
pub(crate) struct RestartGuard {
    hub: Hub,
    id: SessionId,
    number: u64,
}

impl RestartGuard {
    /// Takes the turn for the client that asked (`by`), or for the policy (`None`). Returns `None` if another
    /// restart is under way.
    pub(crate) fn take(hub: &Hub, id: &SessionId, by: Option<Actor>) -> Option<Self> {
        let number = hub.change(|state| {
            let number = state.restarts;
            match state.restarting.entry(id.clone()) {
                Entry::Occupied(_) => return None,
                Entry::Vacant(free) => free.insert(Restarting { by, number }),
            };
            state.restarts += 1;
            Some(number)
        })?;
        Some(Self {
            hub: hub.clone(),
            id: id.clone(),
            number,
        })
    }
}

impl Drop for RestartGuard {
    fn drop(&mut self) {
        self.hub.change(|state| {
            // It may have been called off, and another one have begun.
            let own = state.restarting.get(&self.id);
            if own.is_some_and(|own| own.number == self.number) {
                state.restarting.remove(&self.id);
            }
            // Set the timer again: the policy's restart may have become due in the meantime.
            state.arm(&self.id);
            // Check the waits for the next run: there may be none.
            state.look(&self.id);
        });
    }
}
