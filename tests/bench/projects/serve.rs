//! An agent at `bgproc --serve`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A running `bgproc --serve`; dropped, it is ended.
pub(crate) struct Serve {
    child: Child,
    stdin: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Serve {
    pub(crate) fn new(home: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bgproc"));
        command.env("BGPROC_HOME", home).current_dir(home);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.arg("--serve").spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let replies = BufReader::new(child.stdout.take().unwrap());
        let mut serve = Self {
            child,
            stdin,
            replies,
        };
        serve.read();
        serve
    }

    /// Starts a shell line so often, in one piece, and waits until all of them run.
    pub(crate) fn start(&mut self, line: &str, times: u64) {
        let start =
            |id| json!({ "id": id, "action": "start", "command": line, "background": true });
        let lines: String = (1..=times).map(|id| format!("{}\n", start(id))).collect();
        self.stdin.write_all(lines.as_bytes()).unwrap();
        for _ in 0..times {
            let reply = self.read();
            assert_eq!(reply["ok"], true, "{reply}");
        }
    }

    /// The next reply; events are passed over.
    fn read(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.replies.read_line(&mut line).unwrap() > 0,
                "it has ended"
            );
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["event"].is_null() || message["event"] == "hello" {
                return message;
            }
        }
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
