//! What the machine can do at most: nobody between the program and its reader.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::emit;
use crate::guard::Guard;
use crate::measures::median;

/// A program in a PTY that nobody manages.
struct Bare {
    master: File,
    child: Child,
    guard: Option<Guard>,
}

impl Bare {
    fn start(argv: &[String]) -> Self {
        let master =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let ends = [
            slave.try_clone().unwrap(),
            slave.try_clone().unwrap(),
            slave,
        ];
        let [stdin, stdout, stderr] = ends.map(Stdio::from);
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).process_group(0);
        let child = command
            .stdin(stdin)
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .unwrap();
        let pid = child.id();
        Self {
            master: master.into(),
            child,
            guard: Some(Guard::new(move || kill_all(&[pid]))),
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        self.guard = None;
        let _ = self.child.wait();
    }
}

/// Seconds until the job's last write had returned, and until its last line was read.
pub(crate) fn drain(job: &[String], note: &Path) -> (f64, f64) {
    let mut bare = Bare::start(job);
    let mut buffer = vec![0; 1 << 16];
    let mut tail = Vec::new();
    loop {
        let read = bare.master.read(&mut buffer).unwrap();
        tail.extend_from_slice(&buffer[..read]);
        tail.drain(..tail.len().saturating_sub(100));
        if tail
            .windows(emit::LAST.len())
            .any(|part| part == emit::LAST.as_bytes())
        {
            break;
        }
    }
    let readable = emit::now();
    let (began, ended) = crate::measures::until(|| emit::times(note));
    let seconds = |nanos: u128| nanos as f64 / 1e9;
    (seconds(ended - began), seconds(readable - began))
}

/// Seconds of a round trip of so many bytes over a Unix socket.
pub(crate) fn socket_echo(bytes: usize) -> f64 {
    let (mut here, mut there) = UnixStream::pair().unwrap();
    let echo = std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        let answer = vec![b'x'; bytes];
        while let Ok(1..) = there.read(&mut buffer) {
            there.write_all(&answer).unwrap();
        }
    });
    let mut answer = vec![0; bytes];
    let times = (0..2000).map(|_| {
        let begin = Instant::now();
        here.write_all(b"x").unwrap();
        here.read_exact(&mut answer).unwrap();
        begin.elapsed().as_secs_f64()
    });
    let median = median(times.collect());
    drop(here);
    echo.join().unwrap();
    median
}

/// Seconds to open a PTY and start a program in it.
pub(crate) fn start() -> f64 {
    let argv = ["sleep".to_owned(), "100".to_owned()];
    let begin = Instant::now();
    let bare = Bare::start(&argv);
    let took = begin.elapsed().as_secs_f64();
    drop(bare);
    took
}

/// Seconds from a key to its echo.
pub(crate) fn key_echo() -> f64 {
    let mut bare = Bare::start(&["cat".to_owned()]);
    let mut buffer = [0; 4096];
    let times = (0..200).map(|_| {
        let begin = Instant::now();
        bare.master.write_all(b"k").unwrap();
        assert_eq!(bare.master.read(&mut buffer).unwrap(), 1);
        let took = begin.elapsed().as_secs_f64();
        std::thread::sleep(Duration::from_micros(200));
        took
    });
    median(times.collect())
}

/// Seconds that the shortest program takes.
pub(crate) fn nothing() -> f64 {
    command(Command::new("/bin/true"))
}

/// Seconds that a command takes.
pub(crate) fn command(mut command: Command) -> f64 {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let begin = Instant::now();
    assert!(command.status().unwrap().success(), "{command:?}");
    begin.elapsed().as_secs_f64()
}

/// Ends processes that start each other again. Their jobs end with the terminals that they keep.
pub(crate) fn kill_all(pids: &[u32]) {
    for signal in [Signal::STOP, Signal::KILL] {
        for pid in pids {
            let pid = Pid::from_raw(pid.cast_signed());
            let _ = pid.map(|pid| kill_process(pid, signal));
        }
    }
}
