//! `poll`: status and new output.

use std::rc::Rc;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::requests::checks::check_stream;
use crate::daemon::requests::client::{Client, Moves};
use crate::daemon::requests::find::find;
use crate::daemon::requests::limits::{max_chars, wait_ms};
use crate::daemon::requests::new_output::{Show, Since, polled};
use crate::daemon::requests::replies::answer;
use crate::daemon::transport::Answer;
use crate::engine::conditions::Conditions;
use crate::engine::matcher::Matcher;
use crate::engine::registry::Access;
use crate::engine::waits::Pending;
use crate::protocol::condition::WaitMode;
use crate::protocol::params::{Poll, Stream};
use crate::protocol::{Error, SessionId};
use crate::term::plain::Checkpoint;

/// Silence after which the gathered output is returned, and the longest time for which it is gathered, in
/// milliseconds.
const PAUSE_MS: u64 = 50;
const GATHER_MS: u64 = 500;

/// Answers at once, or when there is something new, at most `waitMs` later.
pub(super) async fn poll(hub: &Hub, client: &Rc<Client>, params: Poll) -> Answer {
    if params.stream == Some(Stream::Input) {
        return Err(Error::invalid("`stream`: `log` has what was typed")
            .hint("{\"action\":\"log\",\"stream\":\"input\"}"));
    }
    let id = find(hub, client, &params.session_id, Access::Read)?;
    let since = Since::parse(params.since.as_deref())?;
    let max_chars = max_chars(client, params.max_chars)?;
    let wait = wait_ms("waitMs", params.wait_ms, 0)?;
    let from = {
        let state = hub.read();
        if let Some(session) = state.sessions.get(&id) {
            check_stream(session, params.stream)?;
        }
        match since {
            // Everything so far is returned anyway, so wait for output after it.
            Since::Tail if wait > 0 => state.sessions.log_end(&id),
            since => since.offset(&state, client, &id),
        }
    };
    if wait > 0 {
        wait_for_news(hub, client, &id, from, wait).await;
        // A session that is writing goes on: return more than the first line of it.
        hub.wait_from_now(&id, Conditions::pause(PAUSE_MS), Some(GATHER_MS))
            .await;
    }
    let show = {
        let state = hub.read();
        let dropped = since.dropped(&state, client, &id);
        let since = match since {
            Since::Tail => since.offset(&state, client, &id),
            _ => from,
        };
        Show {
            until: None,
            since,
            dropped,
            max_chars,
            stream: params.stream.unwrap_or_default(),
            moves: Moves::All,
            screen: false,
            oldest: params.oldest == Some(true),
        }
    };
    answer(polled(hub, client, &id, show).await?)
}

/// Waits for output after `from`, for the end of the session, or until it needs input. An input state that this
/// client was already told does not count as new: otherwise every repeated request would be answered at once.
async fn wait_for_news(hub: &Hub, client: &Client, id: &SessionId, from: u64, wait: u64) {
    let deadline = now().boot + wait;
    let before = hub
        .read()
        .sessions
        .get(id)
        .map(|session| session.life.status());
    hub.check_input(id).await;
    let pending = {
        let state = hub.read();
        let end = state.sessions.log_end(id);
        // The first bytes of an escape sequence or a character do not count as output until it is complete.
        let there = state.sessions.piece(id, from, end, 1).next > from;
        let Some(session) = state.sessions.get(id) else {
            return;
        };
        let status = session.life.status();
        if before != Some(status) {
            return;
        }
        let input = session.input_state();
        let unknown = session.input.is_news_to(&client.principal.scope, input);
        if there || status.is_finished() || unknown {
            return;
        }
        let conditions = Rc::new(Conditions::news(status, input));
        let layout = session.output.layout();
        let matcher = Matcher::new(conditions, layout, Checkpoint::at(end), now().boot);
        let parts = vec![(id.clone(), matcher, None)];
        Pending::new(WaitMode::Any, parts, Some(deadline))
    };
    hub.wait(pending).await;
}
