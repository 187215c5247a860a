//! `kill` and `wait` on sessions of several machines: one request for each machine, and one answer.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::kill::NONE_ENDED;
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::there::host_of_name;
use crate::daemon::requests::wait_plan;
use crate::daemon::transport::Answer;
use crate::protocol::condition::WaitMode;
use crate::protocol::params::{Kill, Wait};
use crate::protocol::reply::Outcome;
use crate::protocol::{Action, Error, ErrorCode};

/// Carries out an action that names sessions of several machines. `None` if it does not, or is of another kind.
pub(super) async fn run(hub: &Hub, client: &Rc<Client>, action: &Action) -> Option<Answer> {
    let names = match action {
        Action::Kill(Kill { session_ids, .. }) | Action::Wait(Wait { session_ids, .. }) => {
            session_ids.as_ref()?
        }
        _ => return None,
    };
    let mut machines: BTreeMap<Option<Box<str>>, Vec<String>> = BTreeMap::new();
    for name in names {
        match host_of_name(hub, client, name) {
            Ok(host) => machines.entry(host).or_default().push(name.clone()),
            Err(error) => return Some(Err(error)),
        }
    }
    if machines.len() < 2 {
        return None;
    }
    let parts = machines.into_values().map(|names| part(action, names));
    let parts: Vec<Action> = parts.collect();
    Some(match action {
        Action::Wait(wait) => wait_for(hub, client, wait, parts).await,
        _ => all(hub, client, parts).await.and_then(|parts| {
            let results: Vec<Value> = parts.into_iter().flat_map(results).collect();
            answer(json!({ "results": results }))
        }),
    })
}

/// The action for some of its sessions.
fn part(action: &Action, names: Vec<String>) -> Action {
    let mut part = action.clone();
    if let Action::Kill(Kill { session_ids, .. }) | Action::Wait(Wait { session_ids, .. }) =
        &mut part
    {
        *session_ids = Some(names);
    }
    part
}

/// The results of all parts of a `kill`, in their order. If one fails, the error says how many sessions others have ended.
async fn all(hub: &Hub, client: &Rc<Client>, parts: Vec<Action>) -> Result<Vec<Value>, Error> {
    let mut tasks = JoinSet::new();
    for (place, part) in parts.into_iter().enumerate() {
        tasks.spawn_local(run_part(hub.clone(), client.clone(), place, part));
    }
    let (mut done, mut failed) = (BTreeMap::new(), None);
    while let Some(ended) = tasks.join_next().await {
        let (place, result) = ended.map_err(|error| Error::internal(error.to_string()))?;
        match result {
            Ok(value) => drop(done.insert(place, value)),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    let Some(mut error) = failed else {
        return Ok(done.into_values().collect());
    };
    let ended = done.into_values().flat_map(results).count();
    if ended > 0 {
        let message = error.message.strip_suffix(NONE_ENDED);
        let message = message.unwrap_or(&error.message);
        error.message = format!("{message}; {ended} on other machines ended");
    }
    Err(error)
}

async fn run_part(
    hub: Hub,
    client: Rc<Client>,
    place: usize,
    part: Action,
) -> (usize, Result<Value, Error>) {
    let result = Box::pin(super::run(hub, client, part)).await;
    let value = result.and_then(|raw| {
        serde_json::from_str(raw.get())
            .map_err(|error| Error::internal(format!("a result could not be read: {error}")))
    });
    (place, value)
}

/// Waits on several machines. The first machine whose sessions decide the wait ends it; what the others have until then
/// is asked without waiting.
async fn wait_for(hub: &Hub, client: &Rc<Client>, wait: &Wait, parts: Vec<Action>) -> Answer {
    let mode = wait.mode.unwrap_or_default();
    let mut tasks = JoinSet::new();
    for (place, part) in parts.iter().cloned().enumerate() {
        tasks.spawn_local(run_part(hub.clone(), client.clone(), place, part));
    }
    let mut pending: BTreeMap<usize, Action> = parts.into_iter().enumerate().collect();
    let mut done: BTreeMap<usize, Value> = BTreeMap::new();
    let (mut unreachable, mut nothing_left) = (None, None);
    let mut is_decided = false;
    while let Some(ended) = tasks.join_next().await {
        let (place, result) = ended.map_err(|error| Error::internal(error.to_string()))?;
        pending.remove(&place);
        match result {
            Ok(result) => {
                is_decided = decides(mode, &result);
                done.insert(place, result);
                if is_decided {
                    break;
                }
            }
            // The client knows each end there.
            Err(error) if mode == WaitMode::Next && error.code == ErrorCode::SessionNotRunning => {
                nothing_left = Some(error);
            }
            // The other machines may decide the wait.
            Err(error) if mode != WaitMode::All && error.code == ErrorCode::HostUnreachable => {
                unreachable = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    // Ends the waits on the other machines.
    drop(tasks);
    for (place, mut part) in pending {
        if let Action::Wait(wait) = &mut part {
            (wait.wait_ms, wait.timeout_ms) = (Some(0), None);
        }
        let (place, result) = run_part(hub.clone(), client.clone(), place, part).await;
        // A host that cannot be reached now decides nothing.
        if let Ok(result) = result {
            done.insert(place, result);
        }
    }
    let missing = unreachable.filter(|_| !is_decided);
    if let Some(error) = missing.or(nothing_left.filter(|_| done.is_empty())) {
        return Err(error);
    }
    let done: Vec<Value> = done.into_values().collect();
    let rank = |part: &Value| {
        let outcome = Outcome::deserialize(&part["outcome"]).ok();
        outcome.map_or(u8::MAX, |outcome| wait_plan::rank(mode, outcome))
    };
    let decisive = (0..done.len()).min_by_key(|place| rank(&done[*place]));
    joined(done, decisive.unwrap_or(0))
}

/// Whether what one machine has answered ends the wait, whatever the others do.
fn decides(mode: WaitMode, part: &Value) -> bool {
    match part["outcome"].as_str() {
        Some("failed") => true,
        Some("matched") => mode != WaitMode::All,
        Some("exited" | "lost") => mode == WaitMode::All,
        _ => false,
    }
}

/// One answer from those of several machines: the one at `place` decides it.
fn joined(parts: Vec<Value>, place: usize) -> Answer {
    let mut decided = parts.get(place).cloned().unwrap_or_default();
    let joined: Vec<Value> = parts.into_iter().flat_map(results).collect();
    decided["results"] = Value::Array(joined);
    answer(decided)
}

fn results(mut part: Value) -> Vec<Value> {
    match part.get_mut("results").map(Value::take) {
        Some(Value::Array(results)) => results,
        _ => Vec::new(),
    }
}
