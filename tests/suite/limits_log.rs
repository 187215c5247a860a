//! How much output is kept: per session and in all, the newest always.

use std::path::Path;

use serde_json::json;

use crate::support::job::Job;
use crate::support::{Home, Serve};

/// Limits small enough to be reached in a moment: segments are 64 KiB then.
const SMALL: &str = "log_bytes = 262144\ntotal_log_bytes = 1048576\n";

/// Writes about 200 kB of numbered lines.
const WRITE: &str = "seq -w 40000 | head -c 200000";

/// Bytes of raw output on the disk, of one session or of all.
fn on_disk(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).unwrap().flatten();
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let meta = entry.metadata().unwrap();
            match (
                meta.is_dir(),
                name.ends_with(".log") && name.starts_with("output"),
            ) {
                (true, _) => on_disk(&entry.path()),
                (false, true) => meta.len(),
                (false, false) => 0,
            }
        })
        .sum()
}

/// Runs something to its end.
fn finished(serve: &mut Serve) -> Job {
    let job = Job::start(serve, WRITE);
    job.end(serve);
    job
}

#[test]
fn a_session_keeps_the_newest_of_its_output_and_says_what_is_gone() {
    let home = Home::with_config(SMALL);
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["output_dropped"]}));
    let job = Job::start(&mut serve, "seq -w 100000; echo the end; exec sleep 1000");
    job.wait_for(&mut serve, "^the end$");
    let event = serve.event("output_dropped");
    assert_eq!(event["sessionId"], job.id);
    let gone = event["data"]["bytes"].as_u64().unwrap();
    assert!(gone >= 64 << 10, "{event}");
    assert_eq!(event["data"]["firstOffset"], gone, "{event}");
    let record = job.record(&mut serve);
    assert_eq!(record["outputBytes"], 8 * 100_000 + 9);
    let kept = on_disk(&home.path().join("sessions").join(&job.id));
    assert!((262_144..=262_144 + (128 << 10)).contains(&kept), "{kept}");
    let dropped = record["droppedBytes"].as_u64().unwrap();
    assert_eq!(dropped + kept, 8 * 100_000 + 9, "{record}");
    let log = job.ask(&mut serve, "log", json!({"offset": 0, "limit": 16}));
    assert_eq!(
        (&log["offset"], &log["firstOffset"]),
        (&json!(dropped), &json!(dropped))
    );
    let tail = job.ask(&mut serve, "log", json!({"tail": 2}));
    assert_eq!(tail["lines"][0]["text"], "100000");
}

#[test]
fn of_all_logs_those_go_first_that_nobody_asked_for_the_longest() {
    let home = Home::with_config(SMALL);
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["output_dropped"]}));
    let jobs: Vec<Job> = (0..4).map(|_| finished(&mut serve)).collect();
    // The first one is looked at, so the second is the oldest now.
    jobs[0].record(&mut serve);
    let late = finished(&mut serve);
    let event = serve.event("output_dropped");
    assert_eq!(event["sessionId"], jobs[1].id, "{event}");
    let all = on_disk(&home.path().join("sessions"));
    assert!(all <= (1 << 20) + (1 << 16), "{all}");
    let list = serve.ok(json!({"action": "list"}));
    assert_eq!(
        list["sessions"].as_array().unwrap().len(),
        5,
        "no session goes"
    );
    for whole in [&jobs[0], &jobs[2], &jobs[3], &late] {
        assert_eq!(whole.record(&mut serve)["droppedBytes"], 0);
    }
    let cut = jobs[1].record(&mut serve);
    // More may have gone since: it is told every ten seconds at most.
    assert!(
        cut["droppedBytes"].as_u64() >= event["data"]["firstOffset"].as_u64(),
        "{cut}"
    );
    // Another daemon knows the same.
    crate::support::daemon::kill(&mut serve);
    let again = jobs[1].record(&mut serve);
    for field in ["droppedBytes", "outputBytes", "exitCode"] {
        assert_eq!(again[field], cut[field], "{field}");
    }
}

#[test]
fn what_runs_is_cut_last_and_never_harmed() {
    let home = Home::with_config("log_bytes = 1048576\ntotal_log_bytes = 1048576\n");
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["output_dropped"]}));
    let over = finished(&mut serve);
    let small = Job::start(&mut serve, &format!("{WRITE}; echo; echo small; exec cat"));
    small.wait_for(&mut serve, "^small$");
    let large = Job::start(&mut serve, "seq -w 120000; echo large; exec cat");
    large.wait_for(&mut serve, "^large$");
    assert_eq!(serve.event("output_dropped")["sessionId"], over.id);
    let event = serve.event("output_dropped");
    assert_eq!(
        event["sessionId"], large.id,
        "the largest of those that run: {event}"
    );
    assert_eq!(small.record(&mut serve)["droppedBytes"], 0);
    let gone = over.record(&mut serve);
    assert_eq!(gone["droppedBytes"], gone["outputBytes"], "{gone}");
    for job in [&small, &large] {
        job.say(&mut serve, "still here", "^still here$");
    }
    crate::support::daemon::kill(&mut serve);
    let again = over.record(&mut serve);
    for field in ["droppedBytes", "outputBytes"] {
        assert_eq!(
            again[field], gone[field],
            "{field}, though nothing of it is left"
        );
    }
    let tail = large.ask(&mut serve, "log", json!({"tail": 3}));
    assert_eq!(tail["lines"][0]["text"], "large", "{tail}");
}

#[test]
fn lines_keep_their_numbers_when_a_daemon_takes_over_a_log_that_has_dropped_some() {
    let home = Home::with_config("log_bytes = 1048576\n");
    let mut serve = Serve::new(&home, &[]);
    // In steps that are less than the log keeps, so that none of it is dropped unseen.
    let step = "seq $((i * 30000 + 1)) $((i * 30000 + 30000)); i=$((i + 1))";
    let line = format!("stty -echo; echo up; i=0; while read x; do {step}; done");
    let job = Job::start(&mut serve, &line);
    job.wait_for(&mut serve, "^up$");
    for end in 1..=10 {
        job.say(&mut serve, "", &format!("^{}$", end * 30_000));
    }
    for _ in 0..3 {
        let lines = job.ask(&mut serve, "log", json!({"tail": 2}));
        let last = &lines["lines"][1];
        assert_eq!(
            (&last["n"], &last["text"]),
            (&json!(300_001), &json!("300000")),
            "{lines}"
        );
        assert!(lines["firstLine"].as_u64().unwrap() > 1, "{lines}");
        home.kill_daemon();
    }
}
