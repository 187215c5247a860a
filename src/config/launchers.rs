//! `[launchers.NAME]`: batch systems that run jobs, such as that of a cluster.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use toml::Spanned;

use super::error::Wrong;
use super::hosts::is_name;
use crate::protocol::batch_job::{LauncherKind, LauncherSpec, Reach, poll_ms};
use crate::protocol::duration;

/// Shortest `poll`, in milliseconds: each question is a call that the whole cluster answers.
const LEAST_POLL_MS: u64 = 1_000;

/// A batch system, and how it is used.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LauncherEntry {
    /// The batch system.
    pub kind: LauncherKind,
    /// The host on which jobs are submitted; this machine by default.
    pub host: Option<String>,
    /// Partition (queue).
    pub partition: Option<String>,
    /// Account that is charged.
    pub account: Option<String>,
    /// Time limit of a job.
    #[serde(deserialize_with = "time")]
    pub time: Option<Duration>,
    /// Further options of the batch system's submission.
    pub options: Vec<String>,
    /// Directory for the files of jobs, which the nodes see, too.
    pub state: Option<String>,
    /// Longest pause between questions for the states of jobs.
    #[serde(deserialize_with = "time")]
    pub poll: Option<Duration>,
    /// Whether the batch system may put a job into its queue again.
    pub requeue: bool,
    /// How a job that runs is reached.
    pub reach: Reach,
}

impl LauncherEntry {
    /// The launcher of this name, complete.
    pub fn spec(&self, name: &str) -> LauncherSpec {
        LauncherSpec {
            name: name.to_owned(),
            partition: self.partition.clone(),
            account: self.account.clone(),
            time_sec: self.time.map(|time| time.as_secs().max(1)),
            options: self.options.clone(),
            state: self.state.clone().unwrap_or_default(),
            poll_ms: self.poll.map_or_else(poll_ms, duration::millis),
            requeue: self.requeue,
            reach: self.reach,
            ..LauncherSpec::of_kind(self.kind)
        }
    }
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration::parse(&text).map(Some).map_err(D::Error::custom)
}

/// Checks what serde cannot. Returns what is wrong, for each launcher the first.
pub(super) fn check(launchers: &BTreeMap<String, Spanned<LauncherEntry>>) -> Vec<Wrong> {
    Wrong::of_entries(launchers, fault)
}

/// What is wrong with a launcher.
fn fault(name: &str, launcher: &LauncherEntry) -> Option<String> {
    if !is_name(name) {
        return Some(format!(
            "\"{name}\" cannot be the name of a launcher: it has letters, digits, - _ . only"
        ));
    }
    if launcher.host.as_ref().is_some_and(|host| !is_name(host)) {
        return Some(format!(
            "\"host\" of [launchers.{name}] is not the name of a host"
        ));
    }
    // `~` is the home of whoever reads the path: a node, or this machine.
    if launcher
        .state
        .as_ref()
        .is_some_and(|dir| !dir.starts_with('/'))
    {
        return Some(format!(
            "\"state\" of [launchers.{name}] is not an absolute path"
        ));
    }
    if launcher
        .poll
        .is_some_and(|poll| duration::millis(poll) < LEAST_POLL_MS)
    {
        return Some(format!(
            "\"poll\" of [launchers.{name}] is shorter than 1s, which clusters do not like"
        ));
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::tests::parsed as parse;

    #[test]
    fn launchers_are_read() {
        let text = "[launchers.gpu]\nkind = \"slurm\"\nhost = \"cluster\"\npartition = \"gpu\"\ntime = \"4h\"\n\
                    options = [\"--account=x\"]\nstate = \"/scratch/me\"\npoll = \"10s\"\nreach = \"none\"\n\
                    [launchers.plain]\n";
        let config = parse(text).unwrap();
        let gpu = config.launchers["gpu"].get_ref();
        assert_eq!(gpu.host.as_deref(), Some("cluster"));
        let spec = gpu.spec("gpu");
        assert_eq!((spec.time_sec, spec.poll_ms), (Some(14_400), 10_000));
        assert_eq!(
            (spec.reach, spec.options),
            (Reach::None, vec!["--account=x".to_owned()])
        );
        let plain = config.launchers["plain"].get_ref().spec("plain");
        assert_eq!(
            (plain.poll_ms, plain.reach, plain.requeue),
            (30_000, Reach::Srun, false)
        );
    }

    #[test]
    fn what_makes_no_launcher_is_named_with_its_place() {
        for (text, message) in [
            (
                "[launchers.a]\npart = \"x\"\n",
                "config.toml:2:1: unknown key \"part\" in [launchers.a]",
            ),
            (
                "[launchers.a]\nkind = \"pbs\"\n",
                "config.toml:2:8: \"kind\" must be slurm, not \"pbs\"",
            ),
            (
                "[launchers.a]\ntime = \"long\"\n",
                "config.toml:2:8: \"time\": `long` is not a duration",
            ),
            (
                "[launchers.a]\npoll = \"10ms\"\n",
                "config.toml:1:1: \"poll\" of [launchers.a] is shorter than 1s",
            ),
            (
                "[launchers.a]\nstate = \"here\"\n",
                "config.toml:1:1: \"state\" of [launchers.a] is not an absolute path",
            ),
        ] {
            let path = Path::new("config.toml");
            let said = parse(text).unwrap_err().at(path, text).to_string();
            assert!(said.starts_with(message), "{said}");
        }
    }
}
