//! The verbs of the protocol, one file each.

mod allow;
mod ask_human;
mod capture;
mod clear;
mod events;
mod export;
mod hold;
mod kill;
mod list;
mod log;
mod news;
mod poll;
mod program;
mod resize;
mod restart;
mod set;
mod shutdown;
mod signal;
mod start;
mod starters;
mod status;
mod subscribe;
mod typing;
mod unique;
mod wait;
mod wanted;
mod watch;
mod write;

use std::io;
use std::rc::Rc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

pub(super) use program::{SHELL, SHELL_ARGV, renewed};
pub(super) use start::TIMEOUT_GRACE_MS;

use super::connection::{Client, MAX_CHARS, fixed_limits};
use super::hub::Hub;
use super::settings::Settings;
use crate::engine::life::Actor;
use crate::engine::registry::{Access, Principal};
use crate::protocol::hello::Limits;
use crate::protocol::{
    Action, Error, ErrorCode, Greeting, PROTOCOL, Role, SessionId, Timestamp, VERSION,
};

/// What a verb returns, as JSON.
pub(super) type Answer = Result<Box<RawValue>, Error>;

/// `maxChars` where nobody says otherwise.
const DEFAULT_CHARS: usize = 500;

/// Longest time a client may wait in one request, in milliseconds.
const MAX_WAIT_MS: u64 = 600_000;

/// Does what a client asks for.
pub(super) async fn run(hub: Hub, client: Rc<Client>, action: Action) -> Answer {
    check_policy(&client, &action)?;
    match action {
        Action::Start(params) => start::start(&hub, &client, params).await,
        Action::List(params) => list::list(&hub, &client, params).await,
        Action::Status(params) => status::status(&hub, &client, params).await,
        Action::Poll(params) => poll::poll(&hub, &client, params).await,
        Action::Log(params) => log::log(&hub, &client, params).await,
        Action::Wait(params) => wait::wait(&hub, &client, params).await,
        Action::Write(params) => write::write(&hub, &client, params).await,
        Action::SendKeys(params) => write::send_keys(&hub, &client, params).await,
        Action::Capture(params) => capture::capture(&hub, &client, params).await,
        Action::Export(params) => export::export(&hub, &client, params).await,
        Action::Resize(params) => resize::resize(&hub, &client, params),
        Action::Signal(params) => signal::signal(&hub, &client, params),
        Action::Kill(params) => kill::kill(&hub, &client, params).await,
        Action::Clear(params) => clear::clear(&hub, &client, params).await,
        Action::Remove(params) => kill::remove(&hub, &client, params).await,
        Action::Restart(params) => restart::restart(&hub, &client, params).await,
        Action::Set(params) => set::set(&hub, &client, params),
        Action::AskHuman(params) => ask_human::ask_human(&hub, &client, params).await,
        Action::Decline(params) => ask_human::decline(&hub, &client, &params),
        Action::Hold(params) => hold::hold(&hub, &client, &params),
        Action::Subscribe(params) => subscribe::subscribe(&hub, &client, params).await,
        Action::Unsubscribe(params) => subscribe::unsubscribe(&hub, &client, params),
        Action::Events(params) => events::events(&hub, &client, params).await,
        Action::Watch(params) => watch::watch(&hub, &client, params),
        Action::Unwatch(params) => watch::unwatch(&hub, &client, params),
        Action::Cancel(params) => subscribe::cancel(&client, params),
        Action::Stats(_) => status::stats(&hub, &client),
        Action::Shutdown(params) => shutdown::shutdown(&hub, &client, params).await,
    }
}

fn check_policy(client: &Client, action: &Action) -> Result<(), Error> {
    check_protocol(client, action)?;
    if let Some(what) = action.nature().people {
        people_only(client, what)?;
    }
    if client.greeting.policy.read_only && !action.reads() {
        let message = format!(
            "`{}` is not allowed: this connection is read-only",
            action.name()
        );
        return Err(Error::new(ErrorCode::PermissionDenied, message));
    }
    Ok(())
}

/// A client of another version may only look at the daemon and end it, which
/// is what an upgrade needs; anything else could mean something else to it.
fn check_protocol(client: &Client, action: &Action) -> Result<(), Error> {
    let Greeting {
        protocol, version, ..
    } = &client.greeting;
    if *protocol == PROTOCOL || matches!(action, Action::Stats(_) | Action::Shutdown(_)) {
        return Ok(());
    }
    let message = format!(
        "the daemon (bgproc {VERSION}) speaks protocol {PROTOCOL}, the client (bgproc {version}) speaks {protocol}"
    );
    Err(Error::new(ErrorCode::IncompatibleVersion, message)
        .hint("run: bgproc daemon upgrade (jobs keep running)"))
}

/// Only people may do this.
fn people_only(client: &Client, what: &str) -> Result<(), Error> {
    match client.viewer.role {
        Role::Human => Ok(()),
        Role::Agent => Err(Error::new(
            ErrorCode::PermissionDenied,
            format!("only people may {what}"),
        )),
    }
}

/// Who acts, as a session's life remembers it.
pub(super) fn actor(viewer: &Principal) -> Actor {
    match viewer.role {
        Role::Human => Actor::Human,
        Role::Agent => Actor::Agent(viewer.scope.clone()),
    }
}

/// Limits in force for a client.
pub(super) fn limits(settings: &Settings, greeting: &Greeting) -> Limits {
    let scope = match greeting.role {
        // People are held back by the limit of all sessions alone.
        Role::Human => settings.caps.total,
        Role::Agent => settings.scope_sessions,
    };
    fixed_limits(greeting.policy.max_sessions.unwrap_or(scope), settings)
}

/// The session of that name, if this client may do that to it; asking for it
/// keeps it for longer.
fn find(hub: &Hub, client: &Client, name: &str, access: Access) -> Result<SessionId, Error> {
    hub.with(|state| {
        let session = state.registry.find(&client.viewer, name)?;
        if !client.viewer.may(access, session) {
            return Err(not_shared(&session.id, access));
        }
        session.touch(super::hub::now());
        let (id, unsaved) = (session.id.clone(), session.is_access_unsaved());
        match unsaved {
            true => state.persist(&id),
            false => state.registry.arm(&id, &mut state.timers),
        }
        Ok(id)
    })
}

/// Why a session that was there is not there any more.
fn gone(hub: &Hub, client: &Client, id: &SessionId) -> Error {
    let found = find(hub, client, id.as_str(), Access::Look);
    found
        .err()
        .unwrap_or_else(|| Error::session_not_found(id.as_str()))
}

/// The system has refused something that touches a disk: `what` did not happen.
fn refused_by_system(what: &str, error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorCode::DiskFull,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ErrorCode::PermissionDenied
        }
        _ => ErrorCode::Internal,
    };
    Error::new(code, format!("{what}: {error}"))
}

/// A session of another scope is shared, and not for this.
fn not_shared(id: &SessionId, access: Access) -> Error {
    let why = match access {
        Access::Type => "shared to be looked at, not to be typed into",
        Access::Look | Access::Own => "shared; only its owner, or a person, may do that to it",
    };
    Error::new(
        ErrorCode::PermissionDenied,
        format!("Session {id} is {why}"),
    )
}

/// The sessions that `sessionId`, `sessionIds` or `group` name; the flag says
/// whether it was one by its own name.
fn find_several(
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
            let state = hub.state();
            let members = state.registry.iter().filter(|session| {
                client.viewer.owns(&session.scope) && session.spec.group.as_deref() == Some(group)
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
            "one of `sessionId`, `sessionIds` and `group` is needed",
        )),
        _ => Err(Error::invalid(
            "only one of `sessionId`, `sessionIds` and `group` may be given",
        )),
    }
}

/// `maxChars` in force.
fn max_chars(client: &Client, asked: Option<usize>) -> Result<usize, Error> {
    let chars = asked
        .or(client.greeting.defaults.max_chars)
        .unwrap_or(DEFAULT_CHARS);
    match chars {
        chars if chars <= MAX_CHARS => Ok(chars),
        chars => Err(Error::invalid(format!(
            "`maxChars` is at most {MAX_CHARS}, not {chars}"
        ))),
    }
}

/// A time to wait, within bounds.
fn wait_ms(name: &str, asked: Option<u64>, default: u64) -> Result<u64, Error> {
    match asked.unwrap_or(default) {
        ms if ms <= MAX_WAIT_MS => Ok(ms),
        ms => Err(
            Error::invalid(format!("`{name}` is at most {MAX_WAIT_MS} ms, not {ms}"))
                .hint("ask again when it has passed; nothing is missed meanwhile"),
        ),
    }
}

/// A result as JSON.
fn answer(result: impl Serialize) -> Answer {
    to_raw_value(&result)
        .map_err(|error| Error::internal(format!("a result could not be written: {error}")))
}

/// A time as a client has written it.
fn checked_time(name: &str, text: &str) -> Result<Timestamp, Error> {
    Timestamp::parse(text).ok_or_else(|| {
        Error::invalid(format!("`{name}`: `{text}` is no time"))
            .hint("write 2026-11-21T20:00:00.123Z")
    })
}
