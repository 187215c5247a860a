//! `clear`: removes the output so far.

use std::io;

use crate::daemon::hub::Hub;
use crate::daemon::requests::batch;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::{find, gone};
use crate::daemon::requests::replies::{answer, refused_by_system};
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::Error;
use crate::protocol::keeper::Failure;
use crate::protocol::params::Clear;
use crate::protocol::reply::Cleared;

/// Removes the output so far. Offsets and line numbers continue.
pub(super) async fn clear(hub: &Hub, client: &Client, params: Clear) -> Answer {
    let id = find(hub, client, &params.session_id, Access::Own)?;
    batch::refuse(hub, &id, "cleared", "`poll` and `log` show what is new")?;
    // The screen needs what is dropped here: it says in which state and line the program has left its terminal.
    hub.catch_up_within_limit(&id).await;
    let (before, cleared) =
        hub.change(|state| (state.sessions.log_first(&id), state.keeper.clear(&id)));
    let first = match cleared.await {
        Ok(Ok(first)) => first,
        Ok(Err(failure)) => return Err(cannot_clear(id.as_str(), failure)),
        // The session was removed meanwhile.
        Err(_) => return Err(gone(hub, client, &id)),
    };
    answer(Cleared {
        cleared_bytes: first.saturating_sub(before),
    })
}

fn cannot_clear(id: &str, failure: Failure) -> Error {
    let Failure { errno, message } = failure;
    let error = errno.map_or_else(|| io::Error::other(message), io::Error::from_raw_os_error);
    refused_by_system(&format!("the log of session {id} was not cleared"), &error)
}
