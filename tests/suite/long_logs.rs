//! Long lines and long logs: a reply has an end, and reading holds up nobody else.

use serde_json::json;

use crate::support::job::Job;
use crate::support::process::Io;
use crate::support::{Home, Serve, daemon};

/// `maxChars` at most, which is also what a line of `log` has at most.
const MAX_CHARS: u64 = 262_144;

#[test]
fn a_reply_has_room_for_four_mebibytes_and_says_where_to_go_on() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let line = "head -c 300000 /dev/zero | tr '\\0' a; echo";
    let command = format!("for i in $(seq 20); do {line}; done");
    let job = Job::request(&mut serve, json!({"command": command, "mode": "pipe"}));
    job.end(&mut serve);
    let page = job.ask(&mut serve, "log", json!({"fromLine": 1, "lines": 100}));
    let lines = page["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 16, "as many as fit");
    assert_eq!(lines[0]["text"].as_str().unwrap().len() as u64, MAX_CHARS);
    assert_eq!(page["nextLine"], 17);
    let cut = 16 * (300_000 - MAX_CHARS);
    assert_eq!(page["omitted"], json!({"bytes": cut, "lines": 0}));
    let page = job.ask(&mut serve, "log", json!({"fromLine": 17, "lines": 100}));
    assert_eq!(page["lines"].as_array().unwrap().len(), 4);
    assert_eq!(page["nextLine"], 21);
    let last = job.ask(&mut serve, "log", json!({"tail": 20}));
    assert_eq!(last["lines"][0]["n"], 5, "the last are what was asked for");
    assert_eq!(last["omitted"]["lines"], 4);
    let found = job.ask(&mut serve, "log", json!({"grep": "a", "context": 3}));
    assert_eq!(found["truncated"], true);
    assert!(found.to_string().len() < 6 << 20, "with its context, too");
}

#[test]
fn reading_a_long_log_holds_up_nobody() {
    /// Bytes that may be read in one go.
    const LITTLE: u64 = 2 << 20;
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let quiet = Job::start(&mut serve, "echo up; exec sleep 1000");
    quiet.wait_for(&mut serve, "^up$");
    let (daemon, _) = daemon::pids(&mut serve);
    for mode in ["pty", "pipe"] {
        let command = "yes 'a line of some length, as they are' | head -c 7000000";
        let job = Job::request(&mut serve, json!({"command": command, "mode": mode}));
        job.end(&mut serve);
        // What reads everything lets others pass.
        let search = json!({"action": "log", "sessionId": job.id, "grep": "none", "fromLine": 1});
        let brief = json!({"action": "poll", "sessionId": quiet.id});
        let before = Io::of(daemon);
        let ids = serve.send_together([search, brief]);
        for id in ids.iter().rev() {
            let said = serve.next();
            assert_eq!(
                (&said["id"], &said["ok"]),
                (&json!(id), &json!(true)),
                "{mode}"
            );
        }
        let read = Io::of(daemon).since(before).read_bytes;
        assert!(read > 3 * LITTLE, "{mode}: {read} bytes");
        // The others read little.
        for (action, request) in [
            ("poll", json!({"since": "c0"})),
            ("log", json!({"fromLine": 1, "lines": 3})),
            ("log", json!({"tail": 3})),
        ] {
            let before = Io::of(daemon);
            let said = job.ask(&mut serve, action, request);
            let read = Io::of(daemon).since(before).read_bytes;
            assert!(read < LITTLE, "{mode} {action}: {read} bytes");
            if action == "poll" {
                // All but those whose newlines are in the last 500 characters.
                let lines = said["omitted"]["lines"].as_u64().unwrap();
                assert_eq!(lines, 7_000_000 / 35 - 15, "{mode}");
            }
        }
    }
}
