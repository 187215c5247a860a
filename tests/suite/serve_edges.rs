//! `bgproc --serve` in ugly worlds: bad lines, floods, dead daemons, closed pipes.

use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Serve};

#[test]
fn each_bad_line_gets_one_error_and_the_stream_goes_on() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    for (line, code) in [
        (&b"nonsense\n"[..], "parse_error"),
        (b"[1,2]\n", "invalid_request"),
        (b"{}\n", "invalid_request"),
        (b"\xff\xfe\n", "parse_error"),
        (b"{\"action\":\"pol\"}\n", "unknown_action"),
        (b"{\"action\":\"poll\"}\n", "invalid_params"),
    ] {
        agent.send_raw(line);
        let reply = agent.next();
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&Value::Null, &json!(code)),
            "{reply}"
        );
    }
    agent.send_raw(&[b"[".repeat(100_000), b"\n".to_vec()].concat());
    assert_eq!(agent.next()["error"]["code"], "parse_error");
    for (number, value) in [
        (1, format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))),
        (2, format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200))),
        (3, "1e999".to_owned()),
    ] {
        let line = format!("{{\"id\":{number},\"action\":\"list\",\"label\":{value}}}\n");
        agent.send_raw(line.as_bytes());
        let reply = agent.reply(number);
        assert_eq!(reply["error"]["code"], "parse_error", "{reply}");
        let deep = reply["error"]["message"].as_str().unwrap().contains("deep");
        assert_eq!(deep, number < 3, "{reply}");
    }
    // Blank lines, CRLF and a byte order mark are no reason to complain.
    agent.send_raw(b"\n  \n\xef\xbb\xbf{\"id\":\"x\",\"action\":\"list\"}\r\n");
    assert_eq!(agent.next()["id"], "x");
    agent.close_stdin();
    assert_eq!(agent.rest(), [] as [Value; 0], "each was answered once");
}

#[test]
fn a_line_that_is_too_long_is_answered_and_skipped() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let long = format!(
        "{{\"id\":1,\"action\":\"list\",\"label\":\"{}\"}}\n",
        "x".repeat(8 << 20)
    );
    agent.send_raw(long.as_bytes());
    let reply = agent.next();
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&Value::Null, &json!("too_large"))
    );
    agent.ok(json!({"action": "list"}));
    let rss = std::fs::read_to_string(format!("/proc/{}/statm", agent.pid())).unwrap();
    let pages: usize = rss.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(pages * 4096 < 64 << 20, "{pages} pages are resident");
}

#[test]
fn a_line_that_is_one_byte_too_long_is_answered_once() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let mut line = r#"{"id":1,"action":"list"}"#.to_owned();
    line.push_str(&" ".repeat((1 << 20) + 1 - line.len()));
    agent.send_raw(format!("{line}\n").as_bytes());
    assert_eq!(agent.next()["error"]["code"], "too_large");
    agent.close_stdin();
    assert_eq!(agent.rest(), [] as [Value; 0]);
}

#[test]
fn ids_come_back_as_they_were() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    for id in [
        json!("a"),
        json!(-5),
        json!(1.5),
        json!({"b": [null, true]}),
        json!("é\u{1}"),
        Value::Null,
    ] {
        agent.send_raw(format!("{}\n", json!({"id": id, "action": "list"})).as_bytes());
        assert_eq!(agent.next()["id"], id);
    }
}

#[test]
fn it_ends_quietly_when_nobody_listens_any_more() {
    let home = Home::new();
    let mut command = home.command(&["--serve"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let held = Held::new(child.id()).unwrap();
    drop(child.stdout.take());
    // Its input stays open: only the closed output can tell it.
    let stdin = child.stdin.take();
    assert!(held.ended(DEADLINE), "it goes on");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_signal_ends_it_at_once_and_sessions_go_on() {
    let home = Home::new();
    for signal in [Signal::TERM, Signal::INT] {
        let mut agent = Serve::new(&home, &["--scope", "s"]);
        let request = json!({"action": "start", "command": "sleep 1000", "background": true});
        let session = agent.ok(request)["sessionId"].as_str().unwrap().to_owned();
        Held::new(agent.pid()).unwrap().signal(signal);
        agent.exit_code();
        assert_eq!(home.json(&["status", &session])["status"], "running");
    }
}

#[test]
fn the_tests_pass_in_the_background_of_a_shell_as_well() {
    // As `cargo test &` of a script: interrupts are ignored there, and who is started inherits that.
    let line = "trap '' INT QUIT; exec \"$0\" --exact serve_edges::a_signal_ends_it_at_once_and_sessions_go_on";
    let ran = std::process::Command::new("sh")
        .args(["-c", line])
        .arg(std::env::current_exe().unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn many_requests_at_once_are_all_answered() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    // More than a connection may have in flight; quick ones are done before that counts.
    let ids: Vec<_> = (0..2000)
        .map(|_| agent.send(json!({"action": "list"})))
        .collect();
    for id in ids {
        let reply = agent.reply(id);
        let code = reply["error"]["code"].as_str();
        assert!(
            reply["ok"] == true || code == Some("limit_exceeded"),
            "{reply}"
        );
    }
    agent.ok(json!({"action": "list"}));
}

#[test]
fn large_outputs_pass_whole() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let request = json!({"action": "start", "command": "seq 1 200000", "maxChars": 262_144});
    let started = agent.ok(request);
    let shown = started["output"].as_str().unwrap();
    assert_eq!(shown.chars().count(), 262_144);
    assert!(
        shown.ends_with("199999\n200000\n"),
        "{}",
        &shown[shown.len() - 40..]
    );
    let session = &started["sessionId"];
    let (mut offset, mut text) = (0, String::new());
    loop {
        let log =
            json!({"action": "log", "sessionId": session, "offset": offset, "limit": 1_048_576});
        let page = agent.ok(log);
        text.push_str(page["output"].as_str().unwrap());
        let next = page["nextOffset"].as_u64().unwrap();
        if next == offset {
            break;
        }
        offset = next;
    }
    let expected: String = (1..=200_000).map(|n| format!("{n}\n")).collect();
    assert!(text == expected, "the log differs");
}

#[test]
fn what_only_reads_is_answered_after_the_end_of_input() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let job = Job::start(&mut serve, "echo up; exec sleep 1000");
    job.wait_for(&mut serve, "up");
    let mut last = Serve::new(&home, &["--scope", "s"]);
    let poll = last.send(json!({"action": "poll", "sessionId": job.id, "waitMs": 0}));
    let wait =
        last.send(json!({"action": "poll", "sessionId": job.id, "since": "new", "waitMs": 60_000}));
    last.close_stdin();
    let said = last.reply(poll);
    assert_eq!(said["result"]["output"], "up\n", "{said}");
    assert_eq!(last.reply(wait)["error"]["code"], "cancelled");
}

#[test]
fn no_number_is_too_large_for_a_limit() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let most = u64::MAX;
    for request in [
        json!({"timeoutMs": most}),
        json!({"timeoutSec": most}),
        json!({"timeoutMs": 50, "timeoutGraceMs": most}),
        json!({"ttlMs": most}),
    ] {
        let mut start = request;
        start["command"] = json!("sleep 0.2");
        let job = Job::request(&mut serve, start);
        job.end(&mut serve);
    }
}

#[test]
fn a_subscription_names_its_sessions_by_label_or_id() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let start = |label: &str| json!({"action": "start", "command": "read x", "label": label, "background": true});
    let id = agent.ok(start("one"))["sessionId"].clone();
    agent.ok(start("two"));
    let made =
        agent.ok(json!({"action": "subscribe", "events": ["exited"], "sessionIds": ["one"]}));
    assert_eq!(made["sessionIds"], json!([id]), "{made}");
    for label in ["two", "one"] {
        agent.ok(json!({"action": "kill", "sessionId": label}));
    }
    assert_eq!(agent.event("exited")["sessionId"], id);
    for unknown in ["three", "zzzzzzzzzzzz"] {
        let refused = json!({"action": "subscribe", "sessionIds": [unknown]});
        agent.err(refused, "session_not_found");
    }
    // What has gone meanwhile is no reason not to tell of the past.
    agent.ok(json!({"action": "subscribe", "sessionIds": ["zzzzzzzzzzzz"], "fromSeq": 1}));
}

#[test]
fn events_that_come_while_one_waits_for_later_ones_are_told() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let id = agent.send(json!({"action": "events", "afterSeq": 1_000_000_000, "waitMs": 20000}));
    agent.ok(json!({"action": "start", "command": "true", "background": true}));
    let page = agent.reply(id);
    assert_eq!(page["result"]["events"][0]["event"], "started", "{page}");
}
