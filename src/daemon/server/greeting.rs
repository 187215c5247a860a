//! The greeting in a client's first line, and the `hello` event that answers it.

use std::io;

use serde_json::Value;

use crate::daemon::requests::limits::limits;
use crate::daemon::settings::Settings;
use crate::engine::registry::Principal;
use crate::protocol::{Action, Event, EventKind, Greeting, Hello, PROTOCOL, Role, Scope, VERSION};

/// Parses a client's first line, if it is a greeting.
pub(super) fn parse(line: &[u8]) -> Option<Greeting> {
    let mut value: Value = serde_json::from_slice(line).ok()?;
    if value.get("action")?.as_str()? != "hello" {
        return None;
    }
    value.as_object_mut()?.remove("action");
    serde_json::from_value(value).ok()
}

/// The principal of a greeting. An agent without a scope gets a fresh one.
pub(super) fn principal(greeting: &Greeting) -> Principal {
    let scope = match (greeting.role, greeting.scope.clone()) {
        (Role::Human, _) => Scope::human(),
        (Role::Agent, Some(scope)) if !scope.is_human() => scope,
        (Role::Agent, _) => Scope::fresh(),
    };
    Principal {
        role: greeting.role,
        scope,
    }
}

/// The event that answers a greeting.
pub(super) fn hello(
    principal: &Principal,
    greeting: &Greeting,
    settings: &Settings,
) -> io::Result<Event> {
    let hello = Hello {
        protocol: PROTOCOL,
        version: VERSION.to_owned(),
        scope: principal.scope.clone(),
        pid: std::process::id(),
        limits: limits(settings, greeting),
        actions: Action::NAMES.iter().map(|&name| name.to_owned()).collect(),
    };
    Ok(Event {
        data: serde_json::to_value(hello)?,
        ..Event::of(EventKind::Hello)
    })
}
