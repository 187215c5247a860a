//! `poll`: status and output.

use std::rc::Rc;

use super::super::connection::Client;
use super::super::hub::{Hub, now};
use super::super::text;
use super::news::{Show, Since, polled};
use super::{Answer, answer, find, max_chars, wait_ms};
use crate::engine::matcher::{Conditions, Matcher};
use crate::engine::registry::Access;
use crate::engine::waits::Pending;
use crate::protocol::condition::WaitMode;
use crate::protocol::params::{Poll, Stream};
use crate::protocol::{Error, SessionId};
use crate::term::plain::Checkpoint;

/// Answers at once, or when there is news, `waitMs` later at most.
pub(super) async fn poll(hub: &Hub, client: &Rc<Client>, params: Poll) -> Answer {
    if params.stream == Some(Stream::Input) {
        return Err(Error::invalid("`stream`: `log` has what was typed")
            .hint("{\"action\":\"log\",\"stream\":\"input\"}"));
    }
    let id = find(hub, client, &params.session_id, Access::Look)?;
    let since = Since::parse(params.since.as_deref())?;
    let max_chars = max_chars(client, params.max_chars)?;
    let wait = wait_ms("waitMs", params.wait_ms, 0)?;
    let from = {
        let state = hub.state();
        match since {
            // News are what comes from now on if everything so far is shown anyway.
            Since::Tail if wait > 0 => state.log_end(&id),
            since => since.offset(&state, client, &id),
        }
    };
    if wait > 0 {
        wait_for_news(hub, client, &id, from, wait).await;
    }
    let show = {
        let state = hub.state();
        let since = match since {
            Since::Tail => since.offset(&state, client, &id),
            _ => from,
        };
        Show {
            since,
            max_chars,
            stream: params.stream.unwrap_or_default(),
            moves: true,
        }
    };
    answer(polled(hub, client, &id, show).await?)
}

/// Waits for output past `from`, the end, or that it needs input. That this client
/// was told before is no news: who asks again and again would be answered at once.
async fn wait_for_news(hub: &Hub, client: &Client, id: &SessionId, from: u64, wait: u64) {
    let deadline = now().boot + wait;
    let before = hub
        .state()
        .registry
        .get(id)
        .map(|session| session.life.status());
    hub.see_input(id).await;
    let pending = {
        let state = hub.state();
        let end = state.log_end(id);
        // The beginning of a sequence or character is no news before its end is there.
        let there = text::piece(&state, id, from, end, 1).next > from;
        let Some(session) = state.registry.get(id) else {
            return;
        };
        let status = session.life.status();
        if before != Some(status) {
            return;
        }
        let input = session.input_state();
        let unknown = session.input.is_news_to(&client.viewer.scope, input);
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
