//! Who is told that a program waits for input, when, and how often.

use serde_json::json;

use crate::support::daemon;
use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve};

/// Asks for a name and a password.
const QUESTIONS: &str = "printf 'Name: '; read name; stty -echo; printf 'Password: '; read word; \
    stty echo; echo; echo over $name ${#word}";

#[test]
fn prompts_are_events_one_for_each() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut serve, QUESTIONS);
    let told = serve.event("input_needed");
    assert_eq!(told["data"]["inputState"], "line", "{told}");
    assert_eq!(told["data"]["prompt"], "Name:", "{told}");
    job.ask(&mut serve, "write", json!({"data": "bob", "newline": true}));
    let told = serve.event("input_needed");
    assert_eq!(told["data"]["inputState"], "password", "{told}");
    assert_eq!(told["data"]["prompt"], "Password:", "{told}");
    job.ask(
        &mut serve,
        "write",
        json!({"data": "geheim", "newline": true}),
    );
    job.end(&mut serve);
    assert!(job.output(&mut serve).contains("over bob 6"));
    let events = serve.ok(json!({"action": "events", "afterSeq": 0}));
    let needed = events["events"].as_array().unwrap().iter();
    let needed = needed.filter(|event| event["event"] == "input_needed");
    assert_eq!(needed.count(), 2, "{events}");
}

#[test]
fn a_pause_within_a_line_is_no_new_prompt() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut serve, QUESTIONS);
    for (half, rest, prompt) in [("bo", "b", "Name:"), ("geh", "eim", "Password:")] {
        let told = serve.event("input_needed");
        assert_eq!(told["data"]["prompt"], prompt, "{told}");
        job.ask(&mut serve, "write", json!({"data": half}));
        // What comes after it is told after it would have been.
        let other = Job::start(&mut serve, "read x");
        let told = serve.event("input_needed");
        assert_eq!(told["sessionId"], other.id.as_str(), "{told}");
        job.ask(&mut serve, "write", json!({"data": rest, "newline": true}));
    }
    job.end(&mut serve);
    assert!(job.output(&mut serve).contains("over bob 6"));
}

#[test]
fn a_prompt_is_told_once_also_if_the_daemon_dies() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut serve, QUESTIONS);
    serve.event("input_needed");
    daemon::kill(&mut serve);
    job.wait_until(&mut serve, json!({"until": [{"input": true}]}));
    // What comes after it is told after it would have been.
    let other = Job::start(&mut serve, "read x");
    let told = serve.event("input_needed");
    assert_eq!(told["sessionId"], other.id.as_str(), "{told}");
    // The next prompt is another one.
    job.ask(&mut serve, "write", json!({"data": "bob", "newline": true}));
    let told = serve.event("input_needed");
    assert_eq!(told["data"]["prompt"], "Password:", "{told}");
}

/// The job writes nothing that would make the next daemon look.
#[test]
fn a_silent_program_that_asks_under_the_next_daemon_is_noticed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gate = home.gate();
    let line = "read x < \"$GATE\"; read name";
    let job = Job::request(&mut serve, json!({"command": line, "env": {"GATE": gate}}));
    daemon::kill(&mut serve);
    serve.ok(json!({"action": "subscribe"}));
    std::fs::write(&gate, "\n").unwrap();
    let told = serve.event("input_needed");
    assert_eq!(told["sessionId"], job.id.as_str(), "{told}");
}

#[test]
fn a_shell_at_rest_is_no_event() {
    if !have("bash") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe"}));
    let shell = Job::start(&mut serve, "exec bash --norc");
    shell.wait_until(&mut serve, json!({"until": [{"input": true}]}));
    // What comes after it is told after it would have been.
    let other = Job::start(&mut serve, "read x");
    let told = serve.event("input_needed");
    assert_eq!(told["sessionId"], other.id.as_str(), "{told}");
}

#[test]
fn a_write_can_wait_for_the_next_prompt() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "exec python3 -q -i");
    job.wait_until(&mut serve, json!({"until": [{"input": true}]}));
    let until = json!({"until": [{"input": true}], "timeoutMs": 18_000});
    for (line, answer) in [
        ("6 * 7", "42"),
        ("import time; time.sleep(0.2); print('slept')", "slept"),
        ("name = input('Who? ')", "Who? "),
        ("Zoe", ">>> "),
        ("name.upper()", "'ZOE'"),
    ] {
        let write = json!({"data": line, "submit": true, "wait": until});
        let said = job.ask(&mut serve, "write", write);
        assert_eq!(said["outcome"], "matched", "{said}");
        let output = said["output"].as_str().unwrap();
        assert!(output.contains(answer), "{line}: {said}");
    }
}

#[test]
fn a_wait_looks_at_what_is_there_when_it_begins() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "read x; exec sleep 1000");
    let until = json!({"until": [{"input": true}]});
    job.wait_until(&mut serve, until.clone());
    let again = job.wait_until(&mut serve, until);
    assert_eq!(again["matchedAtEntry"], true, "{again}");
    assert_eq!(again["matched"]["kind"], "input", "{again}");
    job.ask(&mut serve, "write", json!({"data": "x", "newline": true}));
    let wait = json!({"until": [{"input": true}], "timeoutMs": 300});
    let never = job.ask(&mut serve, "wait", wait);
    assert_eq!(never["outcome"], "timeout", "{never}");
    assert_eq!(never["inputState"], "none", "{never}");
}

#[test]
fn poll_ends_early_for_a_prompt_once() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "read x; read y");
    let poll = json!({"since": "new", "waitMs": 18_000});
    let first = job.ask(&mut serve, "poll", poll);
    assert_eq!(first["inputState"], "line", "{first}");
    // A reader that asks again and again is not answered again and again.
    let poll = json!({"since": "new", "waitMs": 200});
    let before = std::time::Instant::now();
    job.ask(&mut serve, "poll", poll);
    assert!(before.elapsed().as_millis() >= 200);
}

#[test]
fn it_is_known_after_the_deaths_of_daemon_and_keeper() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "printf 'Name: '; read x; echo over");
    let until = json!({"until": [{"input": true}]});
    job.wait_until(&mut serve, until.clone());
    daemon::kill(&mut serve);
    let waited = job.wait_until(&mut serve, until.clone());
    assert_eq!(waited["inputState"], "line", "{waited}");
    daemon::kill_keeper(&mut serve);
    let waited = job.wait_until(&mut serve, until);
    assert_eq!(waited["inputState"], "line", "{waited}");
}
