//! `poll`: status and output.

use std::rc::Rc;

use super::super::connection::Client;
use super::super::hub::{Hub, now};
use super::news::{Show, Since, polled};
use super::{Answer, answer, find, max_chars, wait_ms};
use crate::engine::matcher::{Conditions, Matcher};
use crate::engine::waits::Pending;
use crate::protocol::condition::{View, WaitMode};
use crate::protocol::params::Poll;
use crate::protocol::{Condition, SessionId};

/// Answers at once, or when there is news, `waitMs` later at most.
pub(super) async fn poll(hub: &Hub, client: &Rc<Client>, params: Poll) -> Answer {
    let id = find(hub, client, &params.session_id)?;
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
        wait_for_news(hub, &id, from, wait).await?;
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
    answer(polled(hub, client, &id, show)?)
}

/// Waits for output past `from`, or the end.
async fn wait_for_news(
    hub: &Hub,
    id: &SessionId,
    from: u64,
    wait: u64,
) -> Result<(), crate::protocol::Error> {
    let deadline = now().boot + wait;
    let pending = {
        let state = hub.state();
        let there = state.log_end(id) > from;
        let Some(session) = state.registry.get(id) else {
            return Ok(());
        };
        if there || session.life.status().is_finished() {
            return Ok(());
        }
        // Any byte is news, also one that is only half a character.
        let conditions = [Condition::Pattern(String::new()), Condition::Exit(true)];
        let conditions = Rc::new(Conditions::new(Some(&conditions), None, View::Plain)?);
        let at = crate::term::plain::Checkpoint {
            offset: from,
            line: 1,
            row: 0,
            alt: session.output.alt_screen(),
            exact: false,
        };
        let matcher = Matcher::new(conditions, session.output.layout(), at, now().boot);
        Pending::new(
            WaitMode::Any,
            vec![(id.clone(), matcher, None)],
            Some(deadline),
        )
    };
    hub.wait(pending).await;
    Ok(())
}
