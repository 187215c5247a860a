//! `clear`: forgets the output so far.

use super::super::connection::Client;
use super::super::hub::Hub;
use super::{Answer, answer, find};
use crate::engine::registry::Access;
use crate::protocol::Error;
use crate::protocol::params::Clear;
use crate::protocol::reply::Cleared;

/// Forgets what was written so far; offsets and line numbers go on.
pub(super) async fn clear(hub: &Hub, client: &Client, params: Clear) -> Answer {
    let id = find(hub, client, &params.session_id, Access::Own)?;
    let (before, cleared) = hub.with(|state| (state.log_first(&id), state.keeper.clear(&id)));
    let first = cleared.await.ok().flatten();
    let first = first.ok_or_else(|| Error::internal("the log could not be cleared"))?;
    hub.with(|state| {
        if let Some(session) = state.registry.get_mut(&id) {
            session.output.drop_before(first);
            session.output.skip_to(first);
        }
        state.persist(&id);
    });
    answer(Cleared {
        cleared_bytes: first.saturating_sub(before),
    })
}
