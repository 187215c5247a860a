//! Jobs that start at a time.

use serde_json::json;

use crate::support::{Home, Serve, eventually};

#[test]
fn a_job_starts_after_its_delay() {
    let home = Home::new();
    let said = home.ok(&["run", "-n", "late", "--in", "1s", "echo ran"]);
    assert!(said.starts_with("late  queued  starts at "), "{said}");
    let waits = home.listed("late");
    assert_eq!(waits["status"], "queued", "{waits}");
    let until = waits["waiting"]["until"].as_str().unwrap().to_owned();
    assert_eq!(waits["waiting"]["why"], format!("starts at {until}"));
    home.ok(&["wait", "late"]);
    let record = home.record("late");
    assert_eq!(record["status"], "done", "{record}");
    let started = record["startedAt"].as_str().unwrap();
    assert!(started >= until.as_str(), "{started} {until}");
    assert!(record["waiting"].is_null(), "{record}");
}

#[test]
fn the_next_daemon_keeps_the_time() {
    let home = Home::new();
    home.ok(&["run", "-n", "soon", "--in", "1500ms", "echo ran"]);
    home.ok(&["run", "-n", "far", "--in", "10h", "echo ran"]);
    let until = home.listed("far")["waiting"]["until"].clone();
    home.kill_daemon();
    assert_eq!(home.listed("far")["waiting"]["until"], until);
    home.ok(&["wait", "soon"]);
    let listed = home.ok(&["ls"]);
    assert!(
        listed.contains("in 9h59m") || listed.contains("in 10h"),
        "{listed}"
    );
}

#[test]
fn a_delay_can_be_ended_and_called_off() {
    let home = Home::new();
    for name in ["now", "never"] {
        home.ok(&["run", "-n", name, "--in", "10h", "echo ran"]);
    }
    home.ok(&["start", "now"]);
    home.ok(&["wait", "now"]);
    assert_eq!(home.record("now")["status"], "done");
    home.ok(&["stop", "never"]);
    eventually("it is called off", || {
        (home.listed("never")["status"] == "killed").then_some(())
    });
    let past = home
        .run(&["run", "--at", "2020-01-01 08:00", "true"])
        .expect_code(2);
    assert!(past.stderr.contains("is past"), "{past}");
    let both = home.run(&["run", "--at", "08:00", "--in", "1h", "true"]);
    both.expect_code(2);
}

#[test]
fn agents_start_sessions_with_a_delay() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let start = json!({"action": "start", "command": "echo ran", "delayMs": 300, "wait": true});
    let ended = serve.ok(start);
    assert_eq!(ended["status"], "done", "{ended}");
    let long = json!({"action": "start", "command": "true", "delayMs": 40_000_000_000_u64});
    let refused = serve.call(long);
    assert_eq!(refused["error"]["code"], "invalid_params", "{refused}");
}

#[test]
fn run_sets_limits() {
    let home = Home::new();
    let line = "ulimit -n; nice";
    let limits = ["--limit", "open_files=99", "--limit", "nice=3"];
    let args = [&["run", "-w", "-q"][..], &limits, &[line]].concat();
    assert_eq!(home.ok(&args), "99\n3\n");
    let wrong = home
        .run(&["run", "--limit", "disk=1G", "true"])
        .expect_code(2);
    assert!(wrong.stderr.contains("open_files"), "{wrong}");
}
