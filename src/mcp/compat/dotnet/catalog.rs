//! The tools as clients see them.

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::mcp::toolset::{Effect, takes, tool};

/// Instructions for the model.
pub const INSTRUCTIONS: &str = "process_start runs an allowed program in the background; process_read returns what it \
has written since the last read, process_write types into its stdin, process_stop ends and removes it.";

/// The programs that may be started if the server is started without `--allow`.
pub const ALLOWED: [&str; 34] = [
    // Build tools.
    "dotnet",
    "npm",
    "npx",
    "node",
    "yarn",
    "pnpm",
    "cargo",
    "rustc",
    "go",
    "python",
    "python3",
    "pip",
    "pip3",
    "make",
    "cmake",
    "gradle",
    "mvn",
    // Version control.
    "git",
    "svn",
    // Shells.
    "bash",
    "sh",
    "powershell",
    "pwsh",
    "cmd",
    // Utilities.
    "cat",
    "head",
    "tail",
    "grep",
    "find",
    "ls",
    "dir",
    "tree",
    "curl",
    "wget",
];

/// The tools.
pub fn tools() -> Vec<Tool> {
    let session = json!({"type": "string", "description": "Session ID from process_start"});
    // A failed result has only `success` and `error`.
    let result = |properties: Value| {
        let mut schema =
            json!({ "type": "object", "properties": properties, "required": ["success"] });
        schema["properties"]["success"] = json!({"type": "boolean"});
        schema["properties"]["error"] = json!({"type": "string"});
        schema
    };
    vec![
        tool(
            "process_start",
            "Start a background process that continues running independently.",
            Effect::Acts,
            takes(
                json!({
                    "cmd": {"type": "string", "minLength": 1, "description": "Command to run (must be in the allowed list)"},
                    "args": {"type": "array", "items": {"type": "string"}, "description": "Command arguments"},
                    "cwd": {"type": "string", "description": "Working directory (defaults to the project directory)"},
                }),
                json!(["cmd"]),
            ),
            result(json!({
                "session_id": {"type": "string"}, "pid": {"type": ["integer", "null"]}, "command": {"type": "string"},
                "arguments": {"type": "array", "items": {"type": "string"}},
                "working_directory": {"type": "string"}, "started_at": {"type": "string"},
            })),
        ),
        tool(
            "process_read",
            "Read stdout/stderr output from a background process. Long output comes in pages: while more_bytes is present, read again.",
            Effect::Reads,
            takes(
                json!({
                    "session_id": session,
                    "all": {"type": "boolean", "description": "If true, read all output from the beginning (default: only new output)"},
                    "wait_ms": {"type": "integer", "minimum": 0, "maximum": 30000, "description": "Wait this many ms before reading (max 30000)"},
                }),
                json!(["session_id"]),
            ),
            result(json!({
                "session_id": {"type": "string"}, "is_running": {"type": "boolean"}, "exit_code": {"type": ["integer", "null"]},
                "stdout": {"type": "string"}, "stderr": {"type": "string"}, "omitted_bytes": {"type": "integer"},
                "more_bytes": {"type": "integer", "description": "Output that the next read returns"},
            })),
        ),
        tool(
            "process_write",
            "Write input to a background process's stdin.",
            Effect::Acts,
            takes(
                json!({
                    "session_id": session,
                    "input": {"type": "string", "description": "Text to send to the process"},
                    "no_newline": {"type": "boolean", "description": "If true, don't append a newline after the input"},
                }),
                json!(["session_id", "input"]),
            ),
            result(
                json!({ "session_id": {"type": "string"}, "bytes_written": {"type": "integer"} }),
            ),
        ),
        tool(
            "process_status",
            "Get status of a specific session or list all active sessions.",
            Effect::Reads,
            takes(
                json!({ "session_id": {"type": "string", "description": "Session ID to check (omit to list all sessions)"} }),
                json!([]),
            ),
            result(json!({
                "session_id": {"type": "string"}, "pid": {"type": ["integer", "null"]}, "command": {"type": "string"},
                "arguments": {"type": "array", "items": {"type": "string"}}, "working_directory": {"type": "string"},
                "is_running": {"type": "boolean"}, "exit_code": {"type": ["integer", "null"]},
                "started_at": {"type": "string"}, "runtime_seconds": {"type": "number"},
                "session_count": {"type": "integer"}, "sessions": {"type": "array", "items": {"type": "object"}},
            })),
        ),
        tool(
            "process_stop",
            "Stop a background process and remove its session.",
            Effect::Ends,
            takes(
                json!({
                    "session_id": {"type": "string", "description": "Session ID to stop"},
                    "force": {"type": "boolean", "description": "If true, force kill immediately without graceful shutdown"},
                }),
                json!(["session_id"]),
            ),
            result(json!({
                "session_id": {"type": "string"}, "exit_code": {"type": ["integer", "null"]},
                "final_stdout": {"type": "string"}, "final_stderr": {"type": "string"}, "message": {"type": "string"},
                "omitted_bytes": {"type": "integer"},
            })),
        ),
    ]
}
