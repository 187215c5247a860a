//! `events`: past events, a page at a time.

use tokio::time::{Duration, Instant, timeout_at};

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::requests::replies::answer;
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::bus::Filter;
use crate::engine::input::needs;
use crate::engine::journal_note::Entry;
use crate::protocol::params::Events;
use crate::protocol::reply::Happened;
use crate::protocol::{Event, EventKind, SessionId};

/// Default number of events in a reply.
const DEFAULT_LIMIT: usize = 100;

/// Maximum number of events in a reply: some megabytes with the longest completion messages.
const MAX_LIMIT: usize = 1000;

/// Maximum for a model: a completion message has up to 2,000 characters of output.
const LEAN_LIMIT: usize = 10;

/// Acknowledges `ack`, then returns new events: at once if there are any, otherwise when one is published, at
/// most `waitMs` later.
pub(super) async fn events(hub: &Hub, client: &Client, params: Events) -> Answer {
    let wait = wait_ms("waitMs", params.wait_ms, 0)?;
    let most = if client.is_lean() {
        LEAN_LIMIT
    } else {
        MAX_LIMIT
    };
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).min(most);
    let deadline = Instant::now() + Duration::from_millis(wait);
    let scope = &client.principal.scope;
    if let Some(seq) = params.ack {
        // The other clients of its scope would not be told of them any more.
        let may = client.may_change("ack");
        may.map_err(|error| error.hint("`afterSeq` reads on"))?;
        hub.change(|state| state.events.acknowledge(scope, seq));
    }
    let is_news = params.news == Some(true);
    let after = {
        let past = &hub.read().events.bus.past;
        let after = params.after_seq;
        // What is still to come is not skipped.
        after.map_or_else(|| past.acknowledged(scope), |after| after.min(past.seq()))
    };
    let happened = hub.read().events.happened();
    loop {
        let next = happened.notified();
        let page = hub.change(|state| {
            if is_news {
                news(state, client, after, limit)
            } else {
                page(state, client, after, limit, None)
            }
        });
        let is_over = !page.events.is_empty() || limit == 0;
        if is_over || timeout_at(deadline, next).await.is_err() {
            return answer(page);
        }
    }
}

fn page(
    state: &mut State,
    client: &Client,
    after: u64,
    limit: usize,
    kinds: Option<&[EventKind]>,
) -> Happened {
    let filter = Filter {
        viewer: client.principal.clone(),
        kinds: kinds.map(|kinds| kinds.iter().copied().collect()),
        sessions: None,
        hosts: state.hosts.reach_of(&client.greeting),
        with_scope: false,
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

/// The kinds of events that are news.
const NEWS: [EventKind; 4] = [
    EventKind::Exited,
    EventKind::Lost,
    EventKind::Ready,
    EventKind::InputNeeded,
];

/// What the client's scope has not been told about its sessions. It is acknowledged.
fn news(state: &mut State, client: &Client, after: u64, limit: usize) -> Happened {
    let mut found = page(state, client, after, usize::MAX, Some(&NEWS));
    found.events.retain(|event| is_news(state, client, event));
    if found.events.len() > limit {
        found.events.truncate(limit);
        let last = found.events.last();
        found.next_seq = last.and_then(|event| event.seq).unwrap_or(after);
    }
    if limit > 0 {
        let scope = &client.principal.scope;
        state.events.acknowledge(scope, found.next_seq);
    }
    found
}

/// Whether an event is about a session of the client's scope, still holds, and came after the last reply about
/// that session.
fn is_news(state: &State, client: &Client, event: &Event) -> bool {
    let Some(id) = &event.session_id else {
        return false;
    };
    if let Some(host) = id.host() {
        return is_news_of_host(state, client, event, id, host);
    }
    let Some(session) = state.sessions.get(id) else {
        return false;
    };
    let status = session.life.status();
    let holds = match event.event {
        EventKind::Exited | EventKind::Lost => status.is_finished(),
        EventKind::Ready => session.ready() == Some(true) && !status.is_finished(),
        EventKind::InputNeeded => needs(session.input_state()),
        _ => false,
    };
    holds && session.scope == client.principal.scope && event.seq > Some(session.told())
}

/// [`is_news`] for a session of a host, as far as is known here.
fn is_news_of_host(
    state: &State,
    client: &Client,
    event: &Event,
    id: &SessionId,
    host: &str,
) -> bool {
    let Some(entry) = state.hosts.get(host) else {
        return false;
    };
    let Some((status, told)) = entry.mirror.news(id) else {
        return false;
    };
    let holds = match event.event {
        EventKind::Exited | EventKind::Lost => status.is_finished(),
        _ => !status.is_finished(),
    };
    let scope = entry.mirror.scope(id);
    holds && scope == Some(&client.principal.scope) && event.seq > Some(told)
}
