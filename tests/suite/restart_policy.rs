//! Jobs that are run again by their policy, and what ends that.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Serve, daemon, eventually};

fn start(serve: &mut Serve, command: &str, restart: Value) -> Job {
    Job::request(serve, json!({"command": command, "restart": restart}))
}

/// Waits until the policy of a job waits.
fn until_retrying(serve: &mut Serve, job: &Job) {
    eventually("the policy waits", || {
        let poll = job.ask(serve, "poll", json!({"waitMs": 50}));
        match poll["status"].as_str().unwrap() {
            "retrying" => Some(()),
            "running" => None,
            _ => panic!("{poll}"),
        }
    });
}

#[test]
fn a_run_that_is_not_ready_any_more_is_replaced() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["ready", "restarted"]}));
    let up = home.path().join("up");
    // It ends well when it is asked to, which is a failure here: nobody has wanted it to end.
    let line = "trap 'exit 0' TERM; touch \"$UP\"; while :; do sleep 0.02; done";
    let job = Job::request(
        &mut serve,
        json!({
            "command": line,
            "env": {"UP": up},
            "ready": {"file": up, "everyMs": 20},
            "restart": {"policy": "on-failure", "backoffMs": 10, "unreadyMs": 60},
        }),
    );
    serve.event("ready");
    std::fs::remove_file(&up).unwrap();
    let restarted = serve.event("restarted");
    let why = format!(
        "it was not ready any more for 60ms: {} does not exist (exit code 0); it is run again (1 of 5)",
        up.display()
    );
    assert_eq!(restarted["data"]["reason"], why, "{restarted}");
    serve.event("ready");
    let record = job.record(&mut serve);
    assert_eq!(
        (&record["restarts"], &record["ready"]),
        (&json!(1), &json!(true))
    );
    job.ask(&mut serve, "kill", json!({}));
    assert_eq!(job.record(&mut serve)["status"], "killed");
}

#[test]
fn a_limit_without_readiness_must_be_able_to_take_effect() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let policy = json!({"policy": "always", "unreadyMs": 60});
    let line = json!({"action": "start", "command": "sleep 1", "ready": {"pattern": "up"}, "restart": policy});
    let refused = serve.err(line, "invalid_params");
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.starts_with("`restart.unreadyMs` needs `ready`"),
        "{message}"
    );
    let job = Job::request(&mut serve, json!({"command": "sleep 1000"}));
    let set = json!({"action": "set", "sessionId": job.id, "restart": policy});
    let again = serve.err(set, "invalid_params");
    assert_eq!(again["message"], message);
}

#[test]
fn a_job_that_fails_is_run_again_so_often_and_no_more() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["started", "restarted", "exited"]}));
    let policy = json!({"policy": "on-failure", "maxRetries": 2, "backoffMs": 10});
    let job = start(&mut serve, "echo run; exit 4", policy);
    let ended = job.end(&mut serve);
    assert_eq!(
        (&ended["status"], &ended["exitCode"]),
        (&json!("error"), &json!(4))
    );
    assert_eq!(
        job.output(&mut serve),
        "run\nrun\nrun\n",
        "one log for all runs"
    );
    let record = job.record(&mut serve);
    assert_eq!(record["restarts"], 2);
    let offsets: Vec<_> = record["detail"]["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| (run["offset"].clone(), run["exitCode"].clone()))
        .collect();
    assert_eq!(offsets, [0, 5, 10].map(|at| (json!(at), json!(4))));
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.contains("restarted 2 times"), "{reason}");
    for (restarts, backoff) in [(1, 10), (2, 20)] {
        let event = serve.event("restarted");
        assert_eq!(event["data"]["restarts"], restarts, "{event}");
        assert_eq!(event["data"]["backoffMs"], backoff);
        assert!(
            event["data"]["reason"]
                .as_str()
                .unwrap()
                .starts_with("exit code 4")
        );
    }
    serve.event("exited");
    assert!(
        serve.told("exited").is_empty(),
        "it has ended for good once"
    );
}

#[test]
fn success_ends_a_policy_for_failures_and_always_goes_on() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let on_failure = json!({"policy": "on-failure", "backoffMs": 1});
    let counted = home.scratch("count");
    let line = format!(
        "echo x >> {0}; test $(wc -l < {0}) -ge 3",
        counted.display()
    );
    let job = start(&mut serve, &line, on_failure);
    assert_eq!(job.end(&mut serve)["status"], "done");
    assert_eq!(job.record(&mut serve)["restarts"], 2);
    let always = json!({"policy": "always", "maxRetries": 1, "backoffMs": 1});
    let job = start(&mut serve, "true", always);
    assert_eq!(job.end(&mut serve)["status"], "done");
    assert_eq!(job.record(&mut serve)["restarts"], 1);
    // A time limit is a failure.
    let policy = json!({"policy": "on-failure", "maxRetries": 1, "backoffMs": 1});
    let job = Job::request(
        &mut serve,
        json!({"command": "exec cat", "restart": policy, "timeoutMs": 100}),
    );
    assert_eq!(job.end(&mut serve)["status"], "timed_out");
    assert_eq!(job.record(&mut serve)["restarts"], 1);
}

#[test]
fn an_event_tells_that_a_run_has_ended_and_when_the_next_one_starts() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["retrying"]}));
    let policy = json!({"policy": "always", "backoffMs": 600_000});
    let job = start(&mut serve, "exit 7", policy);
    let event = serve.event("retrying");
    assert_eq!(event["sessionId"], json!(job.id), "{event}");
    let record = job.record(&mut serve);
    assert_eq!(record["status"], "retrying");
    assert_eq!(record["pid"], Value::Null, "{record}");
    assert!(event["data"]["retryAt"].is_string(), "{event}");
    assert!(record["retryAt"].is_string(), "{record}");
    job.ask(&mut serve, "kill", json!({}));
}

#[test]
fn whoever_ends_a_job_ends_its_policy() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let policy = json!({"policy": "always", "backoffMs": 600_000});
    // While it runs.
    let job = start(&mut serve, "exec cat", policy.clone());
    let killed = job.ask(&mut serve, "kill", json!({}));
    assert_eq!(killed["status"], "killed");
    assert_eq!(job.record(&mut serve)["restarts"], 0);
    // While it waits.
    let job = start(&mut serve, "exit 9", policy.clone());
    until_retrying(&mut serve, &job);
    let pending = serve.send(json!({"action": "wait", "sessionId": job.id, "timeoutMs": 18_000}));
    let killed = job.ask(&mut serve, "kill", json!({}));
    assert_eq!(
        (
            &killed["previousStatus"],
            &killed["status"],
            &killed["alreadyEnded"]
        ),
        (&json!("retrying"), &json!("killed"), &Value::Null)
    );
    let ended = serve.reply(pending)["result"].take();
    assert_eq!(
        (&ended["outcome"], &ended["exitCode"]),
        (&json!("matched"), &json!(9))
    );
    let record = job.record(&mut serve);
    assert_eq!(record["endedBy"]["kind"], "agent");
    // A removed one is not run again either.
    let job = start(&mut serve, "exit 9", policy);
    until_retrying(&mut serve, &job);
    assert_eq!(job.ask(&mut serve, "remove", json!({}))["removed"], true);
}

#[test]
fn a_restart_by_hand_needs_not_wait_and_begins_to_count_anew() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let policy = json!({"policy": "on-failure", "maxRetries": 1, "backoffMs": 600_000});
    let job = start(&mut serve, "read x; exit 9", policy);
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    until_retrying(&mut serve, &job);
    let record = job.ask(&mut serve, "restart", json!({}));
    assert_eq!(
        (&record["status"], &record["restarts"]),
        (&json!("running"), &json!(1))
    );
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    until_retrying(&mut serve, &job);
    // While it runs, too, and the policy still holds afterwards.
    job.ask(&mut serve, "restart", json!({}));
    let record = job.ask(&mut serve, "restart", json!({}));
    assert_eq!(
        (&record["status"], &record["restarts"]),
        (&json!("running"), &json!(3))
    );
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    until_retrying(&mut serve, &job);
}

#[test]
fn a_policy_outlives_daemon_and_keeper() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let policy = json!({"policy": "on-failure", "maxRetries": 3, "backoffMs": 400});
    let line = "echo $VALUE; read x; exit 9";
    let job = Job::request(
        &mut serve,
        json!({"command": line, "restart": policy, "env": {"VALUE": "kept"}}),
    );
    job.wait_for(&mut serve, "kept");
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    until_retrying(&mut serve, &job);
    daemon::kill(&mut serve);
    let two = json!({"until": [{"pattern": "^kept$"}], "since": "c5"});
    job.wait_until(&mut serve, two);
    // It ends while no daemon is there to see it.
    daemon::kill_keeper(&mut serve);
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    until_retrying(&mut serve, &job);
    let third = json!({"until": [{"pattern": "^kept$"}], "since": "new"});
    job.wait_until(&mut serve, third);
    assert_eq!(job.record(&mut serve)["restarts"], 2);
}

#[test]
fn always_is_for_ever_for_people_and_five_times_for_agents() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let forever = json!({"policy": "always", "maxRetries": u32::MAX, "backoffMs": 1});
    serve.ok(json!({"action": "subscribe", "events": ["restarted"]}));
    let job = start(&mut serve, "echo run", forever);
    // More than agents get; the pauses are an eighth of a second together.
    for _ in 0..7 {
        serve.event("restarted");
    }
    let known = job.record(&mut serve);
    assert!(known["restarts"].as_u64().unwrap() >= 7, "{known}");
    job.ask(&mut serve, "kill", json!({}));
    let job = start(
        &mut serve,
        "echo run",
        json!({"policy": "always", "backoffMs": 1}),
    );
    job.end(&mut serve);
    assert_eq!(job.record(&mut serve)["restarts"], 5);
    for (word, most) in [("always", u32::MAX), ("always:3", 3)] {
        let id = home.start(&["--restart", word, "sleep 1000"]);
        let policy = home.json(&["status", &id])["restart"].clone();
        assert_eq!(policy["maxRetries"], most, "{word}");
    }
}

#[test]
fn people_say_it_in_a_word() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "--restart", "on-failure:0", "exit 5"]);
    home.run(&["wait", "web"]).expect_code(5);
    let status = home.run(&["--json", "status", &id]).expect_code(3).stdout;
    assert!(status.contains("\"restarts\":0"), "{status}");
    home.run(&["run", "--restart", "sometimes", "true"])
        .expect_code(2);
    let error = Serve::new(&home, &[]).err(
        json!({"action": "start", "command": "x", "restart": {"policy": "sometimes"}}),
        "invalid_params",
    );
    assert!(error.to_string().contains("on-failure"), "{error}");
}

#[test]
fn a_restart_that_waits_keeps_nobody_from_restarting() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "exec sleep 1000");
    let until = json!([{"pattern": "never"}]);
    let restart = json!({
        "action": "restart", "sessionId": job.id, "until": until, "waitMs": 60_000,
    });
    serve.send(restart);
    eventually("it runs again", || {
        let record = job.record(&mut serve);
        (record["restarts"] == 1 && record["status"] == "running").then_some(())
    });
    assert_eq!(job.ask(&mut serve, "restart", json!({}))["restarts"], 2);
    // What is told of a run that is over.
    let over = Job::start(&mut serve, "exit 3");
    over.end(&mut serve);
    let again = over.ask(&mut serve, "restart", json!({"until": [{"exit": true}]}));
    assert_eq!(
        (&again["status"], &again["exitCode"]),
        (&json!("error"), &json!(3))
    );
    assert_eq!(again["reason"], Value::Null, "{again}");
}

#[test]
fn a_kill_while_the_time_limit_ends_a_run_ends_the_policy() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::request(
        &mut serve,
        json!({
            "command": "trap '' TERM; while :; do sleep 0.05; done", "timeoutMs": 100, "timeoutGraceMs": 60_000,
            "restart": {"policy": "on-failure", "maxRetries": 4, "backoffMs": 1},
        }),
    );
    eventually("its time is over", || {
        (job.record(&mut serve)["status"] == "stopping").then_some(())
    });
    let killed = job.ask(&mut serve, "kill", json!({"force": true}));
    assert_eq!(killed["status"], "killed", "{killed}");
    let record = job.record(&mut serve);
    assert_eq!(
        (&record["restarts"], &record["endedBy"]["kind"]),
        (&json!(0), &json!("agent")),
        "{record}"
    );
}
