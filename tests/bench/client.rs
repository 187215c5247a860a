//! A home of its own, and somebody who asks through its socket.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::guard::Guard;

/// How long anything may take.
const DEADLINE: Duration = Duration::from_secs(600);

/// A home with a daemon, and a person's connection to it.
pub(crate) struct Client {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
    last: u64,
    // Before the home: what runs there is ended first.
    _guard: Guard,
    home: TempDir,
}

impl Client {
    pub(crate) fn new(config: &str) -> Self {
        Self::with(config, &[])
    }

    /// The same, with a daemon that has these variables.
    pub(crate) fn with(config: &str, env: &[(&str, &str)]) -> Self {
        let home = tempfile::Builder::new()
            .prefix("bgproc-large-")
            .tempdir()
            .unwrap();
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        let path = home.path().to_owned();
        let guard = Guard::new(move || end(&path));
        let mut start = command(home.path(), &["ls"]);
        start.envs(env.iter().copied()).stdout(Stdio::null());
        assert!(start.status().unwrap().success());
        let (reader, writer) = connect(home.path()).unwrap();
        Self {
            reader,
            writer,
            last: 0,
            _guard: guard,
            home,
        }
    }

    /// Asks without waiting for the answer.
    pub(crate) fn send(&mut self, action: &str, mut params: Value) -> u64 {
        self.last += 1;
        params["id"] = json!(self.last);
        params["action"] = json!(action);
        writeln!(self.writer, "{params}").unwrap();
        self.last
    }

    /// The answer to it; those to earlier ones are passed over.
    pub(crate) fn reply(&mut self, id: u64) -> Value {
        let start = format!("{{\"id\":{id},");
        loop {
            let mut line = String::new();
            assert!(
                self.reader.read_line(&mut line).unwrap() > 0,
                "it has ended"
            );
            if line.starts_with(&start) {
                assert!(line.contains("\"ok\":true"), "{line}");
                let mut reply: Value = serde_json::from_str(&line).unwrap();
                return reply["result"].take();
            }
        }
    }

    pub(crate) fn ask(&mut self, action: &str, params: Value) -> Value {
        let id = self.send(action, params);
        self.reply(id)
    }

    /// Seconds until it is answered.
    pub(crate) fn time(&mut self, action: &str, params: Value) -> f64 {
        let began = Instant::now();
        self.ask(action, params);
        began.elapsed().as_secs_f64()
    }

    /// The same without reading what the answer says, which takes its time if it is long.
    pub(crate) fn time_unread(&mut self, action: &str, params: Value) -> f64 {
        let began = Instant::now();
        let id = self.send(action, params);
        let start = format!("{{\"id\":{id},");
        let mut line = String::new();
        while !line.starts_with(&start) {
            line.clear();
            assert!(
                self.reader.read_line(&mut line).unwrap() > 0,
                "it has ended"
            );
        }
        began.elapsed().as_secs_f64()
    }

    /// Starts a shell line on a terminal or with pipes (`mode`), with a log without bound; returns the session.
    pub(crate) fn start(&mut self, mode: &str, line: &str) -> String {
        let limits = json!({ "logBytes": 8_u64 << 30 });
        let start = json!({ "command": line, "background": true, "mode": mode, "limits": limits });
        let started = self.ask("start", start);
        started["sessionId"].as_str().unwrap().to_owned()
    }

    /// Waits for the end of a session; seconds.
    pub(crate) fn await_end(&mut self, job: &str) -> f64 {
        let began = Instant::now();
        loop {
            let wait = json!({ "sessionId": job, "timeoutMs": 600_000, "maxChars": 10 });
            if self.ask("wait", wait)["outcome"] != "timeout" {
                return began.elapsed().as_secs_f64();
            }
        }
    }

    /// Kills the daemon; seconds until another one answers.
    pub(crate) fn restart_daemon(&mut self) -> f64 {
        let [daemon, _] = self.pids();
        kill_process(Pid::from_raw(daemon.cast_signed()).unwrap(), Signal::KILL).unwrap();
        let began = Instant::now();
        loop {
            if let Some((reader, writer)) = connect(self.home.path()) {
                (self.reader, self.writer) = (reader, writer);
                if self.pids()[0] != daemon {
                    return began.elapsed().as_secs_f64();
                }
            }
            assert!(began.elapsed() < DEADLINE, "no daemon comes");
        }
    }

    /// Of daemon and keeper.
    pub(crate) fn pids(&mut self) -> [u32; 2] {
        let stats = self.ask("stats", json!({}));
        ["daemonPid", "keeperPid"].map(|name| u32::try_from(stats[name].as_u64().unwrap()).unwrap())
    }

    /// Megabytes that daemon and keeper have.
    pub(crate) fn memory(&mut self) -> [f64; 2] {
        self.pids().map(|pid| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
            let line = status.lines().find(|line| line.starts_with("VmRSS:"));
            let kib = line.unwrap().split_whitespace().nth(1).unwrap();
            kib.parse::<f64>().unwrap() / 1024.0
        })
    }

    /// Seconds of the processor that both have used.
    pub(crate) fn processor(&mut self) -> f64 {
        let ticks = self.pids().map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
            let (_, rest) = stat.rsplit_once(") ").unwrap();
            // Fields 14 and 15 of proc_pid_stat(5), of which two are before.
            let times = rest.split(' ').skip(11).take(2);
            times
                .map(|ticks| ticks.parse::<f64>().unwrap())
                .sum::<f64>()
        });
        ticks.iter().sum::<f64>() / rustix::param::clock_ticks_per_second() as f64
    }

    /// Seconds that a command takes here.
    pub(crate) fn command(&self, args: &[&str]) -> f64 {
        let began = Instant::now();
        let ran = command(self.home.path(), args)
            .stdout(Stdio::null())
            .status();
        assert!(ran.unwrap().success(), "{args:?}");
        began.elapsed().as_secs_f64()
    }

    /// Seconds that a command takes to end with this code.
    pub(crate) fn failing_command(&self, args: &[&str], code: i32) -> f64 {
        let began = Instant::now();
        let mut command = command(self.home.path(), args);
        let ran = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert_eq!(ran.unwrap().code(), Some(code), "{args:?}");
        began.elapsed().as_secs_f64()
    }

    /// A connection to the same daemon, which nobody reads from.
    pub(crate) fn another(&self) -> UnixStream {
        connect(self.home.path()).unwrap().1
    }

    /// Connects to a daemon that was started since.
    pub(crate) fn reconnect(&mut self) {
        (self.reader, self.writer) = connect(self.home.path()).unwrap();
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn session_dir(&self, job: &str) -> PathBuf {
        self.home.path().join("sessions").join(job)
    }
}

fn connect(home: &Path) -> Option<(BufReader<UnixStream>, UnixStream)> {
    let mut stream = UnixStream::connect(home.join("daemon.sock")).ok()?;
    stream.set_read_timeout(Some(DEADLINE)).ok()?;
    let hello = json!({ "action": "hello", "protocol": 1, "version": "bench", "role": "human", "cwd": "/" });
    writeln!(stream, "{hello}").ok()?;
    let mut reader = BufReader::with_capacity(1 << 20, stream.try_clone().ok()?);
    let mut line = String::new();
    (reader.read_line(&mut line).ok()? > 0).then_some((reader, stream))
}

fn command(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bgproc"));
    command
        .env("BGPROC_HOME", home)
        .current_dir(home)
        .stdin(Stdio::null())
        .args(args);
    command
}

/// Ends what runs there, and removes it.
fn end(home: &Path) {
    let mut stop = command(home, &["daemon", "stop", "--kill"]);
    let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let _ = std::fs::remove_dir_all(home);
}
