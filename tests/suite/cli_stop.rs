//! `stop`: of many jobs at once, and over the deaths of daemons.

use std::os::unix::process::ExitStatusExt;
use std::process::{Output, Stdio};

use rustix::process::Signal;
use serde_json::json;

use crate::support::job::Job;
use crate::support::process::Held;
use crate::support::{Home, Serve};

/// A job that says so when it is asked to end, and goes on.
const DEAF: &str = "trap 'echo asked' TERM; echo up; while :; do read _; done";

/// Waits until all jobs have printed a line.
#[track_caller]
fn all_say(home: &Home, line: &str) {
    let condition = format!("match:^{line}$");
    home.run(&["wait", "*", "--for", &condition, "--timeout", "18s"])
        .expect_code(0);
}

#[test]
fn every_job_has_been_asked_to_end_when_a_person_leaves() {
    // More than a client has requests in flight.
    const JOBS: usize = 135;
    let home = Home::with_config("max_sessions_per_scope = 200\n");
    let mut serve = Serve::new(&home, &[]);
    for number in 0..JOBS {
        let label = format!("job{number}");
        Job::request(&mut serve, json!({"command": DEAF, "label": label}));
    }
    all_say(&home, "up");
    let mut stop = home.command(&["stop", "--all", "-t", "60s"]);
    let stop = stop.stdout(Stdio::piped()).stderr(Stdio::piped());
    let stop = stop.spawn().unwrap();
    let held = Held::new(stop.id()).unwrap();
    all_say(&home, "asked");
    held.signal(Signal::INT);
    let Output { status, stderr, .. } = stop.wait_with_output().unwrap();
    assert_eq!(status.signal(), Some(2));
    let said = String::from_utf8_lossy(&stderr).into_owned();
    let (names, _) = said.split_once(" are still being stopped").unwrap();
    assert_eq!(names.matches("job").count(), JOBS, "{said}");
    home.ok(&["kill", "--all"]);
}

#[test]
fn many_jobs_are_told_of_one_by_one() {
    const JOBS: usize = 135;
    let home = Home::with_config("max_sessions_per_scope = 200\n");
    let mut serve = Serve::new(&home, &[]);
    for number in 0..JOBS {
        let label = format!("job{number}");
        let request = json!({"command": "sleep", "args": ["1000"], "label": label});
        Job::request(&mut serve, request);
    }
    let said = home.ok(&["stop", "--all"]);
    let stopped = said
        .lines()
        .filter(|line| line.contains("  stopped (SIGTERM, "));
    assert_eq!(stopped.count(), JOBS, "{said}");
}

#[test]
fn a_stop_goes_on_with_the_next_daemon() {
    let home = Home::new();
    home.start(&["-n", "web", DEAF]);
    all_say(&home, "up");
    std::thread::scope(|scope| {
        let stop = scope.spawn(|| home.run(&["stop", "web", "-t", "3s"]));
        all_say(&home, "asked");
        home.kill_daemon();
        let ran = stop.join().unwrap().expect_code(0);
        assert!(ran.stdout.starts_with("web  stopped (SIGKILL, "), "{ran}");
        assert_eq!(ran.stderr, "", "{ran}");
    });
}

#[test]
fn a_replacement_goes_on_with_the_next_daemon() {
    let home = Home::with_config("stop_grace_ms = 3000\n");
    home.start(&["-n", "web", DEAF]);
    all_say(&home, "up");
    let args = ["run", "-w", "-q", "--replace", "-n", "web", "echo new"];
    std::thread::scope(|scope| {
        let run = scope.spawn(|| home.run(&args));
        all_say(&home, "asked");
        home.kill_daemon();
        let ran = run.join().unwrap().expect_code(0);
        assert_eq!(ran.stdout, "new\n", "{ran}");
    });
}

#[test]
fn a_second_stop_does_not_shorten_the_grace_period_of_the_first() {
    let home = Home::with_config("stop_grace_ms = 0\n");
    let line = "n=0; trap 'n=$((n+1)); echo asked $n; [ $n -lt 3 ] || exit 7' TERM; echo up; \
                while :; do read _; done";
    home.start(&["-n", "web", line]);
    all_say(&home, "up");
    let begin = |args: &[&str]| {
        let mut stop = home.command(args);
        let stop = stop.stdout(Stdio::piped()).stderr(Stdio::piped());
        stop.spawn().unwrap()
    };
    let first = begin(&["stop", "web", "-t", "60s"]);
    all_say(&home, "asked 1");
    let second = begin(&["stop", "web"]);
    all_say(&home, "asked 2");
    let third = home.run(&["stop", "web"]).expect_code(0);
    assert!(third.stdout.contains("(exit 7, "), "{third}");
    for stop in [first, second] {
        let ran = stop.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(said.contains("(exit 7, "), "{said}");
    }
}

#[test]
fn a_start_during_a_stop_waits_for_the_end() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // It ends when it is asked again.
    let line = "n=0; trap 'n=$((n+1)); echo asked $n; [ $n = 1 ] || exit 7' TERM; echo up; \
                while :; do read _; done";
    Job::request(&mut serve, json!({"command": line, "label": "web"}));
    all_say(&home, "up");
    let mut stop = home.command(&["stop", "web", "-t", "60s"]);
    let stop = stop.stdout(Stdio::piped()).stderr(Stdio::piped());
    let stop = stop.spawn().unwrap();
    all_say(&home, "asked 1");
    home.ok(&["start", "web"]);
    let status = home.json(&["status", "web"]);
    assert_eq!(status["status"], "running", "{status}");
    assert_eq!(status["restarts"], 1, "{status}");
    stop.wait_with_output().unwrap();
    home.ok(&["kill", "web"]);
}
