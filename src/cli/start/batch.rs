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
    /// With --on: time limit of the job (30m, 4h, 2d, or as Slurm has it: 4:00:00, 2-12:00:00)
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

/// A bare number means minutes to Slurm, and seconds elsewhere. What has two parts is read as hours by people, and as
/// minutes by Slurm.
fn time(text: &str) -> Result<Duration, String> {
    if let Ok(number) = text.parse::<u64>() {
        return Err(format!("the unit is missing: {number}m is in minutes"));
    }
    if let Some(time) = of_slurm(text) {
        return Ok(time);
    }
    match text.split_once(':') {
        Some((first, second)) if is_number(first) && is_number(second) => Err(format!(
            "these are minutes and seconds to Slurm; {first}:{second}:00 is in hours, {first}m in minutes"
        )),
        _ => duration::parse(text),
    }
}

/// A time in the forms of Slurm that cannot be mistaken: `HH:MM:SS`, `D-HH`, `D-HH:MM` and `D-HH:MM:SS`.
fn of_slurm(text: &str) -> Option<Duration> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(days), rest),
        None => (None, text),
    };
    let parts: Vec<&str> = rest.split(':').collect();
    let is_whole = match days {
        Some(days) => is_number(days) && parts.len() <= 3,
        None => parts.len() == 3,
    };
    if !is_whole || !parts.iter().all(|part| is_number(part)) {
        return None;
    }
    let mut seconds = 24 * 3600 * days.map_or(Some(0), |days| days.parse::<u64>().ok())?;
    for (part, unit) in parts.iter().zip([3600, 60, 1]) {
        seconds = seconds.checked_add(part.parse::<u64>().ok()?.checked_mul(unit)?)?;
    }
    Some(Duration::from_secs(seconds))
}

/// Whether a text is a number of a size that a time can have.
fn is_number(text: &str) -> bool {
    (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_slurm_writes_them() {
        const HOUR: u64 = 3600;
        for (text, expected) in [
            ("4h", 4 * HOUR),
            ("4:00:00", 4 * HOUR),
            ("00:30:05", 1805),
            ("2-0", 48 * HOUR),
            ("2-12:30", 60 * HOUR + 1800),
            ("1-00:00:01", 24 * HOUR + 1),
        ] {
            assert_eq!(time(text), Ok(Duration::from_secs(expected)), "{text}");
        }
        for (text, part) in [("90", "90m"), ("4:00", "4:00:00 is in hours")] {
            let refused = time(text).unwrap_err();
            assert!(refused.contains(part), "{text}: {refused}");
        }
        for text in ["1:2:3:4", "2-", "-4:00:00", "1-2-3", "4:x:00", "9999999-0"] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
