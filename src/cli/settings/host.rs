//! The host that a command is about: `-H NAME` or `BGPROC_HOST`.

use super::configuration;
use crate::cli::exit::Failure;
use crate::client;
use crate::config::{Config, LOCAL};
use crate::link::Host;
use crate::protocol::suggest::nearest;
use crate::protocol::{Error, ErrorCode};

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
