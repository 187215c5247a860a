//! A restart is completed, whoever leaves or dies meanwhile, and takes no place that another session has.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Serve, daemon, eventually};

/// A job that is ended only by KILL.
const DEAF: &str = "trap '' TERM; echo up; while :; do sleep 0.05; done";

fn deaf(serve: &mut Serve, mut start: Value) -> Job {
    start["command"] = json!(DEAF);
    let job = Job::request(serve, start);
    job.wait_for(serve, "^up$");
    job
}

/// Asks for a restart, and waits until the run before is being ended.
fn restart(serve: &mut Serve, by: Option<&mut Serve>, job: &Job, grace_ms: u32) {
    let restart = json!({"action": "restart", "sessionId": job.id, "graceMs": grace_ms});
    match by {
        Some(other) => drop(other.send(restart)),
        None => drop(serve.send(restart)),
    }
    eventually("its run is being ended", || {
        let status = job.ask(serve, "status", json!({}));
        (status["status"] == "stopping").then_some(())
    });
}

#[track_caller]
fn until_run_again(serve: &mut Serve, job: &Job) {
    let mut seen = Value::Null;
    eventually("it runs again", || {
        seen = job.ask(serve, "status", json!({}));
        assert_ne!(seen["status"], "lost", "{seen}");
        (seen["restarts"] == 1 && seen["status"] == "running").then_some(())
    });
}

#[test]
fn a_restart_is_completed_when_its_client_has_left() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let job = deaf(&mut serve, json!({}));
    let mut other = Serve::new(&home, &["--scope", "s"]);
    // What a client asks for is given up two seconds after it has left.
    restart(&mut serve, Some(&mut other), &job, 4000);
    drop(other);
    until_run_again(&mut serve, &job);
}

#[test]
fn a_restart_is_completed_by_the_next_daemon() {
    let home = Home::new();
    home.ok(&["group", "builds", "--parallel", "2"]);
    for start in [json!({}), json!({"group": "builds"})] {
        let mut serve = Serve::new(&home, &[]);
        let job = deaf(&mut serve, start);
        restart(&mut serve, None, &job, 1000);
        daemon::kill(&mut serve);
        until_run_again(&mut serve, &job);
    }
}

#[test]
fn whoever_ends_a_job_ends_its_restart_also_for_the_next_daemon() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = deaf(&mut serve, json!({}));
    restart(&mut serve, None, &job, 2000);
    serve.send(json!({"action": "kill", "sessionId": job.id, "graceMs": 2000}));
    daemon::kill(&mut serve);
    assert_eq!(job.end(&mut serve)["status"], "killed");
    daemon::kill(&mut serve);
    let status = job.ask(&mut serve, "status", json!({}));
    assert_eq!(
        (&status["status"], &status["restarts"]),
        (&json!("killed"), &json!(0))
    );
}

/// Two jobs with the same label that have ended.
fn ended(serve: &mut Serve, label: &str) -> [Job; 2] {
    [0, 1].map(|_| {
        let start = json!({"command": "read x", "label": label});
        let job = Job::request(serve, start);
        job.ask(serve, "write", json!({"data": "\n"}));
        job.end(serve);
        job
    })
}

/// Restarts both at once. The second is refused with this code.
#[track_caller]
fn one_of(serve: &mut Serve, jobs: &[Job; 2], restart: &Value, code: &str) {
    let requests = jobs.each_ref().map(|job| {
        let mut restart = restart.clone();
        restart["sessionId"] = json!(job.id);
        restart
    });
    let asked = serve.send_together(requests);
    let (first, second) = (serve.reply(asked[0]), serve.reply(asked[1]));
    assert_eq!(first["ok"], true, "{first}");
    assert_eq!(second["error"]["code"], code, "{second}");
}

#[test]
fn restarts_that_come_together_keep_the_limit_and_the_name() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--max-sessions", "1"]);
    let jobs = ended(&mut serve, "limit");
    one_of(
        &mut serve,
        &jobs,
        &json!({"action": "restart"}),
        "limit_exceeded",
    );
    let mut serve = Serve::new(&home, &[]);
    let jobs = ended(&mut serve, "name");
    let unique = json!({"action": "restart", "uniqueLabel": true});
    one_of(&mut serve, &jobs, &unique, "invalid_request");
}

/// A job of which something is left that only KILL ends, when its first process has ended.
const LEAVES_DEAF: &str = "sh -c 'trap \"\" TERM HUP; echo deaf > /dev/tty; exec sleep 1000' > /dev/null 2>&1 < /dev/null & \
                           while :; do echo word; sleep 0.05; done";

#[test]
fn a_wait_for_silence_during_a_restart_holds_up_nobody() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::request(&mut serve, json!({"command": LEAVES_DEAF}));
    job.wait_for(&mut serve, "^deaf$");
    let restart = json!({"action": "restart", "sessionId": job.id, "graceMs": 2000});
    let restarted = serve.send(restart);
    // While its first process is over and the next one has not begun, it is silent for long enough.
    let wait = json!({
        "action": "wait", "sessionId": job.id, "until": [{"idleMs": 300}], "throughRestarts": true,
        "waitMs": 20_000, "since": "new",
    });
    let waited = serve.send(wait);
    let reply = serve.reply(restarted);
    assert_eq!(reply["result"]["restarts"], 1, "{reply}");
    job.ask(&mut serve, "kill", json!({"force": true}));
    // The next run may have been silent as well when it began.
    let outcome = serve.reply(waited)["result"]["outcome"].take();
    assert!(outcome == "exited" || outcome == "matched", "{outcome}");
}

#[test]
fn a_wait_for_a_port_goes_on_through_a_restart() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = stranger.local_addr().unwrap().port();
    let leaves_deaf = LEAVES_DEAF.split_once("while").unwrap().0;
    let command = format!("{leaves_deaf} exec cat");
    let job = Job::request(&mut serve, json!({"command": command}));
    job.wait_for(&mut serve, "^deaf$");
    let wait = json!({
        "action": "wait", "sessionId": job.id, "until": [{"port": port}, {"pattern": "^done$"}],
        "throughRestarts": true, "waitMs": 20_000, "since": "new",
    });
    let waited = serve.send(wait);
    let restarted = serve.send(json!({"action": "restart", "sessionId": job.id, "graceMs": 3000}));
    eventually("its first process is over", || {
        let status = job.ask(&mut serve, "status", json!({}));
        (status["status"] == "killed").then_some(())
    });
    // Who listens on the port changes while there is no run, so it is looked at.
    drop(stranger);
    let reply = serve.reply(restarted);
    assert_eq!(reply["result"]["restarts"], 1, "{reply}");
    job.ask(&mut serve, "write", json!({"data": "done\n"}));
    let reply = serve.reply(waited);
    assert_eq!(reply["result"]["outcome"], "matched", "{reply}");
    job.ask(&mut serve, "kill", json!({"force": true}));
}

#[test]
fn a_session_is_not_removed_while_it_is_restarted_or_ended() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // Less than the time that what it leaves has to end.
    let request = json!({"command": LEAVES_DEAF, "ttlMs": 1000});
    let job = Job::request(&mut serve, request);
    job.wait_for(&mut serve, "^deaf$");
    let restarted = job.ask(&mut serve, "restart", json!({"graceMs": 1500}));
    assert_eq!(restarted["restarts"], 1, "{restarted}");
    eventually("both are there", || {
        let log = job.ask(&mut serve, "log", json!({"grep": "^deaf$"}));
        (log["matches"].as_array().unwrap().len() == 2).then_some(())
    });
    let killed = job.ask(&mut serve, "kill", json!({"graceMs": 1500}));
    assert_eq!(killed["status"], "killed", "{killed}");
}
