//! The background tools of the macOS Shell MCP server.
//!
//! The sessions of the original are groups here. A process has pipes, no input and no time limit.
//! `bufferSize` limits what `get_process_output` shows, not what is kept. It is stored in the session's
//! description ([`note`]), where a later server process finds it. Lines have the numbers of the original,
//! which does not count empty ones ([`lines`]).

pub mod catalog;
pub mod kill;
pub mod lines;
pub mod note;
pub mod output;
pub mod processes;
pub mod run;
pub mod sessions;
pub mod warnings;

use serde_json::Value;

use self::lines::LineCounts;
use super::names::Names;
use crate::mcp::call::{Arguments, Call, Done, Outcome};
use crate::protocol::{Error, Status};

/// Its names in errors.
pub const NAMES: Names = Names {
    parameters: &[
        ("sessionId", "processId"),
        ("group", "session"),
        ("stream", "type"),
        ("description", "bufferSize"),
        ("timeoutMs", "timeout"),
        ("waitMs", "timeout"),
    ],
    actions: &[
        ("start", "run_background"),
        ("kill", "kill_process"),
        ("clear", "clear_process_output"),
    ],
    session: "Process",
};

/// Largest number of running processes in a session, as in the original.
pub const PER_SESSION: usize = 50;

/// Largest number of running processes in all sessions, as in the original.
pub const IN_ALL: usize = 200;

/// The session of a process that names none.
const DEFAULT: &str = "default";

/// What the calls of one server share. Nothing is lost with it.
#[derive(Debug, Default)]
pub struct Shared {
    /// Held from the check of the limits to the start, so that no other start is between them.
    starting: tokio::sync::Mutex<()>,
    counts: LineCounts,
}

type Result = std::result::Result<Value, Error>;

/// Runs a tool.
pub async fn call(call: &Call, shared: &Shared, tool: &str, given: Arguments) -> Outcome {
    let result = match tool {
        "run_background" => run::background(call, shared, &given).await,
        "run_command" => run::command(call, shared, &given).await,
        "list_processes" => processes::list(call, shared, &given).await,
        "get_process_output" => output::get(call, shared, &given).await,
        "stream_process_output" => output::stream(call, shared, &given).await,
        "clear_process_output" => output::clear(call, &given).await,
        "list_shell_sessions" => sessions::list(call).await,
        "close_session" => sessions::close(call, &given).await,
        _ => kill::kill(call, &given).await,
    };
    result.map(Done::json)
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

/// Whether a process has not ended.
fn is_running(session: &Value) -> bool {
    let status = serde_json::from_value::<Status>(session["status"].clone());
    !status.is_ok_and(Status::is_finished)
}

/// The name of a process's session.
fn session_name(session: &Value) -> &str {
    session["group"].as_str().unwrap_or(DEFAULT)
}

/// A whole number among the arguments.
fn number(given: &Arguments, name: &str) -> Option<u64> {
    given.get(name).and_then(Value::as_u64)
}

/// A text among the arguments.
fn text<'a>(given: &'a Arguments, name: &str) -> Option<&'a str> {
    given.get(name).and_then(Value::as_str)
}
