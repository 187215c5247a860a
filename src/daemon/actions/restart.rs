//! `restart`: a new run under the same id.

use std::rc::Rc;

use super::super::again::Turn;
use super::super::connection::Client;
use super::super::driver::Driver;
use super::super::end_tree::GRACE_MS;
use super::super::hub::{Hub, now};
use super::super::state::State;
use super::allow::check_spec;
use super::kill::{cannot_end, end};
use super::program::{fresh_spec, spawn_failed, spawn_spec};
use super::{Answer, actor, answer, find, unique, wait_ms};
use crate::engine::registry::Access;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::params::Restart;
use crate::protocol::{Error, ErrorCode};
use crate::sys::signal;

/// Ends the run that is there, if any, and starts the next one.
pub(super) async fn restart(hub: &Hub, client: &Rc<Client>, params: Restart) -> Answer {
    let grace = wait_ms("graceMs", params.grace_ms, GRACE_MS)?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    let gone = || Error::session_not_found(id.as_str());
    check_spec(
        client,
        &hub.state().registry.get(&id).ok_or_else(gone)?.spec,
    )?;
    let _turn = Turn::take(hub, &id, Some(actor(&client.viewer))).ok_or_else(|| {
        let message = format!("Session {id} is being restarted already");
        Error::new(ErrorCode::InvalidRequest, message)
    })?;
    let unique = params.unique_label == Some(true);
    let is_free = |state: &State| match state.registry.get(&id) {
        Some(session) if unique => {
            let label = session.spec.label.as_deref();
            unique::check(state, &session.scope, label, Some(&id))
        }
        _ => Ok(()),
    };
    is_free(&hub.state())?;
    let (status, waits) = {
        let state = hub.state();
        let life = &state.registry.get(&id).ok_or_else(gone)?.life;
        (life.status(), life.retry_at().is_some())
    };
    // One that waits for its next run by its policy has it now.
    if !status.is_finished() && !waits {
        let ended = end(hub, client, &id, signal::TERM, grace).await;
        if !ended.survivors.is_empty() {
            return Err(cannot_end(&id, "restarted", &ended));
        }
    }
    let receiver = hub.with(|state| {
        // Whoever asked for the end meanwhile asked later, and has it.
        if !state.restarting.contains_key(&id) {
            let message = format!("Session {id} was ended while it was being restarted");
            return Err(Error::new(ErrorCode::Cancelled, message));
        }
        is_free(state)?;
        state.check_descriptors()?;
        let session = state.registry.get(&id).ok_or_else(gone)?;
        // After the end of both keeper and daemon its environment is not known
        // any more, because that is never written to a file.
        let known = state.drivers.get(&id).and_then(Driver::spec).cloned();
        let spec = match known {
            Some(known) if session.spec.changed => {
                let env = known.env.iter();
                let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
                let env = env.collect();
                let spec = spawn_spec(client, &session.spec, env)?;
                SpawnSpec {
                    umask: known.umask,
                    inherit: known.inherit,
                    ..spec
                }
            }
            Some(spec) => spec,
            None => fresh_spec(client, &id, &session.spec)?,
        };
        if let Some(session) = state.registry.get_mut(&id) {
            session.life.forget_retries();
        }
        state.relaunch(&id, spec).ok_or_else(gone)
    })?;
    let started = receiver.await.map_err(|_| gone())?;
    hub.with(|state| {
        let command = state
            .registry
            .get(&id)
            .ok_or_else(gone)?
            .spec
            .command
            .clone();
        if let Err(failure) = started {
            if let Some(session) = state.registry.get_mut(&id) {
                session.life.failed_to_start(&failure.message, now());
            }
            match waits {
                true => state.end_for_good(&id),
                false => {
                    state.persist(&id);
                    state.look(&id);
                }
            }
            return Err(spawn_failed(state, &command, &failure));
        }
        let session = state.registry.get(&id).ok_or_else(gone)?;
        answer(state.record(session, now()))
    })
}
