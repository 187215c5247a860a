//! A home that version 1 has left (`tests/golden/v1/home`), opened by today's daemon.

use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::SystemTime;

use bgproc::protocol::Timestamp;
use serde_json::{Value, json};

use crate::support::{Home, Serve};

/// The day on which everything in the golden home has happened.
const DAY: &str = "2026-01-02";

/// A copy in which it has happened today, so that nothing is too old to be kept.
fn golden_home() -> Home {
    let home = Home::new();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1/home");
    copy(&golden, home.path(), &today());
    home
}

fn today() -> String {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    let now = Timestamp(i64::try_from(now).unwrap()).to_string();
    now.split('T').next().unwrap().to_owned()
}

fn copy(from: &Path, to: &Path, today: &str) {
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            std::fs::DirBuilder::new().mode(0o700).create(&to).unwrap();
            copy(&from, &to, today);
        } else {
            let bytes = std::fs::read(&from).unwrap();
            let bytes = match String::from_utf8(bytes) {
                Ok(text) => text.replace(DAY, today).into_bytes(),
                Err(error) => error.into_bytes(),
            };
            std::fs::write(to, bytes).unwrap();
        }
    }
}

fn ask(serve: &mut Serve, action: &str, session: &str, mut more: Value) -> Value {
    more["action"] = json!(action);
    more["sessionId"] = json!(session);
    serve.ok(more)
}

#[test]
fn every_session_is_what_its_files_say() {
    let home = golden_home();
    let mut serve = Serve::new(&home, &["--scope", "builder"]);
    let listed = home.json(&["ls"]);
    let listed = listed["sessions"].as_array().unwrap();
    let expected = [
        ("again0000001", "done", json!(0), json!(null)),
        ("done00000001", "done", json!(0), json!(null)),
        ("error0000001", "error", json!(3), json!(null)),
        ("killed000001", "killed", json!(null), json!("SIGTERM")),
        ("oldest000001", "done", json!(0), json!(null)),
        // Nobody knows its environment any more, so it is not run again by itself.
        ("retrying0001", "lost", json!(3), json!(null)),
        // Its machine was restarted.
        ("running00001", "lost", json!(null), json!(null)),
        // It ended while no daemon was there; exit.json tells how.
        ("stopping0001", "killed", json!(null), json!("SIGTERM")),
        ("timedout0001", "timed_out", json!(null), json!("SIGTERM")),
    ];
    assert_eq!(listed.len(), expected.len(), "{listed:?}");
    for (id, status, exit_code, signal) in expected {
        let record = listed.iter().find(|it| it["sessionId"] == id).unwrap();
        let found = (&record["status"], &record["exitCode"], &record["signal"]);
        assert_eq!(found, (&json!(status), &exit_code, &signal), "{record}");
        assert_eq!((&record["rows"], &record["cols"]), (&json!(24), &json!(80)));
        assert_eq!(record["group"], "demo", "{record}");
    }
    serve.err(
        json!({"action": "status", "sessionId": "killed000001"}),
        "session_not_found",
    );
    let again = ask(
        &mut serve,
        "status",
        "again0000001",
        json!({"detail": true}),
    );
    assert_eq!(again["restarts"], 1, "{again}");
    assert_eq!(again["detail"]["runs"].as_array().unwrap().len(), 2);
    assert_eq!(again["detail"]["envNames"], json!(["NAME"]));
    let oldest = ask(&mut serve, "status", "oldest000001", json!({}));
    assert_eq!(
        (&oldest["reason"], &oldest["runtimeMs"]),
        (&json!("exit code 0"), &json!(60_000))
    );
    let again =
        json!({"action": "start", "command": "echo one; echo two", "key": "key-of-done00000001"});
    let again = serve.ok(again);
    assert_eq!(
        (&again["sessionId"], &again["reused"]),
        (&json!("done00000001"), &json!(true))
    );
}

#[test]
fn every_log_is_read() {
    let home = golden_home();
    let mut serve = Serve::new(&home, &["--scope", "builder"]);
    let polled = ask(&mut serve, "poll", "done00000001", json!({}));
    assert_eq!(
        (&polled["output"], &polled["outputBytes"]),
        (&json!("one\ntwo\n"), &json!(10))
    );
    let lines = ask(&mut serve, "log", "done00000001", json!({"lines": 10}));
    let at = |n: usize| lines["lines"][n]["at"].clone();
    assert_eq!(
        [at(0), at(1)],
        ["2026-01-02T03:04:05.678Z", "2026-01-02T03:04:06.678Z"]
    );
    let input = json!({"stream": "input", "tail": 10});
    let input = ask(&mut serve, "log", "done00000001", input);
    let typed: Vec<_> = input["lines"].as_array().unwrap().iter().collect();
    let text = |n: usize| typed[n]["text"].as_str().unwrap().trim_end();
    assert_eq!([text(0), text(1)], ["yes", "(9 bytes, not shown)"]);
    for (stream, output) in [("stdout", "out\nend.\n"), ("stderr", "err\n")] {
        let log = json!({"stream": stream});
        let log = ask(&mut serve, "log", "error0000001", log);
        assert_eq!(log["output"], output, "{stream}");
    }
    // Older segments are gone; offsets and line numbers go on.
    let bytes = ask(&mut serve, "log", "running00001", json!({"offset": 0}));
    assert_eq!(
        (
            &bytes["output"],
            &bytes["firstOffset"],
            &bytes["totalBytes"]
        ),
        (&json!("line 10\n"), &json!(100), &json!(108))
    );
    let lines = ask(&mut serve, "log", "running00001", json!({"lines": 1}));
    assert_eq!(
        (&lines["lines"][0]["n"], &lines["lines"][0]["text"]),
        (&json!(10), &json!("line 10"))
    );
}

#[test]
fn what_has_happened_is_remembered() {
    let home = golden_home();
    // Whatever a newer version may have added is passed over.
    let removed = home.path().join("removed.jsonl");
    let known = std::fs::read(&removed).unwrap();
    let newer = b"\xff\xfe\n{\"sessionId\":\"removed00003\",\"moved\":\"elsewhere\"}\n";
    std::fs::write(&removed, [newer, &known[..]].concat()).unwrap();
    let journal = home.path().join("journal.jsonl");
    let known = std::fs::read_to_string(&journal).unwrap();
    let newer = r#"{"event":"of_the_future","seq":10,"scope":"builder","data":{}}"#;
    std::fs::write(&journal, format!("{{\"note\":1}}\n{known}{newer}\n")).unwrap();

    let mut serve = Serve::new(&home, &["--scope", "builder"]);
    // Nobody has been told of this one; of seq 6, somebody has.
    serve.send(
        json!({"action": "subscribe", "events": ["exited"], "sessionIds":
        ["done00000001", "error0000001"]}),
    );
    let late = serve.event("exited");
    assert_eq!(
        (&late["seq"], &late["data"]["exitCode"]),
        (&json!(8), &json!(3))
    );
    let page = serve.ok(json!({"action": "events", "afterSeq": 0}));
    let events = page["events"].as_array().unwrap();
    let told = |event: &Value| {
        let text = |name: &str| event[name].as_str().unwrap().to_owned();
        (
            event["seq"].as_u64().unwrap(),
            text("event"),
            text("sessionId"),
        )
    };
    let expected = [
        (5, "started", "done00000001"),
        (6, "exited", "done00000001"),
        (7, "started", "error0000001"),
        (8, "exited", "error0000001"),
        (9, "adopted", "running00001"),
    ];
    let expected = expected.map(|(seq, kind, id)| (seq, kind.to_owned(), id.to_owned()));
    let past: Vec<_> = events.iter().map(told).collect();
    assert_eq!(past[..5], expected, "{page}");
    // What this daemon found has numbers that nobody used.
    let mut found: Vec<_> = past[5..]
        .iter()
        .map(|it| (it.1.as_str(), it.2.as_str()))
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("exited", "stopping0001"),
            ("lost", "retrying0001"),
            ("lost", "running00001")
        ]
    );
    assert_eq!((past[5].0, past[7].0), (11, 13));
    let unread = serve.ok(json!({"action": "events"}));
    assert_eq!(unread["events"][0]["seq"], 7, "acknowledged up to 6");
    let status = |id: &str| json!({"action": "status", "sessionId": id});
    let error = serve.err(status("removed00001"), "session_removed");
    assert_eq!(
        (&error["data"]["status"], &error["data"]["exitCode"]),
        (&json!("error"), &json!(4))
    );
    for unknown in ["removed00002", "removed00003"] {
        serve.err(status(unknown), "session_not_found");
    }
}
