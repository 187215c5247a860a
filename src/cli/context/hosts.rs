//! Jobs of other hosts in targets: `web@gpu1`.

use super::{ALL_JOBS, Context, target};
use crate::cli::exit::Failure;
use crate::cli::settings;
use crate::client;
use crate::config::LOCAL;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::{Action, Record};
use crate::recall::last_job;

/// Longest time in which a host that a target names is connected, in milliseconds. ssh ends its own attempts before.
const PATIENCE_MS: u64 = 30_000;

/// A target on another host.
pub(super) struct There {
    /// The target without the host.
    pub(super) name: String,
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
    /// The jobs of the host that a target names behind its last `@`. `None` if the target is about this machine: an
    /// exact name of a job here wins.
    pub(super) fn on_host(
        &mut self,
        target: &str,
        here: &[Record],
    ) -> Result<Option<There>, Failure> {
        let recent = match target {
            "-" => last_job::recall().filter(|id| id.host().is_some()),
            _ => None,
        };
        let target = recent.as_ref().map_or(target, |id| id.as_str());
        let Some((name, host)) = target.rsplit_once('@') else {
            return Ok(None);
        };
        let is_here =
            name.is_empty() || target::is_named(target, here) || client::host::chosen().is_some();
        if is_here {
            return Ok(None);
        }
        if host == LOCAL {
            return Ok(Some(There {
                name: name.to_owned(),
                jobs: here.to_vec(),
            }));
        }
        if let Some(near) = unknown(host, here)? {
            return Err(near);
        }
        let list = List {
            limit: Some(ALL_JOBS),
            hosts: Some(vec![host.to_owned()]),
            host_wait_ms: Some(PATIENCE_MS),
            ..List::default()
        };
        let listed: Listed<Record> = self.read(&Action::List(list))?;
        let fault = listed.hosts.into_iter().find_map(|host| host.error);
        match fault {
            // What is known of it helps to find a job, not to see that there is none.
            Some(fault)
                if target::one(name, &listed.sessions, None, Default::default()).is_err() =>
            {
                Err(fault.into())
            }
            _ => Ok(Some(There {
                name: match name.len() {
                    // An id.
                    12 if is_id(name, &listed.sessions) => target.to_owned(),
                    _ => name.to_owned(),
                },
                jobs: listed.sessions,
            })),
        }
    }
}

fn is_id(name: &str, jobs: &[Record]) -> bool {
    jobs.iter().any(|job| job.summary.session_id.bare() == name)
}

/// The error for a host that is not in the configuration.
fn unknown(host: &str, _: &[Record]) -> Result<Option<Failure>, Failure> {
    let config = settings::configuration()?;
    let is_known = config.hosts.contains_key(host);
    Ok((!is_known).then(|| settings::host::unknown(host, &config).into()))
}
