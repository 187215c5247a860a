//! `ask_human` and `decline`: questions of agents to people, and refusals to answer.

use std::rc::Rc;
use std::time::Duration;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::question::PendingQuestion;
use crate::daemon::requests::replies::{answer, not_running};
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::engine::session::Session;
use crate::protocol::bounds::{DEFAULT_ASK_MS, MAX_ASK_MS, MAX_MESSAGE};
use crate::protocol::params::{AskHuman, Decline};
use crate::protocol::record::HeldBy;
use crate::protocol::reply::{AskOutcome, Declined, HumanAnswered};
use crate::protocol::{Error, ErrorCode, SessionId};

/// Waits until a person has typed into the session, or has declined.
pub(super) async fn ask_human(hub: &Hub, client: &Rc<Client>, params: AskHuman) -> Answer {
    let message = params.message.trim();
    if message.is_empty() {
        return Err(Error::invalid("`message` is empty"));
    }
    if params.message.chars().count() > MAX_MESSAGE {
        return Err(Error::invalid(format!(
            "`message` has at most {MAX_MESSAGE} characters"
        )));
    }
    let timeout = params.timeout_ms.unwrap_or(DEFAULT_ASK_MS);
    if timeout > MAX_ASK_MS {
        return Err(Error::invalid(format!(
            "`timeoutMs` is at most {MAX_ASK_MS} ms, not {timeout}"
        )));
    }
    let id = find(hub, client, &params.session_id, Access::Type)?;
    check_runs(hub, &id)?;
    let began = now().boot;
    let mut question =
        PendingQuestion::put(hub, &client.principal, &id, message.to_owned(), timeout);
    let answered = tokio::time::timeout(Duration::from_millis(timeout), &mut question.answer);
    let outcome = match answered.await {
        Ok(Ok(outcome)) => outcome,
        // The sender was dropped without an answer, because the session has ended or is not shared any more.
        Ok(Err(_)) => {
            if hub.read().sessions.get(&id).is_some() {
                find(hub, client, id.as_str(), Access::Type)?;
            }
            check_runs(hub, &id)?;
            return Err(Error::session_not_found(id.as_str()));
        }
        Err(_) => {
            question.time_out();
            AskOutcome::Timeout
        }
    };
    let elapsed_ms = now().boot - began;
    hub.check_input(&id).await;
    let state = hub.read();
    let session = state.sessions.get(&id);
    let held = session.and_then(|session| session.lease.until(now()));
    answer(HumanAnswered {
        outcome,
        elapsed_ms,
        held_by: held.map(HeldBy::person),
        status: session.map(|session| session.life.status()),
        exit_code: session.and_then(|session| session.life.exit_code()),
        input_state: session.map(Session::input_state),
    })
}

/// Declines all questions about a session, on behalf of a person.
pub(super) fn decline(hub: &Hub, client: &Client, params: &Decline) -> Answer {
    let id = find(hub, client, &params.session_id, Access::Own)?;
    match hub.change(|state| state.settle_asks(&id, AskOutcome::Declined)) {
        0 => Err(Error::new(
            ErrorCode::InvalidRequest,
            format!("No question is open about session {id}"),
        )),
        declined => answer(Declined { declined }),
    }
}

fn check_runs(hub: &Hub, id: &SessionId) -> Result<(), Error> {
    let state = hub.read();
    let Some(session) = state.sessions.get(id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    if session.life.status().has_process() {
        Ok(())
    } else {
        Err(not_running(session, &state.sessions.last_lines(id, 500)))
    }
}
