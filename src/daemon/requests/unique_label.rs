//! `uniqueLabel`: a label that only one session of a scope that has not ended may have.

use serde_json::json;

use crate::daemon::clock::now;
use crate::daemon::state::State;
use crate::protocol::{Error, ErrorCode, Scope, SessionId, Status};

/// Refuses a label that an unfinished session of the scope has, other than `own`.
pub(crate) fn check(
    state: &State,
    scope: &Scope,
    label: Option<&str>,
    own: Option<&SessionId>,
) -> Result<(), Error> {
    let taken = label.and_then(|label| state.sessions.registry.going_by_label(scope, label, own));
    let (Some(label), Some(session)) = (label, taken) else {
        return Ok(());
    };
    let (id, status) = (&session.id, session.life.status());
    let is = match status {
        Status::Running | Status::Starting => "running",
        // It was ended only to run again.
        status if status.is_finished() => "being restarted",
        other => other.as_str(),
    };
    let message = format!("a job named {label} is {is} already ({id})");
    Err(Error::new(ErrorCode::InvalidRequest, message)
        .hint("choose another name, or end that one first")
        .data(json!({
            "sessionId": id, "label": label, "status": status,
            "runtimeMs": session.life.runtime_ms(now()),
        })))
}
