//! Ends what a client has started on hosts, when it has disconnected and asked for that.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use crate::daemon::clock::now;
use crate::daemon::hosts::Entry;
use crate::daemon::hosts::channel::{Channel, Lost, fields};
use crate::daemon::hosts::mirror::Mirror;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::engine::hosts::Need;
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::{Error, ErrorCode, Scope, SessionId};

/// How long a host that is away is waited for.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// Maximum number of sessions that are ended at a time; a daemon takes more requests of one connection.
const AT_ONCE: usize = 64;

/// Pause before what the host refused is asked for again, because it has too much to do.
const BUSY: Duration = Duration::from_millis(200);

/// Kills the sessions of a client's scope on all hosts: on one that is away, as soon as it is back.
pub(crate) fn kill_all(hub: &Hub, client: &Client) {
    let scope = &client.principal.scope;
    let hosts: BTreeSet<Box<str>> = {
        let state = hub.read();
        let is_known = |name: &str| {
            let entry = state.hosts.get(name);
            entry.is_some_and(|entry| !entry.mirror.going(scope).is_empty())
        };
        let mut known = state.hosts.names();
        known.retain(|name| is_known(name));
        // What it has just started may not be known yet.
        let used = client.used_hosts().into_iter();
        known.into_iter().chain(used).collect()
    };
    for host in hosts {
        let (hub, scope) = (hub.clone(), scope.clone());
        tokio::task::spawn_local(async move {
            // The host may stay away for ever.
            let _ = timeout_at(Instant::now() + PATIENCE, kill_on(&hub, &host, &scope)).await;
        });
    }
}

/// Kills the sessions of a scope on a host once it is connected.
async fn kill_on(hub: &Hub, host: &str, scope: &Scope) {
    loop {
        let (main, settled) = {
            let state = hub.read();
            // The sessions of batch systems are this machine's.
            let Some(entry) = state.hosts.get(host).filter(|entry| !entry.is_node()) else {
                return;
            };
            (entry.open().map(|(_, main)| main), entry.settled())
        };
        let settled = settled.notified();
        if let Some(main) = main
            && kill(&main, scope).await.is_ok()
        {
            return;
        }
        let waits = hub.change(|state| {
            state.hosts.need(host, Need::Listed);
            state.hosts.get(host).is_some_and(|entry| !is_open(entry))
        });
        if waits {
            settled.await;
        }
    }
}

/// Whether there is a connection that has not ended.
fn is_open(entry: &Entry) -> bool {
    entry.open().is_some_and(|(_, main)| !main.is_closed())
}

async fn kill(main: &Rc<Channel>, scope: &Scope) -> Result<(), Lost> {
    let wanted = fields(json!({ "limit": ALL_SESSIONS }));
    let mut listed = loop {
        match main.call("list", wanted.clone()).await? {
            Err(error) if is_limit(&error) => sleep(BUSY).await,
            listed => break listed,
        }
    };
    let records = match listed.as_mut().map(|said| said["sessions"].take()) {
        Ok(Value::Array(records)) => records,
        // A host that does not tell its sessions does not end them either.
        _ => Vec::new(),
    };
    let mut there = Mirror::default();
    there.replace(records, now());
    let mut own: Vec<SessionId> = there.going(scope);
    // Hosts of that host are not reached through it.
    own.retain(|id| id.host().is_none());
    while !own.is_empty() {
        let some = own.drain(..own.len().min(AT_ONCE));
        let kills = some.map(|id| {
            let params = fields(json!({ "sessionId": id.as_str() }));
            (main.call("kill", params), id)
        });
        let kills: Vec<_> = kills.collect();
        let mut is_busy = false;
        for (killed, id) in kills {
            // One that has ended meanwhile is refused.
            if killed.await?.is_err_and(|error| is_limit(&error)) {
                own.push(id);
                is_busy = true;
            }
        }
        if is_busy {
            sleep(BUSY).await;
        }
    }
    Ok(())
}

/// Whether the host has too much to do: others may leave at the same time.
fn is_limit(error: &Error) -> bool {
    error.code == ErrorCode::LimitExceeded
}
