//! Finds the sessions that a request names, and checks the client's access.

use std::path::Path;

use super::client::Client;
use crate::daemon::hub::Hub;
use crate::daemon::state::State;
use crate::engine::registry::{Access, meant};
use crate::engine::session::Session;
use crate::protocol::project::ProjectName;
use crate::protocol::suggest::nearest;
use crate::protocol::{Error, ErrorCode, SessionId};
use crate::term::sanitize::clean;

/// Finds a session by its [name](id_of), if this client has `access` to it. Being asked for extends the time that a
/// finished session is kept.
pub(crate) fn find(
    hub: &Hub,
    client: &Client,
    name: &str,
    access: Access,
) -> Result<SessionId, Error> {
    hub.change(|state| {
        let id = id_of(state, client, name)?;
        let session = state
            .sessions
            .registry
            .find(&client.principal, id.as_str())?;
        if !client.principal.may(access, session) {
            return Err(not_shared(session, access));
        }
        session.touch(crate::daemon::clock::now());
        let unsaved = session.is_access_unsaved();
        if unsaved {
            state.persist(&id)
        } else {
            state.arm(&id)
        }
        state.batch_used(&id);
        Ok(id)
    })
}

/// The session that a client names: by its id, by a label of the client's scope, or, if there is none, by the name that
/// people have for a job that they share with it: `web`, or `shop/web` for a job of project shop.
pub(crate) fn id_of(state: &mut State, client: &Client, name: &str) -> Result<SessionId, Error> {
    match state.sessions.registry.find(&client.principal, name) {
        Ok(session) => Ok(session.id.clone()),
        Err(error) if error.code == ErrorCode::SessionNotFound => shared(state, client, name)?
            .ok_or_else(|| {
                removed(state, client, name).unwrap_or_else(|| suggest(state, client, name, error))
            }),
        Err(error) => Err(error),
    }
}

/// The error for the label of a session of the client's scope that was removed.
fn removed(state: &State, client: &Client, name: &str) -> Option<Error> {
    let tombstones = &state.sessions.registry.tombstones;
    let (id, tombstone) = tombstones.labelled(&client.principal.scope, name)?;
    Some(tombstone.error(format!("{} ({id})", clean(name))))
}

/// Names the label in the hint that is nearly `name`, if the client may see a session with such a label.
fn suggest(state: &State, client: &Client, name: &str, error: Error) -> Error {
    let visible = state.sessions.iter();
    let visible = visible.filter(|session| client.principal.sees(session));
    let labels = visible.filter_map(|session| session.spec.label.as_deref());
    match nearest(name, labels) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// The session of another scope that a client means by a name. In the directory of a project, that is the project's own
/// job first.
fn shared(state: &State, client: &Client, name: &str) -> Result<Option<SessionId>, Error> {
    let here = client.greeting.cwd.as_deref().unwrap_or("/");
    let mut named: Vec<(Option<usize>, &Session)> = Vec::new();
    for session in state.sessions.iter() {
        let is_others = session.scope != client.principal.scope;
        if !is_others || !client.principal.sees(session) {
            continue;
        }
        let project = project_of(state, session);
        let in_full = project
            .as_ref()
            .map(|(project, job)| format!("{}/{job}", project.name));
        if session.spec.label.as_deref() == Some(name) || in_full.as_deref() == Some(name) {
            let depth = project.and_then(|(project, _)| depth_around(&project.dir, here));
            named.push((depth, session));
        }
    }
    let nearest = named.iter().map(|(depth, _)| *depth).max().flatten();
    let named = named.into_iter().filter(|(depth, _)| *depth == nearest);
    meant(name, &named.map(|(_, session)| session).collect::<Vec<_>>())
}

/// The project of a session's job, and the name of the job.
fn project_of<'s>(state: &State, session: &'s Session) -> Option<(ProjectName, &'s str)> {
    let of = session.spec.project.as_ref()?;
    let project = state.projects.get(&of.id)?;
    Some((project.name(), &of.job))
}

/// How deep a project's directory is, if `place` lies in it.
fn depth_around(dir: &str, place: &str) -> Option<usize> {
    let dir = Path::new(dir);
    Path::new(place)
        .starts_with(dir)
        .then(|| dir.components().count())
}

/// The error for a session that was removed during a request.
pub(crate) fn gone(hub: &Hub, client: &Client, id: &SessionId) -> Error {
    let found = find(hub, client, id.as_str(), Access::Read);
    found
        .err()
        .unwrap_or_else(|| Error::session_not_found(id.as_str()))
}

/// The error for a session of another scope that is shared, but not with this access.
fn not_shared(session: &Session, access: Access) -> Error {
    let why = match access {
        Access::Type => "shared for viewing, not for typing",
        Access::Read | Access::Own => "shared; only its owner, or a person, may do that",
    };
    let message = format!("Session {} is {why}", session.id);
    let error = Error::new(ErrorCode::PermissionDenied, message);
    match &session.spec.project {
        Some(_) if access == Access::Own => error.hint(
            "it is a job of a project: `project` brings its jobs up and down, with `jobs` only some of them",
        ),
        _ => error,
    }
}

/// Finds the sessions that `sessionId`, `sessionIds` or `group` name. The flag is true if `sessionId` was used.
pub(crate) fn find_several(
    hub: &Hub,
    client: &Client,
    one: Option<&str>,
    several: Option<&[String]>,
    group: Option<&str>,
    access: Access,
) -> Result<(Vec<SessionId>, bool), Error> {
    match (one, several, group) {
        (Some(name), None, None) => Ok((vec![find(hub, client, name, access)?], true)),
        (None, Some(names), None) if !names.is_empty() => {
            let mut ids = Vec::new();
            for name in names {
                let id = find(hub, client, name, access)?;
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            Ok((ids, false))
        }
        (None, None, Some(group)) => {
            let state = hub.read();
            let members = state.sessions.iter().filter(|session| {
                client.principal.owns(&session.scope)
                    && session.spec.group.as_deref() == Some(group)
            });
            let ids: Vec<SessionId> = members.map(|session| session.id.clone()).collect();
            if ids.is_empty() {
                Err(Error::new(
                    ErrorCode::SessionNotFound,
                    format!("No session of group {group} found"),
                ))
            } else {
                Ok((ids, false))
            }
        }
        (None, None, None) | (None, Some(_), None) => Err(Error::invalid(
            "one of `sessionId`, `sessionIds` and `group` is required",
        )
        .hint(r#"for example "sessionId":"k3v9xq2mwt7b"; `list` shows the sessions"#)),
        _ => Err(named_twice()),
    }
}

/// The error for a request that names sessions in more than one way.
pub(crate) fn named_twice() -> Error {
    Error::invalid("only one of `sessionId`, `sessionIds` and `group` may be given")
}
