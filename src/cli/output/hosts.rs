//! What is said on standard error of hosts that do not answer.

use super::note;
use crate::protocol::Error;
use crate::protocol::reply::{HostState, HostStatus};
use crate::term::sanitize::clean;

/// Says that a host cannot be reached now, and that its jobs are waited for.
pub fn tell_unreachable(error: &Error) {
    note(&format!("{error}; trying again"));
}

/// Says on stderr that the jobs of a host are missing or old, and why.
pub fn tell_missing(host: &HostStatus) {
    let name = &host.name;
    match (&host.error, host.state) {
        (Some(error), _) => note(&clean(&error.message)),
        (None, HostState::Connecting) => {
            note(&format!("host {name} is being connected"));
        }
        (None, HostState::Disconnected) => note(&format!(
            "host {name} is disconnected; bgproc hosts login {name} connects it"
        )),
        (None, HostState::Idle | HostState::Up | HostState::Down) => {}
    }
}

/// [`tell_missing`] for a verb that needs the host: also says that nobody has connected it.
pub fn tell_unasked(host: &HostStatus) {
    match (&host.error, host.state) {
        (None, HostState::Idle | HostState::Down) => {
            let name = &host.name;
            note(&format!(
                "host {name} is not connected; bgproc hosts login {name} connects it"
            ));
        }
        _ => tell_missing(host),
    }
}
