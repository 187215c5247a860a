//! Starts that wait: sessions in a queue, after others, or for a time.

use super::project::wait_until;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::guests::{Place, QUEUES};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::engine::meta::Spec;
use crate::engine::project::Phase;
use crate::engine::registry::Access;
use crate::protocol::params::Start;
use crate::protocol::project::Level;
use crate::protocol::{Error, SessionId};

/// Maximum number of sessions after which one can start.
const MOST_AFTER: usize = 100;

/// How long a start that does not have to wait may take, in milliseconds.
const START_MS: u64 = 5000;

/// Where a new session waits for its first run; `None` if it is to start now.
pub(super) fn place(
    hub: &Hub,
    client: &Client,
    params: &Start,
    spec: &Spec,
) -> Result<Option<Place>, Error> {
    let after = params.after.iter().flatten();
    if after.clone().count() > MOST_AFTER {
        let message = format!("`after` has more than {MOST_AFTER} sessions");
        return Err(Error::invalid(message));
    }
    let mut needs = Vec::new();
    for other in after {
        let id = find(hub, client, &other.session_id, Access::Read)?;
        let has_probe = {
            let state = hub.read();
            let session = state.sessions.get(&id);
            session.is_some_and(|session| session.spec.ready.is_some())
        };
        let usual = if has_probe { Level::Ready } else { Level::Ok };
        needs.push((id, other.is.unwrap_or(usual)));
    }
    let queue = queue_of(hub, spec);
    let delay = params.delay_ms.filter(|ms| *ms > 0);
    let not_before = delay.map(|ms| now().wall.after(ms));
    if needs.is_empty() && queue.is_none() && not_before.is_none() {
        return Ok(None);
    }
    Ok(Some(Place {
        queue: queue.as_ref().and(spec.group.clone()),
        project: queue.unwrap_or_else(|| QUEUES.to_owned()),
        after: needs,
        not_before,
    }))
}

/// Where a session that runs again waits: in the queue of its group, if that is one. What its first run waited for
/// besides does not count any more.
pub(super) fn place_again(hub: &Hub, id: &SessionId) -> Option<Place> {
    let spec = hub.read().sessions.get(id)?.spec.clone();
    let project = queue_of(hub, &spec)?;
    Some(Place {
        project,
        queue: spec.group,
        after: Vec::new(),
        not_before: None,
    })
}

/// Refuses a session of a queue that a batch system is to run: the batch system has queues of its own.
pub(super) fn refuse_queue(hub: &Hub, spec: &Spec) -> Result<(), Error> {
    if queue_of(hub, spec).is_none() {
        return Ok(());
    }
    let group = spec.group.as_deref().unwrap_or_default();
    let message = format!(
        "`group`: {group} is a queue, which is not possible for a session that a batch system runs"
    );
    Err(Error::invalid(message).hint("the batch system has a queue of its own; use another group"))
}

fn queue_of(hub: &Hub, spec: &Spec) -> Option<ProjectId> {
    hub.read().queue_of(spec.group.as_deref()?, &spec.cwd)
}

/// Waits until a session that was let wait has begun to run, has failed to, or has to wait longer.
pub(super) async fn decided(hub: &Hub, project: &ProjectId, id: &SessionId) {
    wait_until(hub, project, START_MS, |project| {
        let phase = project.decision.phases.get(id.as_str());
        let waits = matches!(phase, Some(Phase::Queued(_) | Phase::Skipped(_)));
        waits || !project.under_way.contains_key(id.as_str()) && phase != Some(&Phase::Starting)
    })
    .await;
}

/// Whether a session waits for its first run.
pub(super) fn waits(hub: &Hub, id: &SessionId) -> bool {
    hub.read().waits_in(id).is_some()
}
