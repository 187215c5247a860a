//! `status` and `stats`: one session, and the daemon itself.

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::env_shown::{self, Secrets};
use crate::daemon::programs::masked;
use crate::daemon::requests::batch::reach;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::limits::limits;
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::start_limits;
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::tasks::usage;
use crate::daemon::transport::Answer;
use crate::engine::registry::{Access, Registry};
use crate::protocol::params::StatusParams;
use crate::protocol::record::Process;
use crate::protocol::reply::StatsReply;
use crate::protocol::{Error, PROTOCOL, Role, VERSION};
use crate::sys::process;

/// Returns one session's record.
pub(super) async fn status(hub: &Hub, client: &Client, params: StatusParams) -> Answer {
    if params.full_env == Some(true) {
        client.people_only("read the environment of a job")?;
    }
    let id = find(hub, client, &params.session_id, Access::Read)?;
    let over = hub
        .read()
        .sessions
        .get(&id)
        .is_some_and(|s| s.life.status().is_finished());
    if over {
        // Render the rest, so that the line count is final. For a running session the count so far is enough.
        hub.catch_up(&id).await;
    }
    hub.check_input(&id).await;
    let found = usage::look_if(hub, params.detail, |session| session.id == id).await;
    let state = hub.read();
    let Some(session) = state.sessions.get(&id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let mut record = state.record(session, now());
    record.processes = Some(state.usage.add_to(&mut record.summary));
    let group = state.sessions.foreground(&id);
    record.foreground = group.and_then(|pid| Some(process::read(pid)?.name));
    if let Some(input) = state.sessions.io(&id).and_then(|io| io.input.as_ref()) {
        record.unread_input_bytes = input.unread();
    }
    if let Some(found) = found {
        let mut detail = session.detail();
        let spec = state.sessions.io(&id).and_then(SessionIo::spec);
        let secrets = Secrets::of(spec.into_iter().flat_map(|spec| spec.env.iter()));
        let processes = found.processes(session).iter();
        detail.processes = processes
            .map(|process| Process {
                pid: process.pid,
                ppid: process.ppid,
                command: match process::command_line(process.pid) {
                    Some(line) => masked::text(&secrets.masked_in(&line)),
                    None => process.name.clone(),
                },
                state: process.state.to_string(),
            })
            .collect();
        detail.ports = found.ports(session).to_vec();
        detail.urls = state.sessions.urls(&id, &detail.ports);
        state.guess_ready(&mut record.summary, &detail.ports);
        if client.principal.role == Role::Human
            && let Some(spec) = spec
        {
            detail.env = match params.full_env {
                Some(true) => env_shown::all(&detail.env_names, &spec.env),
                _ => env_shown::shown(&detail.env_names, &spec.env, &secrets),
            };
        }
        if client.principal.role == Role::Human {
            detail.reach = session.batch.as_deref().and_then(reach::of);
        }
        // With `detail`, name the files of short logs as well.
        record.output_files = state.sessions.log_files(&id);
        record.detail = Some(detail);
    }
    answer(record)
}

/// Describes the daemon itself.
pub(super) fn stats(hub: &Hub, client: &Client) -> Answer {
    let state = hub.read();
    let (daemon, keeper) = (std::process::id(), state.keeper.pid());
    let memory = [daemon, keeper]
        .into_iter()
        .filter_map(process::memory)
        .reduce(|a, b| a + b);
    let seen = || {
        state
            .sessions
            .iter()
            .filter(|session| client.principal.sees(session))
    };
    let log_bytes = seen()
        .map(|s| {
            state
                .sessions
                .log_end(&s.id)
                .saturating_sub(state.sessions.log_first(&s.id))
        })
        .sum();
    answer(StatsReply {
        daemon_pid: daemon,
        keeper_pid: keeper,
        version: VERSION.to_owned(),
        keeper_version: state.keeper.version().to_owned(),
        program: std::env::current_exe()
            .ok()
            .map(|path| path.display().to_string()),
        upgrade_error: state.keeper.upgrade_error().map(str::to_owned),
        protocol: PROTOCOL,
        home: state.sessions.store.home().state.display().to_string(),
        uptime_ms: now().boot.saturating_sub(state.started_boot),
        counts: Registry::counts(seen()),
        connections: u32::try_from(state.events.connections()).unwrap_or(u32::MAX),
        memory_bytes: memory,
        log_bytes,
        limits: limits(&state.settings, &client.greeting),
        enforcement: start_limits::enforcement(),
    })
}
