//! Errors name the parameters that the caller used, and not those of the protocol.

use serde_json::{Value, json};

use crate::support::{Home, Mcp};

/// Names of the protocol that no set has.
const OURS: [&str; 6] = [
    "`sessionId`",
    "`timeoutMs`",
    "`timeoutSec`",
    "`waitMs`",
    "`group`",
    "`cwd`",
];

/// What a call is refused with, in one line.
fn said(mcp: &mut Mcp, tool: &str, arguments: Value) -> String {
    let said = mcp.fails(tool, arguments);
    for ours in OURS {
        assert!(!said.contains(ours), "{said}");
    }
    said
}

#[test]
fn deepchat_errors_use_its_names() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "deepchat", &["--max-sessions", "1"]);
    let run =
        |command: &str| json!({ "command": command, "description": "a test", "background": true });
    let nul = said(&mut mcp, "execute_command", run("a\0b"));
    assert_eq!(nul, "`command` contains a NUL character");
    let id = mcp.call("execute_command", run("cat"))["sessionId"].clone();
    let full = said(&mut mcp, "execute_command", run("cat"));
    assert!(full.contains("hint: `kill` one"), "{full}");
    mcp.call("process", json!({ "action": "kill", "sessionId": id }));
    let ended = json!({ "action": "write", "sessionId": id, "data": "x" });
    let expected = format!("Session {} is not running", id.as_str().unwrap());
    assert_eq!(said(&mut mcp, "process", ended), expected);
}

#[test]
fn dotnet_errors_use_its_names() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "dotnet", &[]);
    let error = |mcp: &mut Mcp, tool: &str, arguments: Value| {
        let said: Value = serde_json::from_str(&said(mcp, tool, arguments)).unwrap();
        assert_eq!(said["success"], false);
        said["error"].as_str().unwrap().to_owned()
    };
    for (given, expected) in [
        (json!({ "cmd": "  " }), "`cmd` is empty"),
        (json!({ "cmd": "a\0b" }), "`cmd` contains a NUL character"),
        (
            json!({ "cmd": "ls", "args": ["\0"] }),
            "`args` contains a NUL character",
        ),
    ] {
        assert_eq!(error(&mut mcp, "process_start", given), expected);
    }
    // A program that has the name of an action of ours, and advice that nobody here can follow.
    let refused = error(&mut mcp, "process_start", json!({ "cmd": "kill" }));
    assert!(
        refused.starts_with("`kill` is not allowed here; allowed: dotnet,"),
        "{refused}"
    );
    assert!(!refused.contains("hint"), "{refused}");
    let unknown = error(&mut mcp, "process_read", json!({ "session_id": "X" }));
    assert_eq!(unknown, "Session X not found");
}

#[test]
fn duragent_errors_use_its_names() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "duragent", &[]);
    for (given, expected) in [
        (
            json!({ "command": "x", "workdir": "a\0b" }),
            "`workdir` contains a NUL character",
        ),
        (
            json!({ "command": "x", "label": "a\nb" }),
            "`label` has control characters",
        ),
    ] {
        assert_eq!(said(&mut mcp, "spawn_process", given), expected);
    }
    let unknown = json!({ "action": "status", "handle": "X" });
    assert_eq!(said(&mut mcp, "process", unknown), "Process X not found");
}

#[test]
fn macos_shell_errors_use_its_names() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let long = "x".repeat(1000);
    let control = json!({ "command": "x", "session": "a\nb" });
    assert_eq!(
        said(&mut mcp, "run_background", control),
        "`session` has control characters"
    );
    let long = said(
        &mut mcp,
        "run_background",
        json!({ "command": "x", "session": long }),
    );
    assert!(long.starts_with("`session` has at most"), "{long}");
    for tool in [
        "get_process_output",
        "stream_process_output",
        "clear_process_output",
        "kill_process",
    ] {
        let unknown = said(&mut mcp, tool, json!({ "processId": "X" }));
        assert_eq!(unknown, "Process X not found", "{tool}");
    }
    let id = mcp.call("run_background", json!({ "command": "sleep 1000" }))["processId"].clone();
    let signal = json!({ "processId": id, "signal": "SIGTREM" });
    let signal = said(&mut mcp, "kill_process", signal);
    assert_eq!(
        signal,
        "`signal`: `SIGTREM` is not a signal\nhint: did you mean `TERM`?"
    );
}
