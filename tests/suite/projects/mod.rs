//! Projects: `up`, `down`, `reload` and what is around them, with real programs.

mod bad_input;
mod checkouts;
mod clock;
mod dashboard;
mod ended;
mod endures;
mod env_files;
mod files;
mod followed;
mod found;
mod hooks;
mod ports;
mod procfile;
mod queues;
mod readiness;
mod refused;
mod restore;
mod rewritten;
mod schedules;
mod settling;
mod stops;
mod tags;
mod tasks;
mod together;
mod unasked;
mod up;
mod watches;
mod watches_cost;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::home::Ran;
use crate::support::{Home, eventually};

/// A directory with a project file, and a home.
struct Project {
    home: Home,
    dir: PathBuf,
}

impl Project {
    fn new(file: &str) -> Self {
        Self::in_home(Home::new(), "shop", file)
    }

    fn in_home(home: Home, name: &str, file: &str) -> Self {
        let dir = home.scratch(name);
        std::fs::create_dir_all(&dir).unwrap();
        let project = Self { home, dir };
        project.write(file);
        project
    }

    fn write(&self, file: &str) {
        std::fs::write(self.dir.join("bgproc.toml"), file).unwrap();
    }

    /// Runs `bgproc ARGS` in the directory of the project.
    fn run(&self, args: &[&str]) -> Ran {
        self.run_in(&self.dir, args)
    }

    fn run_in(&self, dir: &Path, args: &[&str]) -> Ran {
        let mut command = self.home.command(args);
        command.current_dir(dir);
        self.home.run_command(command, args)
    }

    /// The lines that `bgproc ARGS` prints, which succeeds.
    #[track_caller]
    fn ok(&self, args: &[&str]) -> Vec<String> {
        let ran = self.run(args).expect_code(0);
        ran.stdout.lines().map(str::to_owned).collect()
    }

    /// What `status` says of a job.
    fn job(&self, name: &str) -> serde_json::Value {
        self.home.listed(name)
    }

    fn phase(&self, name: &str) -> String {
        self.job(name)["project"]["phase"]
            .as_str()
            .unwrap_or("none")
            .to_owned()
    }

    /// Waits until a job is in a phase.
    #[track_caller]
    fn until(&self, name: &str, phase: &str) {
        let mut seen = String::new();
        eventually(&format!("{name} is {phase}"), || {
            seen = self.phase(name);
            (seen == phase).then_some(())
        });
    }

    fn pid(&self, name: &str) -> u64 {
        self.job(name)["pid"].as_u64().unwrap_or_default()
    }
}

/// Whether one of the lines is this one.
#[track_caller]
fn has(lines: &[String], line: &str) {
    assert!(
        lines.iter().any(|own| own == line),
        "no `{line}` in:\n{}",
        lines.join("\n")
    );
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Makes the directory of a project a repository, and returns a linked worktree with the branch `two`.
fn worktree(shop: &Project) -> PathBuf {
    let other = shop.home.scratch("shop-two");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&shop.dir);
        for setting in ["user.name=t", "user.email=t@t", "init.defaultBranch=main"] {
            command.args(["-c", setting]);
        }
        let done = command.args(args).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    let path = other.to_str().unwrap();
    git(&["worktree", "add", "-q", "-b", "two", path]);
    other
}
