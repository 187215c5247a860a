//! A session's end, and its next run: by its restart policy, or because somebody
//! asks for one.
//!
//! A session with a policy has ended for good only when that has given up; until
//! then it is `retrying`, and when its next run is due is in `meta.json`.

use std::collections::hash_map::Entry;
use std::time::Duration;

use tokio::time::timeout;

use super::tree_kill::{self, GRACE_MS};
use crate::daemon::hub::Hub;
use crate::engine::life::Actor;
use crate::protocol::SessionId;
use crate::sys::signal;

/// How long the keeper may take to start something before nobody waits for it.
const START: Duration = Duration::from_secs(5);

/// The pause of a restart policy is over.
pub(crate) fn begin(hub: &Hub, id: &SessionId) {
    let (hub, id) = (hub.clone(), id.clone());
    tokio::task::spawn_local(async move { run_again(&hub, &id).await });
}

async fn run_again(hub: &Hub, id: &SessionId) {
    // Somebody who restarts it by hand is before us.
    let Some(_turn) = Turn::take(hub, id, None) else {
        return;
    };
    // What it has left would be in the way of the next run: it has its port, say.
    let strays = tree_kill::begin_strays(hub, id, signal::TERM, GRACE_MS);
    // That some cannot be ended is no reason to leave the job ended.
    let _ = strays.await;
    let Some(started) = hub.change(|state| state.relaunch_by_policy(id)) else {
        return;
    };
    if let Ok(Err(failure)) = started.await {
        hub.change(|state| state.retry_failed(id, &failure.message));
    }
}

/// Sees to it that a session is not run again, by its policy or by somebody's restart: `by` ends it. A run that is
/// being started is there afterwards, or is not. True if the policy was to run it.
pub(crate) async fn stop(hub: &Hub, id: &SessionId, by: &Actor) -> bool {
    let start = hub.change(|state| {
        state.restarting.remove(id);
        state.keeper.start_over(id)
    });
    if let Some(over) = start {
        // Too late to stop that: it runs in a moment, or does not.
        let _ = timeout(START, over).await;
    }
    hub.change(|state| state.stop_retrying(id, Some(by)))
}

/// One restart of a session at a time; dropped, the next one may begin.
pub(crate) struct Turn {
    hub: Hub,
    id: SessionId,
}

impl Turn {
    /// For whoever asks for the restart, or its policy; `None` if one is under way.
    pub(crate) fn take(hub: &Hub, id: &SessionId, by: Option<Actor>) -> Option<Self> {
        let is_first = hub.change(|state| match state.restarting.entry(id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(by);
                true
            }
        });
        is_first.then(|| Self {
            hub: hub.clone(),
            id: id.clone(),
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.hub.change(|state| {
            state.restarting.remove(&self.id);
            // The policy may have been kept from its turn.
            state.arm(&self.id);
            // Those who waited for the next run: there may be none.
            state.look(&self.id);
        });
    }
}
