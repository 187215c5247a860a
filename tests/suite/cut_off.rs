//! Requests whose client cancels them or goes away half-way: what they have begun is done to its end.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::{Held, write_script};
use crate::support::{Home, Serve, daemon, eventually};

/// Cancels a request, which is told.
#[track_caller]
fn cancel(serve: &mut Serve, id: u64) {
    serve.ok(json!({"action": "cancel", "requestId": id}));
    assert_eq!(serve.reply(id)["error"]["code"], "cancelled");
}

#[test]
fn text_and_its_enter_are_typed_together() {
    let home = Home::new();
    let gate = home.gate();
    let mut serve = Serve::new(&home, &["--scope", "typist"]);
    let command = format!(
        "stty raw -echo; echo up; read go < {}; head -c 6 | od -An -c",
        gate.display()
    );
    let job = Job::start(&mut serve, &command);
    job.wait_for(&mut serve, "^up$");
    // The program has not read the text, so Enter is typed a moment later.
    let written = serve.send(json!({
        "action": "write", "sessionId": job.id, "data": "hello", "submit": true, "waitMs": 60_000,
    }));
    serve.close_stdin();
    assert_eq!(serve.reply(written)["error"]["code"], "cancelled");
    assert_eq!(serve.exit_code(), Some(0));
    std::fs::write(gate, "go\n").unwrap();
    let mut later = Serve::new(&home, &["--scope", "typist"]);
    job.end(&mut later);
    let output = job.output(&mut later);
    assert!(output.contains("h   e   l   l   o  \\r"), "{output}");
}

#[test]
fn what_a_cancelled_request_has_typed_is_recorded() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "stty raw -echo; echo up; exec sleep 1000");
    job.wait_for(&mut serve, "^up$");
    let data = format!("first{}", "x".repeat(900_000));
    let write = json!({"action": "write", "sessionId": job.id, "data": data});
    let write = serve.send(write);
    cancel(&mut serve, write);
    eventually("the record has what the terminal has", || {
        let log = json!({"stream": "input", "tail": 9});
        let log = job.ask(&mut serve, "log", log).to_string();
        log.contains("bytes, not shown").then_some(())
    });
}

#[test]
fn a_program_that_cannot_be_started_leaves_no_session() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // Only the keeper finds out.
    let program = home.scratch("script");
    write_script(&program, "#!/nowhere/interpreter\n");
    let (_, keeper) = daemon::pids(&mut serve);
    let keeper = Held::new(keeper).unwrap();
    keeper.signal(Signal::STOP);
    let start = json!({"action": "start", "command": program, "args": [], "key": "k"});
    let start = serve.send(start);
    cancel(&mut serve, start);
    keeper.signal(Signal::CONT);
    eventually("the session is gone", || {
        let listed = serve.ok(json!({"action": "list"}));
        (listed["sessions"] == json!([])).then_some(())
    });
}

#[test]
fn the_input_of_a_start_is_typed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let (_, keeper) = daemon::pids(&mut serve);
    let keeper = Held::new(keeper).unwrap();
    keeper.signal(Signal::STOP);
    let start =
        json!({"action": "start", "command": "read line; exit $line", "input": "3\n", "key": "k"});
    let first = serve.send(start.clone());
    cancel(&mut serve, first);
    keeper.signal(Signal::CONT);
    let again = serve.ok(start);
    assert_eq!(again["reused"], true, "{again}");
    assert_eq!(again["exitCode"], 3, "{again}");
}

#[test]
fn what_is_being_removed_is_removed() {
    let home = Home::new();
    let (gate, notes) = (home.gate(), home.scratch("notes"));
    let mut serve = Serve::new(&home, &[]);
    let command = format!(
        "trap 'echo ending; read go < {}; exit 3' TERM; echo up; while :; do sleep 1000 & wait $!; done",
        gate.display()
    );
    let on_exit = format!("touch {}", notes.display());
    let job = Job::request(&mut serve, json!({"command": command, "onExit": on_exit}));
    job.wait_for(&mut serve, "^up$");
    let remove = serve.send(json!({"action": "remove", "sessionId": job.id}));
    job.wait_for(&mut serve, "^ending$");
    cancel(&mut serve, remove);
    std::fs::write(gate, "go\n").unwrap();
    eventually("it is removed", || {
        let status = serve.call(json!({"action": "status", "sessionId": job.id}));
        (status["error"]["code"] == "session_removed").then_some(())
    });
    assert!(!notes.exists(), "what is removed runs no onExit");
    assert_eq!(
        serve.ok(json!({"action": "list"}))["sessions"],
        Value::Array(vec![])
    );
}
