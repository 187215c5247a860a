//! A person who types holds the session; agents wait their turn.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Mcp, Person, Serve};

fn write(job: &Job, data: &str) -> Value {
    json!({"action": "write", "sessionId": job.id, "data": data})
}

#[test]
fn a_person_who_types_holds_the_session_for_five_seconds() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut agent, "echo up; exec cat");
    job.wait_for(&mut agent, "^up$");
    // What an agent types holds nobody up.
    job.say(&mut agent, "from-agent", "^from-agent$");
    let mut person = Person::new(&home);
    for key in ["o", "n", "e"] {
        person.types(&job.id, key);
    }
    let held = agent.event("held");
    assert_eq!(held["data"]["by"], "human", "{held}");
    let error = agent.err(write(&job, "sneaked\n"), "input_held");
    let until = error["data"]["until"].as_str().unwrap().to_owned();
    assert_eq!(error["data"]["by"], "human", "{error}");
    let status = job.ask(&mut agent, "status", json!({}));
    let expected = json!({"kind": "human", "by": "human", "until": until});
    assert_eq!(status["heldBy"], expected, "{status}");
    let keys = json!({"action": "send_keys", "sessionId": job.id, "keys": ["C-c"]});
    agent.err(keys, "input_held");
    // None of this is input.
    job.ask(&mut agent, "resize", json!({"rows": 30, "cols": 90}));
    job.ask(&mut agent, "signal", json!({"signal": "WINCH"}));
    job.ask(&mut agent, "write", json!({"data": ""}));
    home.ok(&["send", &job.id, "two"]);
    let mut bytes = 0;
    let released = agent.find("the end of the hold", |line| line["event"] == "released");
    for told in agent.told("human_input") {
        bytes += told["data"]["bytes"].as_u64().unwrap();
        assert!(told["seq"].as_u64() < released["seq"].as_u64(), "{told}");
    }
    assert_eq!(bytes, 7, "one, two and Enter");
    assert!(released["at"].as_str().unwrap() > until.as_str(), "{until}");
    assert!(agent.told("held").is_empty(), "one hold");
    let status = job.ask(&mut agent, "status", json!({}));
    assert_eq!(status["heldBy"], Value::Null);
    job.say(&mut agent, "agent-again", "^agent-again$");
    let output = job.output(&mut agent);
    assert!(output.contains("onetwo"), "{output}");
    assert!(!output.contains("sneaked"), "{output}");
    let typed = job.ask(&mut agent, "log", json!({"stream": "input", "tail": 100}));
    let lines = typed["lines"].as_array().unwrap();
    let by_people = lines.iter().filter(|line| line["kind"] == "human");
    let text: String = by_people
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    assert_eq!(text, "onetwo\r", "{typed}");
    let scope = &agent.hello["scope"];
    let told = home.ok(&["logs", "--stdin", &job.id]);
    assert!(told.contains("a person] two\n"), "{told}");
    let by_agent = format!("agent {}] from-agent\n", scope.as_str().unwrap());
    assert!(told.contains(&by_agent), "{told}");
    assert!(
        lines
            .iter()
            .any(|l| l["by"] == *scope && l["kind"] == "agent")
    );
}

#[test]
fn input_of_an_agent_that_waits_when_a_person_begins_is_not_typed() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let job = Job::start(&mut agent, "stty raw -echo; echo up; exec sleep 1000");
    job.wait_for(&mut agent, "up");
    // The first one waits a second for room, the next one for its turn.
    let first = agent.send(write(&job, &"x".repeat(500_000)));
    let second = agent.send(write(&job, "y"));
    agent.ok(json!({"action": "stats"}));
    Person::new(&home).types(&job.id, "z");
    let first = agent.reply(first);
    assert_eq!(
        first["result"]["warnings"],
        json!(["not_reading"]),
        "{first}"
    );
    let second = agent.reply(second);
    assert_eq!(second["error"]["code"], "input_held", "{second}");
}

#[test]
fn the_end_of_the_session_ends_the_hold_and_nothing_is_told_of_people_among_themselves() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut agent, "read line");
    home.ok(&["send", &job.id, "x"]);
    let exited = agent.event("exited");
    let released = agent.told("released");
    assert_eq!(released.len(), 1);
    assert!(released[0]["seq"].as_u64() < exited["seq"].as_u64());
    home.start(&["-n", "own", "exec cat"]);
    home.ok(&["send", "own", "x"]);
    let status = home.json(&["status", "own"]);
    assert_eq!(status["heldBy"]["kind"], "human", "{status}");
    let events = home.ok(&["events", "--json"]);
    let own: Vec<&str> = events
        .lines()
        .filter(|line| line.contains("\"own\"") && !line.contains("\"input_needed\""))
        .collect();
    assert_eq!(own.len(), 1, "only that it started: {own:?}");
}

#[test]
fn a_model_waits_until_a_person_lets_the_keyboard_go() {
    let home = Home::new();
    let mut mcp = Mcp::model(&home, &[]);
    let until = json!([{"pattern": "^up$"}]);
    let text = mcp.text(
        "start",
        json!({"command": "echo up; exec cat", "until": until}),
    );
    let id = text.split(' ').next().unwrap();
    Person::new(&home).types(id, "one");
    let write = |ms: u64| json!({"sessionId": id, "data": "two", "submit": true, "waitMs": ms});
    let held = mcp.fails("write", write(1));
    assert!(
        held.contains("[input_held]") && held.contains("free in "),
        "{held}"
    );
    let text = mcp.text("write", write(10_000));
    assert!(text.contains("two"), "{text}");
    let log = mcp.text("log", json!({"sessionId": id}));
    assert!(log.contains("onetwo"), "{log}");
}
