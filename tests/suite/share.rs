//! Sessions that a person opens to agents of other scopes.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Serve};

/// Everything that an agent can ask of a session by looking, and by typing.
fn looks(id: &str) -> Vec<Value> {
    vec![
        json!({"action": "status", "sessionId": id}),
        json!({"action": "poll", "sessionId": id}),
        json!({"action": "log", "sessionId": id}),
        json!({"action": "capture", "sessionId": id}),
        json!({"action": "wait", "sessionId": id, "until": [{"pattern": "^up$"}], "since": "c0"}),
        json!({"action": "watch", "sessionId": id}),
        json!({"action": "unwatch", "sessionId": id}),
    ]
}

fn types(id: &str) -> Vec<Value> {
    vec![
        json!({"action": "write", "sessionId": id, "data": "hello", "newline": true}),
        json!({"action": "send_keys", "sessionId": id, "keys": ["Enter"]}),
    ]
}

fn owns(id: &str) -> Vec<Value> {
    vec![
        json!({"action": "signal", "sessionId": id, "signal": "CONT"}),
        json!({"action": "resize", "sessionId": id, "rows": 20, "cols": 50}),
        json!({"action": "clear", "sessionId": id}),
        json!({"action": "set", "sessionId": id, "label": "mine"}),
        json!({"action": "restart", "sessionId": id}),
        json!({"action": "report", "sessionId": id, "state": "idle"}),
        json!({"action": "kill", "sessionId": id}),
        json!({"action": "remove", "sessionId": id}),
    ]
}

fn ids(listed: &Value) -> Vec<&str> {
    let sessions = listed["sessions"].as_array().unwrap();
    sessions
        .iter()
        .map(|s| s["sessionId"].as_str().unwrap())
        .collect()
}

#[test]
fn what_a_person_shares_is_seen_and_what_not_never_was() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "-g", "shop", "echo up; exec cat"]);
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let hidden = |agent: &mut Serve| {
        for request in [looks(&id), types(&id), owns(&id)].concat() {
            let error = agent.err(request, "session_not_found");
            let never = json!({"action": "status", "sessionId": "abcdefghijkl"});
            let never = agent.err(never, "session_not_found");
            let words = never["message"]
                .as_str()
                .unwrap()
                .replace("abcdefghijkl", &id);
            assert_eq!(
                (&error["message"], &error["hint"]),
                (&json!(words), &never["hint"])
            );
        }
        assert!(ids(&agent.ok(json!({"action": "list"}))).is_empty());
    };
    hidden(&mut agent);

    home.ok(&["share", "web", "read"]);
    let listed = agent.ok(json!({"action": "list"}));
    assert_eq!(
        (ids(&listed), &listed["sessions"][0]["share"]),
        (vec![id.as_str()], &json!("read"))
    );
    looks(&id)
        .into_iter()
        .for_each(|request| drop(agent.ok(request)));
    for request in [types(&id), owns(&id)].concat() {
        agent.err(request, "permission_denied");
    }
    let group = json!({"action": "kill", "group": "shop"});
    agent.err(group, "session_not_found");

    home.ok(&["share", "web", "write"]);
    types(&id)
        .into_iter()
        .for_each(|request| drop(agent.ok(request)));
    for request in owns(&id) {
        agent.err(request, "permission_denied");
    }
    // An agent opens nothing, not even what is its own.
    let own = Job::start(&mut agent, "exec sleep 1000");
    let set = json!({"action": "set", "sessionId": own.id, "share": "read"});
    agent.err(set, "permission_denied");

    // It survives the daemon.
    home.kill_daemon();
    assert_eq!(agent.ok(looks(&id).remove(0))["share"], "write");

    // What is asked already is not answered any more.
    let pending = agent.send(json!({"action": "wait", "sessionId": id}));
    agent.ok(json!({"action": "watch", "sessionId": id}));
    agent.event("screen");
    home.ok(&["share", "web", "none"]);
    agent.ok(json!({"action": "kill", "sessionId": own.id, "remove": true}));
    home.ok(&["send", "web", "secret-line"]);
    home.ok(&["wait", "web", "--for", "match:secret-line"]);
    home.ok(&["stop", "web"]);
    let error = agent.reply(pending);
    assert_eq!(error["error"]["code"], "session_not_found", "{error}");
    hidden(&mut agent);
    let told = agent.told("screen");
    // The first frame of a watch, and nothing after it.
    assert!(
        told.iter().all(|frame| frame["data"]["full"] == true),
        "{told:?}"
    );
    assert!(
        agent
            .told("exited")
            .iter()
            .all(|event| event["sessionId"] == own.id)
    );
}

#[test]
fn what_is_pending_ends_with_the_sharing() {
    let home = Home::new();
    let mut owner = Serve::new(&home, &["--scope", "owner"]);
    let mut other = Serve::new(&home, &["--scope", "other"]);
    let job = Job::start(&mut owner, "exec cat");
    home.ok(&["share", &job.id, "write"]);
    other.ok(json!({"action": "subscribe"}));
    let wait = json!({
        "action": "wait", "sessionId": job.id, "until": [{"exit": true}], "waitMs": 600_000,
    });
    let waits = [owner.send(wait.clone()), other.send(wait)];
    let writes = other.send(json!({
        "action": "write", "sessionId": job.id, "data": "", "until": [{"pattern": "never"}], "waitMs": 600_000,
    }));
    let asks =
        other.send(json!({"action": "ask_human", "sessionId": job.id, "message": "What now?"}));
    other.event("human_asked");
    home.ok(&["share", &job.id, "read"]);
    let error = other.reply(asks);
    assert_eq!(error["error"]["code"], "permission_denied", "{error}");
    assert_eq!(job.ask(&mut owner, "status", json!({}))["asked"], json!([]));
    for pending in [waits[1], writes] {
        assert_eq!(other.told_reply(pending), None);
    }
    home.ok(&["share", &job.id, "none"]);
    for pending in [waits[1], writes] {
        let error = other.reply(pending);
        assert_eq!(error["error"]["code"], "session_not_found", "{error}");
    }
    // The owner's goes on.
    job.ask(&mut owner, "kill", json!({}));
    assert_eq!(owner.reply(waits[0])["result"]["outcome"], "matched");
}

#[test]
fn events_of_a_shared_session_reach_other_scopes() {
    let home = Home::new();
    let mut owner = Serve::new(&home, &["--scope", "owner"]);
    let mut other = Serve::new(&home, &["--scope", "other"]);
    other.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut owner, "read x; exit 3");
    home.ok(&["share", &job.id, "read"]);
    let past = other.ok(json!({"action": "events"}));
    assert_eq!(past["events"][0]["event"], "started", "{past}");
    job.ask(&mut owner, "write", json!({"data": "x\n"}));
    let exited = other.event("exited");
    assert_eq!(
        (&exited["sessionId"], &exited["data"]["exitCode"]),
        (&json!(job.id), &json!(3))
    );
    // It is the owner's completion, told or not: another scope's reading settles nothing.
    owner.ok(json!({"action": "subscribe"}));
    owner.event("exited");
}

#[test]
fn a_job_can_be_started_shared() {
    let home = Home::new();
    let id = home.start(&["--share", "read", "exec sleep 1000"]);
    let mut agent = Serve::new(&home, &[]);
    assert_eq!(ids(&agent.ok(json!({"action": "list"}))), [id.as_str()]);
    assert!(home.ok(&["status", &id]).contains("every agent may read"));
}
