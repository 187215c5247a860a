//! Whether the daemon that runs has read `config.toml` as it is.

use std::os::unix::fs::MetadataExt;

use crate::cli::output::words;
use crate::client::{self, Running, greeting};
use crate::config::Config;
use crate::doctor::{Finding, Verdict};
use crate::protocol::params::Stats;
use crate::protocol::reply::StatsReply;
use crate::protocol::{Action, Timestamp};

/// The subject of the findings about keeper and daemon.
const PROCESSES: &str = "processes";

/// The finding that the file was changed after the daemon had read it. Only the keys count that the daemon reads when it
/// starts. `found`: what is known already; a daemon that does not answer is not asked again.
pub(super) fn check(config: &Config, found: &[Finding]) -> Option<Finding> {
    let keys = config.read_at_start();
    let mut processes = found.iter().filter(|finding| finding.subject == PROCESSES);
    let is_ill = processes.any(|finding| finding.verdict == Verdict::Problem);
    if keys.is_empty() || is_ill {
        return None;
    }
    // The time of change of the file's entry: the other one may be that of a copy.
    let meta = std::fs::metadata(client::home().ok()?.config_file()).ok()?;
    let changed = Timestamp(meta.ctime() * 1000 + meta.ctime_nsec() / 1_000_000);
    let Running::Yes(mut daemon) = client::connect_running(&greeting::human()).ok()? else {
        return None;
    };
    let stats: StatsReply = daemon.call_as(Action::Stats(Stats {})).ok()?;
    let age = words::since(changed, words::now());
    (age < stats.uptime_ms).then(|| unread(&keys))
}

fn unread(keys: &[&str]) -> Finding {
    let text = format!(
        "config.toml was changed after the daemon had started, which reads these only then: {}",
        keys.join(", ")
    );
    Finding::warning("configuration", text).advise("bgproc daemon upgrade; jobs keep running")
}
