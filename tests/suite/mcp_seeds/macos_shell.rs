//! What the design of the macOS Shell MCP server says of its background tools.

use serde_json::{Value, json};

use crate::support::{Home, Mcp};

fn run(mcp: &mut Mcp, given: Value) -> Value {
    let id = mcp.call("run_background", given)["processId"].take();
    json!({ "processId": id })
}

fn with(of: &Value, more: Value) -> Value {
    let mut all = of.clone();
    all.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    all
}

/// The numbers and texts of lines.
fn lines(reply: &Value) -> Vec<(u64, &str)> {
    let lines = reply["output"].as_array().unwrap().iter();
    lines
        .map(|line| {
            (
                line["lineNumber"].as_u64().unwrap(),
                line["content"].as_str().unwrap(),
            )
        })
        .collect()
}

fn processes(mcp: &mut Mcp) -> Vec<Value> {
    let mut listed = mcp.call("list_processes", json!({}));
    serde_json::from_value(listed["processes"].take()).unwrap()
}

#[test]
fn arguments_pass_through_the_shell() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let args = json!(["$WORD", "a  b", "&&", "echo", "$((1 + 1))"]);
    let given = json!({ "command": "echo", "args": args, "env": { "WORD": "word" } });
    let of = run(&mut mcp, given.clone());
    let shown = mcp.until("get_process_output", &of, |shown| shown["totalLines"] == 2);
    assert_eq!(lines(&shown), [(1, "word a b"), (2, "2")]);
    // The list has them as they were given.
    let listed = processes(&mut mcp);
    assert_eq!(
        (&listed[0]["command"], &listed[0]["args"]),
        (&given["command"], &args)
    );
    // Only the script of `bash -c` is not read twice.
    let of = run(
        &mut mcp,
        json!({ "command": "bash", "args": ["-c", "echo $0 $1", "a  b", "$HOME"] }),
    );
    let shown = mcp.until("get_process_output", &of, |shown| shown["totalLines"] == 1);
    assert_eq!(lines(&shown), [(1, "a b $HOME")]);
}

#[test]
fn fifty_processes_run_in_a_session_and_more_in_others() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let sleep = |session: &str| json!({ "command": "exec sleep 1000", "session": session });
    let ended = run(&mut mcp, json!({ "command": "true", "session": "a" }));
    mcp.until("get_process_output", &ended, |shown| {
        shown["status"] == "stopped"
    });
    // All at once, because the limit also holds then. One that has ended does not count.
    let calls: Vec<u64> = (0..51)
        .map(|_| mcp.send_call("run_background", sleep("a")))
        .collect();
    let replies: Vec<Value> = calls.into_iter().map(|call| mcp.reply(call)).collect();
    let refused: Vec<&Value> = replies
        .iter()
        .filter(|reply| reply["result"]["isError"] == true)
        .collect();
    assert_eq!(refused.len(), 1);
    let said = refused[0]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        said.starts_with("Session a has 50 running background processes"),
        "{said}"
    );
    mcp.call("run_background", sleep("b"));
    let listed = mcp.call("list_processes", json!({}));
    let warnings = listed["warnings"].as_array().unwrap();
    assert_eq!(
        warnings,
        &[json!(
            "Session 'a' has 50 running processes, and at most 50"
        )]
    );
}

#[test]
fn two_hundred_processes_run_in_all() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    for session in 0..4 {
        for _ in 0..50 {
            let sleep = json!({ "command": "exec sleep 1000", "session": session.to_string() });
            mcp.call("run_background", sleep);
        }
    }
    let said = mcp.fails(
        "run_background",
        json!({ "command": "true", "session": "more" }),
    );
    assert!(
        said.starts_with("The server has 200 running background processes"),
        "{said}"
    );
    assert_eq!(processes(&mut mcp).len(), 200);
}

#[test]
fn stream_process_output_returns_new_lines_when_they_come() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let gate = home.gate();
    let command = format!(
        "echo one; echo; echo two; printf three; read x < {}; echo; echo four",
        gate.display()
    );
    let of = run(&mut mcp, json!({ "command": command }));
    // The third line is not complete yet.
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let after = json!({ "afterLine": seen.len(), "timeout": 20_000 });
        let streamed = mcp.call("stream_process_output", with(&of, after));
        seen.extend(
            lines(&streamed)
                .iter()
                .map(|(n, text)| (*n, (*text).to_owned())),
        );
        assert_eq!(streamed["lastLine"], seen.len());
    }
    assert_eq!(seen, [(1, "one".to_owned()), (2, "two".to_owned())]);
    let nothing = mcp.call(
        "stream_process_output",
        with(&of, json!({ "afterLine": 2, "timeout": 50 })),
    );
    assert_eq!(
        (&nothing["output"], &nothing["lastLine"], &nothing["status"]),
        (&json!([]), &json!(2), &json!("running"))
    );
    let waiting = mcp.send_call(
        "stream_process_output",
        with(&of, json!({ "afterLine": 2 })),
    );
    std::fs::write(&gate, "go\n").unwrap();
    let reply = mcp.reply(waiting);
    let first = lines(&reply["result"]["structuredContent"])[0];
    assert_eq!(first, (3, "three"));
    let rest = with(&of, json!({ "afterLine": 3 }));
    let rest = mcp.call("stream_process_output", rest);
    assert_eq!(lines(&rest), [(4, "four")]);
    // At the end there is nothing to wait for.
    let end = mcp.until(
        "stream_process_output",
        &with(&of, json!({ "afterLine": 4 })),
        |end| end["status"] == "stopped",
    );
    assert_eq!(
        (&end["output"], &end["totalLines"]),
        (&json!([]), &json!(4))
    );
    let page = mcp.call("stream_process_output", with(&of, json!({ "maxLines": 3 })));
    assert_eq!(
        (&page["lastLine"], &page["hasMore"]),
        (&json!(3), &json!(true))
    );
}

#[test]
fn closing_a_session_says_what_runs_in_it_and_kills_or_transfers() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let sleep = |session: &str| json!({ "command": "exec sleep 1000", "session": session });
    for session in ["a", "a", "b"] {
        run(&mut mcp, sleep(session));
    }
    let ended = run(&mut mcp, json!({ "command": "true", "session": "a" }));
    mcp.until("get_process_output", &ended, |shown| {
        shown["status"] == "stopped"
    });
    let sessions = mcp.call("list_shell_sessions", json!({}));
    let counts: Vec<(&Value, &Value, &Value)> = (sessions["sessions"].as_array().unwrap().iter())
        .map(|one| {
            (
                &one["name"],
                &one["backgroundProcesses"],
                &one["runningProcesses"],
            )
        })
        .collect();
    let expected = [("a", 3, 2), ("b", 1, 1), ("default", 0, 0)];
    let expected = expected.map(|(name, all, running)| (json!(name), json!(all), json!(running)));
    assert_eq!(counts, expected.each_ref().map(|(a, b, c)| (a, b, c)));
    let asked = mcp.call("close_session", json!({ "session": "a" }));
    assert_eq!(
        (&asked["closed"], &asked["runningProcesses"]),
        (&json!(false), &json!(2))
    );
    assert!(
        asked["message"]
            .as_str()
            .unwrap()
            .starts_with("2 background processes are running"),
        "{asked}"
    );
    assert_eq!(processes(&mut mcp).len(), 4);
    let moved = mcp.call(
        "close_session",
        json!({ "session": "b", "processes": "transfer" }),
    );
    assert_eq!(
        (&moved["closed"], &moved["transferred"]),
        (&json!(true), &json!(1))
    );
    let killed = mcp.call(
        "close_session",
        json!({ "session": "a", "processes": "kill" }),
    );
    let counts = (
        &killed["closed"],
        &killed["killed"],
        &killed["endedProcesses"],
    );
    assert_eq!(counts, (&json!(true), &json!(2), &json!(1)));
    let left = processes(&mut mcp);
    assert_eq!(
        (left.len(), &left[0]["sessionName"]),
        (1, &json!("default"))
    );
    assert_eq!(
        mcp.fails("close_session", json!({ "session": "a" })),
        "Session 'a' not found"
    );
    assert!(
        mcp.fails("close_session", json!({ "session": "default" }))
            .contains("cannot be closed")
    );
}

#[test]
fn the_list_has_processor_use_and_memory() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    run(&mut mcp, json!({ "command": "while :; do :; done" }));
    let used = |process: &Value| {
        process["cpuPercent"].as_f64() > Some(1.0) && process["memoryBytes"].as_u64() > Some(0)
    };
    mcp.until("list_processes", &json!({}), |listed| {
        used(&listed["processes"][0])
    });
    mcp.until("list_shell_sessions", &json!({}), |listed| {
        used(&listed["sessions"][0])
    });
}

#[test]
fn output_can_be_cleared() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let gate = home.gate();
    let command = format!(
        "echo one; echo; echo two; read x < {}; echo three",
        gate.display()
    );
    let of = run(&mut mcp, json!({ "command": command }));
    mcp.until("get_process_output", &of, |shown| shown["totalLines"] == 2);
    assert_eq!(
        mcp.call("clear_process_output", of.clone())["clearedBytes"],
        9
    );
    assert_eq!(
        mcp.call("get_process_output", of.clone())["output"],
        json!([])
    );
    std::fs::write(&gate, "go\n").unwrap();
    let shown = mcp.until("get_process_output", &of, |shown| {
        shown["output"] != json!([])
    });
    assert_eq!(lines(&shown), [(3, "three")]);
}

#[test]
fn output_near_its_limit_is_a_warning() {
    let home = Home::with_config("log_bytes = 1048576\n");
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    assert_eq!(mcp.call("list_processes", json!({}))["warnings"], json!([]));
    let of = run(
        &mut mcp,
        json!({ "command": "yes \"$(printf %099d 0)\" | head -c 900000; exec sleep 1000" }),
    );
    let listed = mcp.until("list_processes", &json!({}), |listed| {
        listed["warnings"] != json!([])
    });
    let said = listed["warnings"][0].as_str().unwrap();
    assert!(said.contains(of["processId"].as_str().unwrap()), "{said}");
    // What was cleared is no longer there to warn of.
    mcp.until("get_process_output", &of, |shown| {
        shown["totalLines"] == 9000
    });
    mcp.call("clear_process_output", of);
    assert_eq!(mcp.call("list_processes", json!({}))["warnings"], json!([]));
}

#[test]
fn run_command_runs_to_the_end_or_in_the_background() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let run = json!({ "command": "echo", "args": ["out", ";", "echo bad >&2; cat; exit 3"] });
    let ran = mcp.call("run_command", run);
    assert_eq!(
        (&ran["stdout"], &ran["stderr"]),
        (&json!("out\n"), &json!("bad\n"))
    );
    assert_eq!(
        (&ran["exitCode"], &ran["success"]),
        (&json!(3), &json!(false))
    );
    let late = mcp.call(
        "run_command",
        json!({ "command": "exec sleep 1000", "timeout": 100 }),
    );
    assert_eq!(
        (&late["success"], &late["timedOut"]),
        (&json!(false), &json!(true))
    );
    // What ran in the foreground is no background process.
    assert_eq!(processes(&mut mcp).len(), 0);
    let run = json!({ "command": "exec sleep 1000", "runInBackground": true });
    let started = mcp.call("run_command", run);
    assert_eq!(started["status"], "running", "{started}");
    assert_eq!(processes(&mut mcp)[0]["id"], started["processId"]);
}

#[test]
fn kill_process_sends_just_the_signal() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let command = "trap 'echo got it' TERM; echo ready; while :; do sleep 0.05; done";
    let of = run(&mut mcp, json!({ "command": command }));
    mcp.until("get_process_output", &of, |shown| shown["totalLines"] == 1);
    let killed = mcp.call("kill_process", of.clone());
    let expected = with(
        &of,
        json!({ "previousStatus": "running", "newStatus": "running", "killed": false }),
    );
    assert_eq!(killed, expected);
    mcp.until("get_process_output", &of, |shown| {
        lines(shown).iter().any(|(_, text)| *text == "got it")
    });
    let killed = mcp.call("kill_process", with(&of, json!({ "force": true })));
    assert_eq!(
        (&killed["newStatus"], &killed["killed"]),
        (&json!("killed"), &json!(true))
    );
}

#[test]
fn requested_lines_is_what_was_asked_for() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let of = run(&mut mcp, json!({ "command": "seq 1 7" }));
    mcp.until("get_process_output", &of, |shown| shown["totalLines"] == 7);
    for (lines, expected) in [(json!(50), 50), (json!(2), 2), (Value::Null, 100)] {
        let shown = mcp.call("get_process_output", with(&of, json!({ "lines": lines })));
        assert_eq!(shown["requestedLines"], expected);
    }
}

#[test]
fn empty_lines_are_not_numbered() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "macos-shell", &[]);
    let command = "echo; echo a; echo; echo; echo b; seq 1 400; echo; echo c; echo";
    let of = run(&mut mcp, json!({ "command": command }));
    let shown = mcp.until("get_process_output", &of, |shown| {
        shown["status"] == "stopped"
    });
    assert_eq!(shown["totalLines"], 403);
    assert_eq!(lines(&shown)[98..], [(402, "400"), (403, "c")]);
    // The buffer has the last 300 lines.
    let first = mcp.call(
        "get_process_output",
        with(&of, json!({ "fromLine": 1, "lines": 1 })),
    );
    assert_eq!(lines(&first), [(104, "102")]);
    let listed = mcp.call("list_processes", json!({ "includeOutput": true }));
    let process = &listed["processes"][0];
    assert_eq!(process["outputLines"], 403);
    let recent = process["recentOutput"].as_array().unwrap();
    assert_eq!(
        (recent.len(), &recent[0], &recent[9]),
        (10, &json!("392"), &json!("c"))
    );
    // Another server counts the same.
    let mut mcp = Mcp::new(&home, "macos-shell", &["--scope", "s"]);
    let of = run(&mut mcp, json!({ "command": "echo; echo a; echo; echo b" }));
    mcp.until("get_process_output", &of, |shown| shown["totalLines"] == 2);
    let mut next = Mcp::new(&home, "macos-shell", &["--scope", "s"]);
    assert_eq!(
        lines(&next.call("get_process_output", of)),
        [(1, "a"), (2, "b")]
    );
}
