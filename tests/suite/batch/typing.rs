//! People and agents type into jobs that a cluster runs, and look at them.

use serde_json::{Value, json};

use super::PATIENCE;
use crate::support::{Person, Serve, Slurm, Terminal, eventually_within};

#[test]
fn an_agent_talks_to_a_job_on_a_node_as_to_any_other() {
    let Some(slurm) = Slurm::new(1) else { return };
    let mut agent = Serve::new(&slurm.home, &["--scope", "a"]);
    let start = json!({"action": "start", "launcher": "slurm", "label": "ask", "key": "k",
        "command": "printf 'Name? '; read name; echo hello $name; stty size; printf 'Secret? '; stty -echo; read s; \
            stty echo; echo; echo ${#s}; exit 4"});
    let started = agent.ok(start.clone());
    assert_eq!(started["status"], "queued", "{started}");
    let id = started["sessionId"].clone();
    // A repetition finds the session.
    assert_eq!(agent.ok(start)["sessionId"], id);
    // It waits for its turn first.
    let waited = agent.ok(
        json!({"action": "wait", "sessionId": id, "until": [{"input": true}], "waitMs": 60_000}),
    );
    assert_eq!(
        (&waited["outcome"], &waited["inputState"]),
        (&json!("matched"), &json!("line")),
        "{waited}"
    );
    agent.ok(json!({"action": "resize", "sessionId": id, "rows": 30, "cols": 90}));
    let typed = agent.ok(
        json!({"action": "write", "sessionId": id, "data": "Ada", "submit": true,
        "until": [{"input": true}], "waitMs": 60_000}),
    );
    assert_eq!(typed["inputState"], "password", "{typed}");
    let screen = agent.ok(json!({"action": "capture", "sessionId": id}));
    assert!(screen.to_string().contains("hello Ada"), "{screen}");
    agent.ok(json!({"action": "send_keys", "sessionId": id, "keys": ["s", "e", "Enter"]}));
    let ended = agent.ok(json!({"action": "wait", "sessionId": id, "waitMs": 60_000}));
    assert_eq!(ended["exitCode"], 4, "{ended}");
    let log = agent.ok(json!({"action": "log", "sessionId": id, "lines": 20}));
    let lines: Vec<&str> = log["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|line| line["text"].as_str())
        .collect();
    assert_eq!(lines, ["Name? Ada", "hello Ada", "30 90", "Secret? ", "2"]);
    // Who says what for waits for it, however long the job is in the queue.
    let start = json!({"action": "start", "launcher": "slurm", "command": "echo up; sleep 600",
        "until": [{"pattern": "^up$"}], "waitMs": 60_000});
    let started = agent.ok(start);
    assert_eq!(started["outcome"], "matched", "{started}");
    assert_eq!(started["status"], "running", "{started}");
    agent.ok(json!({"action": "kill", "sessionId": started["sessionId"]}));
    // Agents of another scope do not see it.
    let mut other = Serve::new(&slurm.home, &["--scope", "b"]);
    other.err(
        json!({"action": "poll", "sessionId": id}),
        "session_not_found",
    );
}

#[test]
fn what_a_job_on_a_node_waits_for_is_known_before_anybody_types() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    home.ok(&["ls"]);
    let mut person = Person::new(home);
    person.ok(json!({"action": "subscribe"}));
    slurm.run(
        "ask",
        "printf 'Name? '; read x; printf 'Age? '; read y; echo hi $x; exec sleep 600",
    );
    let asked = person.next(|line| line["event"] == "input_needed");
    assert_eq!(asked["data"]["prompt"], "Name?", "{asked}");
    let record = slurm.status("ask");
    assert_eq!(record["inputState"], "line", "{record}");
    let is = |state: &str| {
        eventually_within(PATIENCE, state, || {
            (slurm.status("ask")["inputState"] == state).then_some(())
        });
    };
    home.ok(&["send", "ask", "Ada"]);
    // The next prompt comes at once, and is told as well.
    let asked = person.next(|line| line["event"] == "input_needed");
    assert_eq!(asked["data"]["prompt"], "Age?", "{asked}");
    home.ok(&["send", "ask", "36"]);
    home.ok(&["wait", "ask", "--for", "match:^hi Ada$"]);
    is("none");
    // A signal stops it, of which the cluster knows nothing.
    home.ok(&["pause", "ask"]);
    let asked = |record: &Value| record["engine"]["state"].clone();
    let paused = slurm.until("ask", "paused");
    assert_eq!(asked(&paused), "RUNNING", "{paused}");
    // It stays so when the cluster is asked again.
    home.run(&["wait", "ask", "--timeout", "3s"])
        .expect_code(124);
    assert_eq!(slurm.status("ask")["status"], "paused");
    home.ok(&["resume", "ask"]);
    slurm.until("ask", "running");
}

#[test]
fn a_signal_for_the_batch_script_reaches_the_program() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    let line = "for s in USR1 INT; do trap \"echo got $s\" $s; done; echo up; while :; do sleep 0.05; done";
    slurm.run("job", line);
    home.ok(&["wait", "job", "--for", "match:^up$"]);
    for signal in ["USR1", "INT"] {
        let number = slurm.number("job");
        slurm.said("scancel", &["--batch", "--signal", signal, &number]);
        home.ok(&["wait", "job", "--for", &format!("match:^got {signal}$")]);
    }
    assert_eq!(slurm.status("job")["status"], "running");
    home.ok(&["stop", "job"]);
}

#[test]
fn a_job_that_the_cluster_suspends_is_paused() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    slurm.run("job", "echo up; exec sleep 600");
    home.ok(&["wait", "job", "--for", "match:^up$"]);
    let number = slurm.number("job");
    slurm.said("scontrol", &["suspend", &number]);
    let paused = slurm.until("job", "paused");
    assert_eq!(paused["engine"]["state"], "SUSPENDED", "{paused}");
    slurm.said("scontrol", &["resume", &number]);
    slurm.until("job", "running");
    let kinds = slurm.events("job");
    assert_eq!(kinds[kinds.len() - 2..], ["paused", "resumed"], "{kinds:?}");
    home.ok(&["stop", "job"]);
}

#[test]
fn a_person_watches_a_job_and_types_into_it() {
    let Some(slurm) = Slurm::new(1) else { return };
    slurm.run("ask", "echo ready; read x; echo got $x; exec sleep 600");
    slurm.home.ok(&["wait", "ask", "--for", "match:^ready$"]);
    let mut view = Terminal::new(&slurm.home, &["attach", "ask"], (100, 30));
    view.wait_for_text("ready");
    view.send("typed here\r");
    view.wait_for_text("got typed here");
    view.send("\x1d");
    slurm.home.ok(&["stop", "ask"]);
}
