//! Looks at the processes of all sessions, on another thread: on a machine with thousands of processes that takes tens of
//! milliseconds, in which no key and no output would pass.

use std::rc::Rc;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::sessions::walk::{Found, Walk};
use crate::daemon::threads;
use crate::engine::session::Session;

/// The processes and ports of all sessions if a request asks for them (`detail`); else makes sure that the usage of the
/// sessions that it is about is known and recent.
pub(crate) async fn look_if(
    hub: &Hub,
    detail: Option<bool>,
    is_wanted: impl Fn(&&Session) -> bool,
) -> Option<Rc<Found>> {
    match detail {
        Some(true) => Some(look(hub).await),
        _ => {
            refresh(hub, is_wanted).await;
            None
        }
    }
}

/// Makes sure that the usage of these sessions is known and recent.
async fn refresh(hub: &Hub, is_wanted: impl Fn(&&Session) -> bool) {
    let is_fresh = || {
        let state = hub.read();
        let wanted = state.sessions.iter().filter(&is_wanted);
        state.usage.is_fresh(wanted)
    };
    if is_fresh() {
        return;
    }
    let _turn = hub.usage_turn().await;
    // The walk of another request may have been enough.
    if !is_fresh() {
        walk(hub, false).await;
    }
}

/// The processes and ports of all sessions, as of a moment after this call.
pub(crate) async fn look(hub: &Hub) -> Rc<Found> {
    let asked = now().boot;
    let _turn = hub.usage_turn().await;
    let found = hub.read().usage.found_with_ports(asked);
    match found {
        // Of another request that waited for its turn.
        Some(found) => found,
        None => walk(hub, true).await,
    }
}

async fn walk(hub: &Hub, with_ports: bool) -> Rc<Found> {
    let walk = Walk::new(&hub.read().sessions, with_ports);
    // Nothing is found by a walk that panicked.
    let found = threads::run("processes", move || walk.run()).await;
    let found = Rc::new(found.unwrap_or_default());
    hub.change(|state| state.usage.note(&found, &state.sessions));
    found
}
