//! pm2, the process manager of Node.js, which runs other programs, too.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Job, Peer};

pub(super) struct Pm2;

/// Runs it with a home of its own.
fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("pm2");
    command.env("PM2_HOME", dir.join("home")).args(args);
    command
}

impl Peer for Pm2 {
    fn name(&self) -> &'static str {
        "pm2"
    }

    fn program(&self) -> Option<&'static str> {
        Some("pm2")
    }

    fn write(&self, dir: &Path, jobs: &[Job]) {
        let apps: Vec<Value> = jobs
            .iter()
            .map(|Job { name, line, watch, is_scheduled }| {
                let mut app = json!({
                    "name": name, "script": "/bin/sh", "args": ["-c", line], "interpreter": "none",
                });
                if let Some(watched) = watch {
                    app["watch"] = json!([watched]);
                }
                if *is_scheduled {
                    app["cron_restart"] = json!("0 3 1 1 *");
                    app["autorestart"] = json!(false);
                }
                app
            })
            .collect();
        let file = json!({ "apps": apps }).to_string();
        std::fs::write(dir.join("pm2.json"), file).unwrap();
    }

    fn up(&self, dir: &Path) -> Command {
        command(dir, &["start", "pm2.json"])
    }

    fn down(&self, dir: &Path) -> Command {
        command(dir, &["stop", "all"])
    }
}
