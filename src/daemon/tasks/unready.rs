//! The end of a run that is not ready any more, for longer than its restart policy allows.

use super::projects::stop::politely;
use super::tree_kill::{self, GRACE_MS};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::engine::life::Actor;
use crate::protocol::SessionId;
use crate::sys::signal;

/// Ends the run of a session as its file says, if it is still not ready. What follows is up to its restart policy.
pub(crate) fn end(hub: &Hub, id: &SessionId) {
    let known = {
        let state = hub.read();
        let session = state.sessions.get(id);
        let why = session.and_then(|session| session.unready_too_long(now().boot));
        why.map(|why| (Actor::Unready(why), state.stop_of(id).cloned()))
    };
    let Some((by, stop)) = known else { return };
    let (hub, id) = (hub.clone(), id.clone());
    tokio::task::spawn_local(async move {
        let (first, grace_ms) = match &stop {
            Some(stop) => politely(&hub, &id, stop, by.clone()).await,
            None => (signal::TERM, GRACE_MS),
        };
        tree_kill::begin(&hub, &id, by, first, grace_ms);
    });
}
