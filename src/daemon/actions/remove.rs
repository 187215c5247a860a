//! `remove`: removes a session, and ends it first if it runs.

use std::rc::Rc;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::confirm::may_end;
use crate::daemon::requests::ending::cannot_end;
use crate::daemon::requests::find::find;
use crate::daemon::requests::removal::{Removing, check_unambiguous, remove_and_wait};
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::stopping::{Manner, Stopping};
use crate::daemon::requests::uncancelled::finish_anyway;
use crate::daemon::tasks::tree_kill::Ended;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::params::Remove;
use crate::protocol::reply::Removed;
use crate::protocol::{Error, ErrorCode, SessionId};

/// Maximum number of characters of output in an error.
const OUTPUT_CHARS: usize = 500;

/// Handles the action `remove`.
pub(super) async fn remove(hub: &Hub, client: &Rc<Client>, params: Remove) -> Answer {
    check_unambiguous(hub, client, &params.session_id)?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    may_end(&hub.read(), client, &id)?;
    let (hub, client, kills) = (hub.clone(), client.clone(), params.kill);
    let removed = finish_anyway(async move { remove_one(&hub, &client, id, kills).await });
    answer(removed.await?)
}

async fn remove_one(
    hub: &Hub,
    client: &Client,
    id: SessionId,
    kills: Option<bool>,
) -> Result<Removed, Error> {
    let is_over = hub.read().sessions.is_over(&id);
    let _removing = (kills != Some(false)).then(|| Removing::begin(hub, &id));
    let ended = match kills {
        Some(false) if is_over => Ended::default(),
        Some(false) => return Err(is_running(hub, &id)),
        _ => {
            let manner = Manner {
                // What has ended is only removed: it need not be stopped.
                may_run_again: is_over,
                ..Manner::default()
            };
            let stopping = Stopping::begin(hub, client, &id, manner).await?;
            stopping.end(hub, client, &id).await
        }
    };
    if !ended.survivors.is_empty() {
        let hint =
            "`remove` with `kill:false` removes a finished session and leaves its processes alone";
        return Err(cannot_end(&id, "removed", &ended).hint(hint));
    }
    remove_and_wait(hub, client, &id).await;
    Ok(Removed {
        session_id: id,
        removed: true,
    })
}

/// The error that only `remove` with `kill` removes a session that runs, with its last output.
fn is_running(hub: &Hub, id: &SessionId) -> Error {
    let output = hub.read().sessions.tail(id, OUTPUT_CHARS);
    let message = format!("Session {id} is running");
    Error::new(ErrorCode::InvalidRequest, message)
        .hint("`kill` it first, or leave out `kill:false`")
        .data(serde_json::json!({ "output": output }))
}
