//! The tools as clients see them.

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::mcp::toolset::{Effect, tool};

/// Instructions for the model.
pub const INSTRUCTIONS: &str = "execute_command runs a shell command; one that is not done within yieldMs, or that was \
started with background:true, goes on as a session. process looks at sessions (list, poll, log), \
types into them (write) and ends them (kill, clear, remove).";

/// The tools.
pub fn tools() -> Vec<Tool> {
    let run = json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "minLength": 1, "description": "Shell command to execute"},
            "timeout": {"type": "number", "minimum": 100, "description": "Milliseconds until it is ended (default 1800000)"},
            "description": {"type": "string", "minLength": 5, "maxLength": 100, "description": "What the command does, in 5 to 100 characters"},
            "background": {"type": "boolean", "description": "Return immediately with a sessionId"},
            "yieldMs": {"type": "number", "minimum": 100, "description": "Milliseconds to wait before it goes on in the background (default 10000, at most 600000)"},
        },
        "required": ["command", "description"],
        "additionalProperties": false,
    });
    let ran = json!({
        "type": "object",
        "properties": {
            "status": status_schema(),
            "sessionId": {"type": "string"},
            "output": {"type": "string"},
            "exitCode": {"type": "integer"},
            "offloaded": {"type": "boolean"},
            "outputFilePath": path_schema(),
        },
        "required": ["status", "sessionId"],
    });
    let process = json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["list", "poll", "log", "write", "kill", "clear", "remove"]},
            "sessionId": {"type": "string", "description": "Which session; not for list"},
            "offset": {"type": "integer", "minimum": 0, "description": "log: first byte (default 0)"},
            "limit": {"type": "integer", "minimum": 1, "description": "log: bytes at most (default 65536); the next page starts at nextOffset"},
            "data": {"type": "string", "description": "write: text for its stdin"},
            "eof": {"type": "boolean", "description": "write: close stdin afterwards"},
        },
        "required": ["action"],
        "additionalProperties": false,
    });
    let processed = json!({
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": ["ok", "running", "done", "error", "killed"]},
            "sessionId": {"type": "string"},
            "output": {"type": "string"},
            "exitCode": {"type": "integer"},
            "offloaded": {"type": "boolean"},
            "outputFilePath": path_schema(),
            "offset": {"type": "integer"},
            "nextOffset": {"type": "integer"},
            "totalLength": {"type": "integer"},
            "sessions": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "sessionId": {"type": "string"},
                    "command": {"type": "string"},
                    "status": status_schema(),
                    "createdAt": {"type": "integer"},
                    "lastAccessedAt": {"type": "integer"},
                    "pid": {"type": "integer"},
                    "exitCode": {"type": "integer"},
                    "outputLength": {"type": "integer"},
                    "offloaded": {"type": "boolean"},
                    "outputFilePath": path_schema(),
                },
                "required": ["sessionId", "command", "status", "createdAt", "lastAccessedAt", "outputLength", "offloaded"],
            }},
        },
        "required": ["status"],
    });
    vec![
        tool(
            "execute_command",
            "Execute a shell command. With background:true, or if it takes longer than yieldMs, it goes on in a session that `process` manages.",
            Effect::Acts,
            run,
            ran,
        ),
        tool(
            "process",
            "Manage background sessions: list, poll (recent output and status), log (output by offset and limit; long output is also in the file outputFilePath), write (stdin), kill, clear (drop output), remove.",
            Effect::Acts,
            process,
            processed,
        ),
    ]
}

fn path_schema() -> Value {
    json!({ "type": ["string", "null"], "description": "File with the output, if it is offloaded" })
}

fn status_schema() -> Value {
    json!({ "type": "string", "enum": ["running", "done", "error", "killed"] })
}
