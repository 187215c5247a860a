//! DeepChat's tools: `execute_command`, and `process` with seven actions.
//!
//! Results have the fields of the original: fields without a value are absent, times are in milliseconds,
//! and our statuses are mapped to its four. Offsets of `log` count the bytes that are kept, so that after
//! `clear` everything starts at 0 again, as in the original.

pub mod catalog;

use serde_json::{Value, json};

use super::log_page;
use super::names::Names;
use crate::mcp::call::{Arguments, Call, Done, Outcome};
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::{Error, Timestamp};

/// Its names in errors.
pub const NAMES: Names = Names {
    parameters: &[("timeoutMs", "timeout")],
    actions: &[
        ("start", "execute_command"),
        ("kill", "kill"),
        ("remove", "remove"),
    ],
    session: "Session",
};

/// Characters of output that a command in the foreground returns: as many as the original keeps in memory
/// before it writes to a file.
const IN_MEMORY: usize = 10 * 1024;

/// The longest time that a command can be waited for in one request to the daemon, in milliseconds.
const MAX_YIELD_MS: u64 = 600_000;

/// Runs a tool.
pub async fn call(call: &Call, tool: &str, arguments: Arguments) -> Outcome {
    match tool {
        "execute_command" => execute(call, &arguments).await,
        _ => process(call, &arguments).await,
    }
}

async fn execute(call: &Call, given: &Arguments) -> Outcome {
    let background = given.get("background") == Some(&Value::Bool(true));
    let started = call
        .action(
            "start",
            json!({
                "command": given["command"],
                "description": given["description"],
                "mode": "pipe",
                "background": background,
                "timeoutMs": milliseconds(given, "timeout"),
                // The original waits for the end, not for a prompt.
                "until": (!background).then(|| json!([{"exit": true}])),
                "yieldMs": milliseconds(given, "yieldMs").map(|ms| ms.min(MAX_YIELD_MS)).filter(|_| !background),
                "maxChars": IN_MEMORY,
            }),
        )
        .await?;
    let session = &started["sessionId"];
    // A background call returns at once, so the status is always running.
    if background {
        return Ok(Done::json(
            json!({ "status": "running", "sessionId": session }),
        ));
    }
    let mut ran = json!({
        "status": status(&started),
        "sessionId": session,
        "output": started["output"],
    });
    add_end(&mut ran, &started);
    if started["omitted"]["bytes"] != 0 {
        let record = call
            .action("status", json!({ "sessionId": session }))
            .await?;
        ran["offloaded"] = true.into();
        ran["outputFilePath"] = record["outputFile"].clone();
    }
    Ok(Done::json(ran))
}

async fn process(call: &Call, given: &Arguments) -> Outcome {
    let action = given["action"].as_str().unwrap_or_default();
    if action == "list" {
        return list(call).await;
    }
    let Some(session) = given.get("sessionId") else {
        return Err(Error::invalid(format!(
            "sessionId is required for {action} action"
        )));
    };
    let of_session = json!({ "sessionId": session });
    match action {
        "poll" => return poll(call, session).await,
        "log" => return log(call, session, given).await,
        "write" => {
            let data = given.get("data").cloned().unwrap_or_else(|| "".into());
            let eof = given.get("eof");
            let write = json!({ "sessionId": session, "data": data, "eof": eof });
            call.action("write", write).await?;
        }
        _ => {
            call.action(action, of_session).await?;
        }
    }
    Ok(Done::json(json!({ "status": "ok", "sessionId": session })))
}

async fn list(call: &Call) -> Outcome {
    let listed = call
        .action("list", json!({ "limit": ALL_SESSIONS }))
        .await?;
    let sessions = listed["sessions"].as_array().into_iter().flatten();
    let sessions: Vec<Value> = sessions.map(meta).collect();
    Ok(Done::json(json!({ "status": "ok", "sessions": sessions })))
}

fn meta(session: &Value) -> Value {
    let kept = Kept {
        first: session["droppedBytes"].as_u64().unwrap_or_default(),
        end: session["outputBytes"].as_u64().unwrap_or_default(),
    };
    let mut meta = json!({
        "sessionId": session["sessionId"],
        "command": session["command"],
        "status": status(session),
        "createdAt": millis(&session["createdAt"]),
        "lastAccessedAt": millis(&session["lastAccessedAt"]),
        "outputLength": kept.length(),
        "offloaded": kept.is_offloaded(),
    });
    add_file(&mut meta, kept, session);
    if !session["pid"].is_null() {
        meta["pid"] = session["pid"].clone();
    }
    add_end(&mut meta, session);
    meta
}

async fn poll(call: &Call, session: &Value) -> Outcome {
    let polled = call.action("poll", json!({ "sessionId": session })).await?;
    let mut recent = json!({ "status": status(&polled), "output": polled["output"] });
    add_end(&mut recent, &polled);
    if polled["offloaded"] == true {
        add_file(&mut recent, kept(call, session).await?, &polled);
    }
    Ok(Done::json(recent))
}

async fn log(call: &Call, session: &Value, given: &Arguments) -> Outcome {
    let number = |name: &str| given.get(name).and_then(Value::as_u64);
    let kept = kept(call, session).await?;
    let offset = kept.first.saturating_add(number("offset").unwrap_or(0));
    let log = log_page::read(call, session, offset, number("limit")).await?;
    let record = call
        .action("status", json!({ "sessionId": session }))
        .await?;
    let place = |name: &str| log[name].as_u64().map(|at| at.saturating_sub(kept.first));
    let mut page = json!({
        "status": status(&record),
        "output": log["output"],
        "offset": place("offset"),
        "nextOffset": place("nextOffset"),
        "totalLength": place("totalBytes"),
    });
    add_end(&mut page, &record);
    add_file(&mut page, kept, &record);
    Ok(Done::json(page))
}

/// The part of a log that is kept: all of it since the last `clear`, unless it is very long.
#[derive(Clone, Copy, Debug)]
struct Kept {
    first: u64,
    end: u64,
}

impl Kept {
    fn length(self) -> u64 {
        self.end.saturating_sub(self.first)
    }

    fn is_offloaded(self) -> bool {
        self.length() > IN_MEMORY as u64
    }
}

async fn kept(call: &Call, session: &Value) -> Result<Kept, Error> {
    let least = json!({ "sessionId": session, "offset": 0, "limit": 1 });
    let log = call.action("log", least).await?;
    Ok(Kept {
        first: log["firstOffset"].as_u64().unwrap_or_default(),
        end: log["totalBytes"].as_u64().unwrap_or_default(),
    })
}

/// Adds the file with the output, if the output is long. Of several files, it is the newest.
fn add_file(to: &mut Value, kept: Kept, session: &Value) {
    if kept.is_offloaded() {
        to["offloaded"] = true.into();
        to["outputFilePath"] = session["outputFile"].clone();
    }
}

/// Adds the exit code, if there is one.
fn add_end(to: &mut Value, session: &Value) {
    if session["exitCode"].is_i64() || session["exitCode"].is_u64() {
        to["exitCode"] = session["exitCode"].clone();
    }
}

/// Maps a status to one of the original's four.
fn status(session: &Value) -> &'static str {
    match session["status"].as_str() {
        Some("done") => "done",
        Some("error" | "lost") => "error",
        Some("killed" | "timed_out") => "killed",
        _ => "running",
    }
}

/// Cuts fractions off: the original accepts any number, the protocol whole milliseconds.
fn milliseconds(given: &Arguments, name: &str) -> Option<u64> {
    let value = given.get(name)?.as_f64()?;
    Some(value as u64)
}

fn millis(at: &Value) -> Option<i64> {
    Timestamp::parse(at.as_str()?).map(Timestamp::millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_map_to_the_four_of_the_original() {
        for (ours, theirs) in [
            ("queued", "running"),
            ("starting", "running"),
            ("running", "running"),
            ("paused", "running"),
            ("stopping", "running"),
            ("retrying", "running"),
            ("done", "done"),
            ("error", "error"),
            ("lost", "error"),
            ("killed", "killed"),
            ("timed_out", "killed"),
        ] {
            assert_eq!(status(&json!({ "status": ours })), theirs, "{ours}");
        }
    }

    #[test]
    fn fields_without_a_value_are_absent() {
        let running = json!({
            "sessionId": "a", "command": "x", "status": "running", "pid": 7, "exitCode": null,
            "createdAt": "1970-01-01T00:00:01.500Z", "lastAccessedAt": "1970-01-01T00:00:02.000Z",
            "outputBytes": 8, "droppedBytes": 5, "offloaded": false,
        });
        let expected = json!({
            "sessionId": "a", "command": "x", "status": "running", "pid": 7, "createdAt": 1500,
            "lastAccessedAt": 2000, "outputLength": 3, "offloaded": false,
        });
        assert_eq!(meta(&running), expected);
    }
}
