//! A job record for tests.

use serde_json::json;

use crate::protocol::{Record, Status};

/// A job whose id is `id`, padded with zeros to twelve characters.
pub(in crate::cli) fn record(id: &str, label: Option<&str>, status: Status) -> Record {
    let text = r#"{"group": null, "command": "x", "args": null, "cwd": "/", "mode": "pty",
        "rows": 40, "cols": 120, "pid": null, "exitCode": null, "signal": null,
        "createdAt": "2026-11-21T20:00:00.000Z", "endedAt": null, "runtimeMs": 0,
        "lastAccessedAt": "2026-11-21T20:00:00.000Z", "lastOutputAt": null, "idleMs": null,
        "inputState": "unknown", "ready": null, "title": null, "outputBytes": 0,
        "outputLines": 0, "offloaded": false, "outputFile": null, "cpuPercent": null,
        "memoryBytes": null, "restarts": 0, "heldBy": null, "share": "none", "keep": false,
        "scope": "human", "reason": null, "endedBy": null, "unreadInputBytes": null,
        "altScreen": false, "foreground": null, "droppedBytes": 0, "processes": null,
        "viewers": 0, "ttyOpen": true, "logDegraded": null, "description": null}"#;
    let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
    value["sessionId"] = format!("{id:0<12}").into();
    value["label"] = json!(label);
    value["status"] = json!(status);
    serde_json::from_value(value).unwrap()
}
