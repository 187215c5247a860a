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
use crate::protocol::reply::{Killed, KilledAll, Polled};
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
    let (ids, single) = find_all(hub, client, &params)?;
    let remove = params.remove == Some(true);
    if remove {
        check_names(hub, client, &params)?;
    }
    let manner = manner(&params)?;
    for id in &ids {
        may_end(&hub.read(), client, id)?;
    }
    let mut results = kill_all(hub, client, ids, manner, remove).await?;
    match (single, results.pop()) {
        (true, Some(result)) => answer(result),
        (_, last) => {
            results.extend(last);
            answer(KilledAll { results })
        }
    }
}

/// Finds the sessions that the request names. The flag is true if it names one by itself.
fn find_all(hub: &Hub, client: &Client, params: &Kill) -> Result<(Vec<SessionId>, bool), Error> {
    let (one, several) = (params.session_id.as_deref(), params.session_ids.as_deref());
    let group = params.group.as_deref();
    let found = find_several(hub, client, one, several, group, Access::Own);
    found.map_err(|mut error| {
        if several.is_some_and(|ids| ids.len() > 1) {
            error.message.push_str(NONE_ENDED);
        }
        error
    })
}

/// Refuses to remove sessions by names that others have, too.
fn check_names(hub: &Hub, client: &Client, params: &Kill) -> Result<(), Error> {
    let several = params.session_ids.iter().flatten();
    let mut names = params.session_id.iter().chain(several);
    names.try_for_each(|name| check_unambiguous(hub, client, name))
}

/// How the sessions are to end.
fn manner(params: &Kill) -> Result<Manner, Error> {
    let number = match (params.force, &params.signal) {
        (Some(true), _) => Some(signal::KILL),
        (_, Some(name)) => Some(signal_number(name)?),
        (_, None) => None,
    };
    let checked = |ms| wait_ms("graceMs", Some(ms), GRACE_MS);
    Ok(Manner {
        number,
        grace: params.grace_ms.map(checked).transpose()?,
        may_run_again: false,
    })
}

/// Ends all sessions at the same time, so that the reply takes as long as the slowest one.
async fn kill_all(
    hub: &Hub,
    client: &Rc<Client>,
    ids: Vec<SessionId>,
    manner: Manner,
    remove: bool,
) -> Result<Vec<Killed>, Error> {
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
    let Some(mut error) = failed else {
        return Ok(results);
    };
    // A session may be removed meanwhile, for example.
    match results.len() {
        0 => {}
        1 => error.message.push_str("; the other session was ended"),
        n => error.message.push_str(&format!("; {n} others were ended")),
    }
    Err(error)
}

async fn kill_one(
    hub: &Hub,
    client: &Client,
    id: SessionId,
    manner: Manner,
    remove: bool,
) -> Result<Killed, Error> {
    let mut previous = status(hub, &id)?;
    let runs = runs(hub, &id);
    let removing = remove.then(|| Removing::begin(hub, &id));
    let stopping = Stopping::begin(hub, client, &id, manner).await?;
    let now = status(hub, &id)?;
    if previous.is_finished() && !now.is_finished() {
        // Another client has restarted it at the same time.
        previous = now;
    }
    let (polled, ended) = if stopping.is_over() {
        // The first process has ended; others may remain. Take the output first, because the session may expire
        // as soon as they are killed.
        let polled = last_output(hub, client, &id).await?;
        (polled, stopping.end(hub, client, &id).await)
    } else {
        let ended = stopping.end(hub, client, &id).await;
        (last_output(hub, client, &id).await?, ended)
    };
    project_decided(hub, &id).await;
    if previous == Status::Queued && self::runs(hub, &id) > runs {
        // Its batch system had started it, and had not told of that.
        previous = Status::Running;
    }
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

fn status(hub: &Hub, id: &SessionId) -> Result<Status, Error> {
    let state = hub.read();
    let session = state.sessions.get(id);
    let session = session.ok_or_else(|| Error::session_not_found(id.as_str()))?;
    Ok(session.life.status())
}

/// Number of runs that a session has begun.
fn runs(hub: &Hub, id: &SessionId) -> u32 {
    let state = hub.read();
    let life = state.sessions.get(id).map(|session| &session.life);
    life.map_or(0, |life| {
        life.restarts() + u32::from(!life.runs().is_empty())
    })
}

/// The status of a session, and the end of its output.
async fn last_output(hub: &Hub, client: &Client, id: &SessionId) -> Result<Polled, Error> {
    let show = Show {
        dropped: 0,
        until: None,
        // A model has seen the earlier output.
        since: if client.is_lean() {
            Since::New.offset(&hub.read(), client, id)
        } else {
            hub.read().sessions.log_first(id)
        },
        max_chars: OUTPUT_CHARS,
        stream: Stream::All,
        moves: Moves::Nothing,
        screen: false,
        oldest: false,
    };
    polled(hub, client, id, show).await
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
