//! What only root can set up: another user, and limits that hold for that user alone.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Home;
use super::needs::{have, is_root, skipped};
use super::process::copy_program;

/// A user that nobody else is, to whom a home was given.
pub(crate) struct Stranger<'a> {
    home: &'a Home,
    uid: u32,
    program: PathBuf,
}

impl<'a> Stranger<'a> {
    /// `None` without the means, which is said aloud.
    pub(crate) fn new(home: &'a Home) -> Option<Self> {
        if !is_root() || !have("setpriv") || !have("prlimit") {
            return None;
        }
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // Limits of processes count all that a user has, so no two tests share one.
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let uid = 100_000 + (std::process::id() % 100_000) * 10 + count % 10;
        // Where the build lies may be closed to others.
        let program = home.scratch("bgproc");
        copy_program(env!("CARGO_BIN_EXE_bgproc"), &program);
        for path in [home.path(), program.parent().unwrap(), program.as_path()] {
            chown(path, Some(uid), Some(uid)).unwrap();
        }
        Some(Self { home, uid, program })
    }

    /// `bgproc ARGS` as this user, who may have so many processes.
    pub(crate) fn command(&self, processes: u32, args: &[&str]) -> Command {
        let limit = format!("--nproc={processes}:{processes}");
        let (user, group) = (
            format!("--reuid={}", self.uid),
            format!("--regid={}", self.uid),
        );
        let program = self.program.display().to_string();
        let setpriv = ["setpriv", &user, &group, "--clear-groups", &program];
        let mut words = vec!["prlimit", &limit];
        words.extend(setpriv);
        words.extend(args);
        self.home.command_through(&words)
    }

    /// A program that this user runs as root, as `sudo` is one; `None` where files
    /// cannot have that right, which is said aloud.
    pub(crate) fn root_program(&self) -> Option<PathBuf> {
        let up = self.home.scratch("up");
        let which = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|dir| dir.join("setpriv"))
            .find(|file| file.is_file());
        copy_program(which.unwrap(), &up);
        chown(&up, Some(0), Some(0)).unwrap();
        std::fs::set_permissions(&up, PermissionsExt::from_mode(0o4755)).unwrap();
        let uid = format!("--reuid={}", self.uid);
        let tried = Command::new("setpriv")
            .args([&uid, "--clear-groups", "--"])
            .arg(&up)
            .args(["--reuid=0", "true"])
            .status();
        let works = tried.unwrap().success();
        if !works {
            skipped("set-user-id programs do not work here");
        }
        works.then_some(up)
    }
}
