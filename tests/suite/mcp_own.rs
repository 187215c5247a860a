//! `bgproc mcp` with bgproc's own tools.

use serde_json::{Value, json};

use crate::support::{Home, Mcp};

#[test]
fn the_tools_are_few_and_say_what_they_do() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let listed = mcp.request("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    assert!(tools.len() <= 11, "{} tools", tools.len());
    let mut model = Mcp::model(&home, &[]);
    let read = model.request("tools/list", json!({}))["tools"].to_string();
    assert!(read.len() <= 12_000, "{} bytes", read.len());
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
    let instructions = mcp.info["instructions"].as_str().unwrap();
    assert!(instructions.contains("wait"), "{instructions}");
}

#[test]
fn a_result_is_words_for_a_model_and_fields_for_a_program() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let result = mcp.result("start", json!({ "command": "echo hi; exit 3" }));
    let (text, fields) = (&result["content"][0]["text"], &result["structuredContent"]);
    let text = text.as_str().unwrap();
    assert!(
        text.contains("error (exit 3)") && text.ends_with("\nhi\n"),
        "{text}"
    );
    assert_eq!(
        (&fields["exitCode"], &fields["output"]),
        (&json!(3), &json!("hi\n"))
    );
    let id = fields["sessionId"].clone();
    let record = mcp.call("session", json!({ "action": "status", "sessionId": id }));
    assert_eq!(record["command"], "echo hi; exit 3");
    for part in [
        json!({ "sessionId": id, "tail": 1 }),
        json!({ "sessionId": id }),
    ] {
        assert_eq!(mcp.text("log", part), "1: hi\n[1 line in all]");
    }
    let export = json!({ "action": "export", "sessionId": id, "format": "text" });
    assert_eq!(mcp.text("session", export), "hi\n[3 characters]");
    let list = mcp.text("list", json!({}));
    assert!(list.contains(id.as_str().unwrap()), "{list}");
}

#[test]
fn what_is_wrong_is_said_with_its_code_and_what_to_do() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let said = mcp.fails("poll", json!({ "sessionId": "nosuch" }));
    assert!(
        said.starts_with("Session nosuch not found [session_not_found]\nhint: "),
        "{said}"
    );
    let said = mcp.fails("start", json!({ "comand": "x" }));
    assert!(
        said.contains("[invalid_params]") && said.contains("command"),
        "{said}"
    );
    let said = mcp.fails("session", json!({ "action": "shutdown", "sessionId": "x" }));
    assert!(said.contains("`action` must be one of"), "{said}");
    let id = mcp.send("tools/call", json!({ "name": "nosuch" }));
    assert_eq!(mcp.reply(id)["error"]["code"], -32602);
    // What does not fit into one request is refused, and the next one is answered.
    let data = "x".repeat(1 << 20);
    let said = mcp.fails("write", json!({ "sessionId": "x", "data": data }));
    assert!(said.contains("[too_large]\nhint: "), "{said}");
    assert_eq!(mcp.text("list", json!({})), "no sessions");
}

#[test]
fn a_program_is_typed_into_looked_at_and_ended() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let start = json!({ "command": "sed -u s/^/got-/", "background": true, "label": "echoer" });
    let id = mcp.call("start", start)["sessionId"].clone();
    let until = json!({ "until": [{"pattern": "^got-hello$"}] });
    let said = mcp.text(
        "write",
        json!({ "sessionId": id, "data": "hello", "submit": true, "wait": until }),
    );
    assert!(said.contains("6 bytes typed"), "{said}");
    assert!(said.contains("matched: pattern `got-hello`"), "{said}");
    let screen = mcp.text("capture", json!({ "sessionId": id }));
    assert!(
        screen.starts_with("hello\ngot-hello\n[cursor row 2 col 0"),
        "{screen}"
    );
    let resources = mcp.request("resources/list", json!({}));
    assert_eq!(resources["resources"][0]["name"], "echoer log");
    for what in ["log", "screen"] {
        let uri = format!("bgproc://session/{}/{what}", id.as_str().unwrap());
        let read = mcp.request("resources/read", json!({ "uri": uri }));
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert_eq!(text.trim_end(), "hello\ngot-hello", "{what}");
    }
    let lost = mcp.send(
        "resources/read",
        json!({ "uri": "bgproc://session/aaaaaaaaaaaa/log" }),
    );
    assert_eq!(mcp.reply(lost)["error"]["code"], -32002);
    let keys = json!({ "sessionId": id, "keys": ["C-d"], "wait": {} });
    let ended = mcp.call("send_keys", keys);
    assert_eq!(
        (&ended["outcome"], &ended["exitCode"]),
        (&json!("matched"), &json!(0))
    );
    let killed = mcp.text("kill", json!({ "sessionId": id, "remove": true }));
    assert!(killed.contains("had already ended; removed"), "{killed}");
}

#[test]
fn a_long_wait_tells_its_progress_and_can_be_taken_back() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let start = json!({ "command": "echo working; read x", "background": true });
    let id = mcp.call("start", start)["sessionId"].clone();
    let wait = json!({ "sessionId": id, "until": [{"exit": true}], "timeoutMs": 600_000 });
    let first = mcp.send_call("wait", wait.clone());
    let progress = mcp.notification("notifications/progress");
    assert_eq!(progress["progressToken"], format!("progress-{first}"));
    assert!(progress["progress"].as_f64().unwrap() > 0.5, "{progress}");
    let message = progress["message"].as_str().unwrap();
    assert!(message.ends_with("s: working"), "{message}");
    mcp.cancel(first);
    // More than may be in flight at once: those that were taken back are not any more.
    for _ in 0..300 {
        let wait = json!({ "name": "wait", "arguments": wait });
        let taken_back = mcp.send("tools/call", wait);
        mcp.cancel(taken_back);
        mcp.call("list", json!({}));
    }
    let polled = mcp.call("poll", json!({ "sessionId": id }));
    assert_eq!(polled["status"], "running");
}

#[test]
fn the_death_of_a_daemon_is_no_news() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let start = json!({ "command": "echo before; read x; echo after", "background": true });
    let started = mcp.call("start", start);
    // A start that is asked again is no other one, and that is no news either.
    assert_eq!(started["reused"], Value::Null, "{started}");
    let id = started["sessionId"].clone();
    let until = json!([{ "pattern": "after" }]);
    let wait = json!({ "sessionId": id, "until": until, "timeoutMs": 60_000 });
    let waiting = mcp.send("tools/call", json!({ "name": "wait", "arguments": wait }));
    mcp.call(
        "wait",
        json!({ "sessionId": id, "until": [{"pattern": "before"}] }),
    );
    home.kill_daemon();
    mcp.call(
        "write",
        json!({ "sessionId": id, "data": "x", "submit": true }),
    );
    let waited = mcp.reply(waiting);
    assert_eq!(
        waited["result"]["structuredContent"]["outcome"], "matched",
        "{waited}"
    );
}

#[test]
fn at_the_end_of_input_waits_end_and_sessions_go_on() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &["--scope", "s"]);
    let id =
        mcp.call("start", json!({ "command": "cat", "background": true }))["sessionId"].clone();
    let wait = json!({ "sessionId": id, "until": [{"exit": true}], "timeoutMs": 600_000 });
    let waiting = mcp.send("tools/call", json!({ "name": "wait", "arguments": wait }));
    let last = mcp.send(
        "tools/call",
        json!({ "name": "start", "arguments": {"command": "echo last"} }),
    );
    let rest = mcp.hang_up();
    assert_eq!(mcp.exit_code(), Some(0));
    let result = |id: u64| rest.iter().find(|message| message["id"] == id).cloned();
    let said = |reply: Option<Value>| reply.unwrap()["result"]["content"][0]["text"].to_string();
    assert!(said(result(waiting)).contains("cancelled"), "{rest:?}");
    assert!(said(result(last)).contains("last"), "{rest:?}");
    let mut again = Mcp::new(&home, "own", &["--scope", "s", "--on-disconnect", "kill"]);
    let polled = again.call("poll", json!({ "sessionId": id }));
    assert_eq!(polled["status"], "running");
    again.hang_up();
    assert_eq!(again.exit_code(), Some(0));
    let ended = home.run(&["wait", id.as_str().unwrap(), "--timeout", "20s"]);
    // 128 and the number of TERM.
    ended.expect_code(143);
}

#[test]
fn policies_and_scopes_hold() {
    let home = Home::new();
    let job = home.start(&["cat"]);
    let mut mcp = Mcp::new(&home, "own", &["--read-only"]);
    let listed = mcp.request("tools/list", json!({}));
    let names: Vec<_> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["list", "poll", "log", "wait", "capture", "session"]);
    let said = mcp.fails("start", json!({ "command": "true" }));
    assert!(said.contains("[permission_denied]"), "{said}");
    let said = mcp.fails("poll", json!({ "sessionId": job }));
    assert!(said.contains("[session_not_found]"), "{said}");
    let mut mcp = Mcp::new(&home, "own", &["--allow", "true"]);
    mcp.call("start", json!({ "command": "true", "args": [] }));
    mcp.call("start", json!({ "command": "true && true" }));
    let said = mcp.fails("start", json!({ "command": "true; cat" }));
    assert!(said.contains("[permission_denied]"), "{said}");
    home.run(&["mcp", "--tools", "nosuch"]).expect_code(2);
    let wrong = [("PI_BASH_YIELD_MS", "soon")];
    home.run_with_env(&["mcp"], &wrong)
        .expect_code(2)
        .expect_said("PI_BASH_YIELD_MS");
    // Nobody there is no failure.
    let ran = home.run(&["mcp"]).expect_code(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn every_line_is_answered_with_the_error_that_it_makes() {
    let home = Home::new();
    let mut mcp = Mcp::model(&home, &[]);
    let error = mcp.refused_line("this is not JSON");
    assert_eq!(error["error"]["code"], -32700, "{error}");
    let wrong = [
        ("tools/call", json!({"arguments": {}}), -32602),
        ("tools/call", json!({"name": 5}), -32602),
        ("tools/call", json!({"name": "nothing"}), -32602),
        ("resources/read", json!({}), -32602),
        ("nothing/here", json!({}), -32601),
    ];
    for (method, params, code) in wrong {
        let id = mcp.send(method, params);
        let reply = mcp.reply(id);
        assert_eq!(reply["error"]["code"], code, "{method}: {reply}");
    }
    // The connection goes on, and a rare action is checked by the daemon.
    let text = mcp.text(
        "start",
        json!({"command": "cat", "rows": "30", "waitMs": "5000"}),
    );
    let id = text.split(' ').next().unwrap().to_owned();
    let resize = json!({"action": "resize", "sessionId": id, "rows": "20", "cols": 60});
    mcp.text("session", resize);
    let text = mcp.fails("session", json!({"action": "start", "command": "ls"}));
    assert!(text.contains("must be one of status"), "{text}");
}

#[test]
fn an_agent_brings_a_project_up_and_is_told_addresses_and_failures_in_one_reply() {
    let home = Home::new();
    let dir = home.scratch("shop");
    std::fs::create_dir_all(&dir).unwrap();
    let file = r#"
        version = 1
        agents = "write"
        [jobs.migrate]
        kind = "task"
        run = "echo no such table; exit 1"
        [jobs.api]
        run = "sleep 1000"
        needs = ["migrate"]
        [jobs.docs]
        run = "echo listening; exec sleep 1000"
        ready = { log = "listening" }
    "#;
    std::fs::write(dir.join("bgproc.toml"), file).unwrap();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let up = json!({ "action": "project", "op": "up", "dir": dir });
    let said = mcp.text("session", up.clone());
    assert!(said.starts_with("project shop in "), "{said}");
    assert!(said.contains(": up; something failed\n"), "{said}");
    assert!(said.contains("\n  | no such table\n"), "{said}");
    assert!(said.contains("\napi skipped: needs migrate ok"), "{said}");
    assert!(said.contains("\ndocs ready ["), "{said}");
    let state = mcp.call("session", up);
    assert_eq!(state["jobs"][0]["exitCode"], 1, "{state}");
    let down = json!({ "action": "project", "op": "down", "dir": dir });
    let said = mcp.text("session", down);
    assert!(said.contains("docs stopped"), "{said}");
    let empty = home.scratch("empty");
    std::fs::create_dir_all(&empty).unwrap();
    let none = json!({ "action": "project", "op": "up", "dir": empty });
    let said = mcp.fails("session", none);
    assert!(said.contains("[project_not_found]"), "{said}");
}

#[test]
fn a_model_is_told_once_that_a_session_was_restarted() {
    let home = Home::new();
    let mut model = Mcp::model(&home, &[]);
    let gate = home.gate();
    let command = format!(
        "echo up; mkdir {} || exec sleep 1000; read x < {}; exit 3",
        home.scratch("first-run").display(),
        gate.display()
    );
    let start = json!({
        "command": command, "label": "web", "until": [{"pattern": "up"}],
        "restart": {"policy": "on-failure", "backoffMs": 10},
    });
    let started = model.text("start", start);
    assert!(!started.contains("restarted"), "{started}");
    std::fs::write(&gate, "again\n").unwrap();
    let wait = json!({"sessionId": "web", "until": [{"pattern": "^up$"}], "waitMs": 18_000});
    let told = model.text("wait", wait);
    let news = "restarted once since you last looked, the last time after exit 3";
    assert!(told.contains(news), "{told}");
    let poll = model.text("poll", json!({"sessionId": "web"}));
    assert!(!poll.contains("restarted"), "{poll}");
    let list = model.text("list", json!({}));
    assert!(list.contains(", restarted once"), "{list}");
    let again = json!({
        "action": "restart", "sessionId": "web", "until": [{"pattern": "^up$"}], "waitMs": 18_000,
    });
    let again = model.text("session", again);
    assert!(!again.contains("restarted"), "it asked for it: {again}");
}

#[test]
fn a_wait_for_nothing_named_ends_when_the_program_asks() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let ask = "printf 'proceed? '; read answer; sleep 1000";
    mcp.text(
        "start",
        json!({"command": ask, "label": "ask", "background": true}),
    );
    let asked = mcp.text("wait", json!({"sessionId": "ask", "waitMs": 20_000}));
    assert!(asked.starts_with("matched: input"), "{asked}");
    assert!(
        asked.contains("waits for a line of input") && asked.contains("proceed? "),
        "{asked}"
    );
    // With `next` only an end counts.
    mcp.text(
        "start",
        json!({"command": "exec sleep 1000", "label": "other", "background": true}),
    );
    let two = json!({"sessionIds": ["ask", "other"], "mode": "next", "waitMs": 50});
    assert!(mcp.text("wait", two).starts_with("timeout"));
    // A start that waits for the end returns, too.
    let asked = mcp.text(
        "start",
        json!({"command": ask, "wait": true, "timeoutSec": 60}),
    );
    assert!(
        asked.contains("running") && asked.contains("waits for a line of input"),
        "{asked}"
    );
}

#[test]
fn a_label_means_the_newest_session_if_all_have_ended() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    for code in [1, 2] {
        let command = format!("echo run {code}; exit {code}");
        mcp.text(
            "start",
            json!({"command": command, "args": [], "label": "unit"}),
        );
    }
    let log = mcp.text("log", json!({"sessionId": "unit"}));
    assert!(log.contains("run 2") && !log.contains("run 1"), "{log}");
    // What is removed cannot be had back.
    let said = mcp.fails("session", json!({"action": "remove", "sessionId": "unit"}));
    assert!(said.contains("2 sessions have the label unit"), "{said}");
    let again = mcp.text("session", json!({"action": "restart", "sessionId": "unit"}));
    assert!(again.contains("error (exit 2)"), "{again}");
}

#[test]
fn after_a_restart_conditions_are_about_the_new_run() {
    let home = Home::new();
    let gate = home.gate();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let command = format!(
        "[ -e told ] || {{ touch told; echo ERROR; }}; cat {}; echo up; exec sleep 1000",
        gate.display()
    );
    let start = json!({"command": command, "label": "web", "cwd": home.path(), "background": true});
    mcp.text("start", start);
    mcp.text(
        "wait",
        json!({"sessionId": "web", "until": [{"pattern": "ERROR"}], "since": "c0"}),
    );
    mcp.text(
        "session",
        json!({"action": "restart", "sessionId": "web", "waitMs": 0}),
    );
    std::fs::write(&gate, "").unwrap();
    let up = mcp.text("wait", json!({
        "sessionId": "web", "until": [{"pattern": "up"}], "fail": [{"pattern": "ERROR"}], "waitMs": 20_000,
    }));
    assert!(up.starts_with("matched: pattern `up`"), "{up}");
    // The same line is not waited for in vain without a word.
    let late = mcp.text(
        "wait",
        json!({"sessionId": "web", "until": [{"pattern": "^up"}], "waitMs": 50}),
    );
    assert!(
        late.starts_with("timeout") && late.contains("which you have seen, matches: `up`"),
        "{late}"
    );
}

#[test]
fn a_line_that_a_reply_has_left_out_is_found() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let many = |what: &str| format!("for i in $(seq 1 300); do echo {what} number $i; done");
    let command = format!(
        "{}; echo Listening; {}; echo up; exec sleep 1000",
        many("compiling the module"),
        many("warming the cache")
    );
    let start = json!({"command": command, "label": "web", "until": [{"pattern": "^up$"}]});
    let started = mcp.text("start", start);
    assert!(!started.contains("Listening"), "{started}");
    let wait =
        |pattern: &str| json!({"sessionId": "web", "until": [{"pattern": pattern}], "waitMs": 50});
    let found = mcp.text("wait", wait("^Listening"));
    assert!(found.starts_with("matched"), "{found}");
    // A line that was shown is not new.
    let shown = mcp.text("wait", wait("cache number 300"));
    assert!(shown.starts_with("timeout"), "{shown}");
}

#[test]
fn the_end_of_a_command_is_told_once_and_never_lost() {
    let home = Home::new();
    let gate = home.gate();
    let mut mcp = Mcp::new(&home, "own", &[]);
    mcp.text("start", json!({"command": "bash --norc", "label": "sh"}));
    let slow = format!("cat {}; echo late; (exit 9)", gate.display());
    let going = mcp.text(
        "exec",
        json!({"sessionId": "sh", "command": slow, "waitMs": 300}),
    );
    assert!(going.contains("pending"), "{going}");
    std::fs::write(&gate, "").unwrap();
    // It has ended, and nobody has asked for that.
    let next = mcp.text("exec", json!({"sessionId": "sh", "command": "(exit 4)"}));
    assert!(next.starts_with("exit 4"), "{next}");
    let told = "; the command before it ended with exit 9, its output: poll since:";
    assert!(next.contains(told), "{next}");
    mcp.text(
        "write",
        json!({"sessionId": "sh", "data": "sleep 0.2", "submit": true, "waitMs": 0}),
    );
    let no_mark = json!({"sessionId": "sh", "until": [{"command": true}], "waitMs": 300});
    let no_mark = mcp.text("wait", no_mark);
    assert!(no_mark.starts_with("timeout"), "{no_mark}");
}

#[test]
fn two_commands_at_once_run_one_after_the_other() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    mcp.text("start", json!({"command": "bash --norc", "label": "sh"}));
    // The first still runs after the time within which others are refused.
    let first = mcp.send_call(
        "exec",
        json!({"sessionId": "sh", "command": "sleep 3; echo A", "waitMs": 20_000}),
    );
    let second = mcp.text(
        "exec",
        json!({"sessionId": "sh", "command": "echo B", "waitMs": 20_000}),
    );
    assert!(
        second.starts_with("exit 0") && second.ends_with("\nB\n"),
        "{second}"
    );
    let first = mcp.reply(first)["result"]["content"][0]["text"].to_string();
    assert!(first.contains("exit 0") && first.contains('A'), "{first}");
}

#[test]
fn what_a_line_leaves_running_ends_with_it_and_that_is_said() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let said = mcp.text("start", json!({"command": "sleep 1000 & echo up"}));
    assert!(said.contains("what it ran with & has ended, too"), "{said}");
    let said = mcp.text("start", json!({"command": "true && echo up 2>&1"}));
    assert!(!said.contains("has ended, too"), "{said}");
}
