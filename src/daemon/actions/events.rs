//! `events`: what has happened, a page at a time.

use tokio::time::{Duration, Instant, timeout_at};

use super::super::connection::Client;
use super::super::hub::Hub;
use super::{Answer, answer, wait_ms};
use crate::engine::bus::Filter;
use crate::engine::event_history::Entry;
use crate::protocol::params::Events;
use crate::protocol::reply::Happened;

/// Events in a reply where nobody says otherwise.
const DEFAULT_LIMIT: usize = 100;

/// Events in a reply at most: with the longest completion messages, some megabytes.
const MAX_LIMIT: usize = 1000;

/// Acknowledges, then answers at once if there is anything, else when there is,
/// `waitMs` later at most.
pub(super) async fn events(hub: &Hub, client: &Client, params: Events) -> Answer {
    let wait = wait_ms("waitMs", params.wait_ms, 0)?;
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let deadline = Instant::now() + Duration::from_millis(wait);
    let scope = &client.viewer.scope;
    if let Some(seq) = params.ack {
        hub.state().acknowledge(scope, seq);
    }
    let after = params.after_seq;
    let after = after.unwrap_or_else(|| hub.state().bus.past.acknowledged(scope));
    let happened = hub.state().happened.clone();
    loop {
        let news = happened.notified();
        let page = page(hub, client, after, limit);
        let is_over = !page.events.is_empty() || limit == 0;
        if is_over || timeout_at(deadline, news).await.is_err() {
            return answer(page);
        }
    }
}

fn page(hub: &Hub, client: &Client, after: u64, limit: usize) -> Happened {
    let mut state = hub.state();
    let filter = Filter {
        viewer: client.viewer.clone(),
        kinds: None,
        sessions: None,
    };
    let entries = state.bus.replay(&filter, after.saturating_add(1), limit);
    state.delivered(&entries, &client.viewer.scope);
    let next_seq = match entries.last() {
        Some(last) if entries.len() == limit => last.seq(),
        // Nothing that this client may see is between the last one and here.
        _ if limit > 0 => state.bus.past.seq(),
        _ => after,
    };
    Happened {
        events: entries
            .into_iter()
            .map(|Entry { event, .. }| event)
            .collect(),
        next_seq,
    }
}
