//! `kill` and `remove`: ends sessions, and removes them.

use std::rc::Rc;
use std::time::Duration;

use super::project::wait_until;
use crate::daemon::hub::Hub;
use crate::daemon::requests::checks::signal_number;
use crate::daemon::requests::client::{Client, Moves};
use crate::daemon::requests::confirm::may_end;
use crate::daemon::requests::ending::cannot_end;
use crate::daemon::requests::find::{find, find_several};
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::requests::new_output::{Show, Since, polled};
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::stopping::{Manner, Stopping};
use crate::daemon::requests::uncancelled::finish_anyway;
use crate::daemon::tasks::tree_kill::{Ended, GRACE_MS};
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::params::{Kill, Remove, Stream};
use crate::protocol::reply::{Killed, KilledAll, Removed};
use crate::protocol::{Error, ErrorCode, SessionId, Status};
use crate::sys::signal;

/// How long the keeper may take to forget a session.
const LETTING_GO: Duration = Duration::from_secs(5);

/// Maximum number of characters of output in the reply.
const OUTPUT_CHARS: usize = 500;

/// Refuses a label that several ended sessions have.
fn check_unambiguous(hub: &Hub, client: &Client, name: &str) -> Result<(), Error> {
    let state = hub.read();
    state
        .sessions
        .registry
        .check_unambiguous(&client.principal, name)
}

/// Handles the action `kill`.
pub(super) async fn kill(hub: &Hub, client: &Rc<Client>, params: Kill) -> Answer {
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
            error.message.push_str("; no session was ended");
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

/// A session that is being removed: its `onExit` is not run when it ends. If the removal fails, it is an ordinary
/// session again as soon as this is dropped.
struct Removing {
    hub: Hub,
    id: SessionId,
}

impl Removing {
    fn begin(hub: &Hub, id: &SessionId) -> Self {
        hub.change(|state| state.removing.insert(id.clone()));
        Self {
            hub: hub.clone(),
            id: id.clone(),
        }
    }
}

impl Drop for Removing {
    fn drop(&mut self) {
        self.hub.change(|state| state.removing.remove(&self.id));
    }
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

/// Removes a session, and waits until its files are gone.
async fn remove_and_wait(hub: &Hub, client: &Client, id: &SessionId) {
    let by = client.principal.actor();
    if let Some(gone) = hub.change(|state| state.remove(id, Some(&by))) {
        // A keeper of an older version does not answer with `Forgotten`, so limit the wait.
        let _ = tokio::time::timeout(LETTING_GO, gone).await;
    }
}
