//! `run --on`: what the batch system of a cluster is asked for.

use std::time::Duration;

use clap::Args;

use crate::cli::exit::Failure;
use crate::cli::settings;
use crate::cli::value::size;
use crate::protocol::batch_job::{Launcher, Resources};
use crate::protocol::duration;

#[derive(Args, Debug, Default)]
pub(crate) struct BatchRequest {
    /// Have a batch system run the job: slurm, or a launcher of config.toml; after a colon its partition
    #[arg(long, value_name = "LAUNCHER[:PARTITION]", value_parser = launcher)]
    on: Option<On>,
    /// With --on: time limit of the job (30m, 4h, 2d)
    #[arg(long, value_name = "TIME", value_parser = time, requires = "on")]
    time: Option<Duration>,
    /// With --on: number of processors
    #[arg(long, value_name = "N", requires = "on")]
    cpus: Option<u32>,
    /// With --on: memory on the node (500M, 32G)
    #[arg(long, value_name = "SIZE", value_parser = size::parse, requires = "on")]
    mem: Option<u64>,
    /// With --on: number of graphics processors
    #[arg(long, value_name = "N", requires = "on")]
    gpus: Option<u32>,
}

/// A launcher, and a partition of it.
#[derive(Clone, Debug)]
struct On {
    launcher: String,
    partition: Option<String>,
}

/// A bare number means minutes to Slurm, and seconds elsewhere.
fn time(text: &str) -> Result<Duration, String> {
    match text.parse::<u64>() {
        Ok(number) => Err(format!("the unit is missing: {number}m is in minutes")),
        Err(_) => duration::parse(text),
    }
}

fn launcher(text: &str) -> Result<On, String> {
    let (launcher, partition) = match text.split_once(':') {
        Some((launcher, partition)) => (launcher, Some(partition.to_owned())),
        None => (text, None),
    };
    if launcher.is_empty() || partition.as_deref() == Some("") {
        return Err("as gpu or gpu:PARTITION".to_owned());
    }
    Ok(On {
        launcher: launcher.to_owned(),
        partition,
    })
}

impl BatchRequest {
    /// The launcher.
    pub(crate) fn launcher(&self) -> Option<&str> {
        self.on.as_ref().map(|on| on.launcher.as_str())
    }

    /// The host on which the launcher submits, whose directories are meant; `None` for this machine. That there is such
    /// a launcher is the daemon's to say.
    pub(crate) fn host(&self) -> Result<Option<String>, Failure> {
        let Some(name) = self.launcher() else {
            return Ok(None);
        };
        let config = settings::configuration()?;
        let launcher = config.launchers.get(name);
        Ok(launcher.and_then(|entry| entry.get_ref().host.clone()))
    }

    /// The parameters of `start`.
    pub(crate) fn params(&self) -> (Option<Launcher>, Option<Resources>) {
        let Some(on) = &self.on else {
            return (None, None);
        };
        let resources = Resources {
            partition: on.partition.clone(),
            time_sec: self.time.map(|time| time.as_secs().max(1)),
            cpus: self.cpus,
            memory_bytes: self.mem,
            gpus: self.gpus,
            ..Resources::default()
        };
        (Some(Launcher::Named(on.launcher.clone())), Some(resources))
    }
}
