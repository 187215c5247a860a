//! The reply to a start or restart.

use serde_json::json;

use super::client::Client;
use super::new_output::{Since, cursor, untold_reason};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::engine::session::Session;
use crate::protocol::reply::{Left, Started, WaitedAll};
use crate::protocol::{Error, SessionId};
use crate::sys::signal;

/// The reply for a session that runs in the background, without its output.
pub(crate) fn answer_at_once(hub: &Hub, client: &Client, id: &SessionId) -> Result<Started, Error> {
    let state = hub.read();
    let since = Since::New.offset(&state, client, id);
    let session = state
        .sessions
        .get(id)
        .ok_or_else(|| Error::session_not_found(id.as_str()))?;
    client.tell_state(session);
    Ok(Started {
        cursor: cursor(since),
        reason: client
            .is_lean()
            .then(|| untold_reason(&state, session, None))
            .flatten(),
        ..facts(session)
    })
}

/// The reply after a wait. The outcome is part of it if the request has named conditions.
pub(crate) fn started(
    hub: &Hub,
    id: &SessionId,
    waited: WaitedAll,
    with_outcome: bool,
) -> Result<Started, Error> {
    let gone = || Error::session_not_found(id.as_str());
    let waited = waited.results.into_iter().next().ok_or_else(gone)?;
    let state = hub.read();
    let session = state.sessions.get(id).ok_or_else(gone)?;
    Ok(Started {
        output: waited.polled.output,
        cursor: waited.polled.cursor,
        omitted: waited.polled.omitted,
        omitted_lines: waited.polled.omitted_lines,
        remaining: waited.polled.remaining,
        reason: waited.polled.reason,
        screen: waited.polled.screen,
        input_state: waited.polled.input_state,
        outcome: with_outcome.then_some(waited.outcome),
        matched: waited.matched.filter(|_| with_outcome),
        ..facts(session)
    })
}

/// The parts of the reply that are not about output.
fn facts(session: &Session) -> Started {
    let over = session.life.status().is_finished();
    Started {
        session_id: session.id.clone(),
        status: session.life.status(),
        pid: session.life.pid(),
        output: String::new(),
        cursor: String::new(),
        omitted: Left::default(),
        omitted_lines: None,
        remaining: Vec::new(),
        reason: None,
        bytes_written: None,
        warnings: Vec::new(),
        screen: None,
        input_state: session.input_state(),
        outcome: None,
        matched: None,
        ready: session.ready(),
        timeout_ms: session.time_limit(),
        reused: None,
        exit_code: over.then_some(json!(session.life.exit_code())),
        signal: over.then_some(json!(session.life.signal().map(signal::name))),
        runtime_ms: over.then(|| session.life.runtime_ms(now())),
    }
}
