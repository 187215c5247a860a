//! Starting keeper and daemon, detached from any terminal.
#![allow(
    unsafe_code,
    reason = "descriptors inherited through exec are numbers, and std has no second fork"
)]

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use super::file;
use super::paths::Home;
use super::role::ProcessRole;
use super::tree::MARK;

/// Environment variable that must be set for keeper and daemon, so that a typed `bgproc daemon` does not
/// start one.
pub const ROLE: &str = "BGPROC_ROLE";

/// Environment variable of a keeper that replaces another one: [`TAKEOVER`], or the descriptor number of
/// the file that describes what was inherited through `exec`.
pub const HANDOVER: &str = "BGPROC_HANDOVER";

/// Value of [`HANDOVER`]: the daemon at the other end of standard input hands everything over.
pub const TAKEOVER: &str = "takeover";

/// Path of the program that this process runs. On Linux the link starts the same program even if its file
/// was deleted or replaced since. The next daemon therefore has the keeper's version, and `cargo clean`
/// does not break it.
#[cfg(target_os = "linux")]
fn own_image() -> io::Result<PathBuf> {
    Ok(PathBuf::from("/proc/self/exe"))
}

#[cfg(not(target_os = "linux"))]
fn own_image() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Sets the name of this process in `ps -e` and `top`, which would show `exe` for a program started through
/// a link in `/proc`.
pub fn take_name() {
    // Ignore an error: the name is for display only.
    let _ = rustix::thread::set_name(c"bgproc");
}

/// A command for `bgproc ROLE` from the program of this process.
pub fn own_command(role: ProcessRole) -> io::Result<Command> {
    Ok(command_of(&own_image()?, role))
}

/// A command for `bgproc ROLE` from the program at `path`.
pub fn command_of(path: &Path, role: ProcessRole) -> Command {
    let mut command = Command::new(path);
    command
        // `ps` then shows `bgproc keeper`, wherever the file is.
        .arg0("bgproc")
        .arg(role.as_str())
        .env(ROLE, role.as_str())
        .env_remove(HANDOVER)
        // A keeper that was started from within a job is not part of that job.
        .env_remove(MARK);
    command
}

/// Runs `path --version`, for at most 10 s; fails if it cannot run on this machine, or is another program.
pub async fn try_program(path: &Path) -> io::Result<()> {
    let place = path.display();
    let ran = timeout(TRIAL, version_of(path)).await;
    let ran = ran.unwrap_or_else(|_| {
        let why = format!("it did not end within {} s", TRIAL.as_secs());
        Err(io::Error::new(io::ErrorKind::TimedOut, why))
    });
    let (status, said, errors) =
        ran.map_err(|error| io::Error::new(error.kind(), format!("{place}: {error}")))?;
    let why = match (status.success(), said.starts_with("bgproc ")) {
        (true, true) => return Ok(()),
        (true, false) => format!("{place} is not bgproc"),
        (false, _) => format!("{place} ended with {status}: {}", errors.trim()),
    };
    Err(io::Error::other(why))
}

/// Longest time of a trial run.
const TRIAL: Duration = Duration::from_secs(10);

/// Maximum number of bytes of its output, and of its errors, that are read.
const TRIAL_BYTES: u64 = 4096;

/// How `path --version` ends, and what it writes to stdout and stderr. It is killed when the future is dropped.
async fn version_of(path: &Path) -> io::Result<(ExitStatus, String, String)> {
    let mut child = tokio::process::Command::new(path)
        .arg("--version")
        .env_remove(ROLE)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (said, errors) = (text(child.stdout.take()), text(child.stderr.take()));
    let (said, errors) = tokio::join!(said, errors);
    Ok((child.wait().await?, said, errors))
}

/// The beginning of what a program writes. Its end is closed afterwards.
async fn text(from: Option<impl AsyncRead + Unpin>) -> String {
    let mut said = Vec::new();
    if let Some(from) = from {
        // What came before an error counts.
        let _ = from.take(TRIAL_BYTES).read_to_end(&mut said).await;
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// Takes a descriptor that was inherited through `exec`, and sets close-on-exec on it. Call it only once
/// per number.
pub fn inherited(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the program that called `exec` opened it for us under this number; a number that is not open
    // is detected right below.
    let fd = unsafe { OwnedFd::from_raw_fd(number) };
    match rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC) {
        Ok(()) => Ok(fd),
        Err(error) => {
            let _ = fd.into_raw_fd();
            Err(error.into())
        }
    }
}

/// Starts `command` without access to the caller's terminal: stdin and stdout are as given, stderr goes to
/// the file `log`. If that cannot be written, stderr is discarded, because jobs matter more than
/// diagnostics.
pub fn spawn(mut command: Command, stdin: Stdio, stdout: Stdio, log: &Path) -> io::Result<Child> {
    let log = diagnostics(log);
    command.stdin(stdin).stdout(stdout).stderr(log).spawn()
}

fn diagnostics(log: &Path) -> Stdio {
    file::append(log).map_or_else(|_| Stdio::null(), Stdio::from)
}

/// Starts a keeper and returns once its socket accepts connections.
pub fn start_keeper(home: &Home) -> io::Result<()> {
    let mut keeper = own_command(ProcessRole::Keeper)?;
    // On a node of a cluster it stays a descendant of the batch job, by which the batch system finds and ends it.
    let leaves = home.session.is_none();
    if leaves {
        leave_parent(&mut keeper);
    } else {
        // It and its daemons keep this home when a later run of the session has another one.
        keeper.env("BGPROC_HOME", &home.state);
    }
    let log = home.diagnostics(ProcessRole::Keeper);
    let mut child = spawn(keeper, Stdio::null(), Stdio::piped(), &log)?;
    let stdout = child.stdout.take();
    if leaves {
        // It ends at once: the keeper is its child.
        child.wait()?;
    }
    let mut said = String::new();
    if let Some(mut stdout) = stdout {
        // The keeper writes "ready" or an error, and closes its end.
        stdout.read_to_string(&mut said)?;
    }
    match said.trim() {
        "ready" => Ok(()),
        "" => Err(io::Error::other(format!(
            "the keeper exited immediately; see {}",
            log.display()
        ))),
        why => Err(io::Error::other(why.to_owned())),
    }
}

/// Has `command` run as a child of a process that ends at once, so that it is no descendant of this one. Hosts of agents
/// end their tools with all descendants, and jobs must outlive that. Nor does it stay as a zombie if it ends first.
fn leave_parent(command: &mut Command) {
    let fork_again = || {
        // SAFETY: this runs between fork and exec, in a process with one thread; fork and _exit are
        // async-signal-safe (signal-safety(7)).
        unsafe {
            match libc::fork() {
                0 => Ok(()),
                -1 => Err(io::Error::last_os_error()),
                _ => libc::_exit(0),
            }
        }
    };
    // SAFETY: see there.
    unsafe { command.pre_exec(fork_again) };
}

/// Starts a keeper that takes over from a killed one. Returns it with our end of the socket for the handover.
pub fn start_next_keeper(log: &Path) -> io::Result<(Child, OwnedFd)> {
    let (ours, theirs) = socket_pair()?;
    let log = diagnostics(log);
    let child = own_command(ProcessRole::Keeper)?
        .env(HANDOVER, TAKEOVER)
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()?;
    Ok((child, ours))
}

/// Leaves the caller's session, process group and directory, and closes the descriptors inherited from it,
/// so that no job inherits them. Call this before anything is opened.
pub fn leave_caller() {
    portable_pty::unix::close_random_fds();
    // Fails only for a process that already leads a group, and such a process has no terminal to leave.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
}

/// Takes the descriptor that is stdin. Its number stays taken by `/dev/null`. What is taken is thus closed when it
/// is dropped, and no program that is started inherits it.
pub fn take_stdin() -> io::Result<OwnedFd> {
    let taken = io::stdin().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(&File::open("/dev/null")?)?;
    Ok(taken)
}

/// Closes stdout, so that its reader sees the end of the stream. The descriptor number stays taken by
/// `/dev/null`; otherwise the next file opened would become stdout.
pub fn close_stdout() {
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
    }
}

/// A connected pair of stream sockets: one end for us, one for a child's stdin.
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
