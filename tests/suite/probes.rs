//! Probes of readiness for which bgproc makes attempts: connections, requests, commands, files and quiet.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Serve, eventually};

/// Starts a job that does nothing but stay, with a probe, in a directory.
fn start(serve: &mut Serve, dir: &std::path::Path, ready: Value) -> Job {
    let request = json!({"command": "echo begun; read x; echo more; read y", "ready": ready,
        "cwd": dir, "env": {"FLAG": "flag"}});
    Job::request(serve, request)
}

fn becomes_ready(serve: &mut Serve, job: &Job) {
    let waited = job.wait_until(serve, json!({"until": [{"ready": true}]}));
    assert_eq!(waited["outcome"], "matched", "{waited}");
}

fn is_ready(serve: &mut Serve, job: &Job) -> Value {
    job.ask(serve, "status", json!({}))["ready"].clone()
}

#[test]
fn a_command_that_succeeds_makes_a_job_ready() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let dir = tempfile::tempdir().unwrap();
    let probe = json!({"command": "echo tried >> tries; test -e $FLAG", "everyMs": 20});
    let job = start(&mut serve, dir.path(), probe);
    let tries = dir.path().join("tries");
    eventually("there were two attempts", || {
        let tries = std::fs::read_to_string(&tries).ok()?;
        (tries.lines().count() >= 2).then_some(())
    });
    assert_eq!(is_ready(&mut serve, &job), false);
    std::fs::write(dir.path().join("flag"), "").unwrap();
    becomes_ready(&mut serve, &job);
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_it_has_started() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let dir = tempfile::tempdir().unwrap();
    let line = "sleep 1000 & echo $! >> children; wait";
    let probe = json!({"command": line, "everyMs": 20});
    start(&mut serve, dir.path(), probe);
    let child = eventually("the command has run", || {
        let children = std::fs::read_to_string(dir.path().join("children")).ok()?;
        children.lines().next()?.parse().ok()
    });
    assert!(Held::new(child).is_none_or(|child| child.ended(DEADLINE)));
}

#[test]
fn a_file_makes_a_job_ready_and_each_run_is_probed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let dir = tempfile::tempdir().unwrap();
    let job = start(
        &mut serve,
        dir.path(),
        json!({"file": "flag", "everyMs": 20}),
    );
    assert_eq!(is_ready(&mut serve, &job), false);
    std::fs::write(dir.path().join("flag"), "").unwrap();
    becomes_ready(&mut serve, &job);
    std::fs::remove_file(dir.path().join("flag")).unwrap();
    job.ask(
        &mut serve,
        "restart",
        json!({"until": [{"pattern": "begun"}]}),
    );
    assert_eq!(is_ready(&mut serve, &job), false);
    std::fs::write(dir.path().join("flag"), "").unwrap();
    becomes_ready(&mut serve, &job);
}

#[test]
fn a_connection_makes_a_job_ready_and_the_next_daemon_goes_on() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // Taken, so that nobody else gets it, and refused until it listens.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let place = format!("127.0.0.1:{port}");
    let job = start(
        &mut serve,
        home.path(),
        json!({"tcp": place, "everyMs": 20}),
    );
    assert_eq!(is_ready(&mut serve, &job), false);
    home.kill_daemon();
    let _listener = TcpListener::bind(&place).unwrap();
    becomes_ready(&mut serve, &job);
}

#[test]
fn quiet_makes_a_job_ready() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = start(&mut serve, home.path(), json!({"quietMs": 50}));
    becomes_ready(&mut serve, &job);
}

#[test]
fn a_probe_that_cannot_be_is_refused() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    for probe in [
        json!({"tcp": "localhost"}),
        json!({"http": "https://localhost/"}),
        json!({"tcp": "localhost:80", "file": "x"}),
        json!({"status": [200]}),
    ] {
        serve.err(
            json!({"action": "start", "command": "true", "ready": probe}),
            "invalid_params",
        );
    }
    let mut confined = Serve::new(&home, &["--allow", "cat"]);
    confined.err(
        json!({"action": "start", "command": "cat", "args": [], "ready": {"command": "rm x"}}),
        "permission_denied",
    );
}
