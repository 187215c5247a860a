//! Ending, restarting, changing and forgetting sessions, and what is told of them.

use serde_json::{Value, json};

use super::{background, serve};
use crate::support::job::Job;

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
    assert!(!crate::support::process::is_alive(away));
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
    assert_eq!(
        (&gone["data"]["status"], &gone["data"]["signal"]),
        (&json!("killed"), &json!("SIGTERM"))
    );
    // Also by its label, which is like another one.
    serve.ok(json!({"action": "start", "command": "true", "label": "ab"}));
    let gone = serve.err(
        json!({"action": "poll", "sessionId": "a"}),
        "session_removed",
    );
    let message = gone["message"].as_str().unwrap();
    assert!(message.starts_with("Session a ("), "{message}");
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
fn a_paused_job_that_is_asked_to_end_and_continued_is_killed() {
    let (_home, mut serve) = serve();
    let job = Job::start(&mut serve, "exec sleep 1000");
    for signal in ["STOP", "TERM", "CONT"] {
        let sent = job.ask(&mut serve, "signal", json!({"signal": signal}));
        assert_eq!(sent["deliveredTo"], json!([job.pid]), "{signal}");
    }
    let ended = job.end(&mut serve);
    assert_eq!(
        (&ended["status"], &ended["signal"]),
        (&json!("killed"), &json!("SIGTERM")),
        "{ended}"
    );
    let record = job.ask(&mut serve, "status", json!({}));
    assert_eq!(record["endedBy"]["kind"], "agent", "{record}");
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
    assert!(!crate::support::process::is_alive(stray));
}
