//! `start`: runs a command.

use crate::daemon::programs::program::{check_directory, environment, no_nul, spawn_spec};
use crate::daemon::requests::checks::{checked_name, checked_size};
use crate::daemon::settings::TIMEOUT_GRACE_MS;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::json;
use tokio::sync::oneshot;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::keeper_link::{Launch, SpawnFailure};
use crate::daemon::programs::allow::{check_env, checked_line};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::ending::wait_for_exit;
use crate::daemon::requests::limits::{limits, max_chars, wait_ms};
use crate::daemon::requests::new_output::{Show, Since, cursor, polled};
use crate::daemon::requests::replies::{answer, refused_by_system};
use crate::daemon::requests::{start_limits, unique_label};
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::storage::log_reader::LogReader;
use crate::daemon::transport::Answer;
use crate::engine::meta::{Spec, TimeLimits};
use crate::engine::retention::Retention;
use crate::engine::session::Session;
use crate::protocol::hello::Role;
use crate::protocol::params::{Start, Stream};
use crate::protocol::reply::{Left, Started};
use crate::protocol::{Error, SessionId};
use crate::sys::{failpoint, signal};

/// Defaults as documented in protocol.md, in milliseconds.
const YIELD_MS: u64 = 10_000;
const AGENT_TIMEOUT_MS: u64 = 1_800_000;

/// Handles the action.
pub(super) async fn start(hub: &Hub, client: &Rc<Client>, params: Start) -> Answer {
    start_limits::check(&params, hub.read().settings.total_log_bytes)?;
    if params.timeout_sec.is_some() && params.timeout_ms.is_some() {
        return Err(Error::invalid(
            "`timeoutSec` and `timeoutMs` are the same limit; give one",
        ));
    }
    let max_chars = max_chars(client, params.max_chars)?;
    let yield_ms = params.yield_ms.or(client.greeting.defaults.yield_ms);
    let yield_ms = wait_ms("yieldMs", yield_ms, YIELD_MS)?;
    let reused = params.key.as_ref().and_then(|key| {
        let state = hub.read();
        Some(
            state
                .sessions
                .registry
                .by_key(&client.principal.scope, key)?
                .id
                .clone(),
        )
    });
    let (id, pid) = match &reused {
        Some(id) => (id.clone(), None),
        None => {
            let (id, pid) = launch(hub, client, &params).await?;
            (id, Some(pid))
        }
    };
    if let (None, Some(input)) = (&reused, &params.input) {
        let target = hub.read().sessions.io(&id).and_then(|io| io.input.clone());
        if let Some(target) = target {
            // The job runs in any case; a program that does not read its input is no error here.
            let _ = target.turn().await.write(input.as_bytes()).await;
        }
    }
    match (params.background == Some(true), params.wait == Some(true)) {
        (true, false) => {}
        (_, true) => wait_for_exit(hub, &id, None).await,
        (false, false) => wait_for_exit(hub, &id, Some(yield_ms)).await,
    }
    // With `background`, return no output: what was written by now is left to the next `wait` or `poll`, so
    // that the reply does not depend on the speed of the machine.
    let at_once = params.background == Some(true) && params.wait != Some(true);
    let max_chars = if at_once { None } else { Some(max_chars) };
    let mut started = started(hub, client, &id, max_chars, reused.is_some()).await?;
    // Report the pid it had, even if it has ended since.
    started.pid = pid.or(started.pid);
    answer(started)
}

async fn started(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    max_chars: Option<usize>,
    reused: bool,
) -> Result<Started, Error> {
    let since = Since::New.offset(&hub.read(), client, id);
    let shown = match max_chars {
        Some(max_chars) => {
            let stream = Stream::All;
            let show = Show {
                since,
                max_chars,
                stream,
                moves: true,
            };
            let polled = polled(hub, client, id, show).await?;
            (polled.output, polled.cursor, polled.omitted)
        }
        None => (String::new(), cursor(since), Left::default()),
    };
    let state = hub.read();
    let Some(session) = state.sessions.get(id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let over = session.life.status().is_finished();
    Ok(Started {
        session_id: id.clone(),
        status: session.life.status(),
        pid: session.life.pid(),
        output: shown.0,
        cursor: shown.1,
        omitted: shown.2,
        input_state: session.input_state(),
        reused: reused.then_some(true),
        exit_code: over.then_some(json!(session.life.exit_code())),
        signal: over.then_some(json!(session.life.signal().map(signal::name))),
        runtime_ms: over.then(|| session.life.runtime_ms(now())),
    })
}

/// Creates a session and starts its program.
async fn launch(hub: &Hub, client: &Client, params: &Start) -> Result<(SessionId, u32), Error> {
    let size = checked_size(params.rows, params.cols)?;
    let spec = spec(client, params)?;
    let kept = hub.read().settings.caps.retention;
    let time_limits = time_limits(client, params, kept);
    let key = params
        .key
        .clone()
        .map(|key| checked_name("key", key))
        .transpose()?;
    let id = SessionId::fresh();
    check_env(&client.greeting, params.env.iter().flat_map(BTreeMap::keys))?;
    let environment = environment(&client.greeting, &id, params.env.as_ref(), spec.mode)?;
    let run = spawn_spec(&client.greeting, &spec, environment)?;
    let (sender, receiver) = oneshot::channel();
    hub.change(|state| {
        if params.unique_label == Some(true) {
            unique_label::check(state, &client.principal.scope, spec.label.as_deref(), None)?;
        }
        state.keeper.check_descriptors()?;
        let cap = limits(&state.settings, &client.greeting).max_sessions;
        state
            .sessions
            .registry
            .check_room(&client.principal, cap, now())?;
        state.sessions.store.create(&id).map_err(|error| {
            refused_by_system("the session's directory could not be created", &error)
        })?;
        let scope = client.principal.scope.clone();
        let mut session = Session::new(id.clone(), scope, spec, size, time_limits, now());
        session.key = key;
        // Save the record before the program runs, so that the next daemon knows the session if this one dies
        // now.
        state.sessions.store.write_meta(&session);
        let keep = state.log_bytes(&session);
        let io = SessionIo::new(LogReader::new(state.sessions.store.dir(&id)));
        state.sessions.insert(session, io);
        let launch = Launch {
            spec: run,
            rows: size.rows(),
            cols: size.cols(),
            keep,
        };
        state.keeper.spawn(&id, launch, sender);
        Ok::<(), Error>(())
    })?;
    failpoint::hit("start.asked_keeper");
    let outcome = receiver.await.unwrap_or_else(|_| {
        Err(SpawnFailure {
            errno: None,
            message: "the keeper did not answer".to_owned(),
            is_terminal: false,
        })
    });
    hub.change(|state| match outcome {
        Ok(pid) => Ok((id.clone(), pid)),
        Err(failure) => {
            let command = state
                .sessions
                .get(&id)
                .map(|session| session.spec.command.clone());
            state.sessions.registry.discard(&id);
            state.sessions.io.remove(&id);
            state.sessions.store.remove(&id);
            let command = command.unwrap_or_default();
            Err(state.keeper.spawn_failed(&command, &failure))
        }
    })
}

fn spec(client: &Client, params: &Start) -> Result<Spec, Error> {
    if params.command.trim().is_empty() {
        return Err(Error::invalid("`command` is empty"));
    }
    no_nul("command", &params.command)?;
    for arg in params.args.iter().flatten() {
        no_nul("args", arg)?;
    }
    let base = client
        .greeting
        .cwd
        .clone()
        .unwrap_or_else(|| "/".to_owned());
    let cwd = match &params.cwd {
        Some(cwd) => {
            no_nul("cwd", cwd)?;
            Path::new(&base).join(cwd)
        }
        None => PathBuf::from(base),
    };
    check_directory(&cwd)?;
    let on_exit = params.on_exit.as_deref().map(|line| {
        no_nul("onExit", line)?;
        checked_line(&client.greeting, line, &cwd)
    });
    let on_exit = on_exit.transpose()?;
    let name = |what: &str, value: &Option<String>| {
        value
            .clone()
            .map(|value| checked_name(what, value))
            .transpose()
    };
    Ok(Spec {
        command: params.command.clone(),
        args: params.args.clone(),
        cwd: cwd.display().to_string(),
        mode: params.mode.unwrap_or_default(),
        label: name("label", &params.label)?.filter(|label| !label.is_empty()),
        group: name("group", &params.group)?.filter(|group| !group.is_empty()),
        description: params.description.clone(),
        env_names: params
            .env
            .iter()
            .flat_map(BTreeMap::keys)
            .cloned()
            .collect(),
        ready: params.ready.clone(),
        restart: params.restart,
        limits: params.limits,
        changed: false,
        on_exit,
    })
}

fn time_limits(client: &Client, params: &Start, kept: Retention) -> TimeLimits {
    let usual = match client.principal.role {
        Role::Agent => AGENT_TIMEOUT_MS,
        // A person's job has no time limit by default.
        Role::Human => 0,
    };
    let seconds = params
        .timeout_sec
        .map(|seconds| seconds.saturating_mul(1000));
    let defaults = &client.greeting.defaults;
    let ttl_ms = params.ttl_ms.or(defaults.ttl_ms);
    let (by_default, is_person) = (ttl_ms.is_none(), client.principal.role == Role::Human);
    TimeLimits {
        timeout_ms: params
            .timeout_ms
            .or(seconds)
            .or(defaults.timeout_ms)
            .unwrap_or(usual),
        timeout_grace_ms: params.timeout_grace_ms.unwrap_or(TIMEOUT_GRACE_MS),
        ttl_ms: ttl_ms.unwrap_or(kept.agents_ms),
        failed_ttl_ms: (by_default && !is_person).then_some(kept.agents_failed_ms),
        until_room: is_person.then_some(by_default),
        keep: params.keep == Some(true),
    }
}
