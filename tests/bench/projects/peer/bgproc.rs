//! bgproc.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use super::{Job, Peer};

pub(super) struct Bgproc;

/// Runs a verb, in its own home.
fn command(dir: &Path, verb: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bgproc"));
    command.env("BGPROC_HOME", dir.join("home")).arg(verb);
    command
}

impl Peer for Bgproc {
    fn name(&self) -> &'static str {
        "bgproc"
    }

    fn program(&self) -> Option<&'static str> {
        None
    }

    fn write(&self, dir: &Path, jobs: &[Job]) {
        let mut file = "version = 1\n".to_owned();
        for Job {
            name,
            line,
            watch,
            is_scheduled,
        } in jobs
        {
            writeln!(file, "[jobs.{name}]\nrun = {line:?}").unwrap();
            if let Some(watched) = watch {
                writeln!(file, "watch = {{ paths = [{watched:?}] }}").unwrap();
            }
            if *is_scheduled {
                file += "schedule = { cron = \"0 3 1 1 *\" }\n";
            }
        }
        std::fs::write(dir.join("bgproc.toml"), file).unwrap();
        std::fs::create_dir(dir.join("home")).unwrap();
        std::fs::write(dir.join("home/config.toml"), "max_sessions = 3000\n").unwrap();
    }

    fn up(&self, dir: &Path) -> Command {
        command(dir, "up")
    }

    fn down(&self, dir: &Path) -> Command {
        command(dir, "down")
    }
}
