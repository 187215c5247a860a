//! Starting a job's first process.
#![allow(unsafe_code, reason = "code between fork and exec")]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, getrlimit, pidfd_open, setrlimit};

use super::cgroup::Group;
use super::pty;
use super::rlimits::Rlimits;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::record::Mode;

/// A process that runs.
#[derive(Debug)]
pub struct Spawned {
    /// Its pid; it leads a session and a process group of that number.
    pub pid: u32,
    /// A handle on it that is never another process's.
    pub pidfd: OwnedFd,
    /// Where to write: PTY master or stdin pipe, non-blocking.
    pub input: OwnedFd,
    /// Where to read: PTY master, or stdout and stderr pipes, non-blocking.
    pub outputs: Vec<OwnedFd>,
}

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// There is no terminal for it.
    #[error("no terminal could be opened: {0}")]
    Terminal(#[source] io::Error),
    /// Anything else, an error of `exec` included.
    #[error(transparent)]
    Process(#[from] io::Error),
}

impl SpawnError {
    /// The system's error number, if it was the system that refused.
    pub fn errno(&self) -> Option<i32> {
        let (Self::Terminal(error) | Self::Process(error)) = self;
        error.raw_os_error()
    }
}

/// Runs `spec`, in `group` if it has one; an error of `exec` is reported exactly.
pub fn spawn(
    spec: &SpawnSpec,
    rows: u16,
    cols: u16,
    files: Rlimit,
    group: Option<Group>,
) -> Result<Spawned, SpawnError> {
    let mut command = command(spec);
    let files = match spec.limits.as_ref().and_then(|limits| limits.open_files) {
        Some(open) => Rlimit {
            current: Some(open),
            maximum: Some(open),
        },
        None => files,
    };
    if let Some(limits) = &spec.limits {
        let limits = Rlimits::new(limits, group.as_ref());
        // SAFETY: only system calls between fork and exec, nothing that allocates.
        unsafe {
            command.pre_exec(move || {
                if let Some(group) = &group {
                    rustix::io::write(&group.join, b"0")?;
                }
                limits.apply()
            });
        }
    }
    match spec.mode {
        Mode::Pty => spawn_on_pty(command, rows, cols, files),
        Mode::Pipe => Ok(spawn_on_pipes(command, files)?),
    }
}

/// Runs `spec` with nothing to read from and nowhere to write to.
pub fn spawn_silent(spec: &SpawnSpec, files: Rlimit) -> io::Result<(u32, OwnedFd)> {
    let mut command = command(spec);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    lead_session(&mut command, files);
    handle(&mut command.spawn()?)
}

fn command(spec: &SpawnSpec) -> Command {
    let mut command = Command::new(&spec.program);
    if let Some((first, rest)) = spec.argv.split_first() {
        command.arg0(first).args(rest);
    }
    command.env_clear().envs(spec.env.iter());
    command.current_dir(&spec.cwd);
    if let Some(umask) = spec.umask {
        // SAFETY: one system call between fork and exec.
        unsafe {
            command.pre_exec(move || {
                rustix::process::umask(rustix::fs::Mode::from_raw_mode(umask));
                Ok(())
            });
        }
    }
    command
}

fn spawn_on_pty(
    mut command: Command,
    rows: u16,
    cols: u16,
    files: Rlimit,
) -> Result<Spawned, SpawnError> {
    let pty = pty::open(rows, cols).map_err(SpawnError::Terminal)?;
    let output = pty.master.try_clone()?;
    command
        .stdin(pty.slave.try_clone()?)
        .stdout(pty.slave.try_clone()?)
        .stderr(pty.slave);
    // SAFETY: only system calls between fork and exec, nothing that allocates.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
            setrlimit(Resource::Nofile, files)?;
            Ok(())
        });
    }
    let (pid, pidfd) = handle(&mut command.spawn()?)?;
    Ok(Spawned {
        pid,
        pidfd,
        input: pty.master,
        outputs: vec![output],
    })
}

fn spawn_on_pipes(mut command: Command, files: Rlimit) -> io::Result<Spawned> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    lead_session(&mut command, files);
    let mut child = command.spawn()?;
    let (pid, pidfd) = handle(&mut child)?;
    let missing = || io::Error::other("a pipe that was asked for is missing");
    let input: OwnedFd = child.stdin.take().ok_or_else(missing)?.into();
    let stdout: OwnedFd = child.stdout.take().ok_or_else(missing)?.into();
    let stderr: OwnedFd = child.stderr.take().ok_or_else(missing)?.into();
    for fd in [&input, &stdout, &stderr] {
        rustix::io::ioctl_fionbio(fd, true)?;
    }
    Ok(Spawned {
        pid,
        pidfd,
        input,
        outputs: vec![stdout, stderr],
    })
}

fn lead_session(command: &mut Command, files: Rlimit) {
    // SAFETY: only system calls between fork and exec, nothing that allocates.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            setrlimit(Resource::Nofile, files)?;
            Ok(())
        });
    }
}

fn handle(child: &mut Child) -> io::Result<(u32, OwnedFd)> {
    // The child is not reaped yet, so the pid is still its own.
    match pidfd_open(Pid::from_child(child), PidfdFlags::empty()) {
        Ok(pidfd) => Ok((child.id(), pidfd)),
        Err(error) => {
            // Told to have failed, it must not run.
            let _ = child.kill();
            Err(error.into())
        }
    }
}

/// The limit that jobs are to start with, of a keeper that was started with a
/// limit that another one had raised.
pub fn file_limit(current: Option<u64>) -> Rlimit {
    let Rlimit { maximum, .. } = raise_file_limit();
    Rlimit { current, maximum }
}

/// Lets this process open as many files as it may, and returns the limit that
/// jobs are to start with: the one it was started with itself.
pub fn raise_file_limit() -> Rlimit {
    let found = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: found.maximum,
        maximum: found.maximum,
    };
    // Refused only where it is as high as it can be.
    let _ = setrlimit(Resource::Nofile, raised);
    found
}
