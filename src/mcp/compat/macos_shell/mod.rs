//! The background tools of the macOS Shell MCP server.
//!
//! The sessions of the original are groups here. A process has pipes, no input and no time limit.
//! `bufferSize` limits what `get_process_output` shows, not what is kept. It is stored in the session's
//! description, where a later server process finds it.

pub mod catalog;

use serde_json::{Value, json};

use crate::mcp::call::{Arguments, Call, Done, Outcome};
use crate::protocol::Error;

/// Default size of the buffer in lines.
const BUFFER_SIZE: u64 = 300;

/// Default number of lines per reply.
const LINES: u64 = 100;

/// How long an ended process is kept, in milliseconds: one hour, as in the original.
const TTL_MS: u64 = 3_600_000;

/// How long to wait for the end of a process after a signal that may not end it, in milliseconds.
const EXIT_MS: u64 = 500;

/// The prefix of the session's description.
const NOTE: &str = "bufferSize ";

/// Signals whose purpose is to end a process.
const ENDING: [&str; 6] = ["TERM", "KILL", "INT", "QUIT", "HUP", "ABRT"];

/// Runs a tool.
pub async fn call(call: &Call, tool: &str, given: Arguments) -> Outcome {
    let result = match tool {
        "run_background" => run(call, &given).await,
        "list_processes" => list(call, &given).await,
        "get_process_output" => output(call, &given).await,
        _ => kill(call, &given).await,
    };
    result.map(Done::json)
}

type Result = std::result::Result<Value, Error>;

async fn run(call: &Call, given: &Arguments) -> Result {
    let size = given
        .get("bufferSize")
        .and_then(Value::as_u64)
        .unwrap_or(BUFFER_SIZE);
    let start = json!({
        "command": given["command"],
        "args": given.get("args"),
        "group": given.get("session").and_then(Value::as_str).unwrap_or("default"),
        "cwd": given.get("cwd"),
        "env": given.get("env"),
        "description": format!("{NOTE}{size}"),
        "mode": "pipe",
        "background": true,
        "timeoutSec": 0,
        "ttlMs": TTL_MS,
    });
    let started = call.action("start", start).await?;
    // Processes of the original have no input, so close it: a reader sees the end at once.
    let end = json!({ "sessionId": started["sessionId"], "eof": true });
    let _ = call.action("write", end).await;
    Ok(json!({
        "processId": started["sessionId"],
        "pid": started["pid"],
        "status": status(&started),
    }))
}

async fn list(call: &Call, given: &Arguments) -> Result {
    let list = json!({
        "group": given.get("session"),
        "includeOutput": given.get("includeOutput"),
    });
    let listed = call.action("list", list).await?;
    let wanted = given.get("status").and_then(Value::as_str);
    let sessions = listed["sessions"].as_array().into_iter().flatten();
    let wanted = sessions.filter(|session| wanted.is_none_or(|wanted| wanted == status(session)));
    let mut processes = Vec::new();
    for session in wanted {
        let mut process = process(session);
        if let Some(output) = session["output"].as_str() {
            process["recentOutput"] = recent(call, session, output).await;
        }
        processes.push(process);
    }
    Ok(json!({ "processes": processes }))
}

/// The last lines, at most as many as the buffer holds. `list` does not return the description, which has
/// the size.
async fn recent(call: &Call, session: &Value, output: &str) -> Value {
    let status = json!({ "sessionId": session["sessionId"] });
    // A session that was removed meanwhile has no size; use the default.
    let record = call.action("status", status).await.unwrap_or_default();
    let size = usize::try_from(buffer_size(&record)).unwrap_or(usize::MAX);
    let lines: Vec<&str> = output.lines().collect();
    json!(lines[lines.len().saturating_sub(size)..])
}

fn process(session: &Value) -> Value {
    json!({
        "id": session["sessionId"],
        "sessionName": session["group"].as_str().unwrap_or("default"),
        "command": session["command"],
        "args": session["args"].as_array().cloned().unwrap_or_default(),
        "pid": session["pid"],
        "status": status(session),
        "startTime": session["createdAt"],
        "runtime": session["runtimeMs"],
        "outputLines": session["outputLines"],
    })
}

async fn output(call: &Call, given: &Arguments) -> Result {
    let id = &given["processId"];
    let record = call.action("status", json!({ "sessionId": id })).await?;
    let size = buffer_size(&record);
    // Older lines are no longer in the buffer.
    let total = record["outputLines"].as_u64().unwrap_or_default();
    let first = total.saturating_sub(size) + 1;
    let lines = given.get("lines").and_then(Value::as_u64).unwrap_or(LINES);
    let from = given.get("fromLine").and_then(Value::as_u64);
    let log = json!({
        "sessionId": id,
        "lines": lines.min(size),
        "fromLine": from.map(|from| from.max(first)),
        "stream": given.get("type"),
    });
    let log = call.action("log", log).await?;
    let lines = log["lines"].as_array().into_iter().flatten();
    let kept = lines.filter(|line| line["n"].as_u64() >= Some(first));
    let output: Vec<Value> = kept
        .map(|line| {
            json!({
                "timestamp": line["at"], "type": line["stream"],
                "content": line["text"], "lineNumber": line["n"],
            })
        })
        .collect();
    Ok(json!({
        "processId": id,
        "status": status(&record),
        "totalLines": log["totalLines"],
        "requestedLines": output.len(),
        "output": output,
    }))
}

fn buffer_size(record: &Value) -> u64 {
    let note = record["description"]
        .as_str()
        .and_then(|note| note.strip_prefix(NOTE));
    note.and_then(|size| size.parse().ok())
        .unwrap_or(BUFFER_SIZE)
}

async fn kill(call: &Call, given: &Arguments) -> Result {
    let id = &given["processId"];
    let force = given.get("force") == Some(&Value::Bool(true));
    let signal = given
        .get("signal")
        .and_then(Value::as_str)
        .unwrap_or("SIGTERM");
    let name = signal.to_ascii_uppercase();
    if !force && !ENDING.contains(&name.trim_start_matches("SIG")) {
        return send(call, id, signal).await;
    }
    let kill = match force {
        true => json!({ "sessionId": id, "force": true }),
        false => json!({ "sessionId": id, "signal": signal }),
    };
    let killed = call.action("kill", kill).await?;
    let had_ended = killed["alreadyEnded"] == true;
    let survived = killed["survivors"]
        .as_array()
        .is_some_and(|pids| !pids.is_empty());
    Ok(json!({
        "processId": id,
        "previousStatus": status(&json!({ "status": killed["previousStatus"] })),
        "newStatus": status(&killed),
        "killed": !had_ended && !survived,
    }))
}

/// Sends a signal that may or may not end the process, and waits briefly for its end.
async fn send(call: &Call, id: &Value, signal: &str) -> Result {
    let of_session = json!({ "sessionId": id });
    let before = call.action("status", of_session.clone()).await?;
    let send = json!({ "sessionId": id, "signal": signal, "target": "tree" });
    call.action("signal", send).await?;
    let until_end = json!({ "sessionId": id, "timeoutMs": EXIT_MS });
    call.action("wait", until_end).await?;
    let after = call.action("status", of_session).await?;
    Ok(json!({
        "processId": id,
        "previousStatus": status(&before),
        "newStatus": status(&after),
        "killed": before["endedAt"].is_null() && !after["endedAt"].is_null(),
    }))
}

/// Maps a status to one of the original's.
fn status(session: &Value) -> &'static str {
    match session["status"].as_str() {
        Some("queued" | "starting") => "starting",
        Some("done") => "stopped",
        Some("error" | "lost") => "failed",
        Some("killed" | "timed_out") => "killed",
        _ => "running",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_the_buffer_is_in_the_description() {
        assert_eq!(buffer_size(&json!({"description": "bufferSize 5"})), 5);
        assert_eq!(buffer_size(&json!({"description": null})), BUFFER_SIZE);
    }
}
