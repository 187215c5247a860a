//! `subscribe`, `unsubscribe` and `cancel`.

use std::collections::HashSet;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::id_of;
use crate::daemon::requests::replies::answer;
use crate::daemon::transport::Answer;
use crate::engine::bus::{ConnectionId, Filter, SubscriptionId};
use crate::engine::journal_note::Entry;
use crate::protocol::params::{Cancel, Subscribe, Unsubscribe};
use crate::protocol::reply::{Cancelled, Done, Subscribed};
use crate::protocol::{Error, ErrorCode, SessionId};

/// Past events sent in one batch, before the client has to read. The longest event has 24 KB, so a batch is
/// smaller than the event limit of an outbox.
const BATCH: usize = 32;

/// Sends new events to the client, and before them the completions that no client of its scope has been sent,
/// and the events since `fromSeq`.
///
/// A slow client gets past events as fast as it reads. The subscription begins only after all of them are sent,
/// so a request that is cancelled before leaves no subscription.
pub(super) async fn subscribe(hub: &Hub, client: &Client, params: Subscribe) -> Answer {
    if params.with_scope == Some(true) {
        client.people_only("see the scope of every event")?;
    }
    let sessions = params.session_ids.as_deref();
    let sessions = sessions.map(|names| meant(hub, client, names, params.from_seq.is_some()));
    let sessions = sessions.transpose()?;
    let filter = Filter {
        viewer: client.principal.clone(),
        kinds: params.events.map(|kinds| kinds.into_iter().collect()),
        sessions: sessions.clone(),
        hosts: hub.read().hosts.reach_of(&client.greeting),
        with_scope: params.with_scope == Some(true),
    };
    let mut from = params
        .from_seq
        .unwrap_or_else(|| hub.read().events.bus.past.seq() + 1);
    let with_scope = filter.with_scope;
    let owed = hub.change(|state| state.events.bus.promise(client.id, &filter, from));
    let reserved = Reserved {
        hub: hub.clone(),
        connection: client.id,
        seqs: owed.iter().map(Entry::seq).collect(),
    };
    for some in owed.chunks(BATCH) {
        tell(hub, client, some, with_scope).await;
    }
    drop(reserved);
    loop {
        let past = hub.read().events.bus.replay(&filter, from, BATCH);
        let Some(last) = past.last() else {
            break;
        };
        from = last.seq() + 1;
        tell(hub, client, &past, with_scope).await;
    }
    // No event can have been published since the last replay, because there was no await in between.
    answer(hub.change(|state| {
        let bus = &mut state.events.bus;
        let id = bus.subscribe(client.id, filter);
        let subscribed = Subscribed {
            subscription_id: format!("s{}", id.0),
            next_seq: bus.past.seq(),
            forgotten_seq: bus.past.forgotten(),
            session_ids: sessions.map(|ids| ids.into_iter().collect()),
        };
        state.hosts.interest_changed();
        subscribed
    }))
}

/// The sessions that a client names. With past events, they may have been removed long ago.
fn meant(
    hub: &Hub,
    client: &Client,
    names: &[String],
    with_past: bool,
) -> Result<HashSet<SessionId>, Error> {
    let one = |name: &String| {
        let id = SessionId::parse(name);
        if let Some(id) = id.as_ref().filter(|id| id.host().is_some()) {
            return Ok(id.clone());
        }
        match hub.change(|state| id_of(state, client, name)) {
            Err(error) if with_past || error.code == ErrorCode::SessionRemoved => id.ok_or(error),
            found => found,
        }
    };
    names.iter().map(one).collect()
}

/// Completions that are reserved for a client until they are sent. Those that were not, because the request was
/// cancelled, are for the next client.
struct Reserved {
    hub: Hub,
    connection: ConnectionId,
    seqs: Vec<u64>,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.hub
            .change(|state| state.events.bus.give_back(self.connection, &self.seqs));
    }
}

/// Sends past events. A completion sent for the first time is marked as delivered once the socket has taken it.
async fn tell(hub: &Hub, client: &Client, entries: &[Entry], with_scope: bool) {
    client.outbox.room_for_frame().await;
    for entry in entries {
        if with_scope {
            client.outbox.push_event(&entry.with_scope())
        } else {
            client.outbox.push_event(&entry.event)
        }
    }
    let scope = &client.principal.scope;
    let owed = |entry: &Entry| entry.undelivered && entry.scope == *scope;
    if entries.iter().any(owed) && client.outbox.sent_so_far().await {
        hub.change(|state| state.events.delivered(entries, scope));
    }
}

/// Ends a subscription.
pub(super) fn unsubscribe(hub: &Hub, client: &Client, params: Unsubscribe) -> Answer {
    let name = params.subscription_id;
    let id = name
        .strip_prefix('s')
        .and_then(|digits| digits.parse().ok())
        .map(SubscriptionId);
    match id {
        Some(id) if hub.change(|state| state.unsubscribe(client.id, id)) => answer(Done {}),
        _ => Err(Error::invalid(format!(
            "`subscriptionId`: there is no subscription `{name}`"
        ))),
    }
}

/// Cancels a request in flight, which is answered with `cancelled`.
pub(super) fn cancel(client: &Client, params: Cancel) -> Answer {
    if params.request_id.is_null() {
        return Err(Error::invalid("`cancel` needs the parameter `requestId`"));
    }
    if client.cancel(&params.request_id) {
        answer(Cancelled { cancelled: true })
    } else {
        Err(Error::new(
            ErrorCode::InvalidRequest,
            format!("No request {} is in flight", params.request_id),
        ))
    }
}
