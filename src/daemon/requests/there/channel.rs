//! The channel of a client to a host: opened when it is needed, and again after its link has ended.

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::{of_host, watched};
use crate::daemon::clock::now;
use crate::daemon::hosts::channel::{Channel, greeted};
use crate::daemon::hosts::names;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::engine::hosts::Need;
use crate::link::Link;
use crate::link::frames::Start;
use crate::protocol::hello::OnDisconnect;
use crate::protocol::{Error, ErrorCode, Event, EventKind, Greeting};

/// How long a request waits for the link to its host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Patience {
    /// For one attempt to open it, but not longer than this.
    Attempt(Instant),
    /// Until then, however many attempts it takes.
    Until(Instant),
}

impl Patience {
    fn end(self) -> Instant {
        match self {
            Self::Attempt(end) | Self::Until(end) => end,
        }
    }
}

/// The client's channel to a host. Waits for the link if it has to be opened first.
pub(super) async fn channel(
    hub: &Hub,
    client: &Rc<Client>,
    host: &str,
    patience: Patience,
) -> Result<Rc<Channel>, Error> {
    let found = timeout_at(patience.end(), find(hub, client, host, patience)).await;
    found.unwrap_or_else(|_| Err(unreachable(hub, host)))
}

/// Why a host cannot be used now, for a request that was not sent there.
fn unreachable(hub: &Hub, host: &str) -> Error {
    let fault = hub.read().hosts.get(host).map(|entry| entry.fault());
    // The name of the host is one of the configuration, which may change meanwhile.
    let fault = fault.unwrap_or_else(|| {
        Error::new(
            ErrorCode::HostUnknown,
            format!("there is no host {host} any more"),
        )
    });
    fault.add_data("mayHaveHappened", json!(false))
}

async fn find(
    hub: &Hub,
    client: &Rc<Client>,
    host: &str,
    patience: Patience,
) -> Result<Rc<Channel>, Error> {
    let attempts = |hub: &Hub| {
        hub.read()
            .hosts
            .get(host)
            .map(|entry| entry.link.attempts())
    };
    let before = attempts(hub);
    let lane = client.lane(host);
    loop {
        let opening = lane.opening.lock().await;
        let (link, settled) = {
            let state = hub.read();
            let entry = state.hosts.get(host);
            let entry = entry.ok_or_else(|| unreachable(hub, host))?;
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
            if let Some(channel) = open(hub, client, host, link).await? {
                return Ok(channel);
            }
            // The link has broken meanwhile: the next round waits for it.
        }
        drop(opening);
        // Who has time for it leaves the host its pauses.
        let (need, has_time) = match patience {
            Patience::Until(_) => (Need::Listed, true),
            Patience::Attempt(_) => (Need::Named, false),
        };
        let waits = hub.change(|state| {
            state.hosts.need(host, need);
            let entry = state.hosts.get(host);
            entry.is_some_and(|entry| {
                let is_tried = Some(entry.link.attempts()) != before && !entry.link.is_up();
                has_time || (!is_tried && entry.can_come(now()))
            })
        });
        if !waits {
            return Err(unreachable(hub, host));
        }
        settled.await;
    }
}

/// A channel that is closed unless its client gets it: nobody waits for its greeting any more.
struct Unclaimed(Option<Rc<Channel>>);

impl Drop for Unclaimed {
    fn drop(&mut self) {
        if let Some(channel) = self.0.take() {
            channel.close();
        }
    }
}

/// Opens the client's channel; `None` if the link has broken meanwhile.
async fn open(
    hub: &Hub,
    client: &Rc<Client>,
    host: &str,
    link: Rc<Link>,
) -> Result<Option<Rc<Channel>>, Error> {
    let opened = link.channel(Start::Yes).and_then(|stream| {
        Channel::open(stream, &greeting(client))
            .map_err(|error| Error::internal(format!("no connection to host {host}: {error}")))
    });
    let (channel, mut events) = opened?;
    let mut unclaimed = Unclaimed(Some(channel.clone()));
    // A link that is given up ends with its last user, which must not be who waits for it.
    let link = {
        let weak = Rc::downgrade(&link);
        drop(link);
        weak
    };
    match watched(hub, host, false, greeted(&channel, &mut events)).await {
        Ok(_) => {}
        Err(error) => {
            let link = link.upgrade();
            return if link.is_none_or(|link| link.fault().is_some()) {
                Ok(None)
            } else {
                Err(of_host(error, host))
            };
        }
    }
    unclaimed.0 = None;
    client.set_channel(host, channel.clone());
    tokio::task::spawn_local(pass_on(
        hub.clone(),
        client.clone(),
        host.into(),
        channel.clone(),
        events,
    ));
    Ok(Some(channel))
}

/// The greeting of a client's channel: its own, without what belongs to this machine.
fn greeting(client: &Client) -> Greeting {
    let mut greeting = client.greeting.clone();
    greeting.scope = Some(client.principal.scope.clone());
    (greeting.cwd, greeting.cwd_fault) = (None, None);
    (greeting.env, greeting.umask, greeting.inherit) = (None, None, None);
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
                let patience = Patience::Until(Instant::now() + Duration::from_secs(3600 * 24));
                let channel = self::channel(&hub, &client, &host, patience).await.ok()?;
                let is_wanted = client.watches_of(&host).contains(&action);
                if is_wanted {
                    channel.call("watch", params).await.ok()
                } else {
                    None
                }
            };
            tokio::select! {
                _ = watched => {}
                () = client.gone() => {}
            }
        });
    }
}
