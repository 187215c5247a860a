//! `start`: runs a command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::json;
use tokio::sync::oneshot;

use super::super::connection::Client;
use super::super::driver::Driver;
use super::super::hub::{Hub, now};
use super::super::log_reader::LogReader;
use super::super::starts::{Launch, SpawnFailure};
use super::allow::{check_env, checked_line};
use super::kill::wait_for_exit;
use super::news::{Show, Since, cursor, polled};
use super::program::{check_directory, environment, spawn_failed, spawn_spec};
use super::resize::checked_size;
use super::{Answer, answer, limits, max_chars, refused_by_system, unique, wait_ms, wanted};
use crate::engine::meta::{Spec, TimeLimits};
use crate::engine::retention::Retention;
use crate::engine::session::Session;
use crate::protocol::hello::Role;
use crate::protocol::name::MAX_NAME;
use crate::protocol::params::{Start, Stream};
use crate::protocol::reply::{Left, Started};
use crate::protocol::{Error, SessionId};
use crate::sys::{failpoint, signal};

/// Defaults of protocol.md, in milliseconds.
const YIELD_MS: u64 = 10_000;
const AGENT_TIMEOUT_MS: u64 = 1_800_000;
pub(in crate::daemon) const TIMEOUT_GRACE_MS: u64 = 5000;

/// The action.
pub(super) async fn start(hub: &Hub, client: &Rc<Client>, params: Start) -> Answer {
    wanted::check(&params, hub.state().settings.total_log_bytes)?;
    if params.timeout_sec.is_some() && params.timeout_ms.is_some() {
        return Err(Error::invalid(
            "`timeoutSec` and `timeoutMs` are the same limit; give one",
        ));
    }
    let max_chars = max_chars(client, params.max_chars)?;
    let yield_ms = params.yield_ms.or(client.greeting.defaults.yield_ms);
    let yield_ms = wait_ms("yieldMs", yield_ms, YIELD_MS)?;
    let reused = params.key.as_ref().and_then(|key| {
        let state = hub.state();
        Some(state.registry.by_key(&client.viewer.scope, key)?.id.clone())
    });
    let (id, pid) = match &reused {
        Some(id) => (id.clone(), None),
        None => {
            let (id, pid) = launch(hub, client, &params).await?;
            (id, Some(pid))
        }
    };
    if let (None, Some(input)) = (&reused, &params.input) {
        let target = hub
            .state()
            .drivers
            .get(&id)
            .and_then(|driver| driver.input.clone());
        if let Some(target) = target {
            // It runs either way; whether it reads is its own business.
            let _ = target.turn().await.write(input.as_bytes()).await;
        }
    }
    match (params.background == Some(true), params.wait == Some(true)) {
        (true, false) => {}
        (_, true) => wait_for_exit(hub, &id, None).await,
        (false, false) => wait_for_exit(hub, &id, Some(yield_ms)).await,
    }
    // Answered as soon as it runs, it shows nothing: what has been written by
    // then is for the `wait` or `poll` that follows, on every machine.
    let at_once = params.background == Some(true) && params.wait != Some(true);
    let max_chars = if at_once { None } else { Some(max_chars) };
    let mut started = started(hub, client, &id, max_chars, reused.is_some()).await?;
    // The one it had, also if it has ended since.
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
    let since = Since::New.offset(&hub.state(), client, id);
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
    let state = hub.state();
    let Some(session) = state.registry.get(id) else {
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

/// Makes a session and runs its program.
async fn launch(hub: &Hub, client: &Client, params: &Start) -> Result<(SessionId, u32), Error> {
    let size = checked_size(params.rows, params.cols)?;
    let spec = spec(client, params)?;
    let kept = hub.state().settings.caps.retention;
    let time_limits = time_limits(client, params, kept);
    let key = params
        .key
        .clone()
        .map(|key| checked_name("key", key))
        .transpose()?;
    let id = SessionId::fresh();
    check_env(client, params.env.iter().flat_map(BTreeMap::keys))?;
    let environment = environment(client, &id, params.env.as_ref(), spec.mode)?;
    let run = spawn_spec(client, &spec, environment)?;
    let (sender, receiver) = oneshot::channel();
    hub.with(|state| {
        if params.unique_label == Some(true) {
            unique::check(state, &client.viewer.scope, spec.label.as_deref(), None)?;
        }
        state.check_descriptors()?;
        let cap = limits(&state.settings, &client.greeting).max_sessions;
        state.registry.check_room(&client.viewer, cap, now())?;
        state
            .store
            .create(&id)
            .map_err(|error| refused_by_system("the session's directory was not made", &error))?;
        let scope = client.viewer.scope.clone();
        let mut session = Session::new(id.clone(), scope, spec, size, time_limits, now());
        session.key = key;
        // Written before it runs, so that a daemon that dies now leaves no stranger.
        state.store.write_meta(&session);
        let keep = state.log_bytes(&session);
        state.registry.insert(session);
        let driver = Driver::new(LogReader::new(state.store.dir(&id)));
        state.drivers.insert(id.clone(), driver);
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
    hub.with(|state| match outcome {
        Ok(pid) => Ok((id.clone(), pid)),
        Err(failure) => {
            let command = state
                .registry
                .get(&id)
                .map(|session| session.spec.command.clone());
            state.registry.discard(&id);
            state.drivers.remove(&id);
            state.store.remove(&id);
            let command = command.unwrap_or_default();
            Err(spawn_failed(state, &command, &failure))
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
        checked_line(client, line, &cwd)
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
    let usual = match client.viewer.role {
        Role::Agent => AGENT_TIMEOUT_MS,
        // A person's server runs until a person ends it.
        Role::Human => 0,
    };
    let seconds = params
        .timeout_sec
        .map(|seconds| seconds.saturating_mul(1000));
    let defaults = &client.greeting.defaults;
    let ttl_ms = params.ttl_ms.or(defaults.ttl_ms);
    let (by_default, is_person) = (ttl_ms.is_none(), client.viewer.role == Role::Human);
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

/// A name for people: one line, not too long, without control characters.
pub(super) fn checked_name(what: &str, name: String) -> Result<String, Error> {
    if name.chars().count() > MAX_NAME {
        return Err(Error::invalid(format!(
            "`{what}` has at most {MAX_NAME} characters"
        )));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::invalid(format!("`{what}` has control characters")));
    }
    Ok(name.trim().to_owned())
}

pub(super) fn no_nul(what: &str, text: &str) -> Result<(), Error> {
    match text.contains('\0') {
        true => Err(Error::invalid(format!("`{what}` has a NUL character"))),
        false => Ok(()),
    }
}
