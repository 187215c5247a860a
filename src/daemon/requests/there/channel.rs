//! The channel of a client to a host: opened when it is needed, and again after its link has ended.

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::of_host;
use crate::daemon::clock::{now, sleep_until};
use crate::daemon::hosts::channel::{Channel, greeted};
use crate::daemon::hosts::names;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::engine::hosts::Need;
use crate::link::frames::Start;
use crate::protocol::hello::OnDisconnect;
use crate::protocol::{Error, ErrorCode, Event, EventKind, Greeting};

/// The client's channel to a host. Waits for the link if it has to be opened first: for one attempt, or until
/// `patience` ends.
pub(super) async fn channel(
    hub: &Hub,
    client: &Rc<Client>,
    host: &str,
    patience: Option<Instant>,
) -> Result<Rc<Channel>, Error> {
    // The name of the host is one of the configuration, which may change meanwhile.
    let unreachable = || {
        let fault = hub.read().hosts.get(host).map(|entry| entry.fault());
        let fault = fault.unwrap_or_else(|| {
            Error::new(
                ErrorCode::HostUnknown,
                format!("there is no host {host} any more"),
            )
        });
        fault.add_data("mayHaveHappened", json!(false))
    };
    let attempts = |hub: &Hub| {
        hub.read()
            .hosts
            .get(host)
            .map(|entry| entry.link.attempts())
    };
    let before = attempts(hub);
    loop {
        let (link, settled) = {
            let state = hub.read();
            let entry = state.hosts.get(host).ok_or_else(unreachable)?;
            (entry.open(), entry.settled())
        };
        // From here on nothing that settles is missed.
        let settled = settled.notified();
        if let Some((link, _)) = link {
            hub.change(|state| {
                if let Some(entry) = state.hosts.get_mut(host) {
                    entry.link.used(now());
                }
            });
            if let Some(channel) = client.channel(host) {
                return Ok(channel);
            }
            let opened = link.channel(Start::Yes).and_then(|stream| {
                Channel::open(stream, &greeting(client)).map_err(|error| {
                    Error::internal(format!("no connection to host {host}: {error}"))
                })
            });
            let (channel, mut events) = opened?;
            match greeted(&channel, &mut events).await {
                Ok(_) => {
                    client.set_channel(host, channel.clone());
                    tokio::task::spawn_local(pass_on(
                        hub.clone(),
                        client.clone(),
                        host.into(),
                        channel.clone(),
                        events,
                    ));
                    return Ok(channel);
                }
                // The link has broken meanwhile: the next round waits for it.
                Err(_) if link.fault().is_some() => {}
                Err(error) => return Err(of_host(error, host)),
            }
        }
        // Who has time for it leaves the host its pauses.
        let need = match patience {
            Some(_) => Need::Listed,
            None => Need::Named,
        };
        let waits = hub.change(|state| {
            state.hosts.need(host, need);
            let entry = state.hosts.get(host);
            entry.is_some_and(|entry| {
                let is_tried = Some(entry.link.attempts()) != before && !entry.link.is_up();
                patience.is_some() || (!is_tried && entry.can_come(now()))
            })
        });
        if !waits {
            return Err(unreachable());
        }
        tokio::select! {
            () = settled => {}
            () = sleep_until(patience) => return Err(unreachable()),
        }
    }
}

/// The greeting of a client's channel: its own, without what belongs to this machine.
fn greeting(client: &Client) -> Greeting {
    let mut greeting = client.greeting.clone();
    greeting.scope = Some(client.principal.scope.clone());
    (greeting.cwd, greeting.env, greeting.umask, greeting.inherit) = (None, None, None, None);
    // The end of a link is not the end of the client.
    greeting.policy.on_disconnect = OnDisconnect::Keep;
    greeting.policy.hosts = None;
    greeting
}

/// Sends the frames of watched screens to the client. When the channel has ended, watches the screens again.
async fn pass_on(
    hub: Hub,
    client: Rc<Client>,
    host: Box<str>,
    channel: Rc<Channel>,
    mut events: mpsc::Receiver<Event>,
) {
    while let Some(mut event) = events.recv().await {
        // Other events arrive through the journal.
        if !matches!(event.event, EventKind::Screen | EventKind::Lag) {
            continue;
        }
        event.session_id = event.session_id.and_then(|id| id.at(&host));
        client.outbox.room_for_frame().await;
        client.outbox.push_event(&event);
    }
    client.drop_channel(&host, &channel);
    for action in client.watches_of(&host) {
        let (hub, client, host) = (hub.clone(), client.clone(), host.clone());
        tokio::task::spawn_local(async move {
            let Value::Object(mut params) = action.params() else {
                return;
            };
            names::to_host(&mut params, &host);
            let watched = async {
                // As long as the client is there.
                let patience = Some(Instant::now() + Duration::from_secs(3600 * 24));
                let channel = self::channel(&hub, &client, &host, patience).await.ok()?;
                let is_wanted = client.watches_of(&host).contains(&action);
                match is_wanted {
                    true => channel.call("watch", params).await.ok(),
                    false => None,
                }
            };
            tokio::select! {
                _ = watched => {}
                () = client.gone() => {}
            }
        });
    }
}
