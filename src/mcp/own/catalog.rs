//! bgproc's own tools as clients see them. Their descriptions are part of every prompt of a model, so a
//! test limits them to 11 tools and 12,000 bytes without output schemas.

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::mcp::toolset::{Effect, tool};

/// The tool for rarely used actions.
pub const SESSION: &str = "session";

/// The actions of that tool.
pub const RARE: [&str; 11] = [
    "status",
    "ask_human",
    "restart",
    "signal",
    "resize",
    "set",
    "clear",
    "remove",
    "export",
    "project",
    "hosts",
];

/// Instructions for the model.
pub const INSTRUCTIONS: &str = "\
Runs commands in real terminals that keep running between calls and survive this server; another server sees them only with the same --scope.
- start, wait without until, write and send_keys return when there is something to do: the program waits for input, has ended or is ready, and write and send_keys also when it is quiet; at most waitMs later. The program goes on. Give a server ready or background.
- What a command leaves running with & ends with it: start servers as sessions of their own.
- Never poll in a loop: wait for what you need (exit, a pattern, readiness, a port, a prompt).
- Answer prompts with write (submit:true presses Enter) or send_keys; the reply has the reaction.
- Replies have only output that you have not seen. [c5..c9] after the status is prevCursor..cursor: poll since:\"c5\" shows it again. log searches or pages through all output; capture shows the screen.
- Long output is cut in the middle; the line in its place says which lines log has.
- exec runs a command in a shell that a session runs (ssh, a container, a virtual environment).
- Passwords and decisions that are not yours: session action ask_human; a person types, you never see it.
- A bgproc.toml with agents = \"write\": session action project with op up starts its jobs in order and returns URLs and what failed; without, a person runs bgproc up.
- `key` makes start safe to repeat.";

/// The tools, in the order in which clients see them.
pub fn tools() -> Vec<Tool> {
    vec![
        start(),
        list(),
        poll(),
        log(),
        wait(),
        write(),
        send_keys(),
        exec(),
        capture(),
        kill(),
        session(),
    ]
}

fn start() -> Tool {
    let about = "Run a command in its own terminal. Returns when it ends, waits for input or is ready, or after waitMs; then it continues in the background.";
    let input = json!({
        "command": string("bash line; with args a program"),
        "args": {"type": "array", "items": {"type": "string"}},
        "cwd": {"type": "string"},
        "env": {"type": "object"},
        "label": plain("string"),
        "group": {"type": "string"},
        "background": boolean("at once"),
        "until": conditions("return at these instead"),
        "fail": as_until("or, as failures, at these"),
        "waitMs": integer("or after this time (10000)"),
        "wait": boolean("for its end or a question"),
        "timeoutSec": integer("end it after this (1800); 0: never"),
        "mode": {"type": "string", "enum": ["pty", "pipe"], "description": "pipe separates stdout and stderr"},
        "rows": plain("integer"),
        "cols": plain("integer"),
        "input": string("typed at start"),
        "key": string("same key, same session"),
        "ready": record(json!({"pattern": plain("string"), "port": plain("integer"), "timeoutMs": plain("integer")}), "it is ready at this pattern or port"),
        "restart": record(json!({"policy": {"type": "string", "enum": ["never", "on-failure", "always"]}, "maxRetries": plain("integer"), "backoffMs": plain("integer")}), "when it ends"),
        "limits": object("memoryBytes, cpuSec, processes, openFiles, nice, logBytes"),
        "onExit": string("shell line at end"),
        "host": string("as session action hosts lists"),
        "launcher": string("batch system, as slurm"),
        "resources": object("cpus, memoryBytes, timeSec, gpus, partition"),
        "maxChars": integer("of output (2000)"),
    });
    let output = json!({
        "sessionId": plain("string"), "status": plain("string"), "pid": optional("integer"),
        "output": plain("string"), "cursor": plain("string"), "exitCode": optional("integer"),
    });
    let input = takes(input, &["command"]);
    tool(
        "start",
        about,
        Effect::Acts,
        input,
        returns(output, &["sessionId", "status", "output"]),
    )
}

fn list() -> Tool {
    let input = json!({
        "status": string("running, done, error, killed, timed_out"),
        "group": {"type": "string"},
        "label": string("pattern: web*"),
        "includeOutput": boolean("last 10 lines of each"),
        "limit": integer("newest (20 ended)"),
    });
    let output = json!({ "sessions": plain("array"), "counts": plain("object") });
    let output = returns(output, &["sessions", "counts"]);
    tool(
        "list",
        "Your sessions and how they ended.",
        Effect::Reads,
        takes(input, &[]),
        output,
    )
}

fn poll() -> Tool {
    let about = "Status and the last output of a session, or with since:\"new\" only what you have not seen.";
    let input = json!({
        "sessionId": {"type": "string"},
        "since": string("\"new\" or a cursor"),
        "waitMs": integer("for output (0)"),
        "maxChars": integer("(2000)"),
        "stream": {"type": "string", "enum": ["all", "stdout", "stderr"]},
    });
    let output = returns(polled(), &["status", "output", "cursor"]);
    tool(
        "poll",
        about,
        Effect::Reads,
        takes(input, &["sessionId"]),
        output,
    )
}

fn log() -> Tool {
    let about = "Part of a session's output: lines, matching lines (grep), or bytes. grep and tail without sessionId: of all your sessions.";
    let input = json!({
        "sessionId": {"type": "string"},
        "sessionIds": {"type": "array", "items": {"type": "string"}},
        "group": {"type": "string"},
        "tail": integer("last lines (100)"),
        "fromLine": integer("first line, from 1"),
        "lines": integer("(100)"),
        "grep": string("regular expression; (?i) ignores case"),
        "context": integer("lines around each match"),
        "maxMatches": plain("integer"),
        "offset": integer("first byte"),
        "limit": integer("bytes (65536)"),
        "stream": {"type": "string", "enum": ["all", "stdout", "stderr", "input"]},
        "newest": boolean("the last matches"),
        "sinceTime": string("10m, or RFC 3339"),
        "run": integer("of this run"),
        "command": integer("output of the nth last command of its shell"),
    });
    let output = json!({
        "lines": plain("array"), "matches": plain("array"), "results": plain("array"), "output": plain("string"),
        "totalLines": plain("integer"), "nextOffset": plain("integer"),
        "totalBytes": plain("integer"), "eof": plain("boolean"),
    });
    tool(
        "log",
        about,
        Effect::Reads,
        takes(input, &[]),
        returns(output, &[]),
    )
}

fn wait() -> Tool {
    let about = "Wait for a condition of one session, several or a group. Returns at once when the session ends.";
    let input = json!({
        "sessionId": {"type": "string"},
        "sessionIds": {"type": "array", "items": {"type": "string"}},
        "group": {"type": "string"},
        "mode": {"type": "string", "enum": ["any", "all", "next"], "description": "next: the next end that you have not been told"},
        "until": conditions("any of these (something to do)"),
        "fail": as_until("any of these is a failure"),
        "since": string("cursor (what you have not seen)"),
        "view": view("where patterns look; screen also shows it"),
        "waitMs": integer("at most this long (10000, up to 30 minutes)"),
        "maxChars": integer("(2000)"),
    });
    let output = returns(waited(), &["outcome", "elapsedMs"]);
    tool("wait", about, Effect::Reads, takes(input, &[]), output)
}

fn write() -> Tool {
    let about = "Type text into a session, and return the reaction: when the program waits for input again, ends or is quiet.";
    let input = json!({
        "sessionId": {"type": "string"},
        "data": {"type": "string"},
        "submit": boolean("press Enter after it"),
        "paste": boolean("bracketed"),
        "eof": boolean("then close its input"),
        "until": conditions("return at these instead"),
        "fail": as_until("or, as failures, at these"),
        "waitMs": integer("or after this time (10000); 0: at once"),
        "view": view("screen: show it"),
    });
    tool(
        "write",
        about,
        Effect::Acts,
        takes(input, &["sessionId"]),
        returns(written(), &["bytesWritten"]),
    )
}

fn send_keys() -> Tool {
    let about = "Press keys in a session: Enter, C-c, Up, F5, M-x, Escape, {\"text\":\"hi\"}, or the mouse: {\"click\":{\"row\":0,\"col\":5}}, {\"scroll\":{\"row\":0,\"col\":5,\"lines\":-3}}. Returns the reaction, as write.";
    let input = json!({
        "sessionId": {"type": "string"},
        "keys": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"text": plain("string"), "click": plain("object"), "scroll": plain("object")}}]}},
        "repeat": {"type": "integer"},
        "until": conditions("as for write"),
        "fail": {"type": "array", "items": {"type": "object"}},
        "waitMs": plain("integer"),
        "view": plain("string"),
    });
    let input = takes(input, &["sessionId", "keys"]);
    tool(
        "send_keys",
        about,
        Effect::Acts,
        input,
        returns(written(), &["bytesWritten"]),
    )
}

fn exec() -> Tool {
    let about = "Run a command in the shell that a session runs, also over ssh or in a container. Returns its output and exit code.";
    let input = json!({
        "sessionId": {"type": "string"},
        "command": string("one line or several"),
        "pending": string("of a command to wait on"),
        "language": {"type": "string", "enum": ["posix", "fish"]},
        "waitMs": integer("at most this long (10000); it goes on"),
        "maxChars": integer("(2000)"),
    });
    let output = json!({
        "outcome": {"type": "string", "enum": ["done", "input", "running", "notBegun", "exited"]},
        "exitCode": optional("integer"), "output": plain("string"), "pending": plain("string"),
    });
    tool(
        "exec",
        about,
        Effect::Acts,
        takes(input, &["sessionId"]),
        returns(output, &["outcome", "output"]),
    )
}

fn capture() -> Tool {
    let about = "The screen of a session, as a person sees it.";
    let input = json!({
        "sessionId": {"type": "string"},
        "format": {"type": "string", "enum": ["text", "png", "ansi", "html", "svg", "json"], "description": "png: an image"},
        "scrollback": integer("lines above the screen (0)"),
        "since": integer("a screenSeq: nothing if unchanged"),
        "links": boolean("with link targets"),
    });
    let output = json!({
        "text": plain("string"), "cursor": plain("object"),
        "screenSeq": plain("integer"), "changed": plain("boolean"),
    });
    let output = returns(output, &["screenSeq", "changed"]);
    tool(
        "capture",
        about,
        Effect::Reads,
        takes(input, &["sessionId"]),
        output,
    )
}

fn kill() -> Tool {
    let about = "End sessions and all their processes: a signal, then KILL.";
    let input = json!({
        "sessionId": {"type": "string"},
        "sessionIds": {"type": "array", "items": {"type": "string"}},
        "group": {"type": "string"},
        "signal": string("(TERM)"),
        "graceMs": integer("until KILL (2000)"),
        "force": boolean("KILL at once"),
        "remove": boolean("then remove it"),
    });
    let output = json!({
        "status": plain("string"), "exitCode": optional("integer"), "survivors": plain("array"),
        "output": plain("string"), "results": plain("array"),
    });
    tool(
        "kill",
        about,
        Effect::Ends,
        takes(input, &[]),
        returns(output, &[]),
    )
}

fn session() -> Tool {
    let about = "Other actions. status: the whole record. ask_human: a person answers the prompt. restart (until, waitMs). signal (target foreground|leader|tree). set: label, group, times. clear: drop output. export: asciicast|text|html|raw to path. project: jobs of the file in dir; apply restarts changed ones.";
    let input = json!({
        "action": {"type": "string", "enum": RARE},
        "sessionId": plain("string"),
        "detail": boolean("status: with processes and ports"),
        "message": plain("string"), "timeoutMs": plain("integer"),
        "until": as_until("restart: return at these"), "waitMs": plain("integer"),
        "signal": plain("string"), "target": plain("string"),
        "rows": plain("integer"), "cols": plain("integer"),
        "label": plain("string"), "group": plain("string"), "keep": plain("boolean"),
        "ttlMs": plain("integer"), "timeoutSec": plain("integer"), "graceMs": plain("integer"),
        "kill": boolean("remove: end it first (true)"),
        "format": plain("string"), "path": plain("string"),
        "op": {"type": "string", "enum": ["up", "down", "status", "plan", "reload"]},
        "dir": plain("string"), "jobs": {"type": "array", "items": {"type": "string"}},
        "apply": plain("boolean"),
    });
    let input = takes(input, &["action"]);
    tool(
        SESSION,
        about,
        Effect::Acts,
        input,
        json!({ "type": "object" }),
    )
}

fn takes(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn returns(properties: Value, required: &[&str]) -> Value {
    takes(properties, required)
}

/// The result of `poll`, and of other tools that return new output.
fn polled() -> Value {
    json!({
        "status": plain("string"), "exitCode": optional("integer"), "signal": optional("string"),
        "output": plain("string"), "prevCursor": plain("string"), "cursor": plain("string"),
        "inputState": plain("string"),
    })
}

/// The result of `wait`, and of `write` with `wait`.
fn waited() -> Value {
    json!({
        "outcome": {"type": "string", "enum": ["matched", "failed", "exited", "timeout", "lost", "running"]},
        "matched": optional("object"), "elapsedMs": plain("integer"), "status": plain("string"), "exitCode": optional("integer"),
        "output": plain("string"), "cursor": plain("string"), "results": plain("array"),
    })
}

fn written() -> Value {
    json!({
        "bytesWritten": plain("integer"), "consumed": optional("boolean"),
        "outcome": plain("string"), "status": plain("string"), "output": plain("string"),
    })
}

fn plain(kind: &str) -> Value {
    json!({ "type": kind })
}

fn optional(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}

fn string(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn integer(about: &str) -> Value {
    json!({ "type": "integer", "description": about })
}

fn boolean(about: &str) -> Value {
    json!({ "type": "boolean", "description": about })
}

fn record(properties: Value, about: &str) -> Value {
    json!({ "type": "object", "properties": properties, "description": about })
}

fn object(about: &str) -> Value {
    json!({ "type": "object", "description": about })
}

fn view(about: &str) -> Value {
    json!({ "type": "string", "enum": ["plain", "screen"], "description": about })
}

/// A list of conditions in a tool that describes them elsewhere, or hardly needs them.
fn as_until(about: &str) -> Value {
    json!({ "type": "array", "items": {"type": "object"}, "description": about })
}

/// A list of conditions, each an object with one of the fields.
fn conditions(about: &str) -> Value {
    let fields = json!({
        "exit": plain("boolean"), "pattern": plain("string"), "gone": plain("string"),
        "input": plain("boolean"), "idleMs": plain("integer"), "ready": plain("boolean"),
        "port": plain("integer"), "command": plain("boolean"),
    });
    json!({
        "type": "array",
        "items": {"type": "object", "properties": fields, "minProperties": 1, "maxProperties": 1},
        "description": about,
    })
}
