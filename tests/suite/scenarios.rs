//! What a model does with `bgproc mcp`: the number of calls that each task takes, and the bytes that the model
//! reads. A bound is a little above what the task takes now.

mod jobs;
mod output;
mod prompts;
mod screens;

use serde_json::{Value, json};

use crate::support::{Home, Mcp};

/// A model at work. It reads texts only.
struct Model {
    mcp: Mcp,
    calls: usize,
    bytes: usize,
}

impl Model {
    fn new(home: &Home, args: &[&str]) -> Self {
        Self {
            mcp: Mcp::model(home, args),
            calls: 0,
            bytes: 0,
        }
    }

    /// Calls a tool, and returns what the model reads.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        let text = self.mcp.text(tool, arguments);
        self.calls += 1;
        self.bytes += text.len();
        text
    }

    /// Starts a command. Also returns its id.
    #[track_caller]
    fn start(&mut self, command: &str) -> (String, String) {
        let text = self.call("start", json!({ "command": command }));
        let id = text.split(' ').next().unwrap().to_owned();
        (id, text)
    }

    /// Checks what the task has cost.
    #[track_caller]
    fn cost(&self, calls: usize, bytes: usize) {
        assert_eq!(self.calls, calls, "calls");
        assert!(self.bytes <= bytes, "{} bytes", self.bytes);
    }
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}
