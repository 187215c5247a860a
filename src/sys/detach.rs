//! How keeper and daemon are started, away from any terminal.
#![allow(unsafe_code, reason = "descriptors that come through exec are numbers")]

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::file;
use super::tree::MARK;

/// Set for keeper and daemon, so that one that a person types is told apart.
pub const ROLE: &str = "BGPROC_ROLE";

/// Set for a keeper that takes over: [`TAKEOVER`], or the number of a file that
/// tells what came through `exec`.
pub const HANDOVER: &str = "BGPROC_HANDOVER";

/// The daemon at the other end of standard input hands everything over.
pub const TAKEOVER: &str = "takeover";

/// The program that runs here, whatever has become of its file since: deleted or replaced, Linux still starts
/// the same one through this link. So the daemon that follows another one is of the keeper's version, and
/// `cargo clean` takes no daemon away.
#[cfg(target_os = "linux")]
fn own_image() -> io::Result<PathBuf> {
    Ok(PathBuf::from("/proc/self/exe"))
}

#[cfg(not(target_os = "linux"))]
fn own_image() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Gives this process its name in `ps -e` and `top`, where one that was started through a link of
/// `/proc` would be called `exe`.
pub fn take_name() {
    // Fails nowhere, and the name is only looked at.
    let _ = rustix::thread::set_name(c"bgproc");
}

/// `bgproc ROLE` of this very program, not started yet.
pub fn own_command(role: &str) -> io::Result<Command> {
    Ok(command_of(&own_image()?, role))
}

/// `bgproc ROLE` of the program at `path`, not started yet.
pub fn command_of(path: &Path, role: &str) -> Command {
    let mut command = Command::new(path);
    command
        // So that `ps` reads `bgproc keeper`, wherever the file lies.
        .arg0("bgproc")
        .arg(role)
        .env(ROLE, role)
        .env_remove(HANDOVER)
        // One that a job has started is not a part of that job.
        .env_remove(MARK);
    command
}

/// Fails unless the program at `path` runs here.
pub fn try_program(path: &Path) -> io::Result<()> {
    let place = path.display();
    let output = Command::new(path)
        .arg("--version")
        .env_remove(ROLE)
        .output();
    let output =
        output.map_err(|error| io::Error::new(error.kind(), format!("{place}: {error}")))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let why = format!("{place} ended with {}: {}", output.status, said.trim());
            Err(io::Error::other(why))
        }
    }
}

/// Takes a descriptor that came through `exec`, and closes it for the next one.
/// To be called once for each number.
pub fn inherited(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: whoever called `exec` opened it for us under this number; a number
    // that is not open is noticed at once.
    let fd = unsafe { OwnedFd::from_raw_fd(number) };
    match rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC) {
        Ok(()) => Ok(fd),
        Err(error) => {
            let _ = fd.into_raw_fd();
            Err(error.into())
        }
    }
}

/// Starts `command` with nothing of the caller's terminal: stdin and stdout are
/// as given, stderr goes to the file `log`, or nowhere if that cannot be
/// written: jobs are worth more than diagnostics.
pub fn spawn(mut command: Command, stdin: Stdio, stdout: Stdio, log: &Path) -> io::Result<Child> {
    let log = diagnostics(log);
    command.stdin(stdin).stdout(stdout).stderr(log).spawn()
}

fn diagnostics(log: &Path) -> Stdio {
    file::append(log).map_or_else(|_| Stdio::null(), Stdio::from)
}

/// Starts a keeper and returns once its socket takes connections.
pub fn start_keeper(log: &Path) -> io::Result<()> {
    let keeper = own_command("keeper")?;
    let mut child = spawn(keeper, Stdio::null(), Stdio::piped(), log)?;
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

/// Starts a keeper that takes over, and returns it with our end of the socket
/// on which it is to be told what there is.
pub fn start_next_keeper(log: &Path) -> io::Result<(Child, OwnedFd)> {
    let (ours, theirs) = socket_pair()?;
    let log = diagnostics(log);
    let child = own_command("keeper")?
        .env(HANDOVER, TAKEOVER)
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()?;
    Ok((child, ours))
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
