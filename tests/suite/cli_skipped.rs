//! Jobs of `run --after` that are skipped: who waits for them is told, and `why` says what became of the other job.

use std::process::{Child, Stdio};

use crate::support::{Home, eventually};

/// A job that fails when a line is sent to it, and one that is to start after it.
fn home() -> Home {
    let home = Home::new();
    home.start(&["-n", "build", "read line; echo error: no rule; exit 1"]);
    home.start(&["-n", "deploy", "--after", "build", "true"]);
    home
}

/// Starts a command and returns when it has as many connections as that.
fn begun(home: &Home, args: &[&str], connections: u64) -> Child {
    let count = || {
        home.json(&["daemon", "status"])["connections"]
            .as_u64()
            .unwrap()
    };
    let before = count();
    let mut command = home.command(args);
    let child = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    eventually("the command waits", || {
        (count() >= before + connections).then_some(())
    });
    child
}

#[test]
fn waits_for_a_skipped_job_end_with_the_reason() {
    let home = home();
    // The wait, the restarts, and what is skipped.
    let waits = begun(&home, &["wait", "deploy"], 3);
    let follows = begun(
        &home,
        &["run", "-f", "-n", "tell", "--after", "deploy", "true"],
        2,
    );
    home.ok(&["send", "build", "go"]);
    for (child, name) in [(waits, "deploy"), (follows, "tell")] {
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{name}: {said}");
        assert!(
            said.contains(&format!("{name} is skipped: needs")),
            "{said}"
        );
    }
    // It was skipped before.
    home.run(&["wait", "deploy", "--for", "match:x"])
        .expect_code(3)
        .expect_said("deploy is skipped: needs build ok");
    // Another one may still end.
    home.start(&["-n", "lint", "exit 4"]);
    home.run(&["wait", "--any", "deploy", "lint"])
        .expect_code(4);
}

#[test]
fn why_says_what_became_of_the_other_job() {
    let home = home();
    let said = home.ok(&["why", "deploy"]);
    assert!(
        said.contains("waits for its turn: needs build ok"),
        "{said}"
    );
    home.ok(&["send", "build", "go"]);
    home.run(&["wait", "deploy"]).expect_code(3);
    let said = home.ok(&["why", "deploy"]);
    assert!(
        said.starts_with("deploy: skipped: build exited 1, "),
        "{said}"
    );
    assert!(said.contains("first error: error: no rule"), "{said}");
    // A job that ends well can have ended too early.
    home.start(&["-n", "pg", "--ready-log", "up", "read line; exit 0"]);
    home.start(&["-n", "app", "--after", "pg:ready", "true"]);
    home.ok(&["send", "pg", "go"]);
    home.run(&["wait", "app"]).expect_code(3);
    let said = home.ok(&["why", "app"]);
    assert!(
        said.starts_with("app: skipped: pg ended before it was ready: done, "),
        "{said}"
    );
}
