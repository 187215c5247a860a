//! What a model does with `bgproc mcp`: the number of calls that each task takes, and the bytes that the model
//! reads. A bound is a little above what the task takes now.
//!
//! `cargo test --test suite scenarios:: -- --nocapture` prints a line for each task, from which the table in
//! `assets/help/performance.md` is made.

mod git;
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
        let id = self.ask(tool, arguments);
        self.answer(id)
    }

    /// Calls a tool without waiting for its result.
    fn ask(&mut self, tool: &str, arguments: Value) -> u64 {
        self.calls += 1;
        let call = json!({ "name": tool, "arguments": arguments });
        self.mcp.send("tools/call", call)
    }

    /// What the model reads when that call returns.
    #[track_caller]
    fn answer(&mut self, id: u64) -> String {
        let reply = self.mcp.reply(id);
        let result = &reply["result"];
        assert_eq!(result["isError"], false, "{reply}");
        let text = result["content"][0]["text"].as_str().unwrap();
        self.bytes += text.len();
        text.to_owned()
    }

    /// Starts a command. Also returns its id.
    #[track_caller]
    fn start(&mut self, command: &str) -> (String, String) {
        let text = self.call("start", json!({ "command": command }));
        let id = text.split(' ').next().unwrap().to_owned();
        (id, text)
    }

    /// Types a line, and returns the reaction.
    #[track_caller]
    fn say(&mut self, id: &str, line: &str) -> String {
        let typed = json!({ "sessionId": id, "data": line, "submit": true });
        self.call("write", typed)
    }

    /// Presses keys, and returns the reaction.
    #[track_caller]
    fn press(&mut self, id: &str, keys: Value) -> String {
        self.call("send_keys", json!({ "sessionId": id, "keys": keys }))
    }

    /// Checks what the task has cost, and prints it.
    #[track_caller]
    fn cost(&self, calls: usize, bytes: usize) {
        assert_eq!(self.calls, calls, "calls");
        assert!(self.bytes <= bytes, "{} bytes", self.bytes);
        let thread = std::thread::current();
        let task = thread.name().unwrap_or_default();
        eprintln!("{task}: {} calls, {} bytes", self.calls, self.bytes);
    }
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}
