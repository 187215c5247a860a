//! Events: in pages, acknowledged, told late, and across the death of daemons.

use std::collections::HashMap;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Person, Serve};

/// No events.
const NONE: [Value; 0] = [];

/// An agent of a scope.
fn agent(home: &Home, scope: &str) -> Serve {
    Serve::new(home, &["--scope", scope])
}

/// Runs a shell line to its end and returns its session.
fn run(serve: &mut Serve, command: &str) -> String {
    let started = serve.ok(json!({"action": "start", "command": command, "wait": true}));
    started["sessionId"].as_str().unwrap().to_owned()
}

/// Kinds and numbers of a page of events.
fn page(reply: &Value) -> (Vec<&str>, Vec<u64>) {
    let events = reply["events"].as_array().unwrap().iter();
    events
        .map(|event| {
            let kind = event["event"].as_str().unwrap();
            (kind, event["seq"].as_u64().unwrap())
        })
        .unzip()
}

/// Exits that a subscription brings before it is answered.
fn told_late(serve: &mut Serve) -> Vec<Value> {
    let id = serve.send(json!({"action": "subscribe", "events": ["exited"]}));
    let mut told = Vec::new();
    loop {
        let message = serve.next();
        if message["id"] == id {
            return told;
        }
        told.push(message);
    }
}

#[test]
fn pages_lose_and_double_nothing_and_end_at_what_is_acknowledged() {
    let home = Home::new();
    let (mut one, mut two) = (agent(&home, "one"), agent(&home, "two"));
    let first = run(&mut one, "exit 3");
    run(&mut two, "true");
    run(&mut one, "true");
    let all = one.ok(json!({"action": "events"}));
    let (kinds, seqs) = page(&all);
    assert_eq!(kinds, ["started", "exited", "started", "exited"]);
    let exited = &all["events"][1];
    assert_eq!(
        (&exited["sessionId"], &exited["data"]["exitCode"]),
        (&json!(first), &json!(3))
    );
    let mut after = json!(0);
    for seq in &seqs {
        let reply = one.ok(json!({"action": "events", "afterSeq": after, "limit": 1}));
        assert_eq!(page(&reply).1, [*seq]);
        after = reply["nextSeq"].clone();
    }
    // A page that is not full goes up to now, past what others do.
    let rest = one.ok(json!({"action": "events", "afterSeq": after}));
    assert_eq!(
        (page(&rest).1.len(), &rest["nextSeq"]),
        (0, &all["nextSeq"])
    );
    let acked = one.ok(json!({"action": "events", "ack": seqs[2]}));
    assert_eq!(page(&acked).1, seqs[3..]);
    home.kill_daemon();
    let after_kill = one.ok(json!({"action": "events"}));
    assert_eq!(page(&after_kill).1, seqs[3..]);
    // What one scope acknowledges another has not.
    let other = two.ok(json!({"action": "events"}));
    assert_eq!(page(&other).0, ["started", "exited"]);
}

#[test]
fn waiting_for_an_event_ends_with_the_first_and_reading_only_is_enough() {
    let home = Home::new();
    let mut agent = agent(&home, "one");
    let mut reader = Serve::new(&home, &["--scope", "one", "--read-only"]);
    let from = reader.ok(json!({"action": "events", "waitMs": 0}))["nextSeq"].clone();
    let wait = json!({"action": "events", "afterSeq": from, "waitMs": 600_000});
    let pending = reader.send(wait.clone());
    // It reads no terminal, which would be an event of its own.
    let gate = home.gate();
    let command = format!("read x < {}; exit 4", gate.display());
    Job::start(&mut agent, &command);
    let reply = reader.reply(pending);
    assert_eq!(page(&reply["result"]).0, ["started"]);
    // The one who waits does not notice that the daemon is another one.
    let next =
        json!({"action": "events", "afterSeq": reply["result"]["nextSeq"], "waitMs": 600_000});
    let pending = reader.send(next);
    reader.ok(json!({"action": "list"}));
    home.kill_daemon();
    let reply = reader.reply(pending);
    assert_eq!(page(&reply["result"]).0, ["adopted"]);
    let next =
        json!({"action": "events", "afterSeq": reply["result"]["nextSeq"], "waitMs": 600_000});
    let pending = reader.send(next);
    std::fs::write(&gate, "go\n").unwrap();
    let reply = reader.reply(pending);
    assert_eq!(
        reply["result"]["events"][0]["data"]["exitCode"], 4,
        "{reply}"
    );
    let none = reader.ok(json!({"action": "events", "afterSeq": u64::MAX, "waitMs": 1}));
    assert!(page(&none).1.is_empty());
    let long = json!({"action": "events", "waitMs": 1_800_001});
    reader.err(long, "invalid_params");
}

#[test]
fn a_completion_that_nobody_heard_is_told_once_whatever_dies_meanwhile() {
    let home = Home::new();
    let mut first = agent(&home, "one");
    let job = Job::start(&mut first, "read x; echo said $x; exit 3");
    drop(first);
    home.ok(&["send", &job.id, "it"]);
    home.run(&["wait", &job.id]).expect_code(3);
    home.kill_daemon();
    // Others do not hear of it, and people hear it live only.
    assert_eq!(told_late(&mut agent(&home, "two")), NONE);
    let mut next = agent(&home, "one");
    let told = told_late(&mut next);
    assert_eq!(told.len(), 1, "{told:?}");
    let (event, data) = (&told[0], &told[0]["data"]);
    assert_eq!(
        (&event["event"], &event["sessionId"]),
        (&json!("exited"), &json!(job.id))
    );
    assert_eq!(
        (&data["status"], &data["exitCode"]),
        (&json!("error"), &json!(3))
    );
    assert!(
        data["output"].as_str().unwrap().contains("said it"),
        "{data}"
    );
    assert_eq!(told_late(&mut agent(&home, "one")), NONE);
    home.kill_daemon();
    assert_eq!(told_late(&mut agent(&home, "one")), NONE);
    assert_eq!(told_late(&mut next), NONE);
    // What is asked for again comes again.
    next.send(json!({"action": "subscribe", "fromSeq": event["seq"]}));
    assert_eq!(next.event("exited"), *event);
}

#[test]
fn what_was_read_or_acknowledged_is_not_told_late() {
    let home = Home::new();
    for how in [
        json!({"action": "events"}),
        json!({"action": "events", "ack": 1_000_000}),
    ] {
        let mut first = agent(&home, "one");
        run(&mut first, "true");
        first.ok(how);
        assert_eq!(told_late(&mut first), NONE);
        run(&mut first, "true");
        drop(first);
        home.kill_daemon();
        assert_eq!(told_late(&mut agent(&home, "one")), NONE);
    }
}

#[test]
fn twenty_kills_miss_and_double_nothing() {
    let home = Home::new();
    let mut serve = agent(&home, "one");
    serve.ok(json!({"action": "subscribe"}));
    let mut codes = HashMap::new();
    for code in 0..20 {
        // Some end before the daemon does, some while there is none, some later.
        let job = Job::start(&mut serve, &format!("sleep 0.0{}; exit {code}", code % 7));
        codes.insert(job.id, code);
        home.kill_daemon();
    }
    let mut last = 0;
    let mut told: HashMap<String, Vec<String>> = HashMap::new();
    let mut ended = 0;
    while ended < codes.len() {
        let event = serve.find("an event", |message| message.get("event").is_some());
        let seq = event["seq"].as_u64().unwrap();
        assert!(seq > last, "{seq} after {last}: {event}");
        last = seq;
        let id = event["sessionId"].as_str().unwrap();
        let kind = event["event"].as_str().unwrap();
        if kind == "exited" {
            assert_eq!(event["data"]["exitCode"], codes[id], "{event}");
            ended += 1;
        }
        if kind != "adopted" {
            told.entry(id.to_owned()).or_default().push(kind.to_owned());
        }
    }
    for (id, kinds) in &told {
        assert_eq!(kinds, &["started", "exited"], "{id}");
    }
    assert_eq!(told.len(), codes.len());
    // The journal says the same, and what many daemons took over pushed nothing out.
    let all = serve.ok(json!({"action": "events", "afterSeq": 0, "limit": 1000}));
    let (kinds, _) = page(&all);
    let count = |kind: &str| kinds.iter().filter(|other| **other == kind).count();
    assert_eq!((count("started"), count("exited")), (20, 20));
    assert!(count("adopted") <= 20, "{}", count("adopted"));
}

#[test]
fn a_torn_journal_is_repaired_and_numbers_go_on() {
    let home = Home::new();
    let mut serve = agent(&home, "one");
    run(&mut serve, "true");
    let before = serve.ok(json!({"action": "events"}));
    let path = home.path().join("journal.jsonl");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let whole = std::fs::read(&path).unwrap();
    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
    file.write_all(b"\0\0\xff nonsense\n{\"event\":\"exi")
        .unwrap();
    home.kill_daemon();
    let after = serve.ok(json!({"action": "events"}));
    assert_eq!(after["events"], before["events"]);
    run(&mut serve, "true");
    let (_, seqs) = page(&before);
    let next = serve.ok(json!({"action": "events", "afterSeq": before["nextSeq"]}));
    assert_eq!(page(&next).1, [seqs[1] + 1, seqs[1] + 2]);
    let text = std::fs::read(&path).unwrap();
    assert!(text.starts_with(&whole));
    assert!(!String::from_utf8_lossy(&text).contains("\"exi{"));
    let said = std::fs::read_to_string(home.path().join("daemon.log")).unwrap();
    assert!(
        said.contains("torn") && said.contains("1 lines were skipped"),
        "{said}"
    );
}

#[test]
fn an_end_that_was_told_and_not_written_down_is_not_told_again() {
    let home = Home::new();
    let mut serve = agent(&home, "one");
    let job = Job::start(&mut serve, "read x; exit 5");
    // As if the daemon had died between the two: with the record of before.
    let record = home.path().join("sessions").join(&job.id).join("meta.json");
    let before = std::fs::read(&record).unwrap();
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    job.end(&mut serve);
    let told = serve.ok(json!({"action": "events"}));
    assert_eq!(page(&told).0, ["started", "exited"]);
    std::fs::write(&record, before).unwrap();
    home.kill_daemon();
    let status = serve.ok(json!({"action": "status", "sessionId": job.id}));
    assert_eq!(
        (&status["status"], &status["exitCode"]),
        (&json!("error"), &json!(5))
    );
    assert_eq!(serve.ok(json!({"action": "events"})), told);
}

#[test]
fn the_command_line_tells_who_did_what() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "exit 3"]);
    home.run(&["wait", "web"]).expect_code(3);
    let other = run(&mut agent(&home, "one"), "true");
    let text = home.ok(&["events"]);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let told: Vec<_> = rows.iter().map(|row| (row[1], row[2], row[3])).collect();
    let expected = [
        ("web", "started", "a person"),
        ("web", "ended, exit 3", "itself"),
        (other.as_str(), "started", "agent one"),
        (other.as_str(), "ended, exit 0", "itself"),
    ];
    assert_eq!(told, expected);
    let lines = home.ok(&["--json", "events", "--since", "1"]);
    let events: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events.len(), 3);
    assert_eq!(
        (&events[0]["sessionId"], &events[0]["seq"]),
        (&json!(id), &json!(2))
    );
    assert_eq!(home.ok(&["events", "--since", "10m"]), text);
    assert_eq!(home.ok(&["events", "--since", "2100-01-01T00:00:00Z"]), "");
    home.run(&["events", "--since", "soon"]).expect_code(2);
}

#[test]
fn a_cancelled_subscription_takes_no_completion_with_it() {
    let home = Home::new();
    let id = home.start(&["exit 3"]);
    home.run(&["wait", &id]).expect_code(3);
    let (mut one, mut other) = (Person::new(&home), Person::new(&home));
    let subscribe = json!({"id": 1, "action": "subscribe", "events": ["exited"]});
    let cancel = json!({"id": 2, "action": "cancel", "requestId": 1});
    // It is cancelled before it is known that the socket has taken the event.
    one.send_together(&[subscribe.clone(), cancel]);
    let reply = one.next(|line| line["id"] == 1);
    assert_eq!(reply["error"]["code"], "cancelled", "{reply}");
    other.send(&subscribe);
    let told = other.next(|line| line["event"] == "exited" || line["id"] == 1);
    assert_eq!(told["sessionId"], id, "{told}");
}
