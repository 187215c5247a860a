//! Starting, ending and forgetting sessions, as an agent asks for it.

use std::time::Instant;

use serde_json::{Value, json};

use super::support::job::Job;
use super::support::{Home, Serve, eventually};

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

/// Starts something that stays, and returns its id.
fn background(serve: &mut Serve, command: &str) -> String {
    let started = serve.ok(json!({"action": "start", "command": command, "background": true}));
    assert_eq!(started["status"], "running");
    started["sessionId"].as_str().unwrap().to_owned()
}

#[test]
fn a_short_command_is_answered_with_its_end() {
    let (_home, mut serve) = serve();
    let done = serve.ok(json!({"action": "start", "command": "echo hello; exit 3"}));
    assert_eq!(done["status"], "error");
    assert_eq!(done["exitCode"], 3);
    assert_eq!(done["signal"], Value::Null);
    assert_eq!(done["output"], "hello\n");
    assert!(done["runtimeMs"].is_u64() && done["pid"].is_u64());
    let ok = serve.ok(json!({"action": "start", "command": "true", "wait": true}));
    assert_eq!(
        (&ok["status"], &ok["exitCode"]),
        (&json!("done"), &json!(0))
    );
}

#[test]
fn a_long_command_is_answered_after_the_yield_and_goes_on() {
    let (_home, mut serve) = serve();
    let mut yields = (300_u32..).step_by(700);
    let started = eventually("it has said something before the yield", || {
        let yield_ms = yields.next();
        let start =
            json!({"action": "start", "command": "echo up; exec sleep 1000", "yieldMs": yield_ms});
        let began = Instant::now();
        let started = serve.ok(start);
        assert!(
            began.elapsed().as_millis() >= u128::from(yield_ms.unwrap()),
            "it waited"
        );
        assert_eq!(started["status"], "running");
        (started["output"] != "").then_some(started)
    });
    assert_eq!(started["output"], "up\n");
    assert!(started.get("exitCode").is_none());
}

#[test]
fn arguments_need_no_quoting_and_a_line_has_a_shell() {
    let (_home, mut serve) = serve();
    let exact =
        serve.ok(json!({"action": "start", "command": "printf", "args": ["%s|", "a b", "$HOME"]}));
    assert_eq!(exact["output"], "a b|$HOME|");
    let shell = serve.ok(json!({"action": "start", "command": "echo $((6*7)) | cat"}));
    assert_eq!(shell["output"], "42\n");
}

#[test]
fn directory_variables_size_and_names_are_as_asked_for() {
    let (home, mut serve) = serve();
    let dir = home.scratch("work");
    std::fs::create_dir_all(&dir).unwrap();
    let started = serve.ok(json!({
        "action": "start", "cwd": dir, "rows": 30, "cols": 90,
        "env": {"SET_ME": "x y", "HOME": null},
        "label": "web", "group": "shop", "description": "a test",
        "command": "pwd; echo $SET_ME-${HOME-gone}; stty size; echo $TERM; test -t 0 && echo tty",
    }));
    let dir = dir.canonicalize().unwrap();
    let expected = format!("{}\nx y-gone\n30 90\nxterm-256color\ntty\n", dir.display());
    assert_eq!(started["output"], expected);
    let id = &started["sessionId"];
    let record = serve.ok(json!({"action": "status", "sessionId": id, "detail": true}));
    assert_eq!(record["label"], "web");
    assert_eq!(record["group"], "shop");
    assert_eq!(record["description"], "a test");
    assert_eq!(record["detail"]["envNames"], json!(["HOME", "SET_ME"]));
    assert_eq!(record["endedBy"]["kind"], "itself");
}

#[test]
fn a_job_inherits_nothing_of_ours() {
    let (_home, mut serve) = serve();
    let line = "ls -l /proc/self/fd | grep -c '/dev/pts/\\|pipe\\|socket\\|memfd'; \
                grep -E '^Sig(Blk|Ign):' /proc/self/status; ps -o sid= -o pid= -p $$";
    let started = serve.ok(json!({"action": "start", "command": line}));
    let output = started["output"].as_str().unwrap();
    let words: Vec<&str> = output.split_whitespace().collect();
    // 0, 1 and 2; grep and ls are at the ends of a pipe.
    assert_eq!(words[0], "3", "{output}");
    assert!(output.contains("SigBlk:\t0000000000000000"), "{output}");
    // The C library keeps signals 32 and 33 to itself, and may have them ignored.
    let ignored = words[4];
    let ignored = u64::from_str_radix(ignored, 16).unwrap() & 0x7fff_ffff;
    assert_eq!(ignored, 0, "{output}");
    assert_eq!(words[5], words[6], "it leads a session: {output}");
}

#[test]
fn what_cannot_start_leaves_nothing_behind() {
    let (home, mut serve) = serve();
    let missing = serve.err(
        json!({"action": "start", "command": "surely-not-there", "args": []}),
        "spawn_failed",
    );
    assert_eq!(missing["data"]["errno"], 2);
    assert!(
        missing["data"]["path"].as_str().unwrap().contains("/bin"),
        "{missing}"
    );
    let here = home.scratch("script");
    std::fs::write(&here, "#!/nowhere/interpreter\n").unwrap();
    serve.err(
        json!({"action": "start", "command": here, "args": []}),
        "spawn_failed",
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&here, mode).unwrap();
    let interpreter = serve.err(
        json!({"action": "start", "command": here, "args": []}),
        "spawn_failed",
    );
    assert_eq!(interpreter["data"]["errno"], 2, "{interpreter}");
    let cwd = serve.err(
        json!({"action": "start", "command": "true", "cwd": "/no/where"}),
        "spawn_failed",
    );
    assert_eq!(cwd["data"]["path"], "/no/where");
    let large = "x".repeat(300_000);
    let large = serve.err(
        json!({"action": "start", "command": "true", "args": [large]}),
        "spawn_failed",
    );
    assert_eq!(large["data"]["errno"], 7, "E2BIG: {large}");
    assert_eq!(serve.ok(json!({"action": "list"}))["sessions"], json!([]));
    assert_eq!(
        std::fs::read_dir(home.path().join("sessions"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn bad_parameters_are_named() {
    let (_home, mut serve) = serve();
    for (request, word) in [
        (json!({"command": ""}), "command"),
        (json!({"command": "a\u{0}b"}), "NUL"),
        (json!({"command": "x", "env": {"A=B": "c"}}), "A=B"),
        (json!({"command": "x", "rows": 0}), "rows"),
        (json!({"command": "x", "cols": 70_000}), "cols"),
        (json!({"command": "x", "label": "a\nb"}), "label"),
        (json!({"command": "x", "maxChars": 300_000}), "maxChars"),
        (json!({"command": "x", "yieldMs": 700_000}), "yieldMs"),
        (json!({"command": "x", "mode": "ptty"}), "pty"),
        (json!({"command": "x", "timeoutSec": -1}), "timeoutSec"),
        (json!({}), "command"),
    ] {
        let mut request = request;
        request["action"] = json!("start");
        let error = serve.err(request.clone(), "invalid_params");
        assert!(error.to_string().contains(word), "{request}: {error}");
    }
}

#[test]
fn the_same_key_is_the_same_session() {
    let (home, mut serve) = serve();
    let request =
        json!({"action": "start", "command": "exec sleep 1000", "key": "k", "background": true});
    let first = serve.ok(request.clone());
    let again = serve.ok(request.clone());
    assert_eq!(first["sessionId"], again["sessionId"]);
    assert_eq!(again["reused"], true);
    assert!(first.get("reused").is_none());
    let mut other = Serve::new(&home, &[]);
    assert_ne!(
        other.ok(request)["sessionId"],
        first["sessionId"],
        "another scope's key"
    );
}

#[test]
fn input_given_at_the_start_is_typed() {
    let (_home, mut serve) = serve();
    let started =
        serve.ok(json!({"action": "start", "command": "read x; echo got $x", "input": "hello\n"}));
    assert_eq!(started["output"], "hello\ngot hello\n");
}

#[test]
fn pipes_tell_streams_apart_and_have_no_terminal() {
    let (_home, mut serve) = serve();
    let line = "test -t 0 || echo no tty; echo out; echo err >&2";
    let started = serve.ok(json!({"action": "start", "command": line, "mode": "pipe"}));
    let id = &started["sessionId"];
    let polled = serve.ok(json!({"action": "poll", "sessionId": id}));
    assert_eq!(polled["stdout"], "no tty\nout\n");
    assert_eq!(polled["stderr"], "err\n");
    let only = serve.ok(json!({"action": "poll", "sessionId": id, "stream": "stderr"}));
    assert_eq!(only["output"], "err\n");
    serve.err(
        json!({"action": "send_keys", "sessionId": id, "keys": ["Enter"]}),
        "session_not_running",
    );
}

#[test]
fn a_time_limit_ends_it_and_says_so() {
    let (_home, mut serve) = serve();
    let request =
        json!({"action": "start", "command": "exec sleep 1000", "timeoutMs": 300, "wait": true});
    let asked = serve.ok(request);
    assert_eq!(
        (&asked["status"], &asked["signal"]),
        (&json!("timed_out"), &json!("SIGTERM"))
    );
    let line = "trap '' TERM; echo deaf; while :; do sleep 0.05; done";
    let request = json!({"command": line, "timeoutGraceMs": 200});
    let deaf = Job::request(&mut serve, request);
    deaf.wait_for(&mut serve, "^deaf$");
    deaf.ask(&mut serve, "set", json!({"timeoutSec": 1}));
    let ended = deaf.end(&mut serve);
    assert_eq!(
        (&ended["status"], &ended["signal"]),
        (&json!("timed_out"), &json!("SIGKILL"))
    );
    for id in [&asked["sessionId"], &json!(deaf.id)] {
        let record = serve.ok(json!({"action": "status", "sessionId": id}));
        assert_eq!(record["endedBy"]["kind"], "timeout");
        assert!(
            record["reason"].as_str().unwrap().contains("time limit"),
            "{record}"
        );
    }
}

#[test]
fn kill_ends_the_whole_tree_and_says_whom() {
    let (_home, mut serve) = serve();
    // A child in a session of its own, orphaned; one that ignores TERM; the leader.
    let line = "setsid sh -c 'sleep 1000 & echo away $!' ; \
                sh -c 'trap \"\" TERM; echo deaf $$; while :; do sleep 0.05; done' & \
                echo here; wait; sleep 1000";
    let id = background(&mut serve, line);
    let until = json!([{"pattern": "^deaf \\d+"}]);
    serve.ok(json!({"action": "wait", "sessionId": id, "until": until, "since": "c0"}));
    let until = json!([{"pattern": "^away (\\d+)"}]);
    let away = serve.ok(json!({"action": "wait", "sessionId": id, "until": until, "since": "c0"}));
    let away: u32 = away["matched"]["groups"][0]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let killed = serve.ok(json!({"action": "kill", "sessionId": id, "graceMs": 300}));
    assert_eq!(
        (&killed["previousStatus"], &killed["status"]),
        (&json!("running"), &json!("killed"))
    );
    assert_eq!(killed["survivors"], json!([]));
    let pids = killed["killedPids"].as_array().unwrap();
    assert!(
        pids.contains(&json!(away)),
        "the escapee {away} is among {pids:?}"
    );
    assert!(!super::support::process::is_alive(away));
    let again = serve.ok(json!({"action": "kill", "sessionId": id}));
    assert_eq!(again["alreadyEnded"], true);
}

#[test]
fn several_are_killed_at_once_and_removed_with_their_files() {
    let (home, mut serve) = serve();
    for name in ["a", "b"] {
        serve.ok(json!({"action": "start", "command": "exec sleep 1000", "group": "g", "label": name, "background": true}));
    }
    let killed = serve.ok(json!({"action": "kill", "group": "g", "remove": true}));
    assert_eq!(killed["results"].as_array().unwrap().len(), 2);
    assert_eq!(
        std::fs::read_dir(home.path().join("sessions"))
            .unwrap()
            .count(),
        0
    );
    let id = killed["results"][0]["sessionId"].clone();
    let gone = serve.err(
        json!({"action": "poll", "sessionId": id}),
        "session_removed",
    );
    assert_eq!(gone["data"]["status"], "killed");
    serve.err(json!({"action": "kill", "group": "g"}), "session_not_found");
    serve.err(json!({"action": "kill"}), "invalid_params");
}

#[test]
fn remove_ends_first_unless_told_not_to() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "exec sleep 1000");
    serve.err(
        json!({"action": "remove", "sessionId": id, "kill": false}),
        "invalid_request",
    );
    assert_eq!(
        serve.ok(json!({"action": "remove", "sessionId": id}))["removed"],
        true
    );
    serve.err(
        json!({"action": "status", "sessionId": id}),
        "session_removed",
    );
}

#[test]
fn a_signal_goes_to_the_foreground_the_leader_or_all() {
    let (_home, mut serve) = serve();
    let id = background(
        &mut serve,
        "trap 'echo int' INT; echo up; while :; do sleep 0.05; done",
    );
    serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"pattern": "up"}]}));
    let sent =
        serve.ok(json!({"action": "signal", "sessionId": id, "signal": "INT", "target": "leader"}));
    assert_eq!(sent["deliveredTo"].as_array().unwrap().len(), 1);
    let heard =
        serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"pattern": "^int$"}]}));
    assert_eq!(heard["outcome"], "matched");
    serve.ok(json!({"action": "signal", "sessionId": id, "signal": "SIGSTOP", "target": "tree"}));
    let record = serve.ok(json!({"action": "status", "sessionId": id}));
    assert_eq!(record["status"], "paused");
    serve.ok(json!({"action": "signal", "sessionId": id, "signal": 18, "target": "tree"}));
    assert_eq!(
        serve.ok(json!({"action": "status", "sessionId": id}))["status"],
        "running"
    );
    let error = serve.err(
        json!({"action": "signal", "sessionId": id, "signal": "TREM"}),
        "invalid_params",
    );
    assert!(error["hint"].as_str().unwrap().contains("TERM"), "{error}");
    serve.ok(json!({"action": "signal", "sessionId": id, "signal": "KILL", "target": "tree"}));
    let ended = serve.ok(json!({"action": "wait", "sessionId": id}));
    assert_eq!(
        (&ended["status"], &ended["signal"]),
        (&json!("killed"), &json!("SIGKILL"))
    );
}

#[test]
fn restart_keeps_the_id_and_remembers_the_runs() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "echo run $$; exec sleep 1000");
    serve.ok(
        json!({"action": "wait", "sessionId": id, "until": [{"pattern": "^run"}], "since": "c0"}),
    );
    let record = serve.ok(json!({"action": "restart", "sessionId": id}));
    assert_eq!(
        (&record["restarts"], &record["status"]),
        (&json!(1), &json!("running"))
    );
    let record = serve.ok(json!({"action": "status", "sessionId": id, "detail": true}));
    let runs = record["detail"]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0]["signal"], "SIGTERM");
    let until = json!([{"pattern": "^run"}]);
    let second = json!({"action": "wait", "sessionId": id, "until": until});
    assert_eq!(serve.ok(second)["outcome"], "matched");
    let lines = serve.ok(json!({"action": "log", "sessionId": id, "run": 2, "tail": 10}));
    assert_eq!(lines["lines"].as_array().unwrap().len(), 1, "{lines}");
}

#[test]
fn what_can_be_changed_later_is_changed() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "exec sleep 1000");
    let set = json!({"action": "set", "sessionId": id, "label": "new", "group": "g", "keep": true});
    let record = serve.ok(set);
    assert_eq!(
        (&record["label"], &record["group"], &record["keep"]),
        (&json!("new"), &json!("g"), &json!(true))
    );
    serve.err(
        json!({"action": "set", "sessionId": id, "share": "read"}),
        "permission_denied",
    );
    serve.ok(json!({"action": "set", "sessionId": id, "timeoutSec": 1}));
    let ended = serve.ok(json!({"action": "wait", "sessionId": id}));
    assert_eq!(ended["status"], "timed_out");
}

#[test]
fn a_finished_session_is_forgotten_after_its_ttl() {
    let (_home, mut serve) = serve();
    serve.ok(json!({"action": "subscribe", "events": ["removed"]}));
    let done = serve.ok(json!({"action": "start", "command": "exit 4", "ttlMs": 200}));
    let removed = serve.event("removed");
    assert_eq!(removed["sessionId"], done["sessionId"]);
    let gone = serve.err(
        json!({"action": "log", "sessionId": done["sessionId"]}),
        "session_removed",
    );
    assert_eq!(gone["data"]["exitCode"], 4);
}

#[test]
fn a_start_beyond_the_limit_says_which() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--max-sessions", "1"]);
    let id = background(&mut serve, "exec sleep 1000");
    let error = serve.err(
        json!({"action": "start", "command": "true"}),
        "limit_exceeded",
    );
    assert_eq!(
        (&error["data"]["limit"], &error["data"]["current"]),
        (&json!(1), &json!(1))
    );
    serve.ok(json!({"action": "kill", "sessionId": id}));
    serve.ok(json!({"action": "start", "command": "true"}));
}

#[test]
fn the_list_is_filtered_counted_and_cut() {
    let (_home, mut serve) = serve();
    serve.ok(json!({"action": "start", "command": "echo a; echo b", "label": "one"}));
    serve.ok(json!({"action": "start", "command": "exit 1", "label": "two"}));
    serve.ok(json!({"action": "start", "command": "exec sleep 1000", "label": "web-1", "group": "g", "background": true}));
    let all = serve.ok(json!({"action": "list", "includeOutput": true}));
    assert_eq!(all["counts"], json!({"done": 1, "error": 1, "running": 1}));
    let first = &all["sessions"][0];
    assert_eq!(
        (&first["label"], &first["output"]),
        (&json!("one"), &json!("a\nb"))
    );
    assert!(first.get("scope").is_none(), "the short record");
    for field in [
        "cpuPercent",
        "ready",
        "heldBy",
        "title",
        "endedAt",
        "exitCode",
    ] {
        assert!(first.get(field).is_some(), "{field} is null, never missing");
    }
    for (filter, found) in [
        (json!({"status": "error"}), 1),
        (json!({"group": "g"}), 1),
        (json!({"label": "web*"}), 1),
        (json!({"label": "nothing"}), 0),
        (json!({"limit": 2}), 2),
    ] {
        let mut request = filter.clone();
        request["action"] = json!("list");
        let listed = serve.ok(request);
        assert_eq!(
            listed["sessions"].as_array().unwrap().len(),
            found,
            "{filter}"
        );
    }
    serve.err(
        json!({"action": "list", "status": "runing"}),
        "invalid_params",
    );
}

#[test]
fn an_exit_is_told_with_the_completion_message() {
    let (_home, mut serve) = serve();
    let subscribed = serve.ok(json!({"action": "subscribe"}));
    let done = serve.ok(json!({"action": "start", "command": "echo bye; exit 5", "label": "x"}));
    let started = serve.event("started");
    let exited = serve.event("exited");
    assert!(exited["seq"].as_u64() > started["seq"].as_u64());
    assert_eq!(exited["sessionId"], done["sessionId"]);
    let data = &exited["data"];
    assert_eq!(
        (&data["label"], &data["command"]),
        (&json!("x"), &json!("echo bye; exit 5"))
    );
    assert_eq!(
        (&data["status"], &data["exitCode"]),
        (&json!("error"), &json!(5))
    );
    assert_eq!(data["output"], "bye\n");
    let id = &subscribed["subscriptionId"];
    serve.ok(json!({"action": "unsubscribe", "subscriptionId": id}));
    serve.err(
        json!({"action": "unsubscribe", "subscriptionId": id}),
        "invalid_params",
    );
    let from = json!({"action": "subscribe", "fromSeq": exited["seq"]});
    serve.ok(from);
    assert_eq!(serve.event("exited")["seq"], exited["seq"]);
}

#[test]
fn stats_tell_of_daemon_and_limits() {
    let (home, mut serve) = serve();
    let stats = serve.ok(json!({"action": "stats"}));
    assert_eq!(stats["protocol"], 1);
    assert_eq!(stats["home"], home.path().display().to_string());
    assert_eq!(stats["limits"]["maxSessions"], 50);
    assert!(stats["daemonPid"].is_u64() && stats["keeperPid"].is_u64());
}

#[test]
fn a_wait_for_a_session_that_is_removed_ends() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "exec sleep 1000");
    let until = json!([{"pattern": "never"}]);
    let wait = json!({"action": "wait", "sessionId": id, "until": until, "timeoutMs": 600_000});
    let pending = serve.send(wait);
    // The first wait for the end is over when the session is killed, so this
    // one is still there when it is forgotten.
    serve.ok(json!({"action": "remove", "sessionId": id}));
    let reply = serve.reply(pending);
    let outcome = &reply["result"]["outcome"];
    assert!(
        outcome == "exited" || reply["error"]["code"] == "session_removed",
        "{reply}"
    );
}

#[test]
fn restarts_at_once_never_run_it_twice() {
    let (home, mut serve) = serve();
    let runs = home.scratch("runs");
    let command = format!("echo run >> {}; echo up; exec sleep 1000", runs.display());
    let id = background(&mut serve, &command);
    let asked: Vec<u64> = (0..4)
        .map(|_| serve.send(json!({"action": "restart", "sessionId": id})))
        .collect();
    let replies: Vec<Value> = asked.into_iter().map(|id| serve.reply(id)).collect();
    let done = replies.iter().filter(|reply| reply["ok"] == true).count();
    let refused = replies
        .iter()
        .filter(|reply| reply["error"]["code"] == "invalid_request")
        .count();
    assert!(done >= 1 && done + refused == 4, "{replies:?}");
    let record = serve.ok(json!({"action": "status", "sessionId": id, "detail": true}));
    assert_eq!(record["restarts"], done);
    assert_eq!(record["detail"]["processes"].as_array().unwrap().len(), 1);
}

#[test]
fn an_end_that_comes_during_a_restart_has_the_last_word() {
    let (_home, mut serve) = serve();
    let id = background(
        &mut serve,
        "trap '' TERM; echo deaf; while :; do sleep 0.05; done",
    );
    let until = json!([{"pattern": "deaf"}]);
    serve.ok(json!({"action": "wait", "sessionId": id, "until": until, "since": "c0"}));
    let restart = serve.send(json!({"action": "restart", "sessionId": id, "graceMs": 500}));
    let killed = serve.ok(json!({"action": "kill", "sessionId": id, "graceMs": 100}));
    assert_eq!(killed["status"], "killed");
    assert_eq!(serve.reply(restart)["error"]["code"], "cancelled");
    assert_eq!(
        serve.ok(json!({"action": "status", "sessionId": id}))["status"],
        "killed"
    );
}

#[test]
fn what_outlives_the_first_process_is_ended_too() {
    let (_home, mut serve) = serve();
    let line = "trap '' HUP; sleep 1000 & echo $!; exit 6";
    let done = serve.ok(json!({"action": "start", "command": line, "wait": true}));
    assert_eq!(done["exitCode"], 6);
    let stray: u32 = done["output"].as_str().unwrap().trim().parse().unwrap();
    let id = &done["sessionId"];
    let killed = serve.ok(json!({"action": "kill", "sessionId": id}));
    assert_eq!(killed["alreadyEnded"], true);
    assert_eq!(killed["killedPids"], json!([stray]));
    assert!(!super::support::process::is_alive(stray));
}
