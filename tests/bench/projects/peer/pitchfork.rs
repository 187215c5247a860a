//! pitchfork, which has a supervisor, a file for each project, watches and schedules, and keeps output in a database.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use super::{Job, Peer};

pub(super) struct Pitchfork;

/// Runs it with a state of its own.
fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("pitchfork");
    command
        .env("PITCHFORK_STATE_DIR", dir.join("state"))
        .env("PITCHFORK_CONFIG_DIR", dir.join("config"))
        // For its locks.
        .env("TMPDIR", dir)
        .args(args);
    command
}

impl Peer for Pitchfork {
    fn name(&self) -> &'static str {
        "pitchfork"
    }

    fn program(&self) -> Option<&'static str> {
        Some("pitchfork")
    }

    fn write(&self, dir: &Path, jobs: &[Job]) {
        // The name of a temporary directory may be none that it allows.
        let mut file = "namespace = \"bench\"\n".to_owned();
        for Job {
            name,
            line,
            watch,
            is_scheduled,
        } in jobs
        {
            writeln!(file, "[daemons.{name}]\nrun = {line:?}").unwrap();
            if let Some(watched) = watch {
                writeln!(file, "watch = [\"{watched}/**/*\"]").unwrap();
            }
            if *is_scheduled {
                file += "cron = \"0 0 3 1 1 *\"\n";
            }
        }
        std::fs::write(dir.join("pitchfork.toml"), file).unwrap();
    }

    fn up(&self, dir: &Path) -> Command {
        command(dir, &["start", "--local"])
    }

    fn down(&self, dir: &Path) -> Command {
        command(dir, &["stop", "--local"])
    }
}
