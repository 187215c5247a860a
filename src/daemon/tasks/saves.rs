//! The task that writes records which need not be written at once.

use crate::daemon::hub::Hub;
use crate::daemon::state::State;

/// Writes them when all that can be done now is done; never returns.
pub(crate) async fn run(hub: Hub) {
    let added = hub.read().saves.added();
    loop {
        added.notified().await;
        tokio::task::yield_now().await;
        hub.change(State::persist_due);
    }
}
