//! Starting a job's first process.
#![allow(
    unsafe_code,
    reason = "code that runs between process creation and exec"
)]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::io::ioctl_fionbio;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PidfdFlags, Resource, Rlimit, getpid, getrlimit, pidfd_open, setrlimit};

use super::cgroup::Group;
use super::child::{self, Program};
use super::inherit::{self, Inherited};
use super::pty;
use super::rlimits::Rlimits;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::status::Mode;

/// A started process.
#[derive(Debug)]
pub struct Spawned {
    /// Its pid, which is also its terminal session and process group.
    pub pid: u32,
    /// Its pidfd.
    pub pidfd: OwnedFd,
    /// Writing end, non-blocking: PTY master or stdin pipe.
    pub input: OwnedFd,
    /// Reading ends, non-blocking: PTY master, or stdout and stderr pipes.
    pub outputs: Vec<OwnedFd>,
}

/// The terminal of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Terminal {
    /// Number of rows.
    pub rows: u16,
    /// Number of columns.
    pub cols: u16,
    /// What is written to it before the program runs, as if by the program.
    pub reset: String,
}

impl Terminal {
    /// Number of bytes that are read from the terminal for [`Self::reset`]: a new one adds a carriage return to each
    /// newline (ONLCR).
    pub fn reset_bytes(&self) -> u64 {
        let newlines = memchr::memchr_iter(b'\n', self.reset.as_bytes()).count();
        (self.reset.len() + newlines) as u64
    }
}

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// No pseudo-terminal could be opened.
    #[error("cannot open a terminal: {0}")]
    Terminal(#[source] io::Error),
    /// The working directory cannot be entered.
    #[error("the working directory {0} cannot be used: {1}")]
    Directory(String, #[source] io::Error),
    /// Any other error, including one of `exec`.
    #[error(transparent)]
    Process(#[from] io::Error),
}

impl SpawnError {
    /// The system's error number; `None` if the error is not from the system.
    pub fn errno(&self) -> Option<i32> {
        let (Self::Terminal(error) | Self::Directory(_, error) | Self::Process(error)) = self;
        error.raw_os_error()
    }
}

/// Called by the new process right before its program runs; may only make system calls. It receives the
/// descriptors of [`Spawned`]: the input, the process's own pidfd, and with pipes the outputs.
pub type Announce<'a> = &'a dyn Fn(&[BorrowedFd<'_>]);

/// Starts `spec`, in `group` if there is one. An error of `exec` is reported exactly.
pub fn spawn(
    spec: &SpawnSpec,
    terminal: &Terminal,
    files: Rlimit,
    group: Option<Group>,
    announce: Announce<'_>,
) -> Result<Spawned, SpawnError> {
    let spawned = match spec.mode {
        Mode::Pty => spawn_on_pty(spec, terminal, files, group, announce),
        Mode::Pipe => spawn_on_pipes(spec, files, group, announce).map_err(SpawnError::Process),
    };
    // The number is that of chdir(2), or of exec(2): the directory tells which.
    spawned.map_err(|error| match error {
        SpawnError::Process(error) if !Path::new(&spec.cwd).is_dir() => {
            SpawnError::Directory(spec.cwd.clone(), error)
        }
        error => error,
    })
}

/// Starts `spec` with `/dev/null` as its standard streams.
pub fn spawn_silent(spec: &SpawnSpec, files: Rlimit) -> io::Result<(u32, OwnedFd)> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    let stdio = [null.as_fd(); 3];
    start(spec, stdio, false, files, None, &|_| {})
}

fn spawn_on_pty(
    spec: &SpawnSpec,
    terminal: &Terminal,
    files: Rlimit,
    group: Option<Group>,
    announce: Announce<'_>,
) -> Result<Spawned, SpawnError> {
    let pty = pty::open(terminal.rows, terminal.cols).map_err(SpawnError::Terminal)?;
    // A new terminal has room for so little. If the program cannot be started, it is gone with the terminal.
    let _ = rustix::io::write(&pty.slave, terminal.reset.as_bytes());
    let output = pty.master.try_clone()?;
    let stdio = [pty.slave.as_fd(); 3];
    let own = |own: BorrowedFd<'_>| announce(&[pty.master.as_fd(), own]);
    let (pid, pidfd) = start(spec, stdio, true, files, group, &own)?;
    Ok(Spawned {
        pid,
        pidfd,
        input: pty.master,
        outputs: vec![output],
    })
}

fn spawn_on_pipes(
    spec: &SpawnSpec,
    files: Rlimit,
    group: Option<Group>,
    announce: Announce<'_>,
) -> io::Result<Spawned> {
    let (stdin, input) = pipe_with(PipeFlags::CLOEXEC)?;
    let (output, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (errors, stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    for fd in [&input, &output, &errors] {
        ioctl_fionbio(fd, true)?;
    }
    let stdio = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
    let ends = [input.as_fd(), output.as_fd(), errors.as_fd()];
    let own = |own: BorrowedFd<'_>| announce(&[ends[0], own, ends[1], ends[2]]);
    let (pid, pidfd) = start(spec, stdio, false, files, group, &own)?;
    Ok(Spawned {
        pid,
        pidfd,
        input,
        outputs: vec![output, errors],
    })
}

/// Starts the program as the leader of a new terminal session, whose controlling terminal is `stdio[0]` if
/// `on_terminal`. In the new process, `announce` is called with the process's own pidfd.
fn start(
    spec: &SpawnSpec,
    stdio: [BorrowedFd<'_>; 3],
    on_terminal: bool,
    files: Rlimit,
    group: Option<Group>,
    announce: &dyn Fn(BorrowedFd<'_>),
) -> io::Result<(u32, OwnedFd)> {
    let program = Program::new(&spec.program, &spec.argv, spec.env.iter())?;
    let cwd = CString::new(spec.cwd.as_str())?;
    let inherited = spec
        .inherit
        .as_deref()
        .map(Inherited::new)
        .unwrap_or_default();
    let files = inherited.open_files().unwrap_or(files);
    let limits = spec.limits.as_deref();
    // What somebody demands has to hold.
    let demanded = limits
        .and_then(|limits| limits.open_files)
        .map(|open| Rlimit {
            current: Some(open),
            maximum: Some(open),
        });
    let limits = limits.map(|limits| Rlimits::new(limits, group.as_ref()));
    let prepare = || {
        // Descriptors 0 to 2 are always open in a Rust program, so none of `stdio` is one of them.
        rustix::stdio::dup2_stdin(stdio[0])?;
        rustix::stdio::dup2_stdout(stdio[1])?;
        rustix::stdio::dup2_stderr(stdio[2])?;
        rustix::process::chdir(&cwd)?;
        if let Some(umask) = spec.umask {
            rustix::process::umask(rustix::fs::Mode::from_raw_mode(umask));
        }
        if let Some(group) = &group {
            rustix::io::write(&group.join, b"0")?;
        }
        inherited.apply();
        limits.as_ref().map_or(Ok(()), Rlimits::apply)?;
        rustix::process::setsid()?;
        if on_terminal {
            rustix::process::ioctl_tiocsctty(stdio[0])?;
        }
        // Open this before the limit of open files leaves no room for it: all descriptors of the keeper are open here.
        let own = pidfd_open(getpid(), PidfdFlags::empty())?;
        announce(own.as_fd());
        match demanded {
            Some(files) => setrlimit(Resource::Nofile, files),
            None => inherit::set(Resource::Nofile, files),
        }
    };
    // SAFETY: `prepare` only makes system calls; nothing in it allocates or can panic.
    unsafe { child::start(&program, &prepare) }
}

/// The limit of open files for jobs, in a keeper that inherited a limit that the previous keeper had
/// raised. `current` is the original soft limit.
pub fn file_limit(current: Option<u64>) -> Rlimit {
    let Rlimit { maximum, .. } = raise_file_limit();
    Rlimit { current, maximum }
}

/// Raises this process's soft limit of open files to the hard limit. Returns the limit before, with which
/// jobs are to start.
pub fn raise_file_limit() -> Rlimit {
    let found = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: found.maximum,
        maximum: found.maximum,
    };
    // Fails only if the limit cannot be raised further.
    let _ = setrlimit(Resource::Nofile, raised);
    found
}

/// Sets this process's soft limit of core dumps to 0: its memory has the environments of all jobs. Jobs start with the
/// limit of their clients.
pub fn prevent_core_dumps() {
    let limit = Rlimit {
        current: Some(0),
        ..getrlimit(Resource::Core)
    };
    // Lowering a soft limit is always permitted.
    let _ = setrlimit(Resource::Core, limit);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
#[path = "spawn_tests.rs"]
mod tests;
