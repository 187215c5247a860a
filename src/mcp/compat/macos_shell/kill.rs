//! `kill_process`: sends a signal, and does nothing else.

use serde_json::{Value, json};

use super::{Result, is_running, status, text};
use crate::mcp::call::{Arguments, Call};
use crate::protocol::ErrorCode;

/// How long to wait for the end of a process after a signal, in milliseconds. After one whose purpose is
/// to end it, longer.
const EXIT_MS: u64 = 500;
const ENDING_MS: u64 = 2000;

/// Signals whose purpose is to end a process.
const ENDING: [&str; 6] = ["TERM", "KILL", "INT", "QUIT", "HUP", "ABRT"];

/// Sends a signal to the processes of the tree, and waits briefly for their end.
pub async fn kill(call: &Call, given: &Arguments) -> Result {
    let id = &given["processId"];
    let signal = match given.get("force") {
        Some(Value::Bool(true)) => "SIGKILL",
        _ => text(given, "signal").unwrap_or("SIGTERM"),
    };
    let of_session = json!({ "sessionId": id });
    let before = call.action("status", of_session.clone()).await?;
    let send = json!({ "sessionId": id, "signal": signal, "target": "tree" });
    match call.action("signal", send).await {
        // Killing what has ended is no error.
        Err(error) if error.code == ErrorCode::SessionNotRunning => {}
        Err(error) => return Err(error),
        Ok(_) => {
            let name = signal.to_ascii_uppercase();
            let timeout = if ENDING.contains(&name.trim_start_matches("SIG")) {
                ENDING_MS
            } else {
                EXIT_MS
            };
            let until_end = json!({ "sessionId": id, "timeoutMs": timeout });
            call.action("wait", until_end).await?;
        }
    }
    let after = call.action("status", of_session).await?;
    Ok(json!({
        "processId": id,
        "previousStatus": status(&before),
        "newStatus": status(&after),
        "killed": is_running(&before) && !is_running(&after),
    }))
}
