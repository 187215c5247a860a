//! `list_processes`.

use serde_json::{Value, json};

use super::{Result, Shared, note, session_name, status, text, warnings};
use crate::mcp::call::{Arguments, Call};
use crate::protocol::Error;
use crate::protocol::bounds::ALL_SESSIONS;

/// Lines of `recentOutput`.
const RECENT: u64 = 10;

/// Every background process, oldest first.
pub async fn all(call: &Call, include_output: bool) -> std::result::Result<Vec<Value>, Error> {
    let list = json!({ "limit": ALL_SESSIONS, "includeOutput": include_output });
    let mut listed = call.action("list", list).await?;
    let Some(sessions) = listed["sessions"].as_array_mut().map(std::mem::take) else {
        return Ok(Vec::new());
    };
    let is_process = |session: &Value| session["description"] != note::FOREGROUND;
    Ok(sessions.into_iter().filter(is_process).collect())
}

/// Lists the processes of a session, or with a status, or all.
pub async fn list(call: &Call, shared: &Shared, given: &Arguments) -> Result {
    let all = all(call, false).await?;
    let warnings = warnings::of(call, &all).await?;
    let (name, state) = (text(given, "session"), text(given, "status"));
    let include_output = given.get("includeOutput") == Some(&Value::Bool(true));
    let is_wanted = |session: &&Value| {
        name.is_none_or(|name| name == session_name(session))
            && state.is_none_or(|state| state == status(session))
    };
    let mut processes = Vec::new();
    for session in all.iter().filter(is_wanted) {
        match process(call, shared, session, include_output).await {
            Ok(process) => processes.push(process),
            // It was removed meanwhile.
            Err(error) if error.code.is_gone() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(json!({ "processes": processes, "warnings": warnings }))
}

async fn process(call: &Call, shared: &Shared, session: &Value, include_output: bool) -> Result {
    let (command, args) = note::command(session);
    let total = shared.counts.count(call, session).await?;
    let mut process = json!({
        "id": session["sessionId"],
        "sessionName": session_name(session),
        "command": command,
        "args": args,
        "pid": session["pid"],
        "status": status(session),
        "exitCode": session["exitCode"],
        "startTime": session["createdAt"],
        "runtime": session["runtimeMs"],
        "outputLines": total.numbered,
        "cpuPercent": session["cpuPercent"],
        "memoryBytes": session["memoryBytes"],
    });
    if include_output {
        let size = RECENT.min(note::buffer_size(session));
        let recent = shared.counts.last(call, session, size).await?.lines;
        let recent: Vec<&str> = recent.iter().map(|line| line.text.as_str()).collect();
        process["recentOutput"] = json!(recent);
    }
    Ok(process)
}
