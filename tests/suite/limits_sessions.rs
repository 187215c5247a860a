//! How many sessions there may be: a refusal says what it is about and touches nothing.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::is_alive;
use crate::support::{Home, Serve, eventually};

fn sleeper(serve: &mut Serve, label: &str) -> Job {
    Job::request(serve, json!({"command": "exec sleep 1000", "label": label}))
}

fn reclaimable(error: &Value) -> Vec<&str> {
    let named = error["data"]["reclaimable"].as_array().unwrap().iter();
    named
        .map(|session| {
            assert!(session["idleMs"].is_u64(), "{session}");
            session["sessionId"].as_str().unwrap()
        })
        .collect()
}

#[test]
fn a_refused_start_names_the_limit_and_the_idlest_sessions() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--max-sessions", "3"]);
    let mut other = Serve::new(&home, &[]);
    sleeper(&mut other, "not of this scope");
    let talker = Job::start(&mut serve, "echo up; read x; echo said; exec sleep 1000");
    talker.wait_for(&mut serve, "^up$");
    let silent = [sleeper(&mut serve, "a"), sleeper(&mut serve, "b")];
    // Idle times are in milliseconds.
    eventually("it is idle for longer than the next output", || {
        let status = silent[1].ask(&mut serve, "status", json!({}));
        (status["idleMs"].as_u64()? > 1).then_some(())
    });
    // Started first, and still the last to write.
    talker.say(&mut serve, "x", "^said$");
    let start = json!({"action": "start", "command": "true"});
    let error = serve.err(start.clone(), "limit_exceeded");
    let data = &error["data"];
    assert_eq!(
        (&data["name"], &data["limit"], &data["current"]),
        (&json!("maxSessions"), &json!(3), &json!(3))
    );
    let idlest = [&silent[0].id, &silent[1].id, &talker.id].map(String::as_str);
    assert_eq!(reclaimable(&error), idlest);
    assert_eq!(data["reclaimable"][0]["label"], "a");
    for job in silent.iter().chain([&talker]) {
        assert!(is_alive(job.pid.unwrap()));
    }
    silent[0].ask(&mut serve, "kill", json!({}));
    assert_eq!(serve.ok(start)["status"], "done");
}

#[test]
fn the_limit_of_all_is_told_to_each_scope_in_its_own_terms() {
    let home = Home::with_config("max_sessions = 2\n");
    let (mut one, mut two) = (Serve::new(&home, &[]), Serve::new(&home, &[]));
    assert_eq!(one.hello["limits"]["maxSessionsTotal"], 2);
    let mine = sleeper(&mut one, "mine");
    sleeper(&mut two, "theirs");
    let error = one.err(
        json!({"action": "start", "command": "true"}),
        "limit_exceeded",
    );
    assert_eq!(error["data"]["name"], "maxSessionsTotal");
    assert_eq!(reclaimable(&error), [mine.id.as_str()]);
    let ran = home.run(&["run", "true"]).expect_code(1);
    ran.expect_said("2 sessions are running; the limit is 2");
}

#[test]
fn a_restart_of_what_has_ended_is_one_more_session() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--max-sessions", "1"]);
    let ended = sleeper(&mut serve, "ended");
    serve.ok(json!({"action": "kill", "sessionId": ended.id}));
    let running = sleeper(&mut serve, "running");
    let again = json!({"action": "restart", "sessionId": ended.id});
    serve.err(again.clone(), "limit_exceeded");
    // One that runs makes room for itself.
    serve.ok(json!({"action": "restart", "sessionId": running.id}));
    serve.ok(json!({"action": "kill", "sessionId": running.id}));
    serve.ok(again);
}
