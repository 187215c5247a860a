//! How keeper and daemon are started, away from any terminal.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::paths::own_program;
use super::tree::MARK;

/// Set for keeper and daemon, so that one that a person types is told apart.
pub const ROLE: &str = "BGPROC_ROLE";

/// Starts `bgproc ROLE` with nothing of the caller's terminal: stdin and stdout
/// are `stdio`, stderr goes to the file `log`.
pub fn spawn_self(role: &str, stdin: Stdio, stdout: Stdio, log: &Path) -> io::Result<Child> {
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(log)?;
    Command::new(own_program()?)
        // So that `ps` reads `bgproc keeper`, wherever the file lies.
        .arg0("bgproc")
        .arg(role)
        .env(ROLE, role)
        // One that a job has started is not a part of that job.
        .env_remove(MARK)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(log)
        .spawn()
}

/// Starts a keeper and returns once its socket takes connections.
pub fn start_keeper(log: &Path) -> io::Result<()> {
    let mut child = spawn_self("keeper", Stdio::null(), Stdio::piped(), log)?;
    let mut said = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        // The keeper says "ready" or why not, and closes its end.
        stdout.read_to_string(&mut said)?;
    }
    match said.trim() {
        "ready" => Ok(()),
        "" => Err(io::Error::other(format!(
            "the keeper ended at once; see {}",
            log.display()
        ))),
        why => Err(io::Error::other(why.to_owned())),
    }
}

/// Leaves the caller's session, group and directory, and closes what it had
/// open, so that no job ever inherits it. To be called before anything is opened.
pub fn leave_caller() {
    portable_pty::unix::close_random_fds();
    // Fails only for a process that leads a group already, which then has no
    // terminal to leave.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
}

/// Closes stdout, so that whoever reads it knows that all is said. Its number
/// stays taken by `/dev/null`, or the next file opened would become stdout.
pub fn close_stdout() {
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
    }
}

/// A connected pair of stream sockets: one end for us, one to be a child's stdin.
pub fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    let flags = SocketFlags::CLOEXEC;
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        flags,
        None,
    )?)
}
