//! `start`: runs a command.
//!
//! [`draft`] makes a session of a request, [`launch`] starts its program or lets it wait.

mod draft;
mod launch;

use std::path::Path;
use std::rc::Rc;

pub(super) use launch::check_room;

use super::turn;
use crate::daemon::hub::Hub;
use crate::daemon::requests::checks::checked_name;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::directory::working_directory;
use crate::daemon::requests::limits::{YIELD_MS, one_of, wait_ms};
use crate::daemon::requests::new_output::Since;
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::start_input::StartInput;
use crate::daemon::requests::started::{answer_at_once, started};
use crate::daemon::requests::uncancelled::finish_anyway;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::requests::{start_limits, unique_label};
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::conditions::Conditions;
use crate::protocol::condition::{WaitMode, WaitSpec};
use crate::protocol::hello::Role;
use crate::protocol::params::Start;
use crate::protocol::reply::Warning;
use crate::protocol::{Error, SessionId};

use launch::{Launched, launch};

/// Handles the action.
pub(super) async fn start(hub: &Hub, client: &Rc<Client>, mut params: Start) -> Answer {
    check_limits(hub, &params)?;
    let spec = wait_spec(client, &params)?;
    let otherwise = Conditions::something_to_do(params.ready.is_some(), None);
    let plan = Plan::or_else(client, &spec, otherwise)?;
    let key = params.key.take();
    params.key = key.map(|key| checked_name("key", key)).transpose()?;
    let cwd = working_directory(&client.greeting, params.cwd.as_deref())?;
    client.reachable(&cwd).await?;
    // From here on, nothing comes in between: the same key is not given twice.
    let reused = reused(hub, client, &params, &cwd)?;
    if reused.is_none() && params.ready.is_none() {
        plan.check_without_probe()?;
    }
    let is_reused = reused.is_some();
    let params = Rc::new(params);
    let Launched { id, pid, input } = match reused {
        Some(id) => launched_before(hub, client, id, &params).await,
        None => {
            let (hub, client, params) = (hub.clone(), client.clone(), params.clone());
            finish_anyway(async move { launch(&hub, &client, &params).await }).await?
        }
    };
    let mut started = if is_answered_at_once(hub, &id, &params, &spec) {
        // Return no output: what was written by now is left to the next `wait` or `poll`, so that the reply does
        // not depend on the speed of the machine.
        answer_at_once(hub, client, &id)?
    } else {
        let from = shown_from(hub, client, &id, is_reused);
        if params.wait == Some(true) {
            wait_for_end(hub, client, &id).await;
        }
        let waited = plan
            .run(hub, client, vec![(from, id.clone())], WaitMode::Any)
            .await?;
        started(hub, &id, waited, spec.names_conditions())?
    };
    if let Some(input) = input {
        input.tell(&mut started).await;
    }
    started.reused = is_reused.then_some(true);
    if !is_reused && shares_label(&hub.read(), &id) {
        started.warnings.push(Warning::LabelInUse);
    }
    // Report the pid it had, even if it has ended since.
    started.pid = pid.or(started.pid);
    if started.pid.is_none() && !is_reused {
        // One that waited for its turn has got it meanwhile.
        started.pid = last_pid(&hub.read(), &id);
    }
    answer(started)
}

fn check_limits(hub: &Hub, params: &Start) -> Result<(), Error> {
    start_limits::check(params, hub.read().settings.total_log_bytes)?;
    if params.timeout_sec.is_some() && params.timeout_ms.is_some() {
        return Err(Error::invalid(
            "`timeoutSec` and `timeoutMs` are the same limit; give one",
        ));
    }
    Ok(())
}

/// What the reply waits for.
fn wait_spec(client: &Client, params: &Start) -> Result<WaitSpec, Error> {
    let name = match params.yield_ms {
        Some(_) => "yieldMs",
        None => "waitMs",
    };
    let yield_ms = one_of("waitMs", params.wait_ms, "yieldMs", params.yield_ms)?
        .or(client.greeting.defaults.yield_ms);
    Ok(WaitSpec {
        until: params.until.clone(),
        fail: params.fail.clone(),
        view: params.view,
        timeout_ms: Some(wait_ms(name, yield_ms, YIELD_MS)?),
        max_chars: params.max_chars,
        ..WaitSpec::default()
    })
}

/// A session that an earlier request with the same key has started. It gets its input if it has not had it.
async fn launched_before(hub: &Hub, client: &Client, id: SessionId, params: &Start) -> Launched {
    let input = StartInput::begin_owed(hub, client, &id, params.input.as_deref()).await;
    Launched {
        id,
        pid: None,
        input,
    }
}

/// Whether the reply waits for nothing.
fn is_answered_at_once(hub: &Hub, id: &SessionId, params: &Start, spec: &WaitSpec) -> bool {
    // What waits in a queue may wait for long, so that only who says what for waits with it.
    let waits = !spec.names_conditions() && (turn::waits(hub, id) || hub.read().is_open_batch(id));
    (params.background == Some(true) || waits) && params.wait != Some(true)
}

/// Where the output of the reply begins.
fn shown_from(hub: &Hub, client: &Client, id: &SessionId, is_reused: bool) -> u64 {
    let state = hub.read();
    if is_reused {
        // A repeated request gets the output from the beginning: the first reply may be lost.
        state.sessions.log_first(id)
    } else {
        Since::New.offset(&state, client, id)
    }
}

/// Waits for the end of the session, or until a model can answer what the program asks.
async fn wait_for_end(hub: &Hub, client: &Client, id: &SessionId) {
    let mut end = if client.is_lean() {
        Conditions::ends_or_asks()
    } else {
        Conditions::exit()
    };
    end.set_ends_if_skipped(client.principal.role != Role::Human);
    hub.wait_from_now(id, end, None).await;
}

/// The pid of the first process of the run that has ended.
fn last_pid(state: &State, id: &SessionId) -> Option<u32> {
    let (pid, _) = state.sessions.get(id)?.life.last_process()?;
    Some(pid)
}

/// Whether another session of its scope that has not ended has the label of this one.
fn shares_label(state: &State, id: &SessionId) -> bool {
    let session = state.sessions.get(id);
    let session = session.filter(|session| !session.life.status().is_finished());
    session.is_some_and(|session| {
        let label = session.spec.label.as_deref();
        unique_label::check(state, &session.scope, label, Some(id)).is_err()
    })
}

/// The session that an earlier request with the same key has started.
fn reused(
    hub: &Hub,
    client: &Client,
    params: &Start,
    cwd: &Path,
) -> Result<Option<SessionId>, Error> {
    let Some(key) = &params.key else {
        return Ok(None);
    };
    let state = hub.read();
    let Some(session) = state.sessions.registry.by_key(&client.principal.scope, key) else {
        return Ok(None);
    };
    let same = session.spec.command == params.command && session.spec.args == params.args;
    let is_here = params.cwd.is_none() || cwd == Path::new(&session.spec.cwd);
    if session.spec.changed || (same && is_here) {
        return Ok(Some(session.id.clone()));
    }
    let what = if same {
        format!("in {}", session.spec.cwd)
    } else {
        "another command".to_owned()
    };
    let message = format!("`key`: session {} with this key runs {what}", session.id);
    Err(Error::invalid(message).hint("use another key for another command"))
}
