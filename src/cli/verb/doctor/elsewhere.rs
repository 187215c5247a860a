//! The hosts and launchers of `config.toml`: whether the programs that reach them are on this machine. Nothing is
//! connected; `hosts doctor` does that for one host.

use std::collections::BTreeSet;

use crate::config::{Config, LauncherEntry};
use crate::doctor::Finding;
use crate::doctor::systemd::on_path;
use crate::protocol::batch_job::{LauncherKind, Reach};

/// The subjects of the findings.
const HOSTS: &str = "hosts";
const LAUNCHERS: &str = "launchers";

/// Checks the hosts and launchers. `path` is that of the environment.
pub(super) fn check(config: &Config, path: &str) -> Vec<Finding> {
    let is_there = |program: &str| on_path(program, path).is_some();
    let mut found: Vec<Finding> = hosts(config, &is_there).into_iter().collect();
    found.extend(config.launchers.iter().map(|(name, launcher)| {
        let launcher = launcher.get_ref();
        match &launcher.host {
            Some(host) => submits_on(config, name, host),
            None => submits_here(name, launcher, &is_there),
        }
    }));
    found
}

/// One finding about all hosts; `None` if there are none.
fn hosts(config: &Config, is_there: &dyn Fn(&str) -> bool) -> Option<Finding> {
    let count = config.hosts.len();
    let programs = config.hosts.values().map(|host| {
        let command = host.get_ref().command.as_ref();
        command
            .and_then(|words| words.first())
            .map_or("ssh", String::as_str)
    });
    let programs: BTreeSet<&str> = programs.collect();
    let missing: Vec<&str> = programs
        .iter()
        .copied()
        .filter(|name| !is_there(name))
        .collect();
    match (count, missing.as_slice()) {
        (0, _) => None,
        (_, []) => {
            let hosts = super::several(count, "host");
            let by = programs.into_iter().collect::<Vec<_>>().join(", ");
            let text = format!(
                "{hosts} in config.toml, reached by {by}; bgproc hosts doctor HOST checks one"
            );
            Some(Finding::ok(HOSTS, text))
        }
        (_, missing) => {
            let text = format!(
                "hosts in config.toml are reached by programs that are not in PATH: {}",
                missing.join(", ")
            );
            Some(
                Finding::problem(HOSTS, text)
                    .advise("install them, or correct `command` of the hosts"),
            )
        }
    }
}

/// A launcher whose jobs are submitted on a host.
fn submits_on(config: &Config, name: &str, host: &str) -> Finding {
    if config.hosts.contains_key(host) {
        Finding::ok(
            LAUNCHERS,
            format!("{name} submits on {host}; bgproc hosts doctor {host} checks the way"),
        )
    } else {
        Finding::problem(
            LAUNCHERS,
            format!("{name} submits on {host}, and there is no such host"),
        )
        .advise(format!(
            "bgproc hosts add {host}, or correct `host` of [launchers.{name}]"
        ))
    }
}

/// A launcher whose jobs are submitted on this machine.
fn submits_here(name: &str, launcher: &LauncherEntry, is_there: &dyn Fn(&str) -> bool) -> Finding {
    let LauncherKind::Slurm = launcher.kind;
    let mut programs = vec!["sbatch", "squeue", "scancel"];
    match launcher.reach {
        Reach::Srun => programs.push("srun"),
        Reach::Ssh => programs.push("ssh"),
        Reach::None => {}
    }
    programs.retain(|program| !is_there(program));
    match programs.as_slice() {
        [] => Finding::ok(
            LAUNCHERS,
            format!("{name} submits on this machine; the commands of Slurm are in PATH"),
        ),
        missing => {
            let text = format!(
                "{name} submits on this machine, and its commands are not in PATH: {}",
                missing.join(", ")
            );
            Finding::problem(LAUNCHERS, text).advise(format!(
                "load the module with the commands of the cluster, or name a host that has them: `host` in [launchers.{name}]"
            ))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;
    use crate::doctor::Verdict;

    /// Puts programs into a directory.
    fn install(dir: &Path, programs: &[&str]) {
        for program in programs {
            let file = dir.join(program);
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn problems(found: &[Finding]) -> Vec<&str> {
        let problems = found.iter().filter(|one| one.verdict == Verdict::Problem);
        problems.map(|finding| finding.text.as_str()).collect()
    }

    #[test]
    fn missing_programs_and_hosts_are_named() {
        let text = "[hosts.gpu1]\n[hosts.pod]\ncommand = [\"kubectl\", \"exec\"]\n[launchers.far]\nhost = \"gpu1\"\n\
                    [launchers.lost]\nhost = \"gone\"\n[launchers.near]\nreach = \"ssh\"\n";
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        let config = crate::config::load(&file).unwrap();
        let path = dir.path().to_str().unwrap();
        install(dir.path(), &["ssh", "squeue", "scancel"]);
        let found = check(&config, path);
        let lost = "lost submits on gone, and there is no such host";
        assert_eq!(
            problems(&found),
            [
                "hosts in config.toml are reached by programs that are not in PATH: kubectl",
                lost,
                "near submits on this machine, and its commands are not in PATH: sbatch",
            ]
        );
        assert_eq!(found.len(), 4, "{found:?}");
        install(dir.path(), &["kubectl", "sbatch"]);
        assert_eq!(problems(&check(&config, path)), [lost]);
        assert!(check(&Config::default(), "").is_empty());
    }
}
