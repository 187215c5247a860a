//! The removal of a session, which `kill` and `remove` share.

use std::time::Duration;

use super::client::Client;
use crate::daemon::hub::Hub;
use crate::protocol::{Error, SessionId};

/// How long the keeper may take to forget a session.
const LETTING_GO: Duration = Duration::from_secs(5);

/// Refuses a label that several ended sessions have.
pub(crate) fn check_unambiguous(hub: &Hub, client: &Client, name: &str) -> Result<(), Error> {
    let state = hub.read();
    state
        .sessions
        .registry
        .check_unambiguous(&client.principal, name)
}

/// A session that is being removed: its `onExit` is not run when it ends. If the removal fails, it is an ordinary
/// session again as soon as this is dropped.
pub(crate) struct Removing {
    hub: Hub,
    id: SessionId,
}

impl Removing {
    pub(crate) fn begin(hub: &Hub, id: &SessionId) -> Self {
        hub.change(|state| state.removing.insert(id.clone()));
        Self {
            hub: hub.clone(),
            id: id.clone(),
        }
    }
}

impl Drop for Removing {
    fn drop(&mut self) {
        self.hub.change(|state| state.removing.remove(&self.id));
    }
}

/// Removes a session, and waits until its files are gone.
pub(crate) async fn remove_and_wait(hub: &Hub, client: &Client, id: &SessionId) {
    let by = client.principal.actor();
    if let Some(gone) = hub.change(|state| state.remove(id, Some(&by))) {
        // A keeper of an older version does not answer with `Forgotten`, so limit the wait.
        let _ = tokio::time::timeout(LETTING_GO, gone).await;
    }
}
