//! `wait`: waits for conditions on one session or several.

use crate::daemon::requests::wait_plan::Plan;
use std::rc::Rc;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find_several;
use crate::daemon::requests::new_output::Since;
use crate::daemon::requests::replies::answer;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::Role;
use crate::protocol::condition::WaitSpec;
use crate::protocol::params::Wait;

/// Handles the action.
pub(super) async fn wait(hub: &Hub, client: &Rc<Client>, params: Wait) -> Answer {
    let (one, several) = (params.session_id.as_deref(), params.session_ids.as_deref());
    let (ids, single) = find_several(
        hub,
        client,
        one,
        several,
        params.group.as_deref(),
        Access::Read,
    )?;
    let spec = WaitSpec {
        until: params.until,
        fail: params.fail,
        since: params.since,
        view: params.view,
        timeout_ms: params.timeout_ms,
        max_chars: params.max_chars,
    };
    let plan = Plan::new(client, &spec)?.through_restarts(params.through_restarts == Some(true));
    let since = match Since::parse(spec.since.as_deref())? {
        // People share a scope, and each may have seen different output, so they wait for what the job writes
        // in this run, whenever it was written.
        Since::Tail if client.principal.role == Role::Human => Since::Run,
        Since::Tail => Since::New,
        since => since,
    };
    let from = {
        let state = hub.read();
        ids.into_iter()
            .map(|id| (since.offset(&state, client, &id), id))
            .collect()
    };
    let mut waited = plan
        .run(hub, client, from, params.mode.unwrap_or_default())
        .await?;
    match (single, waited.results.pop()) {
        (true, Some(result)) => answer(result),
        (_, last) => {
            waited.results.extend(last);
            answer(waited)
        }
    }
}
