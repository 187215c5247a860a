//! `events`: past events, a page at a time.

use tokio::time::{Duration, Instant, timeout_at};

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::requests::replies::answer;
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::bus::Filter;
use crate::engine::event_history::Entry;
use crate::protocol::params::Events;
use crate::protocol::reply::Happened;

/// Default number of events in a reply.
const DEFAULT_LIMIT: usize = 100;

/// Maximum number of events in a reply: some megabytes with the longest completion messages.
const MAX_LIMIT: usize = 1000;

/// The same for a model: a completion message has up to 2,000 characters of output.
const LEAN_LIMIT: usize = 10;

/// Acknowledges `ack`, then returns new events: at once if there are any, otherwise when one is published, at
/// most `waitMs` later.
pub(super) async fn events(hub: &Hub, client: &Client, params: Events) -> Answer {
    let wait = wait_ms("waitMs", params.wait_ms, 0)?;
    let most = match client.is_lean() {
        true => LEAN_LIMIT,
        false => MAX_LIMIT,
    };
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).min(most);
    let deadline = Instant::now() + Duration::from_millis(wait);
    let scope = &client.principal.scope;
    if let Some(seq) = params.ack {
        hub.change(|state| state.events.acknowledge(scope, seq));
    }
    let after = params.after_seq;
    let after = after.unwrap_or_else(|| hub.read().events.bus.past.acknowledged(scope));
    let happened = hub.read().events.happened();
    loop {
        let news = happened.notified();
        let page = hub.change(|state| page(state, client, after, limit));
        let is_over = !page.events.is_empty() || limit == 0;
        if is_over || timeout_at(deadline, news).await.is_err() {
            return answer(page);
        }
    }
}

fn page(state: &mut State, client: &Client, after: u64, limit: usize) -> Happened {
    let filter = Filter {
        viewer: client.principal.clone(),
        kinds: None,
        sessions: None,
    };
    let entries = state
        .events
        .bus
        .replay(&filter, after.saturating_add(1), limit);
    state.events.delivered(&entries, &client.principal.scope);
    let next_seq = match entries.last() {
        Some(last) if entries.len() == limit => last.seq(),
        // All events up to the newest one were searched: none of the others is visible to this client.
        _ if limit > 0 => state.events.bus.past.seq(),
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
