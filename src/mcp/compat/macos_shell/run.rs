//! `run_background` and `run_command`.

use serde_json::{Value, json};

use super::processes::all;
use super::{
    DEFAULT, IN_ALL, PER_SESSION, Result, Shared, is_running, note, number, session_name, status,
    text,
};
use crate::mcp::call::{Arguments, Call};
use crate::protocol::{Error, ErrorCode};

/// How long an ended process is kept, in milliseconds: one hour, as in the original.
const TTL_MS: u64 = 3_600_000;

/// How long a command that ran in the foreground is kept for people, in milliseconds.
const FOREGROUND_TTL_MS: u64 = 60_000;

/// Default time limit of a command in the foreground, in milliseconds.
const TIMEOUT_MS: u64 = 30_000;

/// The longest wait per request to the daemon, in milliseconds.
const WAIT_MS: u64 = 600_000;

/// Largest number of characters of each stream of a command in the foreground.
const MAX_CHARS: usize = 262_144;

/// Starts a process.
pub async fn background(call: &Call, shared: &Shared, given: &Arguments) -> Result {
    let starting = shared.starting.lock().await;
    check_room(call, given).await?;
    let mut start = spec(given);
    start["ttlMs"] = TTL_MS.into();
    start["timeoutSec"] = 0.into();
    let started = without_input(call, start).await?;
    drop(starting);
    Ok(json!({
        "processId": started["sessionId"],
        "pid": started["pid"],
        "status": status(&started),
    }))
}

/// Runs a command to its end, or starts a process if that is asked for.
pub async fn command(call: &Call, shared: &Shared, given: &Arguments) -> Result {
    if given.get("runInBackground") == Some(&Value::Bool(true)) {
        return background(call, shared, given).await;
    }
    let mut start = spec(given);
    start["description"] = note::FOREGROUND.into();
    start["ttlMs"] = FOREGROUND_TTL_MS.into();
    start["timeoutMs"] = number(given, "timeout").unwrap_or(TIMEOUT_MS).into();
    let line = start["command"].clone();
    let started = without_input(call, start).await?;
    let of_session = json!({ "sessionId": started["sessionId"] });
    let until_end = json!({ "sessionId": started["sessionId"], "timeoutMs": WAIT_MS });
    while call.action("wait", until_end.clone()).await?["outcome"] == "timeout" {}
    let last = json!({ "sessionId": started["sessionId"], "maxChars": MAX_CHARS });
    let polled = call.action("poll", last).await?;
    let record = call.action("status", of_session).await?;
    let mut ran = json!({
        "stdout": polled["stdout"], "stderr": polled["stderr"],
        "exitCode": record["exitCode"],
        "success": record["exitCode"] == 0,
        "duration": record["runtimeMs"],
        "command": line,
    });
    if record["status"] == "timed_out" {
        ran["timedOut"] = true.into();
    }
    let omitted = polled["omitted"]["bytes"].as_u64();
    if let Some(bytes) = omitted.filter(|bytes| *bytes > 0) {
        ran["omittedBytes"] = bytes.into();
    }
    Ok(ran)
}

/// Starts a process that has no input, so that one that reads sees the end at once.
async fn without_input(call: &Call, start: Value) -> Result {
    let started = call.action("start", start).await?;
    let end = json!({ "sessionId": started["sessionId"], "eof": true });
    // It may have ended.
    let _ = call.action("write", end).await;
    Ok(started)
}

/// The parameters that both tools have. As in the original, the shell reads the arguments: they are joined
/// by spaces, and nothing is quoted. Only `bash -c` gets its arguments as they are.
fn spec(given: &Arguments) -> Value {
    let command = text(given, "command").unwrap_or_default();
    let args = given.get("args").and_then(Value::as_array);
    let args: Vec<&str> = args
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let is_script = command == "bash" && args.len() >= 2 && args[0] == "-c";
    let size = number(given, "bufferSize");
    let (line, direct, description) = if is_script {
        (command.to_owned(), Some(&args), note::write(size, &[]))
    } else {
        let words = std::iter::once(&command).chain(&args);
        let line = words.copied().collect::<Vec<&str>>().join(" ");
        (line, None, note::write(size, &args))
    };
    json!({
        "command": line,
        "args": direct,
        "group": text(given, "session").unwrap_or(DEFAULT),
        "cwd": given.get("cwd"),
        "env": given.get("env"),
        "description": description,
        "mode": "pipe",
        "background": true,
    })
}

/// Refuses a process that is too many in its session, or in all. One that has ended does not count.
async fn check_room(call: &Call, given: &Arguments) -> std::result::Result<(), Error> {
    let name = text(given, "session").unwrap_or(DEFAULT);
    let processes = all(call, false).await?;
    let running: Vec<&Value> = processes
        .iter()
        .filter(|process| is_running(process))
        .collect();
    let here = running
        .iter()
        .filter(|process| session_name(process) == name)
        .count();
    match (here, running.len()) {
        (PER_SESSION.., _) => Err(too_many(&format!("Session {name}"), PER_SESSION)),
        (_, IN_ALL..) => Err(too_many("The server", IN_ALL)),
        _ => Ok(()),
    }
}

fn too_many(which: &str, limit: usize) -> Error {
    let message = format!("{which} has {limit} running background processes, which is the limit");
    Error::new(ErrorCode::LimitExceeded, message).hint("kill_process ends one that is not needed")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_part_of_a_shell_line_except_for_bash_c() {
        for (given, line, args) in [
            (json!({"command": "a b"}), "a b", Value::Null),
            (
                json!({"command": "echo", "args": ["$HOME", "x y", "|", "cat"]}),
                "echo $HOME x y | cat",
                Value::Null,
            ),
            (
                json!({"command": "bash", "args": ["-c", "a; b"]}),
                "bash",
                json!(["-c", "a; b"]),
            ),
            (
                json!({"command": "bash", "args": ["-c"]}),
                "bash -c",
                Value::Null,
            ),
        ] {
            let spec = spec(given.as_object().unwrap());
            assert_eq!(
                (&spec["command"], &spec["args"]),
                (&json!(line), &args),
                "{given}"
            );
        }
    }
}
