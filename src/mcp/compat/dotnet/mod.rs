//! The process tools of the .NET agent: start, read, write, status, stop.
//!
//! Jobs have pipes, no terminal and no time limit. By default only the programs of the original's list may
//! be started; the server can be started with another list. Every result has `success`; a failed one has
//! `error`.

pub mod catalog;

use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp::call::{Arguments, Call, Done, Outcome};
use crate::protocol::{Error, Status};

/// Largest number of characters of each stream in one read.
const MAX_CHARS: usize = 262_144;

/// Bytes of the log per request, and largest number of requests, for `all`.
const PAGE: u64 = 1 << 20;
const PAGES: usize = 8;

/// Runs a tool.
pub async fn call(call: &Call, tool: &str, given: Arguments) -> Outcome {
    let result = match tool {
        "process_start" => start(call, &given).await,
        "process_read" => read(call, &given).await,
        "process_write" => write(call, &given).await,
        "process_status" => status(call, &given).await,
        _ => stop(call, &given).await,
    };
    result.map(Done::json)
}

/// An error in the form of these tools.
pub fn failed(words: &str) -> Done {
    let mut done = Done::json(json!({ "success": false, "error": words }));
    done.is_error = true;
    done
}

type Result = std::result::Result<Value, Error>;

async fn start(call: &Call, given: &Arguments) -> Result {
    let args = given.get("args").cloned().unwrap_or_else(|| json!([]));
    let start = json!({
        "command": given["cmd"], "args": args, "cwd": given.get("cwd"),
        "mode": "pipe", "background": true, "timeoutSec": 0,
    });
    let started = call.action("start", start).await?;
    let session = json!({ "sessionId": started["sessionId"] });
    let record = call.action("status", session).await?;
    Ok(json!({
        "success": true,
        "session_id": started["sessionId"],
        "pid": started["pid"],
        "command": record["command"],
        "arguments": record["args"],
        "working_directory": record["cwd"],
        "started_at": record["createdAt"],
    }))
}

async fn read(call: &Call, given: &Arguments) -> Result {
    if let Some(ms) = given.get("wait_ms").and_then(Value::as_u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
    let session = &given["session_id"];
    let all = given.get("all") == Some(&Value::Bool(true));
    let poll = match all {
        // Only the status: reading all output does not advance the `new` cursor.
        true => {
            call.action("status", json!({ "sessionId": session }))
                .await?
        }
        false => news(call, session).await?,
    };
    let mut read = json!({
        "success": true,
        "session_id": session,
        "is_running": is_running(&poll),
        "exit_code": poll["exitCode"],
        "stdout": poll["stdout"].as_str().unwrap_or_default(),
        "stderr": poll["stderr"].as_str().unwrap_or_default(),
    });
    if all {
        let (stdout, left) = whole(call, session, "stdout").await?;
        let (stderr, _) = whole(call, session, "stderr").await?;
        read["stdout"] = stdout.into();
        read["stderr"] = stderr.into();
        if left > 0 {
            read["omitted_bytes"] = left.into();
        }
    } else {
        add_omitted(&mut read, &poll);
    }
    Ok(read)
}

/// The output that no read has returned yet.
async fn news(call: &Call, session: &Value) -> Result {
    let new = json!({ "sessionId": session, "since": "new", "maxChars": MAX_CHARS });
    call.action("poll", new).await
}

fn add_omitted(to: &mut Value, polled: &Value) {
    let bytes = polled["omitted"]["bytes"].as_u64();
    if let Some(bytes) = bytes.filter(|bytes| *bytes > 0) {
        to["omitted_bytes"] = bytes.into();
    }
}

/// All kept output of one stream, and how many bytes of the log were not read because a reply has a limited
/// size.
async fn whole(
    call: &Call,
    session: &Value,
    stream: &str,
) -> std::result::Result<(String, u64), Error> {
    let (mut text, mut offset) = (String::new(), 0);
    for _ in 0..PAGES {
        let page =
            json!({ "sessionId": session, "offset": offset, "limit": PAGE, "stream": stream });
        let page = call.action("log", page).await?;
        text.push_str(page["output"].as_str().unwrap_or_default());
        let next = page["nextOffset"].as_u64().unwrap_or(offset);
        let total = page["totalBytes"].as_u64().unwrap_or_default();
        if next >= total || next == offset {
            return Ok((text, 0));
        }
        offset = next;
    }
    let record = call
        .action("status", json!({ "sessionId": session }))
        .await?;
    let total = record["outputBytes"].as_u64().unwrap_or_default();
    Ok((text, total.saturating_sub(offset)))
}

async fn write(call: &Call, given: &Arguments) -> Result {
    let newline = given.get("no_newline") != Some(&Value::Bool(true));
    let write = json!({
        "sessionId": given["session_id"], "data": given["input"], "newline": newline,
    });
    let written = call.action("write", write).await?;
    Ok(json!({
        "success": true,
        "session_id": given["session_id"],
        "bytes_written": written["bytesWritten"],
    }))
}

async fn status(call: &Call, given: &Arguments) -> Result {
    if let Some(session) = given.get("session_id") {
        let record = call
            .action("status", json!({ "sessionId": session }))
            .await?;
        let mut one = brief(&record);
        one["success"] = true.into();
        one["arguments"] = match &record["args"] {
            Value::Null => json!([]),
            args => args.clone(),
        };
        one["working_directory"] = record["cwd"].clone();
        return Ok(one);
    }
    let listed = call.action("list", json!({})).await?;
    let sessions = listed["sessions"].as_array().into_iter().flatten();
    let sessions: Vec<Value> = sessions.map(brief).collect();
    Ok(json!({ "success": true, "session_count": sessions.len(), "sessions": sessions }))
}

fn brief(record: &Value) -> Value {
    json!({
        "session_id": record["sessionId"],
        "pid": record["pid"],
        "command": record["command"],
        "is_running": is_running(record),
        "exit_code": record["exitCode"],
        "started_at": record["createdAt"],
        "runtime_seconds": record["runtimeMs"].as_f64().unwrap_or_default() / 1000.0,
    })
}

async fn stop(call: &Call, given: &Arguments) -> Result {
    let session = &given["session_id"];
    let kill = json!({ "sessionId": session, "force": given.get("force") });
    let killed = call.action("kill", kill).await?;
    // Read the rest of the output before the session is removed.
    let last = news(call, session).await?;
    let survivors = killed["survivors"].as_array().map_or(0, Vec::len);
    let message = match survivors {
        0 => {
            let remove = json!({ "sessionId": session });
            call.action("remove", remove).await?;
            "Process stopped and session removed".to_owned()
        }
        _ => format!("{survivors} of its processes could not be ended; the session stays"),
    };
    let mut stopped = json!({
        "success": survivors == 0,
        "session_id": session,
        "exit_code": killed["exitCode"],
        "final_stdout": last["stdout"].as_str().unwrap_or_default(),
        "final_stderr": last["stderr"].as_str().unwrap_or_default(),
        "message": message,
    });
    add_omitted(&mut stopped, &last);
    Ok(stopped)
}

fn is_running(record: &Value) -> bool {
    let status = serde_json::from_value::<Status>(record["status"].clone());
    !status.is_ok_and(Status::is_finished)
}
