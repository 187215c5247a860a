//! Notifications that a resource has changed, for clients that subscribe to it.
//!
//! A client subscribes with `resources/subscribe`, or, since version 2026-07-28 of MCP, with
//! `subscriptions/listen`. Each subscription is one of the daemon for events of that session. The first change
//! is notified at once, further ones at most once a second; the last change is always notified.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::caller::Caller;
use super::resources;
use crate::protocol::{Error, Event};

/// The shortest time between two notifications about a resource.
const EVERY: Duration = Duration::from_secs(1);

/// The events after which a log or a screen may be another one.
const KINDS: [&str; 5] = ["output", "restarted", "exited", "lost", "removed"];

/// The subscriptions of a client.
#[derive(Debug, Default)]
pub struct Updates(RefCell<Vec<Watched>>);

/// Where notifications go.
#[derive(Clone, Debug)]
pub enum Sink {
    /// To the client.
    Peer(Peer<RoleServer>),
    /// To a request of the client that listens.
    Listener(SubscriptionSink),
}

impl Sink {
    /// Whether notifications arrive at the same place.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Peer(_), Self::Peer(_)) => true,
            (Self::Listener(one), Self::Listener(other)) => one.id() == other.id(),
            _ => false,
        }
    }
}

/// A resource that a client has subscribed to.
#[derive(Debug)]
struct Watched {
    uri: String,
    session: String,
    sink: Sink,
    /// The id of the daemon's subscription, once it has replied.
    subscription: Rc<RefCell<Option<String>>>,
    /// When a change is to be notified.
    due: Option<Instant>,
    /// The earliest time of the next notification.
    not_before: Instant,
}

impl Updates {
    /// Subscribes to a resource, in addition to earlier subscriptions. To subscribe a second time changes nothing.
    pub async fn subscribe(&self, caller: &Caller, uri: &str, sink: Sink) -> Result<(), Error> {
        let session = resources::session(uri)
            .ok_or_else(|| Error::invalid(format!("{uri} is not a resource; see the templates")))?;
        // The daemon also takes subscriptions to sessions that do not exist yet.
        let status = json!({ "sessionId": session });
        caller.call("status", status).await?;
        let is_same = |watched: &Watched| watched.uri == uri && watched.sink.is_same(&sink);
        if self.0.borrow().iter().any(is_same) {
            return Ok(());
        }
        let subscription = Rc::new(RefCell::default());
        // First, so that no event is missed that follows the reply immediately.
        self.0.borrow_mut().push(Watched {
            uri: uri.to_owned(),
            session: session.to_owned(),
            sink,
            subscription: subscription.clone(),
            due: None,
            not_before: Instant::now(),
        });
        let is_this = |watched: &Watched| Rc::ptr_eq(&watched.subscription, &subscription);
        let params = json!({ "events": KINDS, "sessionIds": [session] });
        match caller.call("subscribe", params).await {
            Ok(subscribed) => {
                let id = subscribed["subscriptionId"].as_str().unwrap_or_default();
                subscription.replace(Some(id.to_owned()));
                let is_wanted = self.0.borrow().iter().any(is_this);
                if !is_wanted {
                    // The client has ended it meanwhile.
                    end(caller, id).await;
                }
                Ok(())
            }
            Err(error) => {
                self.0.borrow_mut().retain(|watched| !is_this(watched));
                Err(error)
            }
        }
    }

    /// Ends the subscriptions for which `ends` holds.
    pub async fn unsubscribe(&self, caller: &Caller, ends: impl Fn(&str, &Sink) -> bool) {
        let ended: Vec<Watched> = {
            let mut watched = self.0.borrow_mut();
            watched
                .extract_if(.., |watched| ends(&watched.uri, &watched.sink))
                .collect()
        };
        for watched in ended {
            // Without an id it is ended by `subscribe`.
            let id = watched.subscription.take();
            if let Some(id) = id {
                end(caller, &id).await;
            }
        }
    }

    /// Notifies of changes until no more events can come.
    pub async fn tell(self: Rc<Self>, mut events: mpsc::Receiver<Event>) {
        loop {
            let due = self
                .0
                .borrow()
                .iter()
                .filter_map(|watched| watched.due)
                .min();
            let is_due = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.changed(&event),
                    None => return,
                },
                () = is_due => self.notify().await,
            }
        }
    }

    fn changed(&self, event: &Event) {
        let Some(session) = &event.session_id else {
            return;
        };
        let now = Instant::now();
        for watched in &mut *self.0.borrow_mut() {
            if watched.session == session.as_str() {
                watched.due.get_or_insert(watched.not_before.max(now));
            }
        }
    }

    /// Sends the notifications that are due.
    async fn notify(&self) {
        let now = Instant::now();
        let mut due = Vec::new();
        for watched in &mut *self.0.borrow_mut() {
            if watched.due.is_some_and(|due| due <= now) {
                watched.due = None;
                watched.not_before = now + EVERY;
                due.push((watched.sink.clone(), watched.uri.clone()));
            }
        }
        for (sink, uri) in due {
            let changed = ResourceUpdatedNotificationParam::new(uri);
            // A client that is gone ends the server, and a request that listens ends its subscriptions.
            match sink {
                Sink::Peer(peer) => drop(peer.notify_resource_updated(changed).await),
                Sink::Listener(sink) => drop(sink.notify_resource_updated(changed.uri).await),
            }
        }
    }
}

/// Ends a subscription of the daemon.
async fn end(caller: &Caller, id: &str) {
    // A daemon that is gone has no subscription left.
    let ended = caller.call("unsubscribe", json!({ "subscriptionId": id }));
    let _ = ended.await;
}
