//! The system call in which a thread is blocked, and the descriptors it waits for.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::sys::proc;

/// Maximum number of descriptors of one set that are examined. Programs open their terminal early,
/// so its descriptor is a low number, and hardly any program waits for a terminal and thousands of
/// other descriptors.
const MAX_SET: usize = 1024;

/// The kind of system call a thread is blocked in.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Blocked {
    /// `read` and similar calls, on this descriptor.
    Read(i32),
    /// `poll`, `select` and similar calls, until one of these is readable.
    Poll(Vec<i32>),
    /// `epoll_wait` and similar calls, on this descriptor.
    Epoll(i32),
    /// `io_uring_enter`.
    Ring,
    /// Any other call; input does not end it.
    Otherwise,
}

impl Blocked {
    /// Whether an event loop makes it, which waits for several things at once.
    pub(super) fn is_of_event_loop(&self) -> bool {
        match self {
            Self::Poll(fds) => fds.len() > 1,
            Self::Epoll(_) => true,
            Self::Read(_) | Self::Ring | Self::Otherwise => false,
        }
    }
}

/// The call in which a thread is blocked; `None` if it runs or is gone.
///
/// # Errors
/// `PermissionDenied` if we may not inspect the thread.
pub(super) fn blocked(pid: u32, thread: u32) -> io::Result<Option<Blocked>> {
    let text = match proc::text(&format!("/proc/{pid}/task/{thread}/syscall")) {
        Ok(text) => text,
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(call) = Call::parse(&text) else {
        return Ok(None);
    };
    call.blocked(pid, thread).map(Some)
}

/// Whether the error means that the process has just ended.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}

/// A system call and its first three arguments.
struct Call {
    number: i64,
    args: [u64; 3],
}

impl Call {
    /// Parses a line of `/proc/PID/task/TID/syscall`: `number arg0 … arg5 sp pc`, all but the
    /// number in hexadecimal. `None` for `running`, and for `-1 sp pc`, which means that the thread
    /// is blocked, but not in a system call.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut arg = || u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
        (number >= 0).then_some(())?;
        Some(Self {
            number,
            args: [arg()?, arg()?, arg()?],
        })
    }

    fn blocked(&self, pid: u32, thread: u32) -> io::Result<Blocked> {
        let fd = self.args[0] as i32;
        Ok(match kind(self.number) {
            Kind::Read => Blocked::Read(fd),
            Kind::Poll => Blocked::Poll(self.poll_set(pid)?),
            Kind::Select => Blocked::Poll(self.select_set(pid)?),
            Kind::Epoll => Blocked::Epoll(fd),
            Kind::Ring => Blocked::Ring,
            // If a signal such as SIGSTOP interrupts poll(2), the kernel continues it as
            // restart_syscall(2). The registers then still have the arguments of poll.
            Kind::Restarted if in_poll(pid, thread) => Blocked::Poll(self.poll_set(pid)?),
            Kind::Restarted | Kind::Otherwise => Blocked::Otherwise,
        })
    }

    /// The descriptors in a `struct pollfd[]` that are polled for reading.
    fn poll_set(&self, pid: u32) -> io::Result<Vec<i32>> {
        const POLLIN: u16 = 0x001;
        const POLLRDNORM: u16 = 0x040;
        let count = usize::try_from(self.args[1]).map_or(MAX_SET, |count| count.min(MAX_SET));
        let bytes = memory(pid, self.args[0], count * 8)?;
        let entries = bytes.chunks_exact(8).filter_map(|entry| {
            let fd = i32::from_ne_bytes(entry[..4].try_into().ok()?);
            let events = u16::from_ne_bytes(entry[4..6].try_into().ok()?);
            (fd >= 0 && events & (POLLIN | POLLRDNORM) != 0).then_some(fd)
        });
        Ok(entries.collect())
    }

    /// The descriptors in the `fd_set` for reading.
    fn select_set(&self, pid: u32) -> io::Result<Vec<i32>> {
        if self.args[1] == 0 {
            return Ok(Vec::new());
        }
        let count = usize::try_from(self.args[0]).map_or(MAX_SET, |count| count.min(MAX_SET));
        let bytes = memory(pid, self.args[1], count.div_ceil(8))?;
        let is_set = |fd: usize| {
            bytes
                .get(fd / 8)
                .is_some_and(|byte| byte >> (fd % 8) & 1 == 1)
        };
        let fds = (0..count).filter(|&fd| is_set(fd));
        Ok(fds.filter_map(|fd| i32::try_from(fd).ok()).collect())
    }
}

/// Groups of system calls whose arguments are read in the same way.
enum Kind {
    Read,
    Poll,
    Select,
    Epoll,
    Ring,
    Restarted,
    Otherwise,
}

/// Classifies a system call number. A program of another architecture (32 bits) uses other numbers; its
/// calls count as [`Kind::Otherwise`].
fn kind(number: i64) -> Kind {
    match number {
        libc::SYS_read | libc::SYS_readv | libc::SYS_splice => Kind::Read,
        libc::SYS_ppoll => Kind::Poll,
        libc::SYS_pselect6 => Kind::Select,
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => Kind::Epoll,
        libc::SYS_io_uring_enter => Kind::Ring,
        libc::SYS_restart_syscall => Kind::Restarted,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => Kind::Poll,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => Kind::Select,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => Kind::Epoll,
        _ => Kind::Otherwise,
    }
}

/// Whether the thread sleeps in the kernel function of `poll`.
fn in_poll(pid: u32, thread: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/task/{thread}/wchan"))
        .is_ok_and(|function| function.contains("poll"))
}

/// Reads `len` bytes of a process's memory.
fn memory(pid: u32, at: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    File::open(format!("/proc/{pid}/mem"))?.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_syscall_line() {
        let call = Call::parse("0 0x3 0x7fc879186000 0x20000 0x0 0x0 0x0 0x7ffd 0x7fc8\n").unwrap();
        assert_eq!(
            (call.number, call.args),
            (0, [3, 0x7fc8_7918_6000, 0x20000])
        );
        assert!(Call::parse("running\n").is_none());
        assert!(Call::parse("-1 0x7ffd 0x7fc8\n").is_none());
        assert!(Call::parse("").is_none());
    }

    #[test]
    fn reads_descriptor_sets_from_memory() {
        let polled: Vec<u8> = [(5i32, 1u16), (6, 4), (-1, 1), (7, 0x40)]
            .iter()
            .flat_map(|(fd, events)| {
                let mut entry = fd.to_ne_bytes().to_vec();
                entry.extend(events.to_ne_bytes());
                entry.extend([0, 0]);
                entry
            })
            .collect();
        let call = Call {
            number: libc::SYS_ppoll,
            args: [polled.as_ptr().addr() as u64, 4, 0],
        };
        let own = std::process::id();
        assert_eq!(call.blocked(own, own).unwrap(), Blocked::Poll(vec![5, 7]));
        let selected = [0b1000_0001u8, 0b10];
        let call = Call {
            number: libc::SYS_pselect6,
            args: [10, selected.as_ptr().addr() as u64, 0],
        };
        assert_eq!(
            call.blocked(own, own).unwrap(),
            Blocked::Poll(vec![0, 7, 9])
        );
    }
}
