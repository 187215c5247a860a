//! Finds the sessions that a request names, and checks the client's access.

use super::client::Client;
use crate::daemon::hub::Hub;
use crate::engine::registry::Access;
use crate::protocol::{Error, ErrorCode, SessionId};

/// Finds a session by id or label, if this client has `access` to it. Being asked for extends the time that a
/// finished session is kept.
pub(crate) fn find(
    hub: &Hub,
    client: &Client,
    name: &str,
    access: Access,
) -> Result<SessionId, Error> {
    hub.change(|state| {
        let session = state.sessions.registry.find(&client.principal, name)?;
        if !client.principal.may(access, session) {
            return Err(not_shared(&session.id, access));
        }
        session.touch(crate::daemon::clock::now());
        let (id, unsaved) = (session.id.clone(), session.is_access_unsaved());
        match unsaved {
            true => state.persist(&id),
            false => state.arm(&id),
        }
        state.batch_used(&id);
        Ok(id)
    })
}

/// The error for a session that was removed during a request.
pub(crate) fn gone(hub: &Hub, client: &Client, id: &SessionId) -> Error {
    let found = find(hub, client, id.as_str(), Access::Read);
    found
        .err()
        .unwrap_or_else(|| Error::session_not_found(id.as_str()))
}

/// The error for a session of another scope that is shared, but not with this access.
fn not_shared(id: &SessionId, access: Access) -> Error {
    let why = match access {
        Access::Type => "shared for viewing, not for typing",
        Access::Read | Access::Own => "shared; only its owner, or a person, may do that",
    };
    Error::new(
        ErrorCode::PermissionDenied,
        format!("Session {id} is {why}"),
    )
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
            match ids.is_empty() {
                true => Err(Error::new(
                    ErrorCode::SessionNotFound,
                    format!("No session of group {group} found"),
                )),
                false => Ok((ids, false)),
            }
        }
        (None, None, None) | (None, Some(_), None) => Err(Error::invalid(
            "one of `sessionId`, `sessionIds` and `group` is required",
        )),
        _ => Err(named_twice()),
    }
}

/// The error for a request that names sessions in more than one way.
pub(crate) fn named_twice() -> Error {
    Error::invalid("only one of `sessionId`, `sessionIds` and `group` may be given")
}
