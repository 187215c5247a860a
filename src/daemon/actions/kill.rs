//! `kill` and `remove`: ending sessions, and forgetting them.

use std::rc::Rc;
use std::time::Duration;

use super::super::again;
use super::super::connection::Client;
use super::super::end_tree::{self, Ended, GRACE_MS};
use super::super::hub::{Hub, now};
use super::super::text;
use super::news::{Show, polled};
use super::{Answer, actor, answer, find, find_several};
use crate::engine::matcher::{Conditions, Matcher};
use crate::engine::registry::Access;
use crate::engine::waits::Pending;
use crate::protocol::condition::WaitMode;
use crate::protocol::params::{Kill, Remove, SignalName, Stream};
use crate::protocol::reply::{Killed, KilledAll, Removed};
use crate::protocol::{Error, ErrorCode, SessionId, Status, suggest};
use crate::sys::signal;
use crate::term::plain::Checkpoint;

/// How long the exit is waited for after everything was killed.
const EXIT_MS: u64 = 5000;

/// How long the keeper may take to let go of a session.
const LETTING_GO: Duration = Duration::from_secs(5);

/// Characters of output in the reply.
const OUTPUT_CHARS: usize = 500;

/// The action `kill`.
pub(super) async fn kill(hub: &Hub, client: &Rc<Client>, params: Kill) -> Answer {
    let (one, several) = (params.session_id.as_deref(), params.session_ids.as_deref());
    let (ids, single) = find_several(
        hub,
        client,
        one,
        several,
        params.group.as_deref(),
        Access::Own,
    )?;
    let number = match (params.force, &params.signal) {
        (Some(true), _) => signal::KILL,
        (_, Some(name)) => signal_number(name)?,
        (_, None) => signal::TERM,
    };
    let grace = super::wait_ms("graceMs", params.grace_ms, GRACE_MS)?;
    let remove = params.remove == Some(true);
    // All at once: the slowest one is waited for, not the sum.
    let tasks: Vec<_> = ids
        .into_iter()
        .map(|id| {
            let (hub, client) = (hub.clone(), client.clone());
            tokio::task::spawn_local(async move {
                kill_one(&hub, &client, id, number, grace, remove).await
            })
        })
        .collect();
    let mut results = Vec::new();
    for task in tasks {
        let killed = task
            .await
            .map_err(|error| Error::internal(error.to_string()))?;
        results.push(killed?);
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
    number: i32,
    grace: u64,
    remove: bool,
) -> Result<Killed, Error> {
    let gone = || Error::session_not_found(id.as_str());
    let status = || -> Result<Status, Error> {
        let state = hub.state();
        Ok(state.registry.get(&id).ok_or_else(gone)?.life.status())
    };
    let mut previous = status()?;
    let on_exit = match remove {
        true => hub.state().drop_on_exit(&id),
        false => None,
    };
    let waited = again::stop(hub, &id, &actor(&client.viewer)).await;
    let now = status()?;
    if previous.is_finished() && !now.is_finished() {
        // Somebody has restarted it at the same time.
        previous = now;
    }
    let already_ended = previous.is_finished();
    let show = async || {
        let show = Show {
            since: hub.state().log_first(&id),
            max_chars: OUTPUT_CHARS,
            stream: Stream::All,
            moves: false,
        };
        polled(hub, client, &id, show).await
    };
    let (polled, ended) = match already_ended || waited {
        // Its first process has ended; others may go on without it. With them its
        // TTL may end, too, so what is to be said of it is looked up before.
        true => (show().await?, end_strays(hub, &id, number, grace).await),
        false => {
            let ended = end(hub, client, &id, number, grace).await;
            (show().await?, ended)
        }
    };
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
        already_ended,
        removed: false,
    };
    // One of whom something goes on stays in sight.
    if remove && killed.survivors.is_empty() {
        remove_and_wait(hub, &id).await;
        killed.removed = true;
    } else if remove {
        hub.state().restore_on_exit(&id, on_exit);
    }
    Ok(killed)
}

/// Ends a session's tree and waits until its exit is known.
pub(super) async fn end(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    number: i32,
    grace: u64,
) -> Ended {
    let leader = hub.state().registry.get(id).and_then(|s| s.life.pid());
    let task = end_tree::begin(hub, id, actor(&client.viewer), number, grace);
    let ended = task.await.unwrap_or_default();
    if !leader.is_some_and(|leader| ended.survivors.contains(&leader)) {
        wait_for_exit(hub, id, Some(EXIT_MS)).await;
    }
    ended
}

/// Ends what goes on of a session whose first process has ended.
pub(super) async fn end_strays(hub: &Hub, id: &SessionId, number: i32, grace: u64) -> Ended {
    let task = end_tree::begin_strays(hub, id, number, grace);
    task.await.unwrap_or_default()
}

/// Waits until a session has ended, so many milliseconds at most.
pub(super) async fn wait_for_exit(hub: &Hub, id: &SessionId, within: Option<u64>) {
    let began = now().boot;
    let pending = {
        let mut state = hub.state();
        let Some(session) = state.registry.get_mut(id) else {
            return;
        };
        let at = Checkpoint::at(session.output.end());
        let conditions = Rc::new(Conditions::exit());
        let mut matcher = Matcher::new(conditions, session.output.layout(), at, began);
        let facts = session.facts();
        let decision = matcher.look(&mut session.output, facts, began);
        let deadline = within.map(|ms| began + ms);
        Pending::new(
            WaitMode::Any,
            vec![(id.clone(), matcher, decision)],
            deadline,
        )
    };
    hub.wait(pending).await;
}

/// The action `remove`.
pub(super) async fn remove(hub: &Hub, client: &Rc<Client>, params: Remove) -> Answer {
    let id = find(hub, client, &params.session_id, Access::Own)?;
    let mut on_exit = None;
    if params.kill != Some(false) {
        on_exit = hub.state().drop_on_exit(&id);
        again::stop(hub, &id, &actor(&client.viewer)).await;
    }
    let alive = hub
        .state()
        .registry
        .get(&id)
        .is_some_and(|s| !s.life.status().is_finished());
    let mut ended = Ended::default();
    if alive {
        if params.kill == Some(false) {
            let output = text::tail(&hub.state(), &id, OUTPUT_CHARS);
            let message = format!("Session {id} is running");
            return Err(Error::new(ErrorCode::InvalidRequest, message)
                .hint("`kill` it first, or leave out `kill:false`")
                .data(serde_json::json!({ "output": output })));
        }
        ended = end(hub, client, &id, signal::TERM, GRACE_MS).await;
    } else if params.kill != Some(false) {
        ended = end_strays(hub, &id, signal::TERM, GRACE_MS).await;
    }
    if !ended.survivors.is_empty() {
        hub.state().restore_on_exit(&id, on_exit);
        let hint = "`remove` with `kill:false` forgets a session that has ended as it is";
        return Err(cannot_end(&id, "removed", &ended).hint(hint));
    }
    remove_and_wait(hub, &id).await;
    answer(Removed {
        session_id: id,
        removed: true,
    })
}

/// Forgets a session, and waits until its files are gone.
async fn remove_and_wait(hub: &Hub, id: &SessionId) {
    if let Some(gone) = hub.with(|state| state.remove(id)) {
        // A keeper of an older version does not say so.
        let _ = tokio::time::timeout(LETTING_GO, gone).await;
    }
}

/// A session was not `what`, because something of it cannot be ended.
pub(super) fn cannot_end(id: &SessionId, what: &str, ended: &Ended) -> Error {
    let pids: Vec<String> = ended.survivors.iter().map(u32::to_string).collect();
    let message = format!(
        "Session {id} was not {what}: pid {} could not be ended",
        pids.join(", ")
    );
    Error::new(ErrorCode::PermissionDenied, message)
        .data(serde_json::json!({ "survivors": ended.survivors }))
}

/// A signal by name or number.
pub(super) fn signal_number(name: &SignalName) -> Result<i32, Error> {
    match name {
        SignalName::Number(number @ 1..=64) => Ok(*number),
        SignalName::Number(number) => Err(Error::invalid(format!(
            "`signal`: there is no signal {number}"
        ))),
        SignalName::Name(name) => signal::number(name)
            .or_else(|| name.parse().ok().filter(|number| (1..=64).contains(number)))
            .ok_or_else(|| {
                let error = Error::invalid(format!("`signal`: `{name}` is no signal"));
                let bare = name.trim_start_matches("SIG").to_owned();
                match suggest::nearest(&bare, signal::names()) {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error.hint("for example TERM, INT, HUP, KILL"),
                }
            }),
    }
}
