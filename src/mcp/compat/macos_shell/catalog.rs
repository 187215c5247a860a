//! The tools as clients see them.

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::mcp::toolset::{Effect, takes, tool};

/// Instructions for the model.
pub const INSTRUCTIONS: &str = "run_background starts a command that goes on by itself; list_processes, \
get_process_output, stream_process_output and kill_process manage what was started. Sessions group processes; \
close_session ends one.";

/// The tools.
pub fn tools() -> Vec<Tool> {
    let mut tools = processes();
    tools.extend(commands());
    tools.extend(sessions());
    tools
}

fn statuses() -> Value {
    json!({"type": "string", "enum": ["starting", "running", "stopped", "failed", "killed"]})
}

/// The schema of a result that always has these properties.
fn result(properties: Value) -> Value {
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(|p| p.keys())
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn line() -> Value {
    result(json!({
        "timestamp": {"type": ["string", "null"]}, "type": {"type": "string"},
        "content": {"type": "string"}, "lineNumber": {"type": "integer"},
    }))
}

/// The tools of the original's first version.
fn processes() -> Vec<Tool> {
    let statuses = statuses();
    vec![
        tool(
            "run_background",
            "Start a command in the background and return immediately.",
            Effect::Acts,
            runs(json!({
                "bufferSize": {"type": "integer", "minimum": 1, "description": "Max output lines to buffer (default: 300)"},
            })),
            result(json!({
                "processId": {"type": "string"}, "pid": {"type": ["integer", "null"]}, "status": statuses,
            })),
        ),
        tool(
            "list_processes",
            "List all background processes, optionally filtered by session or status.",
            Effect::Reads,
            takes(
                json!({
                    "session": {"type": "string", "description": "Filter by session"},
                    "status": statuses,
                    "includeOutput": {"type": "boolean", "description": "Include recent output (default: false)"},
                }),
                json!([]),
            ),
            result(
                json!({ "warnings": {"type": "array", "items": {"type": "string"}}, "processes": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"}, "sessionName": {"type": "string"}, "command": {"type": "string"},
                    "args": {"type": "array", "items": {"type": "string"}}, "pid": {"type": ["integer", "null"]},
                    "status": statuses, "startTime": {"type": "string"}, "runtime": {"type": "integer"},
                    "exitCode": {"type": ["integer", "null"]}, "outputLines": {"type": "integer"},
                    "cpuPercent": {"type": ["number", "null"]}, "memoryBytes": {"type": ["integer", "null"]},
                    "recentOutput": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["id", "sessionName", "command", "args", "pid", "status", "startTime", "runtime", "outputLines"],
            }} }),
            ),
        ),
        tool(
            "get_process_output",
            "Retrieve buffered output from a background process.",
            Effect::Reads,
            takes(
                json!({
                    "processId": {"type": "string", "description": "Background process ID"},
                    "lines": {"type": "integer", "minimum": 1, "description": "Number of lines to retrieve (default: 100)"},
                    "fromLine": {"type": "integer", "minimum": 0, "description": "Start from specific line number"},
                    "type": {"type": "string", "enum": ["all", "stdout", "stderr"], "description": "Filter by output type"},
                }),
                json!(["processId"]),
            ),
            result(json!({
                "processId": {"type": "string"}, "status": statuses, "totalLines": {"type": "integer"},
                "requestedLines": {"type": "integer"},
                "output": {"type": "array", "items": line()},
            })),
        ),
        tool(
            "kill_process",
            "Send a signal to a background process, and nothing more: one that ignores it goes on.",
            Effect::Ends,
            takes(
                json!({
                    "processId": {"type": "string", "description": "Background process ID"},
                    "signal": {"type": "string", "description": "Signal to send (default: \"SIGTERM\")"},
                    "force": {"type": "boolean", "description": "Use SIGKILL if true"},
                }),
                json!(["processId"]),
            ),
            result(json!({
                "processId": {"type": "string"}, "previousStatus": statuses, "newStatus": statuses,
                "killed": {"type": "boolean"},
            })),
        ),
    ]
}

/// Tools of later versions, about one command or its output.
fn commands() -> Vec<Tool> {
    vec![
        tool(
            "run_command",
            "Run a command and return its output. With runInBackground:true, the same as run_background.",
            Effect::Acts,
            runs(json!({
                "timeout": {"type": "integer", "minimum": 1, "description": "Milliseconds until it is ended (default: 30000); not in the background"},
                "runInBackground": {"type": "boolean", "description": "Start it in the background (default: false)"},
            })),
            json!({
                "type": "object",
                "properties": {
                    "stdout": {"type": "string"}, "stderr": {"type": "string"},
                    "exitCode": {"type": ["integer", "null"]}, "success": {"type": "boolean"},
                    "duration": {"type": "integer"}, "command": {"type": "string"},
                    "timedOut": {"type": "boolean"}, "omittedBytes": {"type": "integer"},
                    "processId": {"type": "string"}, "pid": {"type": ["integer", "null"]},
                    "status": statuses(),
                },
            }),
        ),
        tool(
            "stream_process_output",
            "Wait for new lines of a background process and return them. Continue with afterLine: lastLine.",
            Effect::Reads,
            takes(
                json!({
                    "processId": {"type": "string", "description": "Background process ID"},
                    "afterLine": {"type": "integer", "minimum": 0, "description": "Return lines after this number (default: 0)"},
                    "timeout": {"type": "integer", "minimum": 0, "description": "Milliseconds to wait for new lines (default: 30000, at most 600000)"},
                    "maxLines": {"type": "integer", "minimum": 1, "description": "Number of lines at most (default: 100)"},
                }),
                json!(["processId"]),
            ),
            result(json!({
                "processId": {"type": "string"}, "status": statuses(), "totalLines": {"type": "integer"},
                "missedLines": {"type": "integer", "description": "New lines that the buffer no longer has"},
                "lastLine": {"type": "integer"}, "hasMore": {"type": "boolean"},
                "output": {"type": "array", "items": line()},
            })),
        ),
        tool(
            "clear_process_output",
            "Drop the output of a background process so far. Line numbers continue.",
            Effect::Ends,
            takes(
                json!({ "processId": {"type": "string", "description": "Background process ID"} }),
                json!(["processId"]),
            ),
            result(json!({ "processId": {"type": "string"}, "clearedBytes": {"type": "integer"} })),
        ),
    ]
}

/// Tools for sessions.
fn sessions() -> Vec<Tool> {
    vec![
        tool(
            "list_shell_sessions",
            "List the sessions, with the number of their background processes and what these use.",
            Effect::Reads,
            takes(json!({}), json!([])),
            result(
                json!({ "sessions": {"type": "array", "items": result(json!({
                "name": {"type": "string"}, "backgroundProcesses": {"type": "integer"},
                "runningProcesses": {"type": "integer"}, "cpuPercent": {"type": "number"},
                "memoryBytes": {"type": "integer"}, "outputBytes": {"type": "integer"},
            }))} }),
            ),
        ),
        tool(
            "close_session",
            "Close a session and forget its ended processes. If some are running, say what becomes of them; otherwise nothing is done and their number is returned.",
            Effect::Ends,
            takes(
                json!({
                    "session": {"type": "string", "description": "Session name"},
                    "processes": {"type": "string", "enum": ["kill", "transfer"], "description": "Kill running processes, or move them to the default session"},
                }),
                json!(["session"]),
            ),
            result(json!({
                "session": {"type": "string"}, "closed": {"type": "boolean"},
                "runningProcesses": {"type": "integer"}, "endedProcesses": {"type": "integer"},
                "killed": {"type": "integer"}, "transferred": {"type": "integer"},
                "message": {"type": "string"},
            })),
        ),
    ]
}

/// The arguments of a tool that runs a command: the common ones, and `more`.
fn runs(more: Value) -> Value {
    let mut properties = json!({
        "command": {"type": "string", "minLength": 1, "description": "Command to execute"},
        "args": {"type": "array", "items": {"type": "string"}, "description": "Command arguments, which the shell reads"},
        "session": {"type": "string", "description": "Session name (default: \"default\")"},
        "cwd": {"type": "string", "description": "Working directory override"},
        "env": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Environment variables"},
    });
    for (name, schema) in more.as_object().into_iter().flatten() {
        properties[name] = schema.clone();
    }
    takes(properties, json!(["command"]))
}
