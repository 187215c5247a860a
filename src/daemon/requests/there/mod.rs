//! Requests that a host answers: they go over the client's own channel to the daemon of that host.

mod channel;
pub(crate) mod leave;
mod typing;

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use channel::Patience;
use typing::Turn;
pub(crate) use typing::Typing;

use super::client::Client;
use super::replies::answer;
use crate::config::LOCAL;
use crate::daemon::clock::now;
use crate::daemon::hosts::channel::Lost;
use crate::daemon::hosts::names;
use crate::daemon::hub::Hub;
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::hosts::HostLink;
use crate::protocol::bounds::DEFAULT_WAIT_MS;
use crate::protocol::traits::ActionTraits;
use crate::protocol::{Action, Error, ErrorCode, SessionId, Targets, split_host};

/// A host that has not answered a request for so long may be gone.
const SILENCE: Duration = Duration::from_secs(5);

/// Longest time until a request is told that its host cannot be reached. A link whose other end is silent is given up
/// after 15 s; the rest is for a new one.
const UNREACHABLE: Duration = Duration::from_secs(28);

/// The host that answers an action; `None` if this machine does. An exact label of a session of this machine wins.
///
/// # Errors
///
/// `host_unknown`, `permission_denied` if the client may not reach the host, and `invalid_params` if the action names
/// sessions of several machines.
pub(crate) fn host_of(
    hub: &Hub,
    client: &Client,
    action: &Action,
) -> Result<Option<Box<str>>, Error> {
    if let Some(host) = action.host() {
        let is_here = host == LOCAL || host.is_empty();
        return if is_here {
            Ok(None)
        } else {
            reached(hub, client, host).map(Some)
        };
    }
    match action.targets() {
        Targets::None => Ok(None),
        Targets::One(name) | Targets::Group(name) => host_of_name(hub, client, name),
        Targets::Several(names) => {
            let mut hosts = names.iter().map(|name| host_of_name(hub, client, name));
            let first = hosts.next().transpose()?.flatten();
            for host in hosts {
                if host? != first {
                    return Err(
                        Error::invalid("`sessionIds` names sessions of several machines")
                            .hint("send one request for each machine"),
                    );
                }
            }
            Ok(first)
        }
    }
}

/// The host in the name of a session or group.
pub(crate) fn host_of_name(
    hub: &Hub,
    client: &Client,
    name: &str,
) -> Result<Option<Box<str>>, Error> {
    let Some((_, host)) = split_host(name) else {
        return Ok(None);
    };
    let is_here = hub.read().sessions.iter().any(|session| {
        let spec = &session.spec;
        let is_named = [&spec.label, &spec.group]
            .into_iter()
            .any(|word| word.as_deref() == Some(name));
        is_named && client.principal.sees(session)
    });
    match is_here {
        true => Ok(None),
        false if host == LOCAL => Err(Error::session_not_found(name)),
        false => reached(hub, client, host).map(Some),
    }
}

fn reached(hub: &Hub, client: &Client, host: &str) -> Result<Box<str>, Error> {
    if hub.read().hosts.get(host).is_none() {
        hub.change(State::refresh_hosts);
    }
    hub.read().hosts.check(&client.greeting, host)?;
    Ok(host.into())
}

/// Carries out an action on a host.
///
/// If the link breaks before the answer, what can be repeated is asked again once the link is back. For a request that
/// waits, that may take as long as the wait.
///
/// # Errors
///
/// Besides the host's own: why the host cannot be reached. `mayHaveHappened` says whether the host may have carried
/// out the request.
pub(crate) async fn run(hub: &Hub, client: &Rc<Client>, host: &str, action: &Action) -> Answer {
    let mut params = parameters(action)?;
    names::to_host(&mut params, host);
    if let Action::Start(_) = action {
        // So a repetition finds the session that the first attempt has started.
        params
            .entry("key")
            .or_insert_with(|| json!(SessionId::fresh().as_str()));
    }
    if let Action::Unwatch(_) = action
        && let Some(id) = screen(hub, client, host, action)
    {
        // Also if the host cannot be reached now.
        client.remember_watch(&id, None);
    }
    let result = match ask(hub, client, host, action, params).await {
        Ok(mut result) => {
            names::from_host(&mut result, host);
            result
        }
        Err(error) => return last_known(hub, client, host, action).ok_or(error)?,
    };
    if let Action::Watch(_) = action
        && let Some(id) = screen(hub, client, host, action)
    {
        client.remember_watch(&id, Some(action));
    }
    told(hub, client, host, &result);
    answer(result)
}

/// Carries out an action on the node on which a batch system runs the session `id`, which has that id there, too.
pub(crate) async fn run_on_node(
    hub: &Hub,
    client: &Rc<Client>,
    node: &str,
    id: &SessionId,
    action: &Action,
) -> Answer {
    let mut params = parameters(action)?;
    if params.contains_key("sessionIds") {
        params.insert("sessionIds".to_owned(), json!([id]))
    } else {
        params.insert("sessionId".to_owned(), json!(id))
    };
    answer(ask(hub, client, node, action, params).await?)
}

fn parameters(action: &Action) -> Result<Map<String, Value>, Error> {
    match action.params() {
        Value::Object(params) => Ok(params),
        _ => Err(Error::internal("the parameters are no object")),
    }
}

/// The session of a host that an action names by its id or label, as far as it is known here.
fn screen(hub: &Hub, client: &Client, host: &str, action: &Action) -> Option<SessionId> {
    let Targets::One(name) = action.targets() else {
        return None;
    };
    let (bare, _) = split_host(name)?;
    let state = hub.read();
    let known = state
        .hosts
        .get(host)?
        .mirror
        .find(bare, &client.principal)
        .cloned();
    known.or_else(|| SessionId::parse(bare)?.at(host))
}

/// The answer to `status` about a session of a host that is not connected: what was last known, with `seenAt`.
fn last_known(hub: &Hub, client: &Client, host: &str, action: &Action) -> Option<Answer> {
    let Action::Status(params) = action else {
        return None;
    };
    let state = hub.read();
    let entry = state.hosts.get(host)?;
    let seen = Some(entry.seen()?);
    let (name, _) = split_host(&params.session_id)?;
    let record = entry.mirror.record(name, &client.principal, seen, now())?;
    Some(raw(record))
}

async fn ask(
    hub: &Hub,
    client: &Rc<Client>,
    host: &str,
    action: &Action,
    mut params: Map<String, Value>,
) -> Result<Value, Error> {
    let name = action.name();
    let may_repeat = action.may_repeat() || matches!(action, Action::Start(_));
    let timed = ActionTraits::of(name).and_then(|traits| traits.time(&params));
    let (field, wait) = timed.unwrap_or_else(|| ("waitMs".to_owned(), DEFAULT_WAIT_MS));
    let wait = Duration::from_millis(wait);
    let begun = Instant::now();
    let deadline = action.waits().then(|| begun + wait);
    let lane = client.lane(host);
    let types = is_input(action);
    let mut turn = if types {
        Some(lane.typing.turn().await)
    } else {
        None
    };
    let check = |turn: &Option<Turn<'_>>| match turn {
        Some(turn) if turn.is_void() => Err(not_typed(host)),
        _ => Ok(()),
    };
    let mut was_lost = false;
    loop {
        let patience = match deadline.filter(|_| was_lost) {
            Some(deadline) => Patience::Until(deadline),
            None => Patience::Attempt(begun + UNREACHABLE),
        };
        check(&turn)?;
        let channel = channel::channel(hub, client, host, patience).await;
        let channel = channel.inspect_err(|_| {
            if types {
                lane.typing.lose();
            }
        })?;
        check(&turn)?;
        if channel.is_closed() {
            was_lost = true;
            continue;
        }
        if was_lost && let Some(deadline) = deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            params.insert(field.clone(), json!(left));
        }
        let call = channel.call(name, params.clone());
        // It is on its way, and the next input may follow it.
        turn = None;
        match watched(hub, host, action.waits(), call).await {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(error)) => return Err(of_host(error, host)),
            Err(_) if may_repeat => was_lost = true,
            Err(Lost { .. }) => {
                if types {
                    lane.typing.lose();
                }
                return Err(may_have_happened(hub, host, name));
            }
        }
    }
}

/// Whether an action types into a program.
fn is_input(action: &Action) -> bool {
    matches!(
        action,
        Action::Write(_) | Action::SendKeys(_) | Action::Exec(_)
    )
}

/// The error for an input that was not sent, because one before it was lost.
fn not_typed(host: &str) -> Error {
    let message = format!("not typed: the connection to host {host} lost what was typed before it");
    Error::new(ErrorCode::HostUnreachable, message)
        .hint("see how things are, then type again")
        .add_data("host", json!(host))
        .add_data("mayHaveHappened", json!(false))
}

/// The error for a request whose answer does not come, and which cannot be repeated.
fn may_have_happened(hub: &Hub, host: &str, name: &str) -> Error {
    let message = format!("the connection to host {host} has ended; `{name}` may have happened");
    let state = hub.read();
    let link = state.hosts.get(host).map(|entry| &entry.link);
    let seen = link.map(|link| link.last_seen().unwrap_or(now().wall));
    Error::new(ErrorCode::HostUnreachable, message)
        .hint("see how things are, then try again")
        .add_data("host", json!(host))
        .add_data("since", json!(link.map(HostLink::since)))
        .add_data("lastSeen", json!(seen))
        .add_data("mayHaveHappened", json!(true))
}

/// Waits for an answer. If a request that waits for nothing is not answered, the host is asked for a sign of life,
/// without which its link ends. One that waits uses its link.
async fn watched<T>(hub: &Hub, host: &str, waits: bool, call: impl Future<Output = T>) -> T {
    let mut call = pin!(call);
    loop {
        tokio::select! {
            answer = &mut call => return answer,
            () = tokio::time::sleep(SILENCE) => hub.change(|state| note_silence(state, host, waits)),
        }
    }
}

/// A host has not answered for a while. A request that waits for something may take its time and uses the link; another
/// one raises a doubt whether the host is there.
fn note_silence(state: &mut State, host: &str, waits: bool) {
    let Some(entry) = state.hosts.get_mut(host) else {
        return;
    };
    if waits {
        entry.link.used(now());
    } else {
        entry.doubt();
    }
}

/// An error that a host has answered with.
fn of_host(error: Error, host: &str) -> Error {
    let mut error = names::error_from_host(error, host).add_data("host", json!(host));
    if error.code == ErrorCode::UnknownAction {
        error = error.hint(format!(
            "bgproc on host {host} is older; bgproc hosts install {host}"
        ));
    }
    error
}

/// Notes that the client was told about a session.
fn told(hub: &Hub, client: &Client, host: &str, result: &Value) {
    let id = result.get("sessionId").and_then(Value::as_str);
    let Some(id) = id.and_then(SessionId::parse_any) else {
        return;
    };
    hub.change(|state| {
        let seq = state.events.bus.past.seq();
        if let Some(entry) = state.hosts.get_mut(host)
            && entry.mirror.scope(&id) == Some(&client.principal.scope)
        {
            entry.mirror.tell(&id, seq);
        }
    });
}

/// A result as it is sent.
pub(crate) fn raw(json: String) -> Result<Box<RawValue>, Error> {
    RawValue::from_string(json)
        .map_err(|error| Error::internal(format!("a record could not be read: {error}")))
}
