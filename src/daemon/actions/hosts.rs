//! `hosts`, `connect` and `disconnect`.

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::hosts::Need;
use crate::protocol::reply::{Done, HostList};
use crate::protocol::{Error, ErrorCode};

/// The hosts that the client may reach.
pub(super) fn hosts(hub: &Hub, client: &Client) -> Answer {
    hub.change(State::refresh_hosts);
    let state = hub.read();
    answer(HostList {
        hosts: state
            .hosts
            .statuses(&client.greeting, &client.principal, None),
    })
}

/// Connects a host, and answers when that has succeeded or failed.
pub(super) async fn connect(hub: &Hub, client: &Client, name: &str) -> Answer {
    hub.change(State::refresh_hosts);
    hub.read().hosts.check(&client.greeting, name)?;
    let gone = || {
        Error::new(
            ErrorCode::HostUnknown,
            format!("there is no host {name} any more"),
        )
    };
    let before = {
        let state = hub.read();
        let entry = state.hosts.get(name).ok_or_else(gone)?;
        entry.link.attempts()
    };
    loop {
        let settled = {
            let state = hub.read();
            let entry = state.hosts.get(name).ok_or_else(gone)?;
            if entry.link.is_up() {
                let only = [name.to_owned()];
                let hosts = &state.hosts;
                let statuses = hosts.statuses(&client.greeting, &client.principal, Some(&only));
                return answer(HostList { hosts: statuses });
            }
            if entry.link.attempts() != before || entry.is_over() {
                return Err(entry.fault());
            }
            entry.settled()
        };
        let settled = settled.notified();
        hub.change(|state| state.hosts.need(name, Need::Asked));
        settled.await;
    }
}

/// Ends the connection to a host.
pub(super) fn disconnect(hub: &Hub, client: &Client, name: &str) -> Answer {
    hub.read().hosts.check(&client.greeting, name)?;
    hub.change(|state| state.disconnect_host(name));
    answer(Done {})
}
