//! `hold`: a person takes a session's keyboard from agents until it is given back.

use super::super::connection::Client;
use super::super::hub::Hub;
use super::{Answer, answer, find};
use crate::engine::registry::Access;
use crate::protocol::params::Hold;
use crate::protocol::reply::Done;

/// Takes it, or gives it back. It is given back as well when the connection ends:
/// a person who leaves must not hold up agents for ever.
pub(super) fn hold(hub: &Hub, client: &Client, params: &Hold) -> Answer {
    let id = find(hub, client, &params.session_id, Access::Type)?;
    hub.with(|state| match params.on {
        true => state.hold_keyboard(&id, client.id),
        false => state.let_go(&id, client.id),
    });
    answer(Done {})
}
