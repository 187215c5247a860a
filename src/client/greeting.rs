//! The greetings of clients.

use std::collections::BTreeMap;

use crate::protocol::{Greeting, Role};
use crate::sys::{file, inherit};

/// The greeting of a person, who sees every scope.
pub fn human() -> Greeting {
    Greeting {
        role: Role::Human,
        ..Greeting::default()
    }
}

/// Adds the caller's working directory, umask, niceness, limits, CPU affinity and whole environment, with which
/// jobs start. Variables that are not UTF-8 cannot be sent in JSON and are left out. On another host jobs start with
/// what is there, so nothing is added.
pub fn with_surroundings(greeting: Greeting) -> Greeting {
    if super::host::chosen().is_some() {
        return greeting;
    }
    let env: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let cwd = std::env::current_dir().ok();
    Greeting {
        cwd: cwd.and_then(|cwd| cwd.into_os_string().into_string().ok()),
        env: Some(env),
        umask: file::umask(),
        inherit: Some(Box::new(inherit::own())),
        ..greeting
    }
}
