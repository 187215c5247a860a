//! bgproc, as an agent uses it: `bgproc --serve`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use portable_pty::CommandBuilder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::guard::Guard;
use crate::limit::{self, kill_all};
use crate::peer::Peer;
use crate::view;

const PROGRAM: &str = env!("CARGO_BIN_EXE_bgproc");

pub(crate) struct Bgproc {
    home: TempDir,
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    last: u64,
    /// Of daemon and keeper.
    pids: Vec<u32>,
    guards: Vec<Guard>,
}

impl Bgproc {
    pub(crate) fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), "max_sessions = 5000\n").unwrap();
        let mut command = command(home.path());
        command.args(["--serve", "--max-sessions", "5000"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        let path = home.path().to_owned();
        let mut bgproc = Self {
            guards: vec![Guard::new(move || end(&path))],
            home,
            child,
            stdin,
            stdout,
            last: 0,
            pids: Vec::new(),
        };
        let stats = bgproc.result("stats", json!({}));
        let pid = |name: &str| u32::try_from(stats[name].as_u64().unwrap()).unwrap();
        bgproc.pids = vec![pid("daemonPid"), pid("keeperPid")];
        // Much faster than to end a thousand jobs one by one, with all they may have started.
        // `--serve` would ask for another daemon.
        let pids = [&[bgproc.child.id()], &bgproc.pids[..]].concat();
        bgproc.guards.insert(0, Guard::new(move || kill_all(&pids)));
        bgproc
    }

    /// The reply as it comes: reading JSON is the client's affair.
    fn ask(&mut self, action: &str, mut params: Value) -> String {
        self.last += 1;
        params["id"] = json!(self.last);
        params["action"] = json!(action);
        writeln!(self.stdin, "{params}").unwrap();
        let id = format!("{{\"id\":{},", self.last);
        loop {
            let mut line = String::new();
            assert!(
                self.stdout.read_line(&mut line).unwrap() > 0,
                "{action}: it has ended"
            );
            if line.starts_with(&id) {
                assert!(line.contains("\"ok\":true"), "{action}: {line}");
                return line;
            }
        }
    }

    fn result(&mut self, action: &str, params: Value) -> Value {
        let line = self.ask(action, params);
        let mut reply: Value = serde_json::from_str(&line).unwrap();
        reply["result"].take()
    }
}

fn command(home: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.env("BGPROC_HOME", home).current_dir(home);
    command
}

/// Ends what runs there, and removes it.
fn end(home: &Path) {
    let mut stop = command(home);
    stop.args(["daemon", "stop", "--kill"]);
    let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let _ = std::fs::remove_dir_all(home);
}

impl Peer for Bgproc {
    fn name(&self) -> &'static str {
        "bgproc"
    }

    fn start(&mut self, argv: &[String]) -> String {
        let params = json!({
            "command": argv[0], "args": argv[1..], "background": true, "timeoutSec": 0, "rows": 24, "cols": 80,
        });
        let started = self.result("start", params);
        started["sessionId"].as_str().unwrap().to_owned()
    }

    fn read(&mut self, job: &str) -> String {
        self.ask("capture", json!({ "sessionId": job }))
    }

    fn echo(&mut self, job: &str, word: &str) {
        let wait = json!({ "until": [{ "pattern": word }] });
        self.ask(
            "write",
            json!({ "sessionId": job, "data": format!("{word}\n"), "wait": wait }),
        );
    }

    fn wait_for(&mut self, job: &str, line: &str) {
        let until = json!([{ "pattern": line }]);
        self.ask(
            "wait",
            json!({ "sessionId": job, "until": until, "timeoutMs": 600_000 }),
        );
        assert!(self.read(job).contains(line));
    }

    fn list(&mut self) -> String {
        self.ask("list", json!({ "limit": 10_000 }))
    }

    fn pids(&mut self) -> Vec<u32> {
        self.pids.clone()
    }

    fn list_command(&self) -> Command {
        let mut command = command(self.home.path());
        command.arg("ls");
        command
    }

    fn view(&self, job: &str) -> CommandBuilder {
        view::bgproc(self.home.path(), &["attach", job])
    }

    fn cold_start(&self) -> f64 {
        let home = tempfile::tempdir().unwrap();
        let mut run = command(home.path());
        run.args(["run", "--", "sleep", "100"]);
        let path = home.path().to_owned();
        let _guard = Guard::new(move || end(&path));
        limit::command(run)
    }

    fn poll(&mut self, job: &str) -> Option<String> {
        Some(self.ask("poll", json!({ "sessionId": job })))
    }

    fn grep(&mut self, job: &str) -> Option<u64> {
        let record = self.result("status", json!({ "sessionId": job }));
        self.ask(
            "log",
            json!({ "sessionId": job, "grep": "no line has this [0-9]+" }),
        );
        Some(record["outputBytes"].as_u64()? - record["droppedBytes"].as_u64()?)
    }
}

impl Drop for Bgproc {
    fn drop(&mut self) {
        self.guards.clear();
        let _ = self.child.wait();
    }
}
