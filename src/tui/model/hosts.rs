//! Other hosts: how they are connected, and which rows belong to them.

use super::Model;
use super::job::Job;
use crate::protocol::reply::{HostState, HostStatus};
use crate::protocol::{Error, ErrorCode};
use crate::term::sanitize::clean;

/// The beginning of the key of a host's group. The name of the host follows.
pub const HOST: &str = "h:";

/// Separates the host from the rest in the key of a group.
const REST: char = '/';

/// The key of the group of a host's jobs that `inner`, the key of a group there, names; `None` for jobs without one.
pub fn key_of(host: &str, inner: Option<&str>) -> String {
    match inner {
        Some(inner) => format!("{HOST}{host}{REST}{inner}"),
        None => format!("{HOST}{host}"),
    }
}

/// The host of the group with this key.
pub fn host_of_key(key: &str) -> Option<&str> {
    let rest = key.strip_prefix(HOST)?;
    Some(rest.split_once(REST).map_or(rest, |(host, _)| host))
}

/// The key of the group with this key as its own machine has it; empty for the heading of a host.
pub fn key_there(key: &str) -> &str {
    match key.strip_prefix(HOST) {
        Some(rest) => rest.split_once(REST).map_or("", |(_, inner)| inner),
        None => key,
    }
}

/// Whether the heading of a host is shown although it has no jobs: because something is to be done about it.
pub fn is_shown(host: &HostStatus) -> bool {
    host.error.is_some() || host.state == HostState::Disconnected
}

/// What is wrong with a host, in a few words: those of ssh, without the name of the host.
pub fn trouble(error: &Error) -> String {
    let words = match error.code {
        ErrorCode::AuthRequired => return "login needed".to_owned(),
        ErrorCode::HostNotInstalled => return "no bgproc there".to_owned(),
        ErrorCode::HostKeyUnknown => return "new host key".to_owned(),
        _ => &error.message,
    };
    let reason = words
        .rsplit_once(": ")
        .map_or(words.as_str(), |(_, rest)| rest);
    clean(reason)
}

impl Model {
    /// The state of a host.
    pub fn host(&self, name: &str) -> Option<&HostStatus> {
        self.hosts.iter().find(|host| host.name == name)
    }

    /// The host of the selected job or group.
    pub fn selected_host(&self) -> Option<&str> {
        match &self.list.selected {
            super::Selected::Group(key) => host_of_key(key),
            _ => self.current()?.host(),
        }
    }

    /// The host of the selected row, if it is not connected.
    pub fn host_to_log_in(&self) -> Option<&str> {
        let host = self.host(self.selected_host()?)?;
        let is_closed =
            matches!(host.state, HostState::Down | HostState::Disconnected) || host.error.is_some();
        is_closed.then_some(host.name.as_str())
    }
}

impl Job {
    /// The host that it is on; `None` if it is on this machine.
    pub fn host(&self) -> Option<&str> {
        self.id().host()
    }

    /// Its name without the host, which the heading names.
    pub fn bare_name(&self) -> &str {
        let Some(host) = self.host() else {
            return &self.name;
        };
        let name = self.name.strip_suffix(host);
        name.and_then(|name| name.strip_suffix('@'))
            .unwrap_or(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_their_host() {
        let key = key_of("gpu-1", Some("g:shop/a"));
        assert_eq!(host_of_key(&key), Some("gpu-1"));
        assert_eq!(key_there(&key), "g:shop/a");
        assert_eq!(host_of_key(&key_of("gpu-1", None)), Some("gpu-1"));
        assert_eq!(key_there(&key_of("gpu-1", None)), "");
        assert_eq!(host_of_key("g:shop"), None);
        assert_eq!(key_there("g:shop"), "g:shop");
    }

    #[test]
    fn the_reason_is_that_of_ssh() {
        let error = |code, text: &str| Error::new(code, text);
        let no_route = error(
            ErrorCode::HostUnreachable,
            "host gpu1 cannot be reached: ssh: connect to host x port 22: No route to host",
        );
        assert_eq!(trouble(&no_route), "No route to host");
        assert_eq!(
            trouble(&error(ErrorCode::AuthRequired, "x")),
            "login needed"
        );
    }
}
