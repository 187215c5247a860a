//! Jobs that go on: servers, logs, several jobs, several agents.

use serde_json::json;

use super::{Model, has};
use crate::support::{Home, Serve};

#[test]
fn a_server_is_ready_in_one_call_and_restarted_in_one() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let server = "echo compiling; sleep 0.2; echo 'ready on port 1'; exec sleep 100";
    let start = json!({ "command": server, "label": "web", "ready": {"pattern": "ready on"} });
    let text = model.call("start", start);
    has(&text, &["running", ", ready", "ready on port 1"]);
    // The label is a name for the session.
    let restart = json!({
        "action": "restart", "sessionId": "web", "until": [{"pattern": "ready on"}],
    });
    has(
        &model.call("session", restart),
        &["matched: pattern", "ready on port 1"],
    );
    has(
        &model.call("kill", json!({ "sessionId": "web" })),
        &["killed (SIGTERM)"],
    );
    model.cost(3, 350);
}

#[test]
fn the_next_end_of_three_jobs_is_waited_for() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    for gate in ["a", "b", "c"] {
        let fifo = home.gate_named(gate);
        let command = format!("read x < {}; echo end {gate}", fifo.display());
        let start = json!({ "command": command, "group": "g", "background": true });
        model.call("start", start);
    }
    for gate in ["b", "a"] {
        let wait = model.ask("wait", json!({ "group": "g", "mode": "next" }));
        std::fs::write(home.scratch(gate), "go\n").unwrap();
        has(
            &model.answer(wait),
            &["matched: exit", &format!("end {gate}"), "still running"],
        );
    }
    model.cost(5, 620);
}

#[test]
fn two_agents_of_a_scope_each_read_everything() {
    let home = Home::new();
    let mut one = Model::new(&home, &["--scope", "shared"]);
    let mut other = Model::new(&home, &["--scope", "shared"]);
    other.call("list", json!({}));
    let (id, text) = one.start("echo to all; read x; echo later");
    has(&text, &["to all"]);
    let news = json!({ "sessionId": id, "since": "new" });
    has(&other.call("poll", news.clone()), &["to all"]);
    one.call(
        "write",
        json!({ "sessionId": id, "data": "", "submit": true }),
    );
    has(&other.call("poll", news.clone()), &["later"]);
    has(&other.call("poll", news), &["(nothing new)"]);
    one.cost(2, 180);
    other.cost(4, 160);
}

#[test]
fn what_a_job_leaves_running_is_named() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, text) =
        model.start("setsid sleep 100 > /dev/null 2>&1 < /dev/null & sleep 0.5; echo started");
    has(
        &text,
        &["done (exit 0)", "1 process goes on: pid ", " sleep"],
    );
    model.call("kill", json!({ "sessionId": id }));
    model.cost(2, 180);
}

#[test]
fn a_tailed_log_is_read_in_pieces_and_not_in_lines() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let gate = home.gate();
    let command = format!(
        "read x < {}; for i in 1 2 3 4 5; do echo line $i; sleep 0.01; done; read x",
        gate.display()
    );
    let start = json!({ "command": command, "background": true });
    let text = model.call("start", start);
    let id = text.split(' ').next().unwrap();
    let poll = json!({ "sessionId": id, "since": "new", "waitMs": 18_000 });
    let polled = model.ask("poll", poll);
    std::fs::write(&gate, "go\n").unwrap();
    has(&model.answer(polled), &["line 1", "line 5"]);
    model.cost(2, 200);
}

#[test]
fn a_listed_job_takes_at_most_150_bytes() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let long = "echo a long command that goes on for ever and ever and ever and a day";
    serve.ok(json!({ "action": "start", "command": long, "label": "worker" }));
    let listed = serve.ok(json!({ "action": "list" }));
    let row = listed["sessions"][0].to_string();
    assert!(row.len() <= 150, "{} bytes: {row}", row.len());
    let ended = serve.ok(json!({ "action": "poll", "sessionId": "worker" }));
    for absent in [
        "signal",
        "omitted",
        "outputFile",
        "outputFiles",
        "offloaded",
    ] {
        assert!(ended.get(absent).is_none(), "{absent}: {ended}");
    }
}
