//! The tools as clients see them.

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::mcp::toolset::{Effect, tool};

/// Instructions for the model.
pub const INSTRUCTIONS: &str = "spawn_process starts a command in the background; you are told when it has completed, so \
do not poll in a loop. tmux:true gives it a terminal for capture and send_keys, which a person can join with \
`bgproc attach HANDLE`. process lists, reads, types into and kills what was started.";

/// The tools.
pub fn tools() -> Vec<Tool> {
    let spawn = json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "minLength": 1, "description": "Shell command to run"},
            "workdir": {"type": "string", "description": "Working directory"},
            "wait": {"type": "boolean", "description": "Block until it completes and return its output (default false)"},
            "tmux": {"type": "boolean", "description": "Run it in a terminal that can be captured, typed into and attached to (default false)"},
            "label": {"type": "string", "description": "Human-readable name"},
            "timeout_seconds": {"type": "integer", "minimum": 1, "description": "Maximum runtime (default 1800)"},
        },
        "required": ["command"],
        "additionalProperties": false,
    });
    let spawned = json!({
        "type": "object",
        "properties": {
            "handle": {"type": "string"},
            "tmux_session": {"type": ["string", "null"], "description": "What `bgproc attach` takes"},
            "status": status_schema(),
            "pid": {"type": ["integer", "null"]},
            "exit_code": {"type": ["integer", "null"]},
            "output": {"type": "string"},
            "duration_seconds": {"type": "integer"},
            "log_path": {"type": "string"},
            "omitted_bytes": {"type": "integer", "description": "Output before `output`, which log_path has"},
        },
        "required": ["handle", "status"],
    });
    let process = json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["list", "status", "log", "capture", "send_keys", "write", "kill"]},
            "handle": {"type": "string", "description": "Which process; not for list"},
            "offset": {"type": "integer", "minimum": 0, "description": "log: first byte (default 0)"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1_048_576, "description": "log: bytes at most (default 65536)"},
            "keys": {"type": ["string", "array"], "items": {"type": "string"}, "description": "send_keys: as for tmux send-keys: each element is the name of a key, or text to type; a string is one element, followed by Enter"},
            "press_enter": {"type": "boolean", "description": "send_keys: Enter afterwards (default: true after a string, false after a list)"},
            "input": {"type": "string", "description": "write: text for its input; append \\n for Enter"},
        },
        "required": ["action"],
        "additionalProperties": false,
    });
    let processed = json!({
        "type": "object",
        "properties": {
            "processes": {"type": "array", "items": {"type": "object"}},
            "completions": {"type": "array", "items": {"type": "string"}},
            "completion": {"type": "string"},
            "handle": {"type": "string"},
            "status": status_schema(),
            "exit_code": {"type": ["integer", "null"]},
            "output": {"type": "string"},
            "screen": {"type": "string"},
            "bytes_written": {"type": "integer"},
        },
    });
    vec![
        tool(
            "spawn_process",
            "Start a background command.",
            Effect::Acts,
            spawn,
            spawned,
        ),
        tool(
            "process",
            "Interact with running processes: list, status, log, capture (screen; needs tmux), send_keys (needs tmux), write (stdin), kill.",
            Effect::Acts,
            process,
            processed,
        ),
    ]
}

fn status_schema() -> Value {
    json!({ "type": "string", "enum": ["running", "completed", "failed", "killed", "timed_out", "lost"] })
}
