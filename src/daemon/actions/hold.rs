//! `hold`: a person reserves a session's keyboard, so that agents cannot type, until releasing it.

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::answer;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::params::Hold;
use crate::protocol::reply::Done;

/// Takes or releases the keyboard. It is also released when the connection ends, so that a person who leaves
/// does not block agents for ever.
pub(super) fn hold(hub: &Hub, client: &Client, params: &Hold) -> Answer {
    let id = find(hub, client, &params.session_id, Access::Type)?;
    hub.change(|state| {
        if params.on {
            state.hold_keyboard(&id, client.id)
        } else {
            state.give_back(&id, client.id)
        }
    });
    answer(Done {})
}
