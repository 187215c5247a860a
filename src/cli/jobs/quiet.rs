//! Waits until a job has written nothing for a time.

use std::time::Duration;

use super::patience::Patience;
use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::client::read_reply;
use crate::protocol::bounds::TURN_MS;
use crate::protocol::params::Wait;
use crate::protocol::reply::{Outcome, WaitedAll};
use crate::protocol::{Action, Condition, SessionId, duration};

/// Waits until `id` has written nothing for `time`, counted from now, or has ended.
pub(in crate::cli) fn wait(
    ctx: &mut Context,
    id: &SessionId,
    time: Duration,
) -> Result<(), Failure> {
    let mut patience = Patience::until(None);
    loop {
        let params = Wait {
            session_ids: Some(vec![id.to_string()]),
            until: Some(vec![Condition::IdleMs(duration::millis(time))]),
            timeout_ms: Some(TURN_MS),
            max_chars: Some(1),
            ..Wait::default()
        };
        let Some(value) = patience.ask(ctx, Action::Wait(params))? else {
            continue;
        };
        let waited: WaitedAll = read_reply(value)?;
        if waited.outcome != Outcome::Timeout {
            return Ok(());
        }
    }
}
