//! Another user of the machine, for tests that run as root.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Home;
use super::needs::{have, is_root};
use super::process::copy_program;

/// A user id that nobody has an account for; not `nobody`, whose processes
/// other programs may be.
pub(crate) const STRANGER: u32 = 61_234;

/// The binary where a stranger can reach it.
pub(crate) struct Stranger {
    /// Open to everybody, unlike the home of a test.
    dir: tempfile::TempDir,
    program: PathBuf,
}

impl Stranger {
    /// `None`, with a word on stderr, where this test cannot be another user.
    pub(crate) fn new() -> Option<Self> {
        if !is_root() || !have("setpriv") {
            return None;
        }
        let dir = tempfile::Builder::new().prefix("bgproc-test-").tempdir();
        let dir = dir.unwrap();
        open_to_all(dir.path());
        let program = dir.path().join("bgproc");
        copy_program(env!("CARGO_BIN_EXE_bgproc"), &program);
        Some(Self { dir, program })
    }

    /// A directory of the stranger's own.
    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        let dir = self.dir.path().join(name);
        std::fs::create_dir(&dir).unwrap();
        give(&dir);
        dir
    }

    /// `bgproc ARGS` as the stranger, with the surroundings of `home`.
    pub(crate) fn bgproc(&self, home: &Home, args: &[&str]) -> Command {
        let program = self.program.to_str().unwrap();
        let mut command = self.command(home, program);
        command.args(args);
        command
    }

    /// Any program as the stranger.
    pub(crate) fn command(&self, home: &Home, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        let id = STRANGER.to_string();
        command.args([
            "--reuid",
            &id,
            "--regid",
            &id,
            "--clear-groups",
            "--",
            program,
        ]);
        home.surround(&mut command);
        command.current_dir(self.dir.path()).stdin(Stdio::null());
        command
    }
}

/// Does something as the stranger, on a thread of its own: the kernel keeps user
/// ids by thread.
pub(crate) fn act<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let uid = Some(rustix::process::Uid::from_raw(STRANGER));
            rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
            act()
        });
        thread.join().unwrap()
    })
}

/// Makes the stranger the owner.
pub(crate) fn give(path: &Path) {
    std::os::unix::fs::chown(path, Some(STRANGER), Some(STRANGER)).unwrap();
}

/// Lets everybody look into a directory.
pub(crate) fn open_to_all(dir: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755)).unwrap();
}
