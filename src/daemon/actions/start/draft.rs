//! What a new session is made of.

use std::collections::BTreeMap;

use crate::daemon::actions::report::resume_line;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::allow::{check_env, checked_line};
use crate::daemon::programs::for_models;
use crate::daemon::programs::program::{check_directory, environment, no_nul, spawn_spec};
use crate::daemon::requests::checks::{checked_name, checked_size, checked_tags};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::directory::working_directory;
use crate::daemon::requests::replies::refused_by_system;
use crate::daemon::requests::unique_label;
use crate::daemon::settings::TIMEOUT_GRACE_MS;
use crate::daemon::state::State;
use crate::engine::meta::{Spec, TimeLimits};
use crate::engine::retention::Retention;
use crate::engine::session::Session;
use crate::protocol::hello::Role;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::params::Start;
use crate::protocol::{Error, SessionId};
use crate::term::size::Size;

/// Default time limit of an agent's session, in milliseconds.
const AGENT_TIMEOUT_MS: u64 = 1_800_000;

/// What a new session is made of.
pub(super) struct Draft {
    pub(super) id: SessionId,
    pub(super) spec: Spec,
    size: Size,
    time_limits: TimeLimits,
    key: Option<String>,
}

/// Checks what is to be started, and with what.
pub(super) fn prepare(
    hub: &Hub,
    client: &Client,
    params: &Start,
) -> Result<(Draft, SpawnSpec), Error> {
    let size = checked_size(params.rows, params.cols)?;
    let spec = spec(client, params)?;
    let kept = hub.read().settings.caps.retention;
    let time_limits = time_limits(client, params, kept);
    let id = fresh_id(hub);
    check_env(&client.greeting, params.env.iter().flat_map(BTreeMap::keys))?;
    let variables = for_models::variables(&client.greeting, params);
    let environment = environment(&client.greeting, &id, Some(&variables), spec.mode)?;
    let run = spawn_spec(&client.greeting, &spec, environment)?;
    let draft = Draft {
        id,
        spec,
        size,
        time_limits,
        key: params.key.clone(),
    };
    Ok((draft, run))
}

/// Makes a session. It has a directory, and nothing runs yet.
pub(super) fn admit(
    state: &mut State,
    client: &Client,
    params: &Start,
    draft: Draft,
) -> Result<Session, Error> {
    let Draft {
        id,
        spec,
        size,
        time_limits,
        key,
    } = draft;
    let scope = client.principal.scope.clone();
    if params.unique_label == Some(true) {
        unique_label::check(state, &scope, spec.label.as_deref(), None)?;
    }
    state.sessions.store.create(&id).map_err(|error| {
        refused_by_system("the session's directory could not be created", &error)
    })?;
    let mut session = Session::new(id, scope, spec, size, time_limits, now());
    session.key = key;
    if let Some(colors) = &state.colors {
        session.output.set_colors(colors);
    }
    Ok(session)
}

/// The id of a new session. On a node of a cluster the first one has the id that it has elsewhere.
fn fresh_id(hub: &Hub) -> SessionId {
    let state = hub.read();
    let of_node = state.sessions.store.home().session.clone();
    let of_node = of_node.filter(|id| state.sessions.get(id).is_none());
    of_node.unwrap_or_else(SessionId::fresh)
}

fn spec(client: &Client, params: &Start) -> Result<Spec, Error> {
    if params.command.trim().is_empty() {
        return Err(Error::invalid("`command` is empty"));
    }
    no_nul("command", &params.command)?;
    for arg in params.args.iter().flatten() {
        no_nul("args", arg)?;
    }
    if let Some(cwd) = &params.cwd {
        no_nul("cwd", cwd)?;
    }
    let cwd = working_directory(&client.greeting, params.cwd.as_deref())?;
    check_directory(&cwd)?;
    if let Some(line) = params
        .ready
        .as_ref()
        .and_then(|ready| ready.command.as_deref())
    {
        no_nul("ready.command", line)?;
        // It is checked here, and run as it is: it does not run as the job.
        checked_line(&client.greeting, line, &cwd)?;
    }
    let on_exit = params.on_exit.as_deref().map(|line| {
        no_nul("onExit", line)?;
        checked_line(&client.greeting, line, &cwd)
    });
    let on_exit = on_exit.transpose()?;
    let resume = params.resume.as_deref();
    let resume = resume.map(|line| resume_line(&client.greeting, line, &cwd));
    let resume = resume.transpose()?;
    let name = |what: &str, value: &Option<String>| {
        value
            .clone()
            .map(|value| checked_name(what, value))
            .transpose()
    };
    Ok(Spec {
        command: params.command.clone(),
        args: params.args.clone(),
        shell: for_models::shell(&client.greeting, params)?,
        cwd: cwd.display().to_string(),
        mode: params.mode.unwrap_or_default(),
        label: name("label", &params.label)?.filter(|label| !label.is_empty()),
        group: name("group", &params.group)?.filter(|group| !group.is_empty()),
        tags: checked_tags("tags", params.tags.as_deref().unwrap_or_default())?,
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
        resume,
        on_exit,
        notify: params.notify.clone().unwrap_or_default(),
        project: None,
        ok_codes: Vec::new(),
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
    // A batch system has a time limit of its own.
    let usual = match &params.launcher {
        Some(_) => 0,
        None => defaults.timeout_ms.unwrap_or(usual),
    };
    let ttl_ms = params.ttl_ms.or(defaults.ttl_ms);
    let (by_default, is_person) = (ttl_ms.is_none(), client.principal.role == Role::Human);
    TimeLimits {
        timeout_ms: params.timeout_ms.or(seconds).unwrap_or(usual),
        timeout_grace_ms: params.timeout_grace_ms.unwrap_or(TIMEOUT_GRACE_MS),
        ttl_ms: ttl_ms.unwrap_or(kept.agents_ms),
        failed_ttl_ms: (by_default && !is_person).then_some(kept.agents_failed_ms),
        until_room: is_person.then_some(by_default),
        keep: params.keep == Some(true),
    }
}
