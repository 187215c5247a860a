//! What the .NET agent's documents say of its process tools.

use serde_json::{Value, json};

use crate::support::{Home, Mcp};

fn start(mcp: &mut Mcp, script: &str) -> Value {
    let start = json!({ "cmd": "bash", "args": ["-c", script] });
    mcp.call("process_start", start)["session_id"].take()
}

#[test]
fn process_read_returns_all_new_output_in_pages() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "dotnet", &[]);
    // A page of 262,144 bytes ends within a character.
    let script = "printf 'é%.0s' {1..200000}; printf x; printf 'é%.0s' {1..200000} >&2; read x";
    let id = start(&mut mcp, script);
    let all = json!({ "session_id": id, "all": true });
    mcp.until("process_read", &all, |read| {
        read["stderr"].as_str().unwrap().len() == 400_000
    });
    let new = json!({ "session_id": id });
    let (mut stdout, mut stderr, mut pages) = (String::new(), String::new(), 0);
    loop {
        let read = mcp.call("process_read", new.clone());
        assert!(read["omitted_bytes"].is_null(), "{read}");
        stdout += read["stdout"].as_str().unwrap();
        stderr += read["stderr"].as_str().unwrap();
        pages += 1;
        if read["more_bytes"].is_null() {
            break;
        }
    }
    assert_eq!(stdout, "é".repeat(200_000) + "x");
    assert_eq!(stderr, "é".repeat(200_000));
    assert_eq!(pages, 4);
    let read = mcp.call("process_read", new);
    assert_eq!((&read["stdout"], &read["stderr"]), (&json!(""), &json!("")));
}

#[test]
fn process_read_of_all_splits_no_character() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "dotnet", &[]);
    // A request for a part of the log has 1 MiB.
    let id = start(&mut mcp, "printf x; printf '€%.0s' {1..400000}; read x");
    let all = json!({ "session_id": id, "all": true });
    let expected = "x".to_owned() + &"€".repeat(400_000);
    mcp.until("process_read", &all, |read| {
        read["stdout"].as_str().unwrap() == expected
    });
}

#[test]
fn process_status_lists_active_sessions_only() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "dotnet", &[]);
    let ended = start(&mut mcp, "exit 3");
    let active = start(&mut mcp, "read x");
    let of_ended = json!({ "session_id": ended });
    let one = mcp.until("process_status", &of_ended, |one| {
        one["is_running"] == false
    });
    assert_eq!(one["exit_code"], 3);
    let list = mcp.call("process_status", json!({}));
    assert_eq!(list["session_count"], 1);
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(list["sessions"][0]["session_id"], active);
}

#[test]
fn a_process_that_was_killed_has_an_exit_code() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "dotnet", &[]);
    let id = start(&mut mcp, "read x");
    let stopped = mcp.call("process_stop", json!({ "session_id": id, "force": true }));
    assert_eq!(stopped["exit_code"], 137, "{stopped}");
}
