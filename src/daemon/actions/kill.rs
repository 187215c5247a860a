//! `kill`: ends sessions, and removes them on request.

use std::rc::Rc;

use super::project::wait_until;
use crate::daemon::hub::Hub;
use crate::daemon::requests::checks::signal_number;
use crate::daemon::requests::client::{Client, Moves};
use crate::daemon::requests::confirm::may_end;
use crate::daemon::requests::find::find_several;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::requests::new_output::{Show, Since, polled};
use crate::daemon::requests::removal::{Removing, check_unambiguous, remove_and_wait};
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::stopping::{Manner, Stopping};
use crate::daemon::tasks::tree_kill::GRACE_MS;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::params::{Kill, Stream};
use crate::protocol::reply::{Killed, KilledAll};
use crate::protocol::{Error, SessionId, Status};
use crate::sys::signal;

/// Maximum number of characters of output in the reply.
const OUTPUT_CHARS: usize = 500;

/// The end of the message of a request for several sessions that has ended none.
pub(super) const NONE_ENDED: &str = "; no session was ended";

/// Handles the action `kill`.
pub(super) async fn kill(hub: &Hub, client: &Rc<Client>, params: Kill) -> Answer {
    if params.force == Some(true) && params.signal.is_some() {
        return Err(Error::invalid(
            "`force` sends KILL at once; give `signal` or `force`",
        ));
    }
    let (one, several) = (params.session_id.as_deref(), params.session_ids.as_deref());
    let (ids, single) = find_several(
        hub,
        client,
        one,
        several,
        params.group.as_deref(),
        Access::Own,
    )
    .map_err(|mut error| {
        if several.is_some_and(|ids| ids.len() > 1) {
            error.message.push_str(NONE_ENDED);
        }
        error
    })?;
    if params.remove == Some(true) {
        for name in one
            .into_iter()
            .chain(several.into_iter().flatten().map(String::as_str))
        {
            check_unambiguous(hub, client, name)?;
        }
    }
    let number = match (params.force, &params.signal) {
        (Some(true), _) => Some(signal::KILL),
        (_, Some(name)) => Some(signal_number(name)?),
        (_, None) => None,
    };
    let checked = |ms| wait_ms("graceMs", Some(ms), GRACE_MS);
    let manner = Manner {
        number,
        grace: params.grace_ms.map(checked).transpose()?,
        may_run_again: false,
    };
    let remove = params.remove == Some(true);
    for id in &ids {
        may_end(&hub.read(), client, id)?;
    }
    // End all sessions at the same time, so that the reply takes as long as the slowest one.
    let tasks: Vec<_> = ids
        .into_iter()
        .map(|id| {
            let (hub, client) = (hub.clone(), client.clone());
            tokio::task::spawn_local(
                async move { kill_one(&hub, &client, id, manner, remove).await },
            )
        })
        .collect();
    let (mut results, mut failed) = (Vec::new(), None);
    for task in tasks {
        let killed = task
            .await
            .unwrap_or_else(|error| Err(Error::internal(error.to_string())));
        match killed {
            Ok(killed) => results.push(killed),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some(mut error) = failed {
        // A session may be removed meanwhile, for example.
        match results.len() {
            0 => {}
            1 => error.message.push_str("; the other session was ended"),
            n => error.message.push_str(&format!("; {n} others were ended")),
        }
        return Err(error);
    }
    match (single, results.pop()) {
        (true, Some(result)) => answer(result),
        (_, last) => {
            results.extend(last);
            answer(KilledAll { results })
        }
    }
}

async fn kill_one(
    hub: &Hub,
    client: &Client,
    id: SessionId,
    manner: Manner,
    remove: bool,
) -> Result<Killed, Error> {
    let gone = || Error::session_not_found(id.as_str());
    let status = || -> Result<Status, Error> {
        let state = hub.read();
        Ok(state.sessions.get(&id).ok_or_else(gone)?.life.status())
    };
    let mut previous = status()?;
    let removing = remove.then(|| Removing::begin(hub, &id));
    let stopping = Stopping::begin(hub, client, &id, manner).await?;
    let now = status()?;
    if previous.is_finished() && !now.is_finished() {
        // Another client has restarted it at the same time.
        previous = now;
    }
    let show = async || {
        let show = Show {
            dropped: 0,
            // A model has seen the earlier output.
            until: None,
            since: if client.is_lean() {
                Since::New.offset(&hub.read(), client, &id)
            } else {
                hub.read().sessions.log_first(&id)
            },
            max_chars: OUTPUT_CHARS,
            stream: Stream::All,
            moves: Moves::Nothing,
            screen: false,
            oldest: false,
        };
        polled(hub, client, &id, show).await
    };
    let (polled, ended) = if stopping.is_over() {
        // The first process has ended; others may remain. Take the output first, because the session may expire
        // as soon as they are killed.
        (show().await?, stopping.end(hub, client, &id).await)
    } else {
        let ended = stopping.end(hub, client, &id).await;
        (show().await?, ended)
    };
    project_decided(hub, &id).await;
    let mut killed = Killed {
        session_id: id.clone(),
        previous_status: previous,
        status: polled.status,
        exit_code: polled.exit_code,
        signal: polled.signal,
        killed_pids: ended.killed,
        survivors: ended.survivors,
        output: polled.output,
        stdout: polled.stdout,
        stderr: polled.stderr,
        already_ended: previous.is_finished(),
        removed: false,
    };
    // A session with surviving processes stays in the list.
    if removing.is_some() && killed.survivors.is_empty() {
        remove_and_wait(hub, client, &id).await;
        killed.removed = true;
    }
    Ok(killed)
}

/// Waits until the end of a session is known to its project: whoever asks next is told that its job was stopped.
async fn project_decided(hub: &Hub, id: &SessionId) {
    let of = hub
        .read()
        .sessions
        .get(id)
        .and_then(|session| session.spec.project.clone());
    if let Some(of) = of {
        wait_until(hub, &of.id, 0, |_| true).await;
    }
}
