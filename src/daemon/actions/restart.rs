//! `restart`: a new run under the same id.

use std::rc::Rc;

use super::{project, turn};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::allow::check_spec;
use crate::daemon::programs::program::{fresh_spec, spawn_spec};
use crate::daemon::requests::batch;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::confirm::may_end;
use crate::daemon::requests::ending::{cannot_end, end};
use crate::daemon::requests::find::find;
use crate::daemon::requests::limits::{YIELD_MS, limits, wait_ms};
use crate::daemon::requests::replies::answer;
use crate::daemon::requests::started::started;
use crate::daemon::requests::unique_label;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::state::State;
use crate::daemon::tasks::restart::RestartGuard;
use crate::daemon::tasks::tree_kill::GRACE_MS;
use crate::daemon::transport::Answer;
use crate::engine::conditions::Conditions;
use crate::engine::registry::Access;
use crate::protocol::condition::{WaitMode, WaitSpec};
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::params::Restart;
use crate::protocol::{Error, ErrorCode, Status};
use crate::sys::signal;

/// Ends the current run, if there is one, and starts the next one.
pub(super) async fn restart(hub: &Hub, client: &Rc<Client>, params: Restart) -> Answer {
    let grace = wait_ms("graceMs", params.grace_ms, GRACE_MS)?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    may_end(&hub.read(), client, &id)?;
    let again = "start it again with its launcher, as a session of its own";
    batch::refuse(hub, &id, "restarted", again)?;
    let spec = WaitSpec {
        until: params.until,
        fail: params.fail,
        timeout_ms: Some(wait_ms("waitMs", params.wait_ms, YIELD_MS)?),
        ..WaitSpec::default()
    };
    let has_probe = {
        let state = hub.read();
        let session = state.sessions.get(&id);
        session.is_some_and(|session| session.spec.ready.is_some())
    };
    let plan = Plan::or_else(client, &spec, Conditions::something_to_do(has_probe, None))?;
    let gone = || Error::session_not_found(id.as_str());
    let of = hub
        .read()
        .sessions
        .get(&id)
        .and_then(|session| session.spec.project.clone());
    if let Some(of) = of {
        hub.change(|state| {
            state.start_out_of_turn(&id);
            if let Some(session) = state.sessions.get_mut(&id) {
                session.resumes = params.resume == Some(true)
                    && session.life.status() == Status::Lost
                    && session.spec.resume.is_some();
            }
        });
        return project::restart::restart(hub, client, &id, of, (plan, spec)).await;
    }
    let resumed = hub.read().sessions.get(&id).and_then(|session| {
        let wanted = params.resume == Some(true) && session.life.status() == Status::Lost;
        wanted.then(|| session.spec.resumed()).flatten()
    });
    {
        let state = hub.read();
        let spec = &state.sessions.get(&id).ok_or_else(gone)?.spec;
        check_spec(&client.greeting, resumed.as_ref().unwrap_or(spec))?;
    }
    {
        let state = hub.read();
        let session = state.sessions.get(&id).ok_or_else(gone)?;
        if session.life.status().is_finished() {
            let cap = limits(&state.settings, &client.greeting).max_sessions;
            let registry = &state.sessions.registry;
            registry.check_room(&client.principal, cap, now())?;
        }
    }
    if let Some(queues) = hub.change(|state| state.start_out_of_turn(&id)) {
        turn::decided(hub, &queues, &id).await;
        let state = hub.read();
        let session = state.sessions.get(&id).ok_or_else(gone)?;
        return answer(state.record(session, now()));
    }
    let _guard = RestartGuard::take(hub, &id, Some(client.principal.actor())).ok_or_else(|| {
        let message = format!("Session {id} is already being restarted");
        Error::new(ErrorCode::InvalidRequest, message)
    })?;
    let unique = params.unique_label == Some(true);
    let is_free = |state: &State| match state.sessions.get(&id) {
        Some(session) if unique => {
            let label = session.spec.label.as_deref();
            unique_label::check(state, &session.scope, label, Some(&id))
        }
        _ => Ok(()),
    };
    is_free(&hub.read())?;
    let (status, waits) = {
        let state = hub.read();
        let life = &state.sessions.get(&id).ok_or_else(gone)?.life;
        (life.status(), life.retry_at().is_some())
    };
    // A session that waits for the next run of its policy is started now.
    if !status.is_finished() && !waits {
        let ended = end(hub, client, &id, signal::TERM, grace).await;
        if !ended.survivors.is_empty() {
            return Err(cannot_end(&id, "restarted", &ended));
        }
    }
    let from = hub.read().sessions.log_end(&id);
    hub.catch_up_within_limit(&id).await;
    let receiver = hub.change(|state| {
        // A client that asked for the end during the restart asked later, so its request prevails.
        if !state.restarting.contains_key(&id) {
            let message = format!("Session {id} was stopped while it was being restarted");
            return Err(Error::new(ErrorCode::Cancelled, message));
        }
        is_free(state)?;
        state.keeper.check_descriptors()?;
        let session = state.sessions.get(&id).ok_or_else(gone)?;
        // The environment is lost if both keeper and daemon have died, because it is never written to a file.
        let known = state.sessions.io(&id).and_then(SessionIo::spec).cloned();
        let wanted = resumed.as_ref().unwrap_or(&session.spec);
        let spec = match known {
            Some(known) if session.spec.changed || resumed.is_some() => {
                let env = known.env.iter();
                let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
                let env = env.collect();
                let spec = spawn_spec(&client.greeting, wanted, env)?;
                SpawnSpec {
                    umask: known.umask,
                    inherit: known.inherit,
                    ..spec
                }
            }
            Some(spec) => spec,
            None => fresh_spec(&client.greeting, &id, wanted)?,
        };
        if let Some(session) = state.sessions.get_mut(&id) {
            session.life.forget_retries();
            // The next run is the job's own command again.
            session.spec.changed |= resumed.is_some();
        }
        state.relaunch(&id, spec).ok_or_else(gone)
    })?;
    let launched = receiver.await.map_err(|_| gone())?;
    let record = hub.change(|state| {
        let command = state
            .sessions
            .get(&id)
            .ok_or_else(gone)?
            .spec
            .command
            .clone();
        if let Err(failure) = launched {
            if let Some(session) = state.sessions.get_mut(&id) {
                session.life.failed_to_start(&failure.message, now());
            }
            match waits {
                true => state.end_for_good(&id),
                false => {
                    state.persist(&id);
                    state.look(&id);
                }
            }
            return Err(state.keeper.spawn_failed(&command, &failure));
        }
        let session = state.sessions.get(&id).ok_or_else(gone)?;
        client.tell_state(session);
        Ok(state.record(session, now()))
    })?;
    if !spec.names_conditions() && !client.is_lean() {
        return answer(record);
    }
    let waited = plan
        .run(hub, client, vec![(from, id.clone())], WaitMode::Any)
        .await?;
    answer(started(hub, &id, waited, spec.names_conditions())?)
}
