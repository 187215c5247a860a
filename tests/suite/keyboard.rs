//! A person who takes the keyboard, agents that type, and a command that is changed.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Person, Serve};

fn hold(job: &Job, on: bool) -> Value {
    json!({"action": "hold", "sessionId": job.id, "on": on})
}

fn write(job: &Job, data: &str) -> Value {
    json!({"action": "write", "sessionId": job.id, "data": data})
}

#[test]
fn a_keyboard_is_held_until_it_is_given_back_or_its_person_leaves() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut agent, "echo up; exec cat");
    job.wait_for(&mut agent, "^up$");
    agent.err(hold(&job, true), "permission_denied");
    let mut person = Person::new(&home);
    person.ok(hold(&job, true));
    agent.event("held");
    agent.err(write(&job, "sneaked\n"), "input_held");
    let status = job.ask(&mut agent, "status", json!({}));
    assert_eq!(status["heldBy"]["by"], "human", "{status}");
    // Another one who does the same keeps it held.
    let mut other = Person::new(&home);
    other.ok(hold(&job, true));
    person.ok(hold(&job, false));
    agent.err(write(&job, "sneaked\n"), "input_held");
    drop(other);
    agent.event("released");
    job.say(&mut agent, "from-agent", "^from-agent$");
    assert!(!job.output(&mut agent).contains("sneaked"));
}

#[test]
fn that_an_agent_types_is_told_to_those_who_ask_for_it() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let job = Job::start(&mut agent, "echo up; exec cat");
    job.wait_for(&mut agent, "^up$");
    let mut person = Person::new(&home);
    person.ok(json!({"action": "subscribe", "events": ["agent_input", "exited"]}));
    for word in ["one", "two", "three"] {
        job.say(&mut agent, word, &format!("^{word}$"));
    }
    job.ask(&mut agent, "kill", json!({}));
    let mut told = Vec::new();
    let last = person.next(|line| {
        if line["event"] == "agent_input" {
            told.push(moment(line));
        }
        line["event"] == "exited"
    });
    assert_eq!(last["sessionId"], json!(job.id));
    assert!(!told.is_empty());
    let apart = told.windows(2).map(|pair| pair[1] - pair[0]);
    let soonest = apart.min().unwrap_or(1000);
    // The clock that is shown may be set meanwhile, by little.
    assert!(soonest >= 990, "once a second at most: {told:?}");
}

/// When an event was, in milliseconds.
fn moment(event: &Value) -> i64 {
    let at: jiff::Timestamp = event["at"].as_str().unwrap().parse().unwrap();
    at.as_millisecond()
}

#[test]
fn a_changed_command_is_what_the_next_run_runs() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "-e", "WORD=kept", "echo first $WORD"]);
    home.run(&["wait", "web"]);
    let mut person = Person::new(&home);
    let set = json!({"action": "set", "sessionId": id, "command": "echo second $WORD; exit 3",
        "restart": {"policy": "on-failure", "maxRetries": 1, "backoffMs": 1}});
    let record = person.ok(set);
    assert_eq!(record["command"], "echo second $WORD; exit 3", "{record}");
    assert_eq!(record["restart"]["policy"], "on-failure", "{record}");
    person.ok(json!({"action": "subscribe", "events": ["exited"]}));
    home.run(&["restart", "web"]);
    person.next(|line| line["event"] == "exited" && line["data"]["exitCode"] == 3);
    let log = home.ok(&["logs", "web"]);
    // The run that was asked for, and the one of the new policy; both in the environment of the first.
    let expected = "first kept\nsecond kept\nsecond kept\n";
    assert_eq!(log.replace('\r', ""), expected);
    // The next daemon and keeper know it as well.
    home.kill_daemon();
    let ran = home.run(&["--json", "status", "web"]);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(record["command"], "echo second $WORD; exit 3", "{record}");
    let mut agent = Serve::new(&home, &[]);
    let job = Job::start(&mut agent, "exec cat");
    let set = json!({"action": "set", "sessionId": job.id, "command": "id"});
    agent.err(set, "permission_denied");
    let set = json!({"action": "set", "sessionId": job.id, "args": ["id"]});
    agent.err(set, "invalid_params");
}
