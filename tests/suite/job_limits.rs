//! Limits of one job: what it may take, and what it is told when it takes more.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::privilege::Stranger;
use crate::support::{Home, Serve};

fn limited(serve: &mut Serve, command: &str, limits: Value) -> Job {
    Job::request(serve, json!({"command": command, "limits": limits}))
}

#[test]
fn time_of_the_processor_ends_a_loop_and_is_told() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["limit"]}));
    let job = limited(&mut serve, "while :; do :; done", json!({"cpuSec": 1}));
    let ended = job.end(&mut serve);
    assert_eq!(
        (&ended["status"], &ended["signal"]),
        (&json!("error"), &json!("SIGXCPU"))
    );
    let record = job.ask(&mut serve, "status", json!({}));
    assert_eq!(record["endedBy"]["kind"], "limit", "{record}");
    assert_eq!(record["reason"], "it reached its limit `cpuSec` (SIGXCPU)");
    assert_eq!(serve.event("limit")["data"]["limit"], "cpuSec");
}

#[test]
fn memory_is_bounded() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let line = "python3 -c 'x = bytearray(600 << 20); print(\"had it\")'";
    let free = limited(&mut serve, line, json!({"memoryBytes": 2_u64 << 30}));
    assert_eq!(free.end(&mut serve)["exitCode"], 0);
    let bound = limited(&mut serve, line, json!({"memoryBytes": 300_u64 << 20}));
    let ended = bound.end(&mut serve);
    assert_ne!(ended["exitCode"], 0, "{ended}");
    // By a control group it is killed; else Python is refused and says so.
    let output = bound.output(&mut serve);
    let reason = bound.ask(&mut serve, "status", json!({}))["reason"].to_string();
    assert!(
        output.contains("MemoryError") || reason.contains("memoryBytes"),
        "{output} {reason}"
    );
}

#[test]
fn open_files_niceness_and_later_runs_have_their_limits() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let limits = json!({"openFiles": 20, "nice": 7, "cpuSec": 100});
    let job = limited(
        &mut serve,
        "ulimit -Sn; ulimit -Hn; ulimit -t; nice; read x",
        limits,
    );
    job.wait_for(&mut serve, "^7$");
    assert_eq!(job.output(&mut serve), "20\n20\n100\n7\n");
    job.ask(&mut serve, "restart", json!({}));
    let again = json!({"until": [{"pattern": "^7$"}], "since": "new"});
    job.wait_until(&mut serve, again);
    assert_eq!(job.output(&mut serve), "20\n20\n100\n7\n".repeat(2));
    let opens = "i=3; while eval \"exec $i</dev/null\"; do i=$((i+1)); done";
    let job = limited(
        &mut serve,
        &format!("bash -c '{opens}'"),
        json!({"openFiles": 12}),
    );
    job.end(&mut serve);
    let output = job.output(&mut serve);
    assert!(output.contains("Too many open files"), "{output}");
}

#[test]
fn processes_are_bounded() {
    let home = Home::new();
    // Of root no number of processes is counted, unless by a control group.
    let Some(stranger) = Stranger::new(&home) else {
        return;
    };
    let mut serve = Serve::spawn(stranger.command(200, &["--serve"]));
    let line = "for i in 1 2 3 4 5 6 7 8 9; do sleep 30 & done; wait";
    let job = Job::request(
        &mut serve,
        json!({"command": line, "cwd": "/", "limits": {"processes": 7}}),
    );
    job.wait_for(&mut serve, "(?i)cannot fork|resource temporarily|retry");
    job.ask(&mut serve, "kill", json!({"force": true}));
}

#[test]
fn a_job_has_a_bound_of_its_own_for_its_log() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = limited(
        &mut serve,
        "yes 0123456789 | head -c 1000000",
        json!({"logBytes": 65_536}),
    );
    job.end(&mut serve);
    let record = job.ask(&mut serve, "status", json!({}));
    assert_eq!(
        record["outputBytes"].as_u64().unwrap() / 1000,
        1090,
        "with a CR each"
    );
    let kept = 1_090_000 - record["droppedBytes"].as_u64().unwrap();
    assert!(kept < 200_000, "{record}");
}

#[test]
fn what_cannot_be_is_refused_and_what_is_enforced_is_told() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    for (limits, word) in [
        (json!({"nice": 20}), "between -20 and 19"),
        (json!({"cpuSec": 0}), "at least 1"),
        (json!({"openFiles": 1_u64 << 40}), "at most"),
        (json!({"memoryBytes": 4096}), "at least"),
        (json!({"logBytes": 1}), "at least 65536"),
        (json!({"processes": 0}), "at least 1"),
        (json!({"memory": 1}), "memory"),
    ] {
        let start = json!({"action": "start", "command": "true", "limits": limits});
        let error = serve.err(start, "invalid_params");
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
    }
    let stats = serve.ok(json!({"action": "stats"}));
    for name in [
        "logBytes",
        "memoryBytes",
        "cpuSec",
        "processes",
        "openFiles",
        "nice",
    ] {
        assert!(stats["enforcement"][name].is_string(), "{stats}");
    }
}
