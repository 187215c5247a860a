//! `bgproc mcp` with the tools of the programs that it can stand in for. Here each set is used as its
//! documents show it; the modules hold what they say beside, a test for each statement.

mod deepchat;
mod dotnet;
mod duragent;
mod errors;
mod macos_shell;

use serde_json::{Value, json};

use crate::support::{Home, Mcp};

/// What a model reads is the JSON of the structured content.
#[track_caller]
fn same_text(result: &Value) {
    let text = result["content"][0]["text"].as_str().unwrap();
    let text: Value = serde_json::from_str(text).unwrap();
    assert_eq!(text, result["structuredContent"]);
}

#[test]
fn deepchat_runs_in_the_foreground_and_in_the_background() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "deepchat", &[]);
    let run = |command: &str| json!({ "command": command, "description": "a test" });
    let result = mcp.result("execute_command", run("echo out; echo err >&2; exit 3"));
    same_text(&result);
    let ran = &result["structuredContent"];
    assert_eq!(
        (&ran["status"], &ran["exitCode"]),
        (&json!("error"), &json!(3))
    );
    assert_eq!(ran["output"], "out\nerr\n");

    let mut background = run("while read x; do echo got $x; done");
    background["background"] = true.into();
    let started = mcp.call("execute_command", background);
    let id = started["sessionId"].clone();
    assert_eq!(started, json!({ "status": "running", "sessionId": id }));
    let of = |action: &str| json!({ "action": action, "sessionId": id });
    let mut write = of("write");
    write["data"] = "hello\n".into();
    assert_eq!(
        mcp.call("process", write.clone()),
        json!({ "status": "ok", "sessionId": id })
    );
    write["eof"] = true.into();
    mcp.call("process", write.clone());
    let said = mcp.fails("process", write.clone());
    let expected = ["stdin is not available", "is not running"];
    assert!(
        expected
            .iter()
            .any(|end| said == format!("Session {} {end}", id.as_str().unwrap())),
        "{said}"
    );
    mcp.until("process", &of("poll"), |polled| polled["status"] == "done");
    // Killing what has ended is nothing, twice.
    for _ in 0..2 {
        assert_eq!(mcp.call("process", of("kill"))["status"], "ok");
    }
    let log = mcp.call(
        "process",
        json!({ "action": "log", "sessionId": id, "offset": 4, "limit": 5 }),
    );
    assert_eq!(
        (&log["output"], &log["totalLength"]),
        (&json!("hello"), &json!(20))
    );
    assert_eq!(
        mcp.call("process", of("poll"))["output"],
        "got hello\ngot hello\n"
    );
    mcp.call("process", of("clear"));
    assert_eq!(mcp.call("process", of("poll"))["output"], "");
    let listed = mcp.call("process", json!({ "action": "list" }));
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 2);
    assert!(listed["sessions"][1]["createdAt"].is_u64(), "{listed}");
    mcp.call("process", of("remove"));
    assert_eq!(
        mcp.call("process", json!({ "action": "list" }))["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn deepchat_yields_is_bounded_and_says_what_is_wrong() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "deepchat", &[]);
    let yielding =
        json!({ "command": "echo early; read x", "description": "waits", "yieldMs": 100 });
    let ran = mcp.call("execute_command", yielding);
    assert_eq!(ran["status"], "running");
    let timed = json!({ "command": "read x", "description": "waits", "timeout": 100 });
    assert_eq!(mcp.call("execute_command", timed)["status"], "killed");
    let long = json!({ "command": "seq 1 5000", "description": "counts far" });
    let ran = mcp.call("execute_command", long);
    assert_eq!(ran["offloaded"], true);
    let poll = json!({ "action": "poll", "sessionId": ran["sessionId"] });
    let polled = mcp.call("process", poll);
    assert_eq!(polled["output"].as_str().unwrap().len(), 500);
    assert_eq!(polled["offloaded"], true);
    for (given, said) in [
        (json!({ "command": "x" }), "`description` is required"),
        (
            json!({ "command": "x", "description": "abcd" }),
            "`description` must be at least 5 characters long",
        ),
        (
            json!({ "command": "x", "description": "abcde", "timeout": 99 }),
            "`timeout` must be at least 100",
        ),
        (
            json!({ "command": "x", "description": "abcde", "yieldMs": 99 }),
            "`yieldMs` must be at least 100",
        ),
        (
            json!({ "command": "", "description": "abcde" }),
            "`command` must be at least 1 characters long",
        ),
    ] {
        assert_eq!(mcp.fails("execute_command", given), said);
    }
    assert_eq!(
        mcp.fails("process", json!({ "action": "kill", "sessionId": "X" })),
        "Session X not found"
    );
    assert_eq!(
        mcp.fails("process", json!({ "action": "kill" })),
        "sessionId is required for kill action"
    );
    // The original knows nothing of one that was removed.
    let of = |action: &str| json!({ "action": action, "sessionId": ran["sessionId"] });
    mcp.call("process", of("remove"));
    let not_found = format!("Session {} not found", ran["sessionId"].as_str().unwrap());
    for action in ["poll", "log", "kill", "remove"] {
        assert_eq!(mcp.fails("process", of(action)), not_found, "{action}");
    }
}

#[test]
fn dotnet_starts_reads_writes_and_stops() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "dotnet", &[]);
    let script = "echo out; echo err >&2; read x; echo got $x; read x; echo got $x; read x";
    let start = json!({ "cmd": "bash", "args": ["-c", script], "cwd": "/" });
    let result = mcp.result("process_start", start);
    same_text(&result);
    let started = &result["structuredContent"];
    assert_eq!(started["success"], true);
    assert_eq!(
        (&started["command"], &started["working_directory"]),
        (&json!("bash"), &json!("/"))
    );
    let id = started["session_id"].clone();
    let read = |all: bool| json!({ "session_id": id, "all": all, "wait_ms": 100 });
    let (mut stdout, mut stderr) = (String::new(), String::new());
    let mut new = |result: &Value, expected: &str| {
        stdout += result["stdout"].as_str().unwrap();
        stderr += result["stderr"].as_str().unwrap();
        stdout == expected && stderr == "err\n"
    };
    // Each read shows what the one before has not.
    let first = mcp.until("process_read", &read(false), |read| new(read, "out\n"));
    let alive = (&first["is_running"], &first["exit_code"]);
    assert_eq!(alive, (&json!(true), &Value::Null));
    let write = json!({ "session_id": id, "input": "hello" });
    assert_eq!(mcp.call("process_write", write)["bytes_written"], 6);
    mcp.until("process_read", &read(false), |read| {
        new(read, "out\ngot hello\n")
    });
    let all = mcp.call("process_read", read(true));
    assert_eq!(
        (&all["stdout"], &all["stderr"]),
        (&json!("out\ngot hello\n"), &json!("err\n"))
    );
    let one = mcp.call("process_status", json!({ "session_id": id }));
    assert_eq!(
        (&one["arguments"][0], &one["is_running"]),
        (&json!("-c"), &json!(true))
    );
    assert!(one["runtime_seconds"].as_f64().unwrap() > 0.1, "{one}");
    let list = mcp.call("process_status", json!({}));
    assert_eq!(
        (&list["session_count"], &list["sessions"][0]["session_id"]),
        (&json!(1), &id)
    );
    // The end shows what no read has shown; one of everything shows nothing new.
    let write = json!({ "session_id": id, "input": "again" });
    mcp.call("process_write", write);
    mcp.until("process_read", &read(true), |read| {
        read["stdout"] == "out\ngot hello\ngot again\n"
    });
    let stopped = mcp.call("process_stop", json!({ "session_id": id }));
    assert_eq!(stopped["message"], "Process stopped and session removed");
    let last = (&stopped["final_stdout"], &stopped["final_stderr"]);
    assert_eq!(last, (&json!("got again\n"), &json!("")));
    assert!(stopped["omitted_bytes"].is_null(), "{stopped}");
    let said = mcp.fails("process_read", read(false));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["success"], false);
    let said = mcp.fails(
        "process_read",
        json!({ "session_id": id, "wait_ms": 30_001 }),
    );
    assert!(said.contains("`wait_ms` must be at most 30000"), "{said}");
}

#[test]
fn dotnet_starts_only_what_is_allowed() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "dotnet", &[]);
    let said = mcp.fails("process_start", json!({ "cmd": "id" }));
    assert!(said.contains("not allowed"), "{said}");
    let mut mcp = Mcp::new(&home, "dotnet", &["--allow", "id"]);
    assert_eq!(
        mcp.call("process_start", json!({ "cmd": "id" }))["success"],
        true
    );
    for (set, id) in [("deepchat", "sessionId"), ("duragent", "handle")] {
        let mut mcp = Mcp::new(&home, set, &["--read-only"]);
        let tools = mcp.request("tools/list", json!({}));
        let names: Vec<&Value> = tools["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| &tool["name"])
            .collect();
        assert_eq!(names, ["process"], "{set}");
        mcp.call("process", json!({"action": "list"}));
        let said = mcp.fails("process", json!({"action": "kill", id: "x"}));
        assert!(said.contains("read-only"), "{said}");
    }
    let mut mcp = Mcp::new(&home, "dotnet", &["--read-only"]);
    assert!(
        mcp.fails("process_start", json!({ "cmd": "ls" }))
            .contains("read-only")
    );
    assert_eq!(mcp.call("process_status", json!({}))["session_count"], 0);
}

#[test]
fn duragent_tells_what_has_completed_unless_it_was_waited_for() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "duragent", &["--scope", "s"]);
    let waited = json!({ "command": "echo waited", "wait": true });
    let waited = mcp.call("spawn_process", waited);
    assert_eq!(
        (&waited["status"], &waited["exit_code"]),
        (&json!("completed"), &json!(0))
    );
    assert_eq!(
        (&waited["output"], &waited["duration_seconds"]),
        (&json!("waited\n"), &json!(0))
    );
    let status = json!({ "action": "status", "handle": waited["handle"] });
    let status = mcp.call("process", status);
    assert!(status["completion"].is_null(), "{status}");
    let spawn = json!({ "command": "echo bad; exit 2", "label": "tests" });
    let spawned = mcp.call("spawn_process", spawn);
    assert_eq!(
        (&spawned["status"], &spawned["tmux_session"]),
        (&json!("running"), &Value::Null)
    );
    let handle = spawned["handle"].as_str().unwrap().to_owned();
    // Of the first one nothing is told.
    let message = mcp.notification("notifications/message");
    let expected = format!(
        "[Background Process Completed]\n\nHandle: {handle}\nLabel: tests\nCommand: echo bad; exit 2\n\
         Exit code: 2\nDuration: 0s\n\nOutput (last 2000 chars):\nbad\n"
    );
    assert_eq!(message["data"], json!(expected));
    let listed = mcp.call("process", json!({ "action": "list" }));
    assert_eq!(listed["completions"], json!([expected]));
    assert_eq!(listed["processes"][1]["status"], "failed");
    let status = mcp.call("process", json!({ "action": "status", "handle": handle }));
    assert_eq!(status["completion"], json!(expected));

    // What ends while nobody is there is told to the next one.
    let gate = home.gate();
    let command = format!("read x < {}; echo late", gate.display());
    let spawned = mcp.call("spawn_process", json!({ "command": command }));
    mcp.hang_up();
    assert_eq!(mcp.exit_code(), Some(0));
    std::fs::write(&gate, "go\n").unwrap();
    let handle = spawned["handle"].as_str().unwrap();
    home.ok(&["wait", handle, "--for", "exit", "--timeout", "20s"]);
    let mut next = Mcp::new(&home, "duragent", &["--scope", "s"]);
    let message = next.notification("notifications/message");
    assert!(
        message["data"]
            .as_str()
            .unwrap()
            .contains(&format!("Handle: {handle}\n")),
        "{message}"
    );
}

#[test]
fn duragent_looks_at_a_terminal_and_types_into_it() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "duragent", &[]);
    let spawned = mcp.call("spawn_process", json!({ "command": "cat", "tmux": true }));
    let handle = spawned["handle"].clone();
    assert_eq!(spawned["tmux_session"], handle);
    let of = |action: &str| json!({ "action": action, "handle": handle });
    let mut keys = of("send_keys");
    keys["keys"] = "hello there".into();
    assert_eq!(mcp.call("process", keys)["bytes_written"], 12);
    let mut write = of("write");
    write["input"] = "more\n".into();
    mcp.call("process", write);
    // The echo is the terminal's, and in the log once the keeper has read it.
    mcp.until("process", &of("log"), |log| {
        log["output"].as_str().unwrap().starts_with("hello there\n")
    });
    mcp.until("process", &of("capture"), |screen| {
        screen["screen"].as_str().unwrap().contains("hello there")
    });
    assert_eq!(mcp.call("process", of("kill"))["status"], "killed");
    let timed = json!({ "command": "read x", "wait": true, "timeout_seconds": 1 });
    assert_eq!(mcp.call("spawn_process", timed)["status"], "timed_out");
    let pipes = mcp.call("spawn_process", json!({ "command": "cat" }));
    for action in ["capture", "send_keys"] {
        let of = json!({ "action": action, "handle": pipes["handle"], "keys": "x" });
        let said = mcp.fails("process", of);
        assert!(
            said.starts_with(&format!("{action} requires tmux")),
            "{said}"
        );
    }
    assert_eq!(
        mcp.fails("process", json!({ "action": "log" })),
        "'handle' is required for log action"
    );
}

#[test]
fn macos_shell_runs_lists_shows_and_kills() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let command = "seq 1 20; cat; echo bad >&2; exec sleep 1000";
    let run = json!({ "command": command, "session": "dev", "bufferSize": 5, "env": {"A": "1"} });
    let result = mcp.result("run_background", run);
    same_text(&result);
    let id = result["structuredContent"]["processId"].clone();
    let output = |given: Value| {
        let mut all = json!({ "processId": id });
        all.as_object_mut()
            .unwrap()
            .extend(given.as_object().unwrap().clone());
        all
    };
    // It has no input, so `cat` ends at once and its last line comes.
    let all = output(json!({}));
    let shown = mcp.until("get_process_output", &all, |shown| {
        shown["totalLines"] == 21
    });
    let lines = shown["output"].as_array().unwrap();
    assert_eq!((lines.len(), &shown["requestedLines"]), (5, &json!(100)));
    assert_eq!(
        (&lines[4]["type"], &lines[4]["content"]),
        (&json!("stderr"), &json!("bad"))
    );
    assert_eq!(lines[0]["lineNumber"], 17);
    let from = mcp.call(
        "get_process_output",
        output(json!({ "fromLine": 19, "lines": 1 })),
    );
    assert_eq!(from["output"][0]["content"], "19");
    let errors = mcp.call("get_process_output", output(json!({ "type": "stderr" })));
    assert_eq!(errors["output"].as_array().unwrap().len(), 1);
    let list = json!({ "session": "dev", "status": "running", "includeOutput": true });
    let listed = mcp.call("list_processes", list);
    let process = &listed["processes"][0];
    assert_eq!(
        (&process["id"], &process["sessionName"]),
        (&id, &json!("dev"))
    );
    assert_eq!(process["recentOutput"].as_array().unwrap().len(), 5);
    let other = mcp.call("list_processes", json!({ "status": "failed" }));
    assert_eq!(other["processes"], json!([]));
    let signalled = mcp.call("kill_process", output(json!({ "signal": "SIGCONT" })));
    assert_eq!(
        (&signalled["killed"], &signalled["newStatus"]),
        (&json!(false), &json!("running"))
    );
    let killed = mcp.call("kill_process", output(json!({})));
    let expected = json!({ "processId": id, "previousStatus": "running", "newStatus": "killed", "killed": true });
    assert_eq!(killed, expected);
    assert_eq!(mcp.call("kill_process", output(json!({})))["killed"], false);
    let run = json!({ "command": "exec sleep 1000", "session": "dev" });
    let id = mcp.call("run_background", run)["processId"].clone();
    let usr1 = json!({ "processId": id, "signal": "SIGUSR1" });
    let ended = mcp.call("kill_process", usr1);
    assert_eq!(ended["killed"], true, "{ended}");
    assert_ne!(ended["newStatus"], "running", "{ended}");
}
