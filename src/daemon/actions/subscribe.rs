//! `subscribe`, `unsubscribe` and `cancel`.

use super::super::connection::Client;
use super::super::hub::Hub;
use super::{Answer, answer};
use crate::engine::bus::{Filter, SubscriptionId};
use crate::protocol::params::{Cancel, Subscribe, Unsubscribe};
use crate::protocol::{Error, ErrorCode};

/// Tells the client what happens from now on, and before that what has
/// happened since `fromSeq`.
pub(super) fn subscribe(hub: &Hub, client: &Client, params: Subscribe) -> Answer {
    let filter = Filter {
        viewer: client.viewer.clone(),
        kinds: params.events.map(|kinds| kinds.into_iter().collect()),
        sessions: params.session_ids.map(|ids| ids.into_iter().collect()),
    };
    let (id, past) = hub
        .state()
        .bus
        .subscribe(client.id, filter, params.from_seq);
    for event in &past {
        client.outbox.push_event(event);
    }
    answer(serde_json::json!({ "subscriptionId": format!("s{}", id.0) }))
}

/// Stops telling.
pub(super) fn unsubscribe(hub: &Hub, client: &Client, params: Unsubscribe) -> Answer {
    let name = params.subscription_id;
    let id = name
        .strip_prefix('s')
        .and_then(|digits| digits.parse().ok())
        .map(SubscriptionId);
    match id {
        Some(id) if hub.state().bus.unsubscribe(client.id, id) => answer(serde_json::json!({})),
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
        true => answer(serde_json::json!({ "cancelled": true })),
        false => Err(Error::new(
            ErrorCode::InvalidRequest,
            format!("No request {} is in flight", params.request_id),
        )),
    }
}
