//! What is said on standard error of hosts that do not answer.

use super::note;
use crate::protocol::Error;
use crate::protocol::reply::{HostConnect, HostState, HostStatus};
use crate::term::sanitize::clean;

/// Maximum number of hosts that one message names.
const NAMED: usize = 3;

/// Says that a host cannot be reached now, and that its jobs are waited for.
pub fn tell_unreachable(error: &Error) {
    note(&format!("{error}; trying again"));
}

/// Says on stderr of which hosts the jobs are missing or old, and why.
pub fn tell_missing(hosts: &[HostStatus]) {
    hosts.iter().filter_map(missing).for_each(|why| note(&why));
    tell_waiting(hosts);
}

/// [`tell_missing`] for a verb that needs the hosts: also says that nobody has connected one.
pub fn tell_unasked(hosts: &[HostStatus]) {
    for host in hosts {
        let is_unconnected = host.error.is_none()
            && matches!(host.state, HostState::Idle | HostState::Down)
            && !is_waiting(host);
        if is_unconnected {
            let name = &host.name;
            note(&format!(
                "host {name} is not connected; bgproc hosts login {name} connects it"
            ));
        } else if let Some(why) = missing(host) {
            note(&why);
        }
    }
    tell_waiting(hosts);
}

/// Why the jobs of a host are missing or old; `None` if they are not, or if it only waits for its turn.
fn missing(host: &HostStatus) -> Option<String> {
    let name = &host.name;
    match (&host.error, host.state) {
        (Some(error), _) => Some(clean(&error.message)),
        (None, HostState::Connecting) => Some(format!("host {name} is being connected")),
        (None, HostState::Disconnected) => Some(format!(
            "host {name} is disconnected; bgproc hosts login {name} connects it"
        )),
        (None, HostState::Idle | HostState::Up | HostState::Down) => None,
    }
}

fn tell_waiting(hosts: &[HostStatus]) {
    if let Some(message) = waiting(hosts) {
        note(&message);
    }
}

/// Whether a host that was asked for waits until others are connected: the daemon connects a few at a time.
fn is_waiting(host: &HostStatus) -> bool {
    let is_idle = host.state == HostState::Idle && host.error.is_none();
    is_idle && host.connect != HostConnect::Manual
}

/// The message about the hosts that wait until others are connected.
fn waiting(hosts: &[HostStatus]) -> Option<String> {
    let waiting = hosts.iter().filter(|host| is_waiting(host));
    let names: Vec<&str> = waiting.map(|host| host.name.as_str()).collect();
    let others = names.len().saturating_sub(NAMED);
    let named = names[..names.len() - others].join(", ");
    Some(match (names.len(), others) {
        (0, _) => return None,
        (1, _) => format!("host {named} waits to be connected"),
        (_, 0) => format!("hosts {named} wait to be connected"),
        (_, 1) => format!("hosts {named} and 1 other wait to be connected"),
        (_, others) => format!("hosts {named} and {others} others wait to be connected"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, state: HostState, connect: HostConnect) -> HostStatus {
        HostStatus {
            name: name.to_owned(),
            state,
            since: None,
            last_seen: None,
            error: None,
            retry_at: None,
            connect,
            agents: false,
            version: None,
            sessions: 0,
            reach: None,
        }
    }

    #[test]
    fn hosts_that_wait_for_their_turn_are_told_in_one_line() {
        let idle = |name| host(name, HostState::Idle, HostConnect::Demand);
        let mut hosts = vec![
            host("up", HostState::Up, HostConnect::Demand),
            host("comes", HostState::Connecting, HostConnect::Demand),
            host("mine", HostState::Idle, HostConnect::Manual),
        ];
        assert_eq!(waiting(&hosts), None);
        hosts.push(idle("m1"));
        let told = waiting(&hosts);
        assert_eq!(told.as_deref(), Some("host m1 waits to be connected"));
        hosts.extend(["m2", "m3", "m4", "m5"].map(idle));
        assert_eq!(
            waiting(&hosts).as_deref(),
            Some("hosts m1, m2, m3 and 2 others wait to be connected")
        );
        assert_eq!(missing(&idle("m1")), None);
    }
}
