//! What Duragent's documents say of `spawn_process` and `process`.

use serde_json::{Value, json};

use crate::support::{Home, Mcp, Terminal};

fn of(handle: &Value, action: &str) -> Value {
    json!({ "action": action, "handle": handle })
}

#[test]
fn send_keys_takes_lists_as_tmux_does() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "duragent", &[]);
    // `cat -v` shows what arrives.
    let command = "stty raw -echo; echo ready; cat -v";
    let spawned = mcp.call("spawn_process", json!({ "command": command, "tmux": true }));
    let handle = &spawned["handle"];
    mcp.until("process", &of(handle, "log"), |log| {
        log["output"].as_str().unwrap().contains("ready")
    });
    let mut keys = of(handle, "send_keys");
    keys["keys"] = json!(["Escape", ":wq", "Enter", "Return", "C-a", "Space", "x"]);
    assert_eq!(mcp.call("process", keys)["bytes_written"], 14);
    mcp.until("process", &of(handle, "log"), |log| {
        log["output"]
            .as_str()
            .unwrap()
            .contains("^[:wq^MReturn^A x")
    });
}

#[test]
fn log_path_is_always_there_and_names_the_log() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "duragent", &[]);
    for (command, written) in [
        ("echo short".to_owned(), "short\n".to_owned()),
        ("true".to_owned(), String::new()),
        (
            "seq 1 5000".to_owned(),
            (1..=5000).map(|n| format!("{n}\n")).collect(),
        ),
    ] {
        let waited = mcp.call("spawn_process", json!({ "command": command, "wait": true }));
        let path = waited["log_path"].as_str().unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), written, "{command}");
        let status = mcp.call("process", of(&waited["handle"], "status"));
        assert_eq!(status["log_path"], path);
    }
    let spawned = mcp.call("spawn_process", json!({ "command": "cat", "tmux": true }));
    let listed = mcp.call("process", json!({ "action": "list" }));
    let listed = listed["processes"].as_array().unwrap();
    assert_eq!(listed.len(), 4);
    for process in listed {
        assert!(
            std::path::Path::new(process["log_path"].as_str().unwrap()).is_file(),
            "{process}"
        );
    }
    assert_eq!(listed[3]["log_path"], spawned["log_path"]);
}

#[test]
fn wait_marks_what_it_leaves_out() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "duragent", &[]);
    let long = "head -c 262244 /dev/zero | tr '\\0' x";
    let waited = mcp.call("spawn_process", json!({ "command": long, "wait": true }));
    assert_eq!(waited["output"].as_str().unwrap().len(), 262_144);
    assert_eq!(waited["omitted_bytes"], 100);
    let file = std::fs::metadata(waited["log_path"].as_str().unwrap()).unwrap();
    assert_eq!(file.len(), 262_244);
    let short = mcp.call(
        "spawn_process",
        json!({ "command": "echo hi", "wait": true }),
    );
    assert!(short["omitted_bytes"].is_null(), "{short}");
}

#[test]
fn tmux_session_is_what_attach_takes() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "duragent", &[]);
    let spawned = mcp.call(
        "spawn_process",
        json!({ "command": "echo hello from inside; cat", "tmux": true, "label": "build" }),
    );
    let target = spawned["tmux_session"].as_str().unwrap();
    let mut person = Terminal::new(&home, &["attach", target], (80, 24));
    person.wait_for_text("hello from inside");
    let status = mcp.call("process", of(&spawned["handle"], "status"));
    assert_eq!(status["tmux_session"], target);
}

#[test]
fn pages_of_the_log_split_no_character() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "duragent", &[]);
    let spawn = json!({ "command": "printf 'aé€🦀z'", "wait": true });
    let handle = mcp.call("spawn_process", spawn)["handle"].take();
    let mut read = String::new();
    for offset in [0, 4, 8] {
        let mut page = of(&handle, "log");
        page["offset"] = offset.into();
        page["limit"] = 4.into();
        read += mcp.call("process", page)["output"].as_str().unwrap();
    }
    assert_eq!(read, "aé€🦀z");
}
