//! A `BGPROC_HOME` of one test, and the command line in it.

use std::fmt;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::process::{self, Held};
use super::{DEADLINE, daemon, eventually_within};

/// A home; dropped, nothing of it is left, also when the test has failed.
pub(crate) struct Home {
    dir: tempfile::TempDir,
    /// Further variables of every process.
    variables: Vec<(&'static str, String)>,
}

/// How a command came out.
pub(crate) struct Ran {
    pub(crate) args: Vec<String>,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    /// An empty home.
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("bgproc-test-").tempdir();
        Self {
            dir: dir.unwrap(),
            variables: Vec::new(),
        }
    }

    /// Sets a variable of every process that is started from now on.
    pub(crate) fn set(&mut self, name: &'static str, value: String) {
        self.variables.push((name, value));
    }

    /// A home with this `config.toml`.
    pub(crate) fn with_config(text: &str) -> Self {
        let home = Self::new();
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A place for a file of the test, which bgproc has no business with.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        let dir = self.path().join("scratch");
        std::fs::create_dir_all(&dir).unwrap();
        dir.join(name)
    }

    /// A fifo on which a job can wait without reading from its terminal.
    pub(crate) fn gate(&self) -> PathBuf {
        self.gate_named("gate")
    }

    /// One of several such fifos.
    pub(crate) fn gate_named(&self, name: &str) -> PathBuf {
        let gate = self.scratch(name);
        let made = Command::new("mkfifo").arg(&gate).status();
        assert!(made.unwrap().success());
        gate
    }

    /// Variables that every process of this home is given, and those it must not inherit.
    pub(crate) fn environment(&self) -> (Vec<(&'static str, String)>, Vec<String>) {
        let mut set = vec![
            ("BGPROC_HOME", self.path().display().to_string()),
            ("TERM", "xterm-256color".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("HOME", self.path().display().to_string()),
        ];
        set.extend(self.variables.iter().cloned());
        let stray = |name: &String| {
            let ours = ["BGPROC_", "PI_BASH_", "OPENCLAW_"];
            let colour = ["NO_COLOR", "CLICOLOR_FORCE", "COLORTERM"];
            ours.iter().any(|prefix| name.starts_with(prefix)) || colour.contains(&name.as_str())
        };
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        (set, names.filter(stray).collect())
    }

    /// `bgproc ARGS`, not started yet; standard input is empty.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut words = vec![env!("CARGO_BIN_EXE_bgproc")];
        words.extend(args);
        self.command_through(&words)
    }

    /// `bgproc ARGS` after a shell line that sets limits, say.
    pub(crate) fn command_after(&self, first: &str, args: &[&str]) -> Command {
        let line = format!("{first}; exec \"$@\"");
        let mut words = vec!["sh", "-c", &line, "sh", env!("CARGO_BIN_EXE_bgproc")];
        words.extend(args);
        self.command_through(&words)
    }

    /// A command with the environment of this home.
    pub(crate) fn command_through(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        self.surround(&mut command);
        command.args(&words[1..]).stdin(Stdio::null());
        command
    }

    /// Gives a command the environment of this home.
    pub(crate) fn surround(&self, command: &mut Command) {
        self.surroundings()(command);
    }

    /// What gives commands the environment that this home has now.
    pub(crate) fn surroundings(&self) -> impl Fn(&mut Command) + Send + 'static {
        let (set, stray) = self.environment();
        let dir = self.path().to_owned();
        move |command| {
            process::heed_signals();
            // What a job creates by mistake is not in the sources.
            if command.get_current_dir().is_none() {
                command.current_dir(&dir);
            }
            for name in &stray {
                command.env_remove(name);
            }
            command.envs(set.clone());
        }
    }

    /// Runs `bgproc ARGS` to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        finish(self.command(args), args, b"")
    }

    /// Runs a command that was prepared to its end.
    pub(crate) fn run_command(&self, command: Command, args: &[&str]) -> Ran {
        finish(command, args, b"")
    }

    /// Runs it with something on standard input.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped());
        finish(command, args, input)
    }

    /// Runs it with further variables.
    pub(crate) fn run_with_env(&self, args: &[&str], vars: &[(&str, &str)]) -> Ran {
        let mut command = self.command(args);
        command.envs(vars.iter().copied());
        finish(command, args, b"")
    }

    /// Runs a command that was prepared; `args` are only shown.
    pub(crate) fn finish(command: Command, args: &[&str]) -> Ran {
        finish(command, args, b"")
    }

    /// Runs it, expects success and returns what it printed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        self.run(args).expect_code(0).stdout
    }

    /// Runs it with `--json`, expects success and returns the object.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let mut all = vec!["--json"];
        all.extend(args);
        let ran = self.run(&all).expect_code(0);
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran}"))
    }

    /// The record of a job, which may have ended.
    pub(crate) fn record(&self, job: &str) -> Value {
        // The exit code tells how the job ended.
        let ran = self.run(&["--json", "status", job]);
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran}"))
    }

    /// The record of the job of that name in the list; `null` if there is none.
    pub(crate) fn listed(&self, name: &str) -> Value {
        let jobs = self.json(&["ls"])["sessions"].take();
        let jobs = jobs.as_array().cloned().unwrap_or_default();
        let job = jobs.into_iter().find(|job| job["label"] == name);
        job.unwrap_or_default()
    }

    /// Starts a job and returns its id.
    pub(crate) fn start(&self, args: &[&str]) -> String {
        let mut all = vec!["run", "-q"];
        all.extend(args);
        self.ok(&all).trim().to_owned()
    }

    /// Kills the daemon, which has to be there, and waits for its end.
    #[track_caller]
    pub(crate) fn kill_daemon(&self) {
        let pid = self.json(&["daemon", "status"])["daemonPid"].as_u64();
        daemon::kill_pid(u32::try_from(pid.unwrap()).unwrap());
    }

    /// Kills daemon and keeper, which have to be there, at the same moment.
    #[track_caller]
    pub(crate) fn kill_both(&self) {
        let status = self.json(&["daemon", "status"]);
        let pid = |name: &str| u32::try_from(status[name].as_u64().unwrap()).unwrap();
        daemon::kill_both([pid("daemonPid"), pid("keeperPid")]);
    }

    /// Daemon and keeper end, and what is known of a session was written before a restart of the machine: in another
    /// boot, whose clock was farther on.
    #[track_caller]
    pub(crate) fn restart_machine(&self, session: &str) {
        self.kill_both();
        let path = self.path().join("sessions").join(session).join("meta.json");
        let mut record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        record["bootId"] = "another".into();
        record["life"]["startedBoot"] = (u64::MAX / 2).into();
        std::fs::write(&path, record.to_string()).unwrap();
    }

    /// Waits until the daemon is connected to a host, which it first may have to begin.
    #[track_caller]
    pub(crate) fn until_connected(&self, host: &str) {
        eventually_within(3 * DEADLINE, &format!("{host} is connected"), || {
            // Somebody has to need it.
            self.ok(&["ls"]);
            let hosts = self.ok(&["hosts", "ls"]);
            let line = hosts.lines().find(|line| line.starts_with(host))?;
            line.contains(" up ").then_some(())
        });
    }

    /// Asks the daemon of this home, if one can be reached, to end with everything.
    fn shut_down(&self) -> std::io::Result<Vec<u32>> {
        let mut stream = UnixStream::connect(self.path().join("daemon.sock"))?;
        stream.set_read_timeout(Some(DEADLINE))?;
        let hello = json!({"action": "hello", "protocol": 1, "version": "test", "role": "human"});
        let stats = json!({"id": 1, "action": "stats"});
        let end = json!({"id": 2, "action": "shutdown", "sessions": "kill"});
        stream.write_all(format!("{hello}\n{stats}\n{end}\n").as_bytes())?;
        let mut said = Vec::new();
        // Read to the end, that is until the daemon has closed the connection.
        let _ = stream.read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        let replies = said
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let pids = replies.flat_map(|reply| {
            let result = &reply["result"];
            [result["daemonPid"].as_u64(), result["keeperPid"].as_u64()]
        });
        Ok(pids
            .flatten()
            .filter_map(|pid| u32::try_from(pid).ok())
            .collect())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // Held before anything is asked, so that none can be mistaken afterwards.
        let mut held = process::of_home(self.path());
        let pids = self.shut_down().unwrap_or_default();
        // A daemon of another user listens to nobody else.
        let patience = match (pids.is_empty(), std::thread::panicking()) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 5,
        };
        held.extend(pids.into_iter().filter_map(Held::new));
        for process in &held {
            if !process.ended(Duration::from_secs(patience)) {
                process.signal(Signal::KILL);
            }
        }
        // A keeper may have started a daemon, and a daemon a keeper, meanwhile.
        for _ in 0..10 {
            let left = process::of_home(self.path());
            if left.is_empty() {
                return;
            }
            for process in &left {
                process.signal(Signal::KILL);
            }
            for process in &left {
                process.ended(Duration::from_secs(5));
            }
        }
    }
}

/// Runs `command` to its end, which has to come before the deadline.
fn finish(mut command: Command, args: &[&str], input: &[u8]) -> Ran {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let held = Held::new(child.id()).unwrap();
    let stdin = child.stdin.take();
    let input = input.to_vec();
    // On threads of their own, so that no full pipe holds up the others.
    std::thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(&input);
        }
    });
    let stdout = drain(child.stdout.take().unwrap());
    let stderr = drain(child.stderr.take().unwrap());
    let ended = held.ended(DEADLINE);
    if !ended {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    // A process that was left behind with these pipes open is a defect, too.
    let end = |text: Receiver<String>| {
        let left = text.recv_timeout(DEADLINE);
        left.expect("something still holds the standard output or error open")
    };
    let ran = Ran {
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        code: status.code(),
        stdout: end(stdout),
        stderr: end(stderr),
    };
    assert!(ended, "it did not end in time: {ran}");
    ran
}

/// Everything that can be read, once its end has come.
fn drain(mut from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

impl Ran {
    /// Fails unless it ended with `code`.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Fails unless standard error says `text`.
    #[track_caller]
    pub(crate) fn expect_said(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no `{text}`: {self}");
        for line in self.stderr.lines() {
            assert!(line.starts_with("bgproc: "), "{self}");
        }
        self
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { args, code, .. } = self;
        writeln!(f, "bgproc {} ended with {code:?}", args.join(" "))?;
        write!(
            f,
            "--- stdout\n{}\n--- stderr\n{}",
            self.stdout, self.stderr
        )
    }
}
