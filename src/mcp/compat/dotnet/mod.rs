//! The process tools of the .NET agent: start, read, write, status, stop.
//!
//! Jobs have pipes, no terminal and no time limit. By default only the programs of the original's list may
//! be started; the server can be started with another list. Every result has `success`; a failed one has
//! `error`.

pub mod catalog;
pub mod exit_code;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use self::exit_code::exit_code;
use super::names::Names;
use crate::mcp::call::{Arguments, Call, Done, Outcome};
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::{Error, Status};
use crate::term::plain::{Layout, LayoutKind, render};
use crate::term::size::Size;

/// Its names in errors.
pub const NAMES: Names = Names {
    parameters: &[
        ("sessionId", "session_id"),
        ("command", "cmd"),
        ("waitMs", "wait_ms"),
        ("data", "input"),
        ("newline", "no_newline"),
    ],
    actions: &[
        ("start", "process_start"),
        ("kill", "process_stop"),
        ("remove", "process_stop"),
    ],
    session: "Session",
};

/// Bytes of new output in one read, of both streams together, and the largest number of characters of
/// each stream that the end of a process is reported with.
const READ: usize = 262_144;

/// A page is shorter by at most this number of bytes, because it splits no character or escape sequence.
const UNSPLIT: u64 = 4096;

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
    let poll = if all {
        // Only the status: reading all output does not advance the `new` cursor.
        call.action("status", json!({ "sessionId": session }))
            .await?
    } else {
        let new = json!({
            "sessionId": session, "since": "new", "maxChars": READ, "oldest": true,
        });
        call.action("poll", new).await?
    };
    let mut read = json!({
        "success": true,
        "session_id": session,
        "is_running": is_running(&poll),
        "exit_code": exit_code(&poll),
        "stdout": poll["stdout"].as_str().unwrap_or_default(),
        "stderr": poll["stderr"].as_str().unwrap_or_default(),
    });
    if all {
        let (stdout, left) = whole(call, session, "stdout").await?;
        read["stdout"] = stdout.into();
        // A terminal has one stream.
        if poll["mode"] == "pipe" {
            read["stderr"] = whole(call, session, "stderr").await?.0.into();
        }
        if left > 0 {
            read["omitted_bytes"] = left.into();
        }
    } else {
        add_omitted(&mut read, &poll);
        add_more(&mut read, &poll);
    }
    Ok(read)
}

/// If a page of new output ended before all of it, adds how much follows.
fn add_more(to: &mut Value, polled: &Value) {
    let at = |name: &str| {
        let cursor = polled[name].as_str().unwrap_or_default();
        cursor
            .trim_start_matches('c')
            .parse::<u64>()
            .unwrap_or_default()
    };
    let (from, next) = (at("prevCursor"), at("cursor"));
    let end = polled["outputBytes"].as_u64().unwrap_or_default();
    // The first bytes of a character at the end of the output are no page that follows.
    if next.saturating_sub(from) + UNSPLIT >= READ as u64 && end > next {
        to["more_bytes"] = (end - next).into();
    }
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
    let (mut bytes, mut offset, mut left) = (Vec::new(), 0, 0);
    for _ in 0..PAGES {
        // Bytes and not text, because a page may end within a character.
        let page = json!({
            "sessionId": session, "offset": offset, "limit": PAGE, "stream": stream,
            "format": "base64",
        });
        let page = call.action("log", page).await?;
        let output = page["output"].as_str().unwrap_or_default();
        bytes.extend(STANDARD.decode(output).unwrap_or_default());
        offset = page["nextOffset"].as_u64().unwrap_or(offset);
        left = page["totalBytes"]
            .as_u64()
            .unwrap_or_default()
            .saturating_sub(offset);
        if left == 0 {
            break;
        }
    }
    let layout = Layout {
        size: Size::default(),
        kind: LayoutKind::Pipe,
    };
    Ok((render(&bytes, layout, false).text, left))
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
    let listed = call
        .action("list", json!({ "limit": ALL_SESSIONS }))
        .await?;
    let sessions = listed["sessions"].as_array().into_iter().flatten();
    let active = sessions.filter(|session| is_running(session));
    let sessions: Vec<Value> = active.map(brief).collect();
    Ok(json!({ "success": true, "session_count": sessions.len(), "sessions": sessions }))
}

fn brief(record: &Value) -> Value {
    json!({
        "session_id": record["sessionId"],
        "pid": record["pid"],
        "command": record["command"],
        "is_running": is_running(record),
        "exit_code": exit_code(record),
        "started_at": record["createdAt"],
        "runtime_seconds": record["runtimeMs"].as_f64().unwrap_or_default() / 1000.0,
    })
}

async fn stop(call: &Call, given: &Arguments) -> Result {
    let session = &given["session_id"];
    let kill = json!({ "sessionId": session, "force": given.get("force") });
    let killed = call.action("kill", kill).await?;
    // Read the rest of the output before the session is removed.
    let new = json!({ "sessionId": session, "since": "new", "maxChars": READ });
    let last = call.action("poll", new).await?;
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
        "exit_code": exit_code(&killed),
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
