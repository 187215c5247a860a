//! Long lines and long logs: a reply has an end, and reading holds up nobody else.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::job::Job;
use crate::support::{Home, Serve};

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
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let mut other = Serve::new(&home, &["--scope", "s"]);
    let quiet = Job::start(&mut other, "echo up; exec sleep 1000");
    quiet.wait_for(&mut other, "^up$");
    for mode in ["pty", "pipe"] {
        let command = "yes 'a line of some length, as they are' | head -c 7000000";
        let job = Job::request(&mut serve, json!({"command": command, "mode": mode}));
        job.end(&mut serve);
        for (action, mut request) in [
            ("poll", json!({"since": "c0"})),
            ("log", json!({"grep": "none", "fromLine": 1})),
            ("log", json!({"fromLine": 1, "lines": 3})),
            ("log", json!({"tail": 3})),
        ] {
            request["action"] = json!(action);
            request["sessionId"] = json!(job.id);
            let asked = serve.send(request);
            let ask = |_| {
                let before = Instant::now();
                quiet.ask(&mut other, "poll", json!({}));
                before.elapsed()
            };
            let mut times: Vec<Duration> = (0..8).map(ask).collect();
            times.sort();
            // The machine may be busy with others for a moment.
            assert!(times[6] < Duration::from_millis(400), "{action}: {times:?}");
            let said = serve.reply(asked);
            assert_eq!(said["ok"], true, "{said}");
            if action == "poll" {
                // All but those whose newlines are in the last 500 characters.
                let lines = said["result"]["omitted"]["lines"].as_u64().unwrap();
                assert_eq!(lines, 7_000_000 / 35 - 15, "{mode}");
            }
        }
    }
}
