//! Jobs of other hosts in targets: `web@gpu1`.

use super::{Context, recent, target};
use crate::cli::exit::Failure;
use crate::cli::output::words;
use crate::cli::settings;
use crate::client;
use crate::config::LOCAL;
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::glob::Glob;
use crate::protocol::params::{Hosts, List};
use crate::protocol::reply::{HostConnect, HostList, HostState, HostStatus, Listed};
use crate::protocol::{Action, Error, ErrorCode, Record, Summary, split_host};
use crate::term::sanitize::clean;

/// Longest time in which a host that a target names is connected, in milliseconds. ssh ends its own attempts before.
const PATIENCE_MS: u64 = 30_000;

/// Longest time in which hosts that are being connected are waited for, if a verb is about all of them, in milliseconds.
const HANDSHAKE_MS: u64 = 5_000;

/// The jobs that can be reached now, on all machines.
#[derive(Debug)]
pub struct Everywhere {
    /// The jobs of this machine, and of the hosts that are connected.
    pub jobs: Vec<Record>,
    /// The hosts that are not connected.
    pub away: Vec<HostStatus>,
}

/// A target on another host.
pub(super) struct There {
    /// The target without the host.
    pub(super) name: String,
    /// The host.
    pub(super) host: String,
    /// The jobs of the host.
    pub(super) jobs: Vec<Record>,
}

/// `hosts` of a list that has this machine's jobs only. `None` if there are no others, which older daemons
/// understand, too.
pub fn only_here() -> Result<Option<Vec<String>>, Failure> {
    let is_alone = settings::configuration()?.hosts.is_empty() || client::host::chosen().is_some();
    Ok((!is_alone).then(|| vec![LOCAL.to_owned()]))
}

impl Context {
    /// The jobs of this machine and of all hosts; those of this machine with `-H local`.
    pub fn everywhere(&mut self) -> Result<Everywhere, Failure> {
        let hosts = self.only_here.then(|| vec![LOCAL.to_owned()]);
        self.reached(hosts, None)
    }

    /// The jobs of hosts that are being connected, as soon as they are.
    pub fn arriving(&mut self, hosts: Vec<String>) -> Result<Everywhere, Failure> {
        self.reached(Some(hosts), Some(HANDSHAKE_MS))
    }

    fn reached(
        &mut self,
        hosts: Option<Vec<String>>,
        host_wait_ms: Option<u64>,
    ) -> Result<Everywhere, Failure> {
        let list = List {
            limit: Some(ALL_SESSIONS),
            hosts,
            host_wait_ms,
            ..List::default()
        };
        let listed: Listed<Record> = self.read(&Action::List(list))?;
        let (up, away): (Vec<_>, Vec<_>) = listed
            .hosts
            .into_iter()
            .partition(|host| host.state == HostState::Up);
        let is_reached = |job: &Record| {
            let host = job.summary.session_id.host();
            host.is_none_or(|name| up.iter().any(|host| host.name == name))
        };
        Ok(Everywhere {
            jobs: listed.sessions.into_iter().filter(is_reached).collect(),
            away,
        })
    }

    /// The jobs of the host that a target names behind its last `@`. `None` if the target is about this machine: an
    /// exact name of a job here wins.
    pub(super) fn on_host(
        &mut self,
        target: &str,
        here: &[Record],
    ) -> Result<Option<There>, Failure> {
        let last = match target {
            "-" => recent::recall().filter(|id| id.host().is_some()),
            _ => None,
        };
        let target = last.as_ref().map_or(target, |id| id.as_str());
        let Some((name, host)) = split_host(target) else {
            return Ok(None);
        };
        // No host is called by a pattern: `q@*` is one of names.
        let is_pattern = Glob::is_pattern(host);
        if is_pattern || target::is_named(target, here) || client::host::chosen().is_some() {
            return Ok(None);
        }
        if host == LOCAL {
            return Ok(Some(There {
                name: name.to_owned(),
                host: host.to_owned(),
                jobs: here.to_vec(),
            }));
        }
        let (jobs, fault) = self.jobs_on(host, List::default())?;
        match fault {
            // What is known of it helps to find a job, not to see that there is none.
            Some(fault) if target::one(name, &jobs, None, Default::default()).is_err() => {
                Err(fault.into())
            }
            _ => Ok(Some(There {
                name: match name.len() {
                    // An id.
                    12 if is_id(name, &jobs) => target.to_owned(),
                    _ => name.to_owned(),
                },
                host: host.to_owned(),
                jobs,
            })),
        }
    }

    /// Why only what was last known of a job can be told: its host is not connected. `None` if that is connected.
    pub fn away(&mut self, job: &Summary) -> Result<Option<String>, Failure> {
        let (Some(_), Some(host)) = (job.seen_at, job.session_id.host()) else {
            return Ok(None);
        };
        let list: HostList = self.read(&Action::Hosts(Hosts {}))?;
        let status = list.hosts.into_iter().find(|status| status.name == host);
        let reason = match status.map(|status| (status.error, status.state)) {
            Some((_, HostState::Up)) => return Ok(None),
            Some((Some(error), _)) => clean(&error.message),
            _ => format!("host {host} is not connected"),
        };
        let seen = words::seen(job, words::now());
        Ok(seen.map(|seen| format!("{seen}; {reason}")))
    }

    /// The jobs of a host, which is connected first, and why they are only those that were last known.
    pub(super) fn jobs_on(
        &mut self,
        host: &str,
        list: List,
    ) -> Result<(Vec<Record>, Option<Error>), Failure> {
        check_known(host)?;
        let list = List {
            limit: Some(ALL_SESSIONS),
            hosts: Some(vec![host.to_owned()]),
            host_wait_ms: Some(PATIENCE_MS),
            ..list
        };
        let listed: Listed<Record> = self.read(&Action::List(list))?;
        let hosts = listed.hosts.into_iter();
        let fault = hosts.map(|host| match (host.error, host.state) {
            (Some(error), _) => Some(error),
            (None, HostState::Up) => None,
            (None, _) => Some(not_connected(&host.name)),
        });
        Ok((listed.sessions, fault.flatten().next()))
    }
}

/// The error that a host was not asked: only a person connects it.
fn not_connected(host: &str) -> Error {
    let message = format!("host {host} is not connected, so it was not asked");
    Error::new(ErrorCode::HostUnreachable, message).hint(format!("bgproc -H {host} ls connects it"))
}

/// Whether a host is not connected, but will be in a moment if nothing is in the way.
pub fn is_arriving(host: &HostStatus) -> bool {
    let may_be = matches!(host.state, HostState::Idle | HostState::Connecting);
    may_be && host.error.is_none() && host.connect != HostConnect::Manual
}

fn is_id(name: &str, jobs: &[Record]) -> bool {
    jobs.iter().any(|job| job.summary.session_id.bare() == name)
}

/// Fails if a host is not in the configuration.
fn check_known(host: &str) -> Result<(), Failure> {
    let config = settings::configuration()?;
    if config.hosts.contains_key(host) {
        Ok(())
    } else {
        Err(settings::host::unknown(host, &config).into())
    }
}
