//! Jobs that are restarted while somebody follows them or waits for them.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use crate::support::process::write_script;
use crate::support::{Home, eventually};

/// A job that says that it runs and ends with what it is told.
const JOB: &str = "echo up; read code; exit $code";

fn spawn(home: &Home, args: &[&str]) -> Child {
    let mut command = home.command(args);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn ends(mut child: Child) -> (Option<i32>, String) {
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

/// Until so many clients are connected.
#[track_caller]
fn connected(home: &Home, count: u64) {
    eventually("the clients are connected", || {
        let connections = home.json(&["daemon", "status"])["connections"].as_u64();
        (connections >= Some(count)).then_some(())
    });
}

#[test]
fn a_restart_with_variables_changes_them_for_all_later_runs() {
    let home = Home::new();
    let show = "echo \"$MODE $LEFT $BGPROC_SESSION\"; read x";
    home.start(&["-n", "web", "-e", "MODE=first", "-e", "LEFT=left", show]);
    let id = home.json(&["status", "web"])["sessionId"].clone();
    let id = id.as_str().unwrap();
    let until = |text: &str| {
        let text = format!("match:{text}");
        let waits = home.run(&["wait", "web", "--for", &text]);
        waits.expect_code(0);
    };
    until("first");
    home.ok(&["restart", "web", "-e", "MODE=second"]);
    until("second");
    home.ok(&["restart", "web"]);
    let lines = eventually("three runs have written", || {
        let lines = home.ok(&["logs", "web"]);
        let lines = lines.lines().filter(|line| line.ends_with(id));
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        (lines.len() == 3).then_some(lines)
    });
    let run = |mode: &str| format!("{mode} left {id}");
    assert_eq!(lines, [run("first"), run("second"), run("second")]);
    let shown = home.json(&["status", "web"]);
    assert_eq!(shown["detail"]["env"]["MODE"], "second", "{shown}");
    home.run(&["restart", "web", "-e", "=x"]).expect_code(2);
    home.start(&["-n", "done", "true"]);
    home.run(&["wait", "done"]).expect_code(0);
    home.ok(&["restart", "done", "-e", "MODE=third"]);
    let done = home.run(&["--json", "status", "done"]).stdout;
    assert!(done.contains("\"MODE\":\"third\""), "{done}");
}

#[test]
fn following_goes_on_over_a_restart_and_says_so() {
    let home = Home::new();
    home.start(&["-n", "web", JOB]);
    let mut child = spawn(&home, &["logs", "-f", "web"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "up");
    home.ok(&["restart", "web"]);
    assert_eq!(lines.next().unwrap().unwrap(), "up");
    home.ok(&["send", "web", "4"]);
    assert_eq!(lines.next().unwrap().unwrap(), "4");
    assert!(lines.next().is_none());
    let (code, said) = ends(child);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said, "bgproc: web was restarted (run 2)\n");
}

#[test]
fn a_policy_that_runs_a_job_again_is_followed_too() {
    let home = Home::new();
    let count = home.scratch("count").display().to_string();
    let script = format!(
        "echo x >> {count}; printf 'run %s' $(wc -l < {count}); test $(wc -l < {count}) = 3"
    );
    let ran = home.run(&["run", "-f", "-n", "web", "--restart", "on-failure", &script]);
    let ran = ran.expect_code(0);
    assert_eq!(ran.stdout, "run 1\nrun 2\nrun 3");
    let said: Vec<_> = ran.stderr.lines().collect();
    let restarted = |run: u32| format!("bgproc: web was restarted (run {run})");
    assert_eq!(said, [restarted(2), restarted(3)]);
}

#[test]
fn waiting_goes_on_over_a_restart_and_says_so() {
    let home = Home::new();
    home.start(&["-n", "web", JOB]);
    let child = spawn(&home, &["wait", "web"]);
    let other = spawn(&home, &["wait", "--for", "match:^6$", "web"]);
    // Each has a connection for the wait and one for what happens meanwhile.
    connected(&home, 5);
    home.ok(&["restart", "web"]);
    home.ok(&["send", "web", "6"]);
    let (code, said) = ends(child);
    assert_eq!(
        (code, &said[..]),
        (Some(6), "bgproc: web was restarted (run 2)\n")
    );
    assert_eq!(ends(other).0, Some(0));
}

#[test]
fn a_restart_that_fails_ends_the_wait_for_it() {
    let home = Home::new();
    let program = home.scratch("program");
    write_script(&program, "#!/bin/sh\nsleep 1000\n");
    home.start(&["-n", "web", &program.display().to_string(), "x"]);
    let child = spawn(&home, &["wait", "web"]);
    connected(&home, 3);
    // It is still there, and cannot be run.
    std::fs::write(&program, "#!/no/where\n").unwrap();
    assert_ne!(home.run(&["restart", "web"]).code, Some(0));
    assert_ne!(ends(child).0, Some(0));
}

#[test]
fn the_end_of_one_of_several_is_told() {
    let home = Home::new();
    home.start(&["-n", "web", JOB]);
    home.start(&["-n", "api", "echo api; read end"]);
    home.start(&["-n", "old", "-w", "true"]);
    let mut child = spawn(&home, &["logs", "-f", "web", "api", "old"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..2 {
        lines.next().unwrap().unwrap();
    }
    home.ok(&["send", "web", "4"]);
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let told = said.next().unwrap().unwrap();
    assert_eq!(told, "bgproc: web has ended (exit 4)");
    home.ok(&["stop", "api"]);
    let told = said.next().unwrap().unwrap();
    assert_eq!(told, "bgproc: api has ended (SIGTERM)");
    assert!(said.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
