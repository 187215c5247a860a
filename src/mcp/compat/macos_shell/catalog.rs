//! The tools as clients see them.

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::mcp::toolset::{Effect, takes, tool};

/// Instructions for the model.
pub const INSTRUCTIONS: &str = "run_background starts a command that goes on by itself; list_processes, \
get_process_output and kill_process manage what was started.";

/// The tools.
pub fn tools() -> Vec<Tool> {
    let statuses =
        json!({"type": "string", "enum": ["starting", "running", "stopped", "failed", "killed"]});
    let result = |properties: Value| {
        let required: Vec<&String> = properties
            .as_object()
            .into_iter()
            .flat_map(|p| p.keys())
            .collect();
        json!({ "type": "object", "properties": properties, "required": required })
    };
    vec![
        tool(
            "run_background",
            "Start a command in the background and return immediately.",
            Effect::Acts,
            takes(
                json!({
                    "command": {"type": "string", "minLength": 1, "description": "Command to execute"},
                    "args": {"type": "array", "items": {"type": "string"}, "description": "Command arguments"},
                    "session": {"type": "string", "description": "Session name (default: \"default\")"},
                    "cwd": {"type": "string", "description": "Working directory override"},
                    "env": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Environment variables"},
                    "bufferSize": {"type": "integer", "minimum": 1, "description": "Max output lines to buffer (default: 300)"},
                }),
                json!(["command"]),
            ),
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
            result(json!({ "processes": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"}, "sessionName": {"type": "string"}, "command": {"type": "string"},
                    "args": {"type": "array", "items": {"type": "string"}}, "pid": {"type": ["integer", "null"]},
                    "status": statuses, "startTime": {"type": "string"}, "runtime": {"type": "integer"},
                    "outputLines": {"type": "integer"},
                    "recentOutput": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["id", "sessionName", "command", "args", "pid", "status", "startTime", "runtime", "outputLines"],
            }} })),
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
                "output": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "timestamp": {"type": ["string", "null"]}, "type": {"type": "string"},
                        "content": {"type": "string"}, "lineNumber": {"type": "integer"},
                    },
                    "required": ["timestamp", "type", "content", "lineNumber"],
                }},
            })),
        ),
        tool(
            "kill_process",
            "Send a signal to a background process.",
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
