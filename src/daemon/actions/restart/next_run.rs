//! The next run of a session that is restarted: what it runs, and how it begins.

use std::collections::BTreeMap;

use super::super::turn;
use super::{check_room, gone};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::keeper_link::SpawnFailure;
use crate::daemon::programs::program::{fresh_spec, renewed, spawn_spec, with_changes};
use crate::daemon::projects::guests::Place;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::unique_label;
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::state::State;
use crate::engine::life::RestartRequest;
use crate::engine::meta::Spec;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::{Error, ErrorCode, SessionId};

/// How the next run is started.
pub(super) struct NextRun {
    /// How long the current run has to end, in milliseconds.
    pub(super) grace: u64,
    /// Whether no other running session may have its label.
    pub(super) unique: bool,
    /// Variables to set or, without a value, to remove.
    pub(super) env: BTreeMap<String, Option<String>>,
    /// What runs in the place of the job's own command.
    pub(super) resumed: Option<Spec>,
}

impl NextRun {
    /// Begins it, or lets it wait for its turn at `place`. The client is unknown if an earlier daemon had it.
    pub(super) async fn begin(
        &self,
        hub: &Hub,
        client: Option<&Client>,
        id: &SessionId,
        place: Option<Place>,
    ) -> Result<(), Error> {
        if let Some(place) = place {
            hub.change(|state| {
                let spawn = self.program(state, client, id)?;
                state.let_wait_again(id, &place, spawn);
                Ok::<(), Error>(())
            })?;
            turn::decided(hub, &place.project, id).await;
            return Ok(());
        }
        let launch = hub.change(|state| {
            let spawn = self.program(state, client, id)?;
            state.relaunch(id, spawn).ok_or_else(|| gone(id))
        })?;
        match launch.await.map_err(|_| gone(id))? {
            Ok(_) => Ok(()),
            Err(failure) => Err(hub.change(|state| failed(state, id, &failure))),
        }
    }

    /// What is stored of it.
    pub(super) fn request_of(&self, client: &Client) -> RestartRequest {
        RestartRequest {
            by: client.principal.actor(),
            unique: self.unique,
            other_env: !self.env.is_empty(),
        }
    }

    /// Whether no other session has its label, if that was asked.
    pub(super) fn is_free(&self, state: &State, id: &SessionId) -> Result<(), Error> {
        match state.sessions.get(id) {
            Some(session) if self.unique => {
                let label = session.spec.label.as_deref();
                unique_label::check(state, &session.scope, label, Some(id))
            }
            _ => Ok(()),
        }
    }

    /// What the keeper is to be asked for, unless the next run was called off meanwhile. From then on the session has
    /// its place among those that run.
    fn program(
        &self,
        state: &mut State,
        client: Option<&Client>,
        id: &SessionId,
    ) -> Result<SpawnSpec, Error> {
        // A client that asked for the end during the restart asked later, so its request prevails.
        if !state.restarting.contains_key(id) {
            let message = format!("Session {id} was stopped while it was being restarted");
            return Err(Error::new(ErrorCode::Cancelled, message));
        }
        self.is_free(state, id)?;
        state.keeper.check_descriptors()?;
        let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
        if let Some(client) = client {
            check_room(state, client, session)?;
        }
        // The environment is lost if both keeper and daemon have died, because it is never written to a file.
        let known = state.sessions.io(id).and_then(SessionIo::spec).cloned();
        let wanted = self.resumed.as_ref().unwrap_or(&session.spec);
        let is_other = session.spec.changed || self.resumed.is_some();
        let spec = match (known, client) {
            (Some(known), Some(client)) if is_other => {
                let env = known.env.iter();
                let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
                let env = env.collect();
                let spec = spawn_spec(&client.greeting, wanted, env)?;
                SpawnSpec {
                    umask: known.umask,
                    inherit: known.inherit,
                    ready: known.ready,
                    ..spec
                }
            }
            (Some(known), None) if is_other => renewed(wanted, known)?,
            (Some(known), _) => known,
            (None, Some(client)) => fresh_spec(&client.greeting, id, wanted)?,
            (None, None) => return Err(Error::internal("its environment is not known any more")),
        };
        let spec = with_changes(spec, id, &self.env)?;
        if let Some(session) = state.sessions.get_mut(id) {
            session.life.forget_retries();
            // The next run is the job's own command again.
            session.spec.changed |= self.resumed.is_some();
            let names = &mut session.spec.env_names;
            names.extend(
                self.env
                    .keys()
                    .filter(|name| !names.contains(name))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
            if let Some(client) = client {
                session.life.run_again(Some(self.request_of(client)));
            }
        }
        Ok(spec)
    }
}

/// Handles a next run that could not be started.
fn failed(state: &mut State, id: &SessionId, failure: &SpawnFailure) -> Error {
    let Some(session) = state.sessions.get(id) else {
        return gone(id);
    };
    let command = session.spec.command.clone();
    not_started(state, id, &failure.message);
    state.keeper.spawn_failed(&command, failure)
}

/// Ends a session whose next run could not be started.
pub(super) fn not_started(state: &mut State, id: &SessionId, why: &str) {
    if let Some(session) = state.sessions.get_mut(id) {
        session.life.failed_to_start(why, now());
        state.end_without_start(id);
    }
}
