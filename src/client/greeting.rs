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
/// jobs start. [`unsent_variables`] are left out. On another host jobs start with what is there, so nothing is added.
pub fn with_surroundings(greeting: Greeting) -> Greeting {
    if super::host::chosen().is_some() {
        return greeting;
    }
    let env: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let cwd = match std::env::current_dir() {
        Ok(cwd) => cwd
            .into_os_string()
            .into_string()
            .map_err(|_| "its name is not UTF-8".to_owned()),
        Err(error) => Err(format!("it may have been removed ({error})")),
    };
    Greeting {
        cwd_fault: cwd.as_ref().err().cloned(),
        cwd: cwd.ok(),
        env: Some(env),
        umask: file::umask(),
        inherit: Some(Box::new(inherit::own())),
        ..greeting
    }
}

/// The names of the variables that jobs do not get, because JSON has no place for what is not UTF-8.
pub fn unsent_variables() -> Vec<String> {
    if super::host::chosen().is_some() {
        return Vec::new();
    }
    let variables = std::env::vars_os();
    let unsent =
        variables.filter(|(name, value)| name.to_str().is_none() || value.to_str().is_none());
    unsent
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect()
}
