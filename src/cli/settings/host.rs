//! The host that a command is about: `-H NAME` or `BGPROC_HOST`.

use super::configuration;
use crate::cli::exit::Failure;
use crate::client::{self, Running, greeting};
use crate::config::{Config, LOCAL};
use crate::link::{Host, fault};
use crate::protocol::params::Hosts;
use crate::protocol::reply::HostList;
use crate::protocol::suggest::nearest;
use crate::protocol::{Action, Error, ErrorCode};

/// Whether a name means this machine.
pub fn is_local(name: &str) -> bool {
    name.is_empty() || name == LOCAL
}

/// The host of this name in `config.toml`.
pub fn named(name: &str) -> Result<Host, Failure> {
    let found = all()?.into_iter().find(|host| host.name == name);
    match found {
        Some(host) => Ok(host),
        None => Err(unknown(name, &configuration()?).into()),
    }
}

/// All hosts in `config.toml`.
pub fn all() -> Result<Vec<Host>, Failure> {
    let config = configuration()?;
    let home = client::home()?;
    let (file, runtime) = (home.config_file(), home.runtime);
    let hosts = config.hosts.iter();
    let hosts = hosts.map(|(name, entry)| Host::of(name, entry.get_ref(), &file, &runtime));
    Ok(hosts.collect())
}

/// Fails if one of the hosts that an agent may reach is not in the configuration: it would be left out without a word.
pub fn check_reach(hosts: Option<&[String]>) -> Result<(), Failure> {
    // The configuration of another host is not known here.
    let hosts = hosts.filter(|_| client::host::chosen().is_none());
    let config = configuration()?;
    let is_unknown = |name: &&String| !is_local(name) && !config.hosts.contains_key(*name);
    match hosts.unwrap_or_default().iter().find(is_unknown) {
        Some(name) => Err(unknown(name, &config).into()),
        None => Ok(()),
    }
}

/// Fails if a job of a batch system has held this host and has ended, which this machine's daemon knows. It is to be
/// called before the host is chosen.
///
/// # Errors
///
/// `host_unreachable` with the reason, and those of the configuration.
pub fn check_held(name: &str) -> Result<(), Failure> {
    let config = configuration()?;
    let entry = config.hosts.get(name);
    if entry.is_none_or(|entry| entry.get_ref().session.is_none()) {
        return Ok(());
    }
    let Ok(Running::Yes(mut daemon)) = client::connect_running(&greeting::human()) else {
        return Ok(());
    };
    let list: Result<HostList, Error> = daemon.call_as(Action::Hosts(Hosts {}));
    let hosts = list.map(|list| list.hosts).unwrap_or_default();
    let status = hosts.into_iter().find(|host| host.name == name);
    let error = status.and_then(|host| host.error);
    match error.filter(fault::is_job_ended) {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

/// There is no host of this name.
pub fn unknown(name: &str, config: &Config) -> Error {
    let names = config.hosts.keys().map(String::as_str);
    let error = Error::new(
        ErrorCode::HostUnknown,
        format!("there is no host {name} in config.toml"),
    );
    error.hint(match nearest(name, names) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("bgproc hosts add {name} adds it; bgproc hosts ls lists the hosts"),
    })
}
