//! Duragent's tools: `spawn_process`, and `process` with seven actions.
//!
//! A handle is the id of a session. `tmux:true` gives a process a terminal, for which no tmux is needed:
//! `tmux_session` is the target for `bgproc attach`. Without it, a process has pipes. When a process ends
//! that no call waits for, the client is notified ([`completions`](crate::mcp::completions)).

pub mod catalog;
pub mod keys;

use serde_json::{Value, json};

use super::log_page;
use super::names::Names;
use crate::mcp::call::{Arguments, Call, Done, Outcome};
use crate::mcp::completions::{Completions, message};
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::disk::segment_name;
use crate::protocol::{Error, ErrorCode};

/// Its names in errors.
pub const NAMES: Names = Names {
    parameters: &[
        ("sessionId", "handle"),
        ("cwd", "workdir"),
        ("timeoutSec", "timeout_seconds"),
        ("data", "input"),
    ],
    actions: &[
        ("start", "spawn_process"),
        ("write", "write"),
        ("kill", "kill"),
        ("log", "log"),
    ],
    session: "Process",
};

/// Largest number of characters of output of a process that a call waited for.
const MAX_CHARS: usize = 262_144;

/// The longest wait per request to the daemon, in milliseconds.
const WAIT_MS: u64 = 600_000;

/// Description of a session whose end is reported by the call that started it.
const WAITED: &str = "waited for";

/// Characters from the end of the output in a completion message.
const TAIL: usize = 2000;

/// Runs a tool.
pub async fn call(call: &Call, completions: &Completions, tool: &str, given: Arguments) -> Outcome {
    let result = match tool {
        "spawn_process" => spawn(call, completions, &given).await,
        _ => process(call, completions, &given).await,
    };
    result.map(Done::json)
}

type Result = std::result::Result<Value, Error>;

async fn spawn(call: &Call, completions: &Completions, given: &Arguments) -> Result {
    let flag = |name: &str| given.get(name) == Some(&Value::Bool(true));
    let (wait, tmux) = (flag("wait"), flag("tmux"));
    let start = json!({
        "command": given["command"],
        "cwd": given.get("workdir"),
        "label": given.get("label"),
        "description": wait.then_some(WAITED),
        "timeoutSec": given.get("timeout_seconds"),
        "mode": if tmux { "pty" } else { "pipe" },
        "background": true,
    });
    let starting = completions.starting();
    let started = call.action("start", start).await?;
    let handle = started["sessionId"].as_str().unwrap_or_default();
    let awaiting = wait.then(|| completions.awaiting(handle));
    drop(starting);
    let of_process = json!({ "sessionId": handle });
    let Some(awaiting) = awaiting else {
        let record = call.action("status", of_process).await?;
        return Ok(json!({
            "handle": handle,
            "tmux_session": tmux.then_some(handle),
            "status": "running",
            "pid": started["pid"],
            "log_path": log_path(&record, &home(call).await?),
        }));
    };
    let until_end = json!({ "sessionId": handle, "timeoutMs": WAIT_MS });
    while call.action("wait", until_end.clone()).await?["outcome"] == "timeout" {}
    let last = json!({ "sessionId": handle, "maxChars": MAX_CHARS });
    let polled = call.action("poll", last).await?;
    let record = call.action("status", of_process).await?;
    let home = home(call).await?;
    awaiting.shown();
    let mut completed = json!({
        "handle": handle,
        "status": status(&record),
        "exit_code": record["exitCode"],
        "output": polled["output"],
        "duration_seconds": seconds(&record),
        "log_path": log_path(&record, &home),
    });
    let omitted = polled["omitted"]["bytes"].as_u64();
    if let Some(bytes) = omitted.filter(|bytes| *bytes > 0) {
        completed["omitted_bytes"] = bytes.into();
    }
    Ok(completed)
}

/// The directory with the files of the daemon.
async fn home(call: &Call) -> std::result::Result<String, Error> {
    let stats = call.action("stats", json!({})).await?;
    Ok(stats["home"].as_str().unwrap_or_default().to_owned())
}

/// The newest file of a process's log. Replies of the daemon name it only once the output is long; until
/// then there is one file, which begins with the first byte that is kept.
fn log_path(session: &Value, home: &str) -> Value {
    if session["outputFile"].is_string() {
        return session["outputFile"].clone();
    }
    let id = session["sessionId"].as_str().unwrap_or_default();
    let file = segment_name(session["droppedBytes"].as_u64().unwrap_or_default());
    format!("{home}/sessions/{id}/{file}").into()
}

async fn process(call: &Call, completions: &Completions, given: &Arguments) -> Result {
    let action = given["action"].as_str().unwrap_or_default();
    if action == "list" {
        let listed = call
            .action("list", json!({ "limit": ALL_SESSIONS }))
            .await?;
        let home = home(call).await?;
        let sessions = listed["sessions"].as_array().into_iter().flatten();
        let processes: Vec<Value> = sessions.map(|session| meta(session, &home)).collect();
        return Ok(json!({ "processes": processes, "completions": completions.take_unread() }));
    }
    let needed = |name: &str| {
        let message = format!("'{name}' is required for {action} action");
        given.get(name).ok_or_else(|| Error::invalid(message))
    };
    let handle = needed("handle")?;
    let session = json!({ "sessionId": handle });
    match action {
        "status" => one(call, handle).await,
        "log" => log(call, handle, given).await,
        "capture" => {
            in_terminal(call, handle, action).await?;
            let screen = call.action("capture", session).await?;
            Ok(json!({
                "handle": handle, "screen": screen["text"],
                "rows": screen["rows"], "cols": screen["cols"],
            }))
        }
        "send_keys" => {
            let keys = needed("keys")?;
            let enter = given.get("press_enter").and_then(Value::as_bool);
            in_terminal(call, handle, action).await?;
            let keys = json!({ "sessionId": handle, "keys": keys::list(keys, enter) });
            let written = call.action("send_keys", keys).await?;
            Ok(json!({ "handle": handle, "bytes_written": written["bytesWritten"] }))
        }
        "write" => {
            let write = json!({ "sessionId": handle, "data": needed("input")? });
            let written = call.action("write", write).await?;
            Ok(json!({ "handle": handle, "bytes_written": written["bytesWritten"] }))
        }
        _ => {
            let killed = call.action("kill", session).await?;
            Ok(json!({
                "handle": handle, "status": status(&killed), "exit_code": killed["exitCode"],
                "output": killed["output"],
            }))
        }
    }
}

/// Fails unless the process has a terminal.
async fn in_terminal(call: &Call, handle: &Value, action: &str) -> std::result::Result<(), Error> {
    let record = call
        .action("status", json!({ "sessionId": handle }))
        .await?;
    if record["mode"] == "pty" {
        Ok(())
    } else {
        let message = format!("{action} requires tmux");
        Err(Error::new(ErrorCode::NotATty, message).hint("spawn it with tmux:true"))
    }
}

/// The state of one process. If it has ended and no call waited for that, includes the completion message.
async fn one(call: &Call, handle: &Value) -> Result {
    let record = call
        .action("status", json!({ "sessionId": handle }))
        .await?;
    let mut one = meta(&record, &home(call).await?);
    if !record["endedAt"].is_null() && record["description"] != WAITED {
        let tail = json!({ "sessionId": handle, "maxChars": TAIL });
        let mut ended = record;
        ended["output"] = call.action("poll", tail).await?["output"].take();
        // A record has the fields of a completion.
        let ended = serde_json::from_value(ended)
            .map_err(|error| Error::internal(format!("a record could not be read: {error}")))?;
        one["completion"] = message(handle.as_str().unwrap_or_default(), &ended).into();
    }
    Ok(one)
}

async fn log(call: &Call, handle: &Value, given: &Arguments) -> Result {
    let number = |name: &str| given.get(name).and_then(Value::as_u64);
    let offset = number("offset").unwrap_or(0);
    let log = log_page::read(call, handle, offset, number("limit")).await?;
    Ok(json!({
        "handle": handle,
        "output": log["output"],
        "offset": log["offset"],
        "next_offset": log["nextOffset"],
        "total_bytes": log["totalBytes"],
        "eof": log["eof"],
    }))
}

fn meta(session: &Value, home: &str) -> Value {
    let handle = &session["sessionId"];
    json!({
        "handle": handle,
        "label": session["label"],
        "command": session["command"],
        "workdir": session["cwd"],
        "status": status(session),
        "pid": session["pid"],
        "exit_code": session["exitCode"],
        "tmux_session": if session["mode"] == "pty" { handle } else { &Value::Null },
        "log_path": log_path(session, home),
        "spawned_at": session["createdAt"],
        "completed_at": session["endedAt"],
        "duration_seconds": seconds(session),
    })
}

/// Maps a status to one of the original's. Anything that has not ended is `running`.
fn status(session: &Value) -> &'static str {
    match session["status"].as_str() {
        Some("done") => "completed",
        Some("error") => "failed",
        Some("killed") => "killed",
        Some("timed_out") => "timed_out",
        Some("lost") => "lost",
        _ => "running",
    }
}

fn seconds(session: &Value) -> u64 {
    session["runtimeMs"].as_u64().unwrap_or_default() / 1000
}
