//! A daemon dies over a request that may be asked again: whoever asked has an answer, and what was to be done once
//! is done once.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::job::Job;
use crate::support::{Home, Terminal, Trap};

/// A shell line that notes each of its runs, and the file with the notes.
fn noting(home: &Home, then: &str) -> (String, PathBuf) {
    let notes = home.scratch("notes");
    (format!("echo ran >> {}; {then}", notes.display()), notes)
}

#[track_caller]
fn check_ran_once(notes: &Path) {
    assert_eq!(std::fs::read_to_string(notes).unwrap(), "ran\n");
}

#[test]
fn a_job_that_a_person_runs() {
    let home = Home::new();
    let trap = Trap::new(&home, &["start.asked_keeper"]);
    let (line, notes) = noting(&home, "exit 3");
    let env = [("BGPROC_FAILPOINT", trap.variable.as_str())];
    home.run_with_env(&["ls"], &env).expect_code(0);
    trap.set();
    home.run(&["run", "-w", &line]).expect_code(3);
    trap.check();
    check_ran_once(&notes);
    assert_eq!(home.ok(&["ls", "--no-header"]).lines().count(), 1);
}

#[test]
fn a_job_that_is_started_in_the_dashboard() {
    let home = Home::new();
    let trap = Trap::new(&home, &["start.asked_keeper"]);
    let (line, notes) = noting(&home, "exec cat");
    let env = [("BGPROC_FAILPOINT", trap.variable.as_str())];
    let mut view = Terminal::with_env(&home, &[], (80, 24), &env);
    view.wait_for_text("Nothing is running yet.");
    trap.set();
    view.send("n");
    view.wait_mode("PROMPT");
    view.send(format!("{line}\r"));
    view.wait_for_text("needs input");
    trap.check();
    check_ran_once(&notes);
    view.send("q");
    view.exit_code();
}

#[test]
fn the_input_of_a_job() {
    let home = Home::new();
    let trap = Trap::new(&home, &["start.input"]);
    let mut serve = trap.serve(&home);
    let start = json!({
        "action": "start", "command": "read line; echo \"got $line\"; exec cat", "input": "hello\n", "key": "k",
        "until": [{"pattern": "^got"}],
    });
    trap.set();
    let started = serve.ok(start.clone());
    trap.check();
    assert_eq!(
        (&started["reused"], &started["matched"]["text"]),
        (&json!(true), &json!("got hello")),
        "{started}"
    );
    // It has it now, whoever asks again.
    serve.ok(start);
    home.kill_daemon();
    let id = started["sessionId"].as_str().unwrap();
    home.ok(&["send", id, "bye"]);
    home.ok(&["wait", id, "--for", "match:^bye$"]);
    let output = home.ok(&["logs", id]);
    assert_eq!(output.matches("hello").count(), 2, "{output}");
}

#[test]
fn an_export_to_a_file() {
    let home = Home::new();
    let trap = Trap::new(&home, &["export.written"]);
    let mut serve = trap.serve(&home);
    let job = Job::start(&mut serve, "echo hello");
    job.end(&mut serve);
    trap.set();
    let path = home.scratch("out.txt");
    let exported = job.ask(
        &mut serve,
        "export",
        json!({"path": path, "format": "text"}),
    );
    trap.check();
    assert_eq!(exported["bytes"], 6, "{exported}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "hello\n");
}
