//! `subscribe`, `unsubscribe` and `cancel`.

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::transport::Answer;
use crate::engine::bus::{Filter, SubscriptionId};
use crate::engine::event_history::Entry;
use crate::protocol::params::{Cancel, Subscribe, Unsubscribe};
use crate::protocol::reply::{Cancelled, Done, Subscribed};
use crate::protocol::{Error, ErrorCode};

/// Events of the past that are told at once; then the client has to read. The
/// longest, of 24 KB, so often are less than what an outbox takes of events.
const BATCH: usize = 32;

/// Tells the client what happens from now on, and before that the completions
/// that nobody of its scope has been told, and what has happened since `fromSeq`.
///
/// A slow client gets the past at its own pace. All of it goes out before the
/// subscription begins, so a request that is cancelled meanwhile leaves none.
pub(super) async fn subscribe(hub: &Hub, client: &Client, params: Subscribe) -> Answer {
    let filter = Filter {
        viewer: client.principal.clone(),
        kinds: params.events.map(|kinds| kinds.into_iter().collect()),
        sessions: params.session_ids.map(|ids| ids.into_iter().collect()),
    };
    let mut from = params
        .from_seq
        .unwrap_or_else(|| hub.read().events.bus.past.seq() + 1);
    let owed = hub.change(|state| state.events.bus.promise(client.id, &filter, from));
    for some in owed.chunks(BATCH) {
        tell(hub, client, some).await;
    }
    loop {
        let past = hub.read().events.bus.replay(&filter, from, BATCH);
        let Some(last) = past.last() else {
            break;
        };
        from = last.seq() + 1;
        tell(hub, client, &past).await;
    }
    // Nothing can have happened since the last look.
    let (id, next_seq) = hub.change(|state| {
        let bus = &mut state.events.bus;
        (bus.subscribe(client.id, filter), bus.past.seq())
    });
    answer(Subscribed {
        subscription_id: format!("s{}", id.0),
        next_seq,
    })
}

/// Tells events of the past. A completion that is told for the first time counts
/// as told once the client's socket has it.
async fn tell(hub: &Hub, client: &Client, entries: &[Entry]) {
    client.outbox.room_for_frame().await;
    for entry in entries {
        client.outbox.push_event(&entry.event);
    }
    let scope = &client.principal.scope;
    let owed = |entry: &Entry| entry.undelivered && entry.scope == *scope;
    if entries.iter().any(owed) {
        client.outbox.sent_so_far().await;
        hub.change(|state| state.events.delivered(entries, scope));
    }
}

/// Stops telling.
pub(super) fn unsubscribe(hub: &Hub, client: &Client, params: Unsubscribe) -> Answer {
    let name = params.subscription_id;
    let id = name
        .strip_prefix('s')
        .and_then(|digits| digits.parse().ok())
        .map(SubscriptionId);
    match id {
        Some(id) if hub.change(|state| state.events.bus.unsubscribe(client.id, id)) => {
            answer(Done {})
        }
        _ => Err(Error::invalid(format!(
            "`subscriptionId`: there is no subscription `{name}`"
        ))),
    }
}

/// Ends a request in flight, which is answered `cancelled`.
pub(super) fn cancel(client: &Client, params: Cancel) -> Answer {
    if params.request_id.is_null() {
        return Err(Error::invalid("`cancel` needs the parameter `requestId`"));
    }
    match client.cancel(&params.request_id) {
        true => answer(Cancelled { cancelled: true }),
        false => Err(Error::new(
            ErrorCode::InvalidRequest,
            format!("No request {} is in flight", params.request_id),
        )),
    }
}
