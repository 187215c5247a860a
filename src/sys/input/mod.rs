//! What a session's program does with its input, according to the kernel.
//!
//! A program that waits for input is blocked in a system call on the terminal: `read` on it, or one of the
//! `poll` and `select` family with it in the set. `/proc/PID/task/TID/syscall` (proc_pid_syscall(5)) shows
//! call and arguments of every blocked thread (`blocked`); the sets are in the process's memory and in
//! `fdinfo` (`descriptors`). Only processes that may read the terminal are examined (`family`).
//!
//! Reading another process's system calls needs the right to trace it, which the kernel may limit to
//! ancestors (Yama's `ptrace_scope` 1): the keeper is one, the daemon is not. What cannot be seen is
//! reported as `None`, never guessed.

mod blocked;
mod descriptors;
mod family;

use std::io;
use std::os::fd::AsFd;

use rustix::fs::fstat;

use self::blocked::{Blocked, blocked};
use self::descriptors::{Found, Input};
use self::family::{Reader, Readers};
use super::pty;
use crate::protocol::keeper::{InputReport, LineModes};

/// How thoroughly to look: each process and thread costs some microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Examines few, so that other work need not wait. What was not seen is `None`.
    Quick,
    /// Examines many more, up to a bound.
    Thorough,
}

impl Effort {
    /// Maximum number of processes examined for one session: a build may have thousands, and hardly one of them reads input.
    fn processes(self) -> usize {
        match self {
            Self::Quick => 8,
            Self::Thorough => 256,
        }
    }

    /// Maximum number of threads examined for one answer. Programs that wait for people have few.
    fn threads(self) -> usize {
        match self {
            Self::Quick => 16,
            Self::Thorough => 512,
        }
    }
}

/// Looks at a program on a terminal. `leader` is the pid of the session's first process.
pub fn terminal(master: impl AsFd, leader: u32, effort: Effort) -> io::Result<InputReport> {
    // Ask for unread input before looking at the threads: what was typed earlier is then either read or
    // counted.
    let peer = pty::peer(&master).ok_or(io::ErrorKind::NotFound)?;
    let unread = pty::unread_of_peer(&peer);
    let input = Input::Terminal(fstat(&peer)?.st_rdev);
    drop(peer);
    let group = pty::foreground_group(&master);
    let readers = group.map(|group| family::of_terminal(leader, group, effort));
    let seen = reading(&readers.unwrap_or_default(), input, effort);
    // Ask for the modes after that: a program sets them, then it reads. Asked before, they could be those of
    // before a prompt for a password, with the read of that prompt.
    let discipline = pty::line_discipline(&master)?;
    Ok(InputReport {
        line: Some(LineModes {
            canonical: discipline.canonical,
            echo: discipline.echo,
        }),
        unread,
        ..seen
    })
}

/// Looks at a program whose standard input is a pipe. `writer` is our writing end of it.
pub fn pipe(writer: impl AsFd, leader: u32, effort: Effort) -> io::Result<InputReport> {
    let unread = rustix::io::ioctl_fionread(&writer).ok();
    let stat = fstat(&writer)?;
    let input = Input::Pipe(stat.st_dev, stat.st_ino);
    Ok(InputReport {
        unread,
        ..reading(&family::of_pipe(leader, effort), input, effort)
    })
}

/// Looks whether a thread of these processes waits for `input`. Nothing is reported if none was seen waiting and not all
/// could be examined.
fn reading(readers: &Readers, input: Input, effort: Effort) -> InputReport {
    let mut left = effort.threads();
    let mut blind = !readers.is_whole;
    for &reader in &readers.list {
        for thread in reader.threads() {
            if left == 0 {
                return InputReport::default();
            }
            left -= 1;
            let call = blocked(reader.pid, thread);
            let found = match &call {
                Ok(Some(call)) => waits_for(reader, call, input),
                Ok(None) => Found::Other,
                Err(error) => descriptors::unseen(error),
            };
            match (found, call) {
                (Found::Input, Ok(Some(call))) => {
                    return InputReport {
                        reading: Some(true),
                        in_event_loop: call.is_of_event_loop(),
                        in_read: matches!(call, Blocked::Read(_)),
                        ..InputReport::default()
                    };
                }
                (Found::Input | Found::Other, _) => {}
                (Found::Unseen, _) => blind = true,
            }
        }
    }
    InputReport {
        reading: (!blind).then_some(false),
        ..InputReport::default()
    }
}

fn waits_for(reader: Reader, call: &Blocked, input: Input) -> Found {
    match call {
        Blocked::Read(fd) => descriptors::is(reader, *fd, input),
        Blocked::Poll(fds) => descriptors::any(reader, fds, input),
        Blocked::Epoll(fd) => descriptors::polled(reader, *fd, input),
        // The kernel does not show what was submitted to a ring.
        Blocked::Ring => Found::Unseen,
        Blocked::Otherwise => Found::Other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// Looks until the answer is `wanted`, because a program takes a moment to get there.
    fn comes_to(wanted: Option<bool>, mut look: impl FnMut() -> Option<bool>) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while look() != wanted {
            assert!(Instant::now() < deadline, "it is {:?}", look());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn end(mut child: Child) {
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_program_that_reads_a_pipe_waits_for_input() {
        let mut cat = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let writer = OwnedFd::from(cat.stdin.take().unwrap());
        comes_to(Some(true), || {
            pipe(&writer, cat.id(), Effort::Quick).unwrap().reading
        });
        end(cat);
    }

    #[test]
    fn a_sleeping_program_does_not_wait_for_input() {
        let mut sleep = Command::new("sleep")
            .arg("60")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let writer = OwnedFd::from(sleep.stdin.take().unwrap());
        comes_to(Some(false), || {
            pipe(&writer, sleep.id(), Effort::Thorough).unwrap().reading
        });
        rustix::io::write(&writer, b"abc").unwrap();
        assert_eq!(
            pipe(&writer, sleep.id(), Effort::Thorough).unwrap().unread,
            Some(3)
        );
        end(sleep);
    }
}
