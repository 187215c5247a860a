//! tmux, through its control mode: the way in which another program would use it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::guard::Guard;
use crate::limit;
use crate::peer::Peer;

pub(crate) struct Tmux {
    dir: TempDir,
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    guard: Option<Guard>,
}

impl Tmux {
    /// `None` where it is not installed.
    pub(crate) fn open() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mut command = command(&socket(dir.path()));
        command.args([
            "-C",
            "new-session",
            "-x",
            "80",
            "-y",
            "24",
            "-s",
            "control",
            "cat",
        ]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let stdin = child.stdin.take()?;
        let stdout = BufReader::with_capacity(1 << 20, child.stdout.take()?);
        let path = dir.path().to_owned();
        let mut tmux = Self {
            guard: Some(Guard::new(move || end(&path))),
            dir,
            child,
            stdin,
            stdout,
        };
        tmux.answer();
        Some(tmux)
    }

    fn ask(&mut self, command: &str) -> String {
        writeln!(self.stdin, "{command}").unwrap();
        self.answer()
    }

    /// What stands between `%begin` and `%end`.
    fn answer(&mut self) -> String {
        let (mut text, mut inside) = (String::new(), false);
        loop {
            let mut line = Vec::new();
            assert!(
                self.stdout.read_until(b'\n', &mut line).unwrap() > 0,
                "tmux has ended"
            );
            let line = String::from_utf8_lossy(&line);
            match line.split(' ').next() {
                Some("%begin") => inside = true,
                Some("%end") if inside => return text,
                Some("%error") if inside => panic!("tmux: {text}"),
                _ if inside => text.push_str(&line),
                _ => {}
            }
        }
    }
}

fn socket(dir: &Path) -> PathBuf {
    dir.join("socket")
}

fn command(socket: &Path) -> Command {
    let mut command = Command::new("tmux");
    command
        .arg("-S")
        .arg(socket)
        .args(["-f", "/dev/null"])
        .env_remove("TMUX");
    command
}

fn quoted(argv: &[String]) -> String {
    let quoted: Vec<String> = argv.iter().map(|arg| format!("'{arg}'")).collect();
    quoted.join(" ")
}

impl Peer for Tmux {
    fn name(&self) -> &'static str {
        "tmux"
    }

    fn start(&mut self, argv: &[String]) -> String {
        let command = format!(
            "new-session -d -P -F '#{{pane_id}}' -x 80 -y 24 {}",
            quoted(argv)
        );
        self.ask(&command).trim().to_owned()
    }

    fn read(&mut self, job: &str) -> String {
        self.ask(&format!("capture-pane -p -t {job}"))
    }

    fn echo(&mut self, job: &str, word: &str) {
        self.ask(&format!("send-keys -t {job} {word} Enter"));
        while !self.read(job).replace('\n', "").contains(word) {}
    }

    fn wait_for(&mut self, job: &str, line: &str) {
        while !self.read(job).contains(line) {}
    }

    fn list(&mut self) -> String {
        self.ask("list-panes -a -F '#{pane_id} #{session_name} #{pane_pid} #{pane_current_command} #{pane_title}'")
    }

    fn pids(&mut self) -> Vec<u32> {
        let pid = self.ask("display-message -p '#{pid}'");
        vec![pid.trim().parse().unwrap()]
    }

    fn list_command(&self) -> Command {
        let mut command = command(&socket(self.dir.path()));
        command.arg("list-sessions");
        command
    }

    fn view(&self, job: &str) -> CommandBuilder {
        let mut command = CommandBuilder::new("tmux");
        command.arg("-S");
        command.arg(socket(self.dir.path()));
        command.args(["attach-session", "-t", job]);
        command.env_remove("TMUX");
        command
    }

    fn cold_start(&self) -> f64 {
        let dir = tempfile::tempdir().unwrap();
        let mut first = command(&socket(dir.path()));
        first.args(["new-session", "-d", "sleep", "100"]);
        let path = dir.path().to_owned();
        let _guard = Guard::new(move || end(&path));
        limit::command(first)
    }
}

/// Ends what runs there, and removes it.
fn end(dir: &Path) {
    let _ = command(&socket(dir))
        .arg("kill-server")
        .stderr(Stdio::null())
        .status();
    let _ = std::fs::remove_dir_all(dir);
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.guard = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
