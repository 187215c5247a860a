//! Processes that a test may wait for and end: only those that it can prove are its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use signal_hook::consts::{SIGINT, SIGQUIT};

/// Copies a program in a process of its own. A test that starts a process meanwhile gives it, until its `exec`, all files
/// that are open here, and a file that is open for writing cannot be run (ETXTBSY, execve(2)).
pub(crate) fn copy_program(from: impl AsRef<Path>, to: &Path) {
    let mut copy = Command::new("cp");
    // Whatever the umask is.
    copy.arg("--preserve=mode").arg(from.as_ref()).arg(to);
    let copied = copy.status();
    assert!(copied.unwrap().success(), "cp to {}", to.display());
}

/// Writes a script that can be run, in a process of its own for the same reason as [`copy_program`].
#[track_caller]
pub(crate) fn write_script(path: &Path, text: &str) {
    let line = r#"printf %s "$1" >"$2" && chmod 755 "$2""#;
    let mut write = Command::new("sh");
    write.args(["-c", line, "sh", text]).arg(path);
    assert!(write.status().unwrap().success(), "{}", path.display());
}

/// Sees to it that what the tests start can be interrupted.
///
/// A shell without job control ignores SIGINT and SIGQUIT for what it runs in the background (`cargo test &`), and
/// ignored signals are inherited by every program. One that has a handler here is not: it is as usual after `exec`.
pub(crate) fn heed_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = u64::from_str_radix(ignored.unwrap().trim(), 16).unwrap();
        for signal in [SIGINT, SIGQUIT] {
            if ignored & (1 << (signal - 1)) != 0 {
                // Nobody looks at the flag: for this program it is ignored as before.
                signal_hook::flag::register(signal, Arc::default()).unwrap();
            }
        }
    });
}

/// A program by its whole path, also one of those that only administrators have in their `PATH`.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    dirs.map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// A process, held so that its pid cannot come to mean another.
pub(crate) struct Held {
    fd: OwnedFd,
}

impl Held {
    /// Holds `pid` if it is there.
    pub(crate) fn new(pid: u32) -> Option<Self> {
        let raw = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let fd = pidfd_open(raw, PidfdFlags::empty()).ok()?;
        Some(Self { fd })
    }

    /// Whether it has ended, at the latest when `within` is over.
    pub(crate) fn ended(&self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).unwrap();
            let mut fds = [PollFd::new(&self.fd, PollFlags::IN)];
            match poll(&mut fds, Some(&timeout)) {
                Ok(count) => return count > 0,
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => panic!("poll: {errno}"),
            }
        }
    }

    /// Sends it a signal; none if it has ended.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = pidfd_send_signal(&self.fd, signal);
    }
}

/// Processes whose environment says that they belong to `home`, which is both
/// the home of bgproc and that of the person.
pub(crate) fn of_home(home: &Path) -> Vec<Held> {
    let marks = ["BGPROC_HOME", "HOME"].map(|name| format!("{name}={}", home.display()));
    let ours = |vars: &[&[u8]]| marks.iter().any(|mark| vars.contains(&mark.as_bytes()));
    let found = with_environment().filter(|(.., environ)| ours(&split(environ)));
    found.map(|(_, held, _)| held).collect()
}

/// Those of them that are, or were started by, a job.
pub(crate) fn jobs_of(home: &Path) -> Vec<Held> {
    let mark = format!("BGPROC_HOME={}", home.display());
    let is_job = |vars: &[&[u8]]| {
        vars.contains(&mark.as_bytes())
            && vars.iter().any(|var| var.starts_with(b"BGPROC_SESSION="))
    };
    let found = with_environment().filter(|(.., environ)| is_job(&split(environ)));
    found.map(|(_, held, _)| held).collect()
}

/// The oldest process that has all of these variables, each written `NAME=VALUE`.
pub(crate) fn with_variables(wanted: &[&str]) -> Option<Held> {
    let found = with_environment().filter(|(.., environ)| {
        let vars = split(environ);
        wanted.iter().all(|var| vars.contains(&var.as_bytes()))
    });
    let oldest = found.min_by_key(|(pid, ..)| started(*pid));
    oldest.map(|(_, held, _)| held)
}

/// The processes of this name (that of proc_pid_comm(5)) whose environment has this variable, written `NAME=VALUE`.
pub(crate) fn named(name: &str, variable: &str) -> Vec<Held> {
    let is_named = |pid: u32| {
        let comm = std::fs::read_to_string(format!("/proc/{pid}/comm"));
        comm.is_ok_and(|comm| comm.trim_end() == name)
    };
    let found = with_environment().filter(|(pid, _, environ)| {
        is_named(*pid) && split(environ).contains(&variable.as_bytes())
    });
    found.map(|(_, held, _)| held).collect()
}

fn with_environment() -> impl Iterator<Item = (u32, Held, Vec<u8>)> {
    let own = std::process::id();
    let pids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        name.parse::<u32>().ok()
    });
    pids.filter(move |pid| *pid != own).filter_map(|pid| {
        // Held first: what is read afterwards is then about this very process.
        let held = Held::new(pid)?;
        let environ = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        Some((pid, held, environ))
    })
}

fn split(environ: &[u8]) -> Vec<&[u8]> {
    environ.split(|byte| *byte == 0).collect()
}

/// When a process was started, in clock ticks after boot: field 22 of
/// proc_pid_stat(5).
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()
}

/// Whether a process of this pid is there and not a zombie.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// What a process has read and written so far: proc_pid_io(5). How much it works, whatever else the machine
/// does meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Io {
    /// Bytes that it read.
    pub(crate) read_bytes: u64,
    /// Bytes that it wrote.
    pub(crate) written_bytes: u64,
    /// How often it read.
    pub(crate) reads: u64,
    /// How often it wrote.
    pub(crate) writes: u64,
}

impl Io {
    pub(crate) fn of(pid: u32) -> Self {
        let text = std::fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().parse().unwrap()
        };
        Self {
            read_bytes: field("rchar: "),
            written_bytes: field("wchar: "),
            reads: field("syscr: "),
            writes: field("syscw: "),
        }
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            read_bytes: self.read_bytes - before.read_bytes,
            written_bytes: self.written_bytes - before.written_bytes,
            reads: self.reads - before.reads,
            writes: self.writes - before.writes,
        }
    }
}

/// How often the threads of a process have gone to sleep of their own accord: at least once for everything that
/// woke one.
pub(crate) fn sleeps(pid: u32) -> u64 {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let of_thread = threads.flatten().map(|thread| {
        let status = std::fs::read_to_string(thread.path().join("status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("voluntary"));
        let count = line.unwrap().split_whitespace().nth(1).unwrap();
        count.parse::<u64>().unwrap()
    });
    of_thread.sum()
}

/// Memory that a process has, in bytes, without the pages of its program: those of a debug build would
/// hide how much it keeps.
pub(crate) fn resident_bytes(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let kilobytes = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        let count = line.split_whitespace().nth(1).unwrap();
        count.parse::<usize>().unwrap()
    };
    (kilobytes("RssAnon:") + kilobytes("RssShmem:")) * 1024
}
