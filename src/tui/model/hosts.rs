//! Other hosts: how they are connected, and which rows belong to them.

use super::Model;
use super::job::Job;
use crate::protocol::reply::{HostState, HostStatus};
use crate::protocol::{Error, ErrorCode};
use crate::term::sanitize::clean;

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
            super::Selected::Group(key) => key.host(),
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
