//! `listeners`: the processes that belong to no session and listen on ports.

use std::collections::BTreeSet;

use crate::daemon::hub::Hub;
use crate::daemon::requests::replies::answer;
use crate::daemon::sessions::port_owners::PortOwner;
use crate::daemon::threads;
use crate::daemon::transport::Answer;
use crate::protocol::params::Listeners;
use crate::protocol::reply::PortListeners;

/// Handles the action.
pub(super) async fn listeners(hub: &Hub, params: Listeners) -> Answer {
    let reserved = hub.read().reserved_ports(None);
    let wanted: BTreeSet<u16> = match params.ports {
        Some(ports) => ports.into_iter().collect(),
        None => reserved.keys().copied().collect(),
    };
    let owners = threads::run("listeners", move || PortOwner::of(&wanted)).await?;
    let state = hub.read();
    let is_stranger = |owner: &PortOwner| {
        let session = owner.session.as_ref();
        session.is_none_or(|id| state.sessions.get(id).is_none())
    };
    let strangers = owners.into_iter().filter(is_stranger);
    answer(PortListeners {
        listeners: strangers
            .map(|owner| {
                let mut listener = owner.listener;
                listener.reserved_for = reserved.get(&listener.port).cloned();
                listener
            })
            .collect(),
    })
}
