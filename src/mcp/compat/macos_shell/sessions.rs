//! `list_shell_sessions` and `close_session`. A session exists while it has processes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::processes::all;
use super::{DEFAULT, PER_SESSION, Result, is_running, session_name, text};
use crate::mcp::call::{Arguments, Call};
use crate::protocol::Error;

/// Lists the sessions, with what their processes use.
pub async fn list(call: &Call) -> Result {
    let processes = all(call, false).await?;
    let mut sessions: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    sessions.insert(DEFAULT, Vec::new());
    for process in &processes {
        sessions
            .entry(session_name(process))
            .or_default()
            .push(process);
    }
    let sessions: Vec<Value> = sessions
        .iter()
        .map(|(name, of)| session(name, of))
        .collect();
    Ok(json!({ "sessions": sessions }))
}

fn session(name: &str, processes: &[&Value]) -> Value {
    let sum = |field: &str| -> f64 { processes.iter().filter_map(|of| of[field].as_f64()).sum() };
    let bytes = |field: &str| -> u64 { processes.iter().filter_map(|of| of[field].as_u64()).sum() };
    json!({
        "name": name,
        "backgroundProcesses": processes.len(),
        "runningProcesses": processes.iter().filter(|process| is_running(process)).count(),
        "cpuPercent": sum("cpuPercent"),
        "memoryBytes": bytes("memoryBytes"),
        "outputBytes": bytes("outputBytes").saturating_sub(bytes("droppedBytes")),
    })
}

/// Closes a session. While processes run in it, the caller has to say what becomes of them.
pub async fn close(call: &Call, given: &Arguments) -> Result {
    let name = text(given, "session").unwrap_or_default();
    if name == DEFAULT {
        return Err(Error::invalid(
            "`session`: the default session cannot be closed",
        ));
    }
    let processes = all(call, false).await?;
    let is_here = |process: &&Value| session_name(process) == name;
    let (running, ended): (Vec<&Value>, Vec<&Value>) = processes
        .iter()
        .filter(is_here)
        .partition(|process| is_running(process));
    if running.is_empty() && ended.is_empty() {
        return Err(Error::invalid(format!("Session '{name}' not found")));
    }
    let mut closed = json!({
        "session": name, "closed": true,
        "runningProcesses": running.len(), "endedProcesses": ended.len(),
        "killed": 0, "transferred": 0,
    });
    match text(given, "processes") {
        Some("kill") => closed["killed"] = remove(call, &running).await?.into(),
        Some(_) => {
            check_room(&processes, running.len())?;
            for process in &running {
                let set = json!({ "sessionId": process["sessionId"], "group": DEFAULT });
                call.action("set", set).await?;
            }
            closed["transferred"] = running.len().into();
        }
        None if running.is_empty() => {}
        None => {
            closed["closed"] = false.into();
            closed["message"] = format!(
                "{} background processes are running in session '{name}'. Close it with \
                 processes: \"kill\", or with \"transfer\" to move them to the default session",
                running.len()
            )
            .into();
            return Ok(closed);
        }
    }
    remove(call, &ended).await?;
    closed["message"] = format!("Session '{name}' closed").into();
    Ok(closed)
}

/// Refuses a transfer that would exceed the limit of the default session.
fn check_room(processes: &[Value], coming: usize) -> std::result::Result<(), Error> {
    let is_default = |process: &&Value| is_running(process) && session_name(process) == DEFAULT;
    let there = processes.iter().filter(is_default).count();
    if there + coming <= PER_SESSION {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "`processes`: the default session has {there} running processes, and at most {PER_SESSION}"
        )))
    }
}

/// Ends and removes processes. Returns how many of them there were.
async fn remove(call: &Call, processes: &[&Value]) -> std::result::Result<usize, Error> {
    let ids: Vec<&Value> = processes
        .iter()
        .map(|process| &process["sessionId"])
        .collect();
    if !ids.is_empty() {
        let kill = json!({ "sessionIds": ids, "remove": true });
        call.action("kill", kill).await?;
    }
    Ok(ids.len())
}
