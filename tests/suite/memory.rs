//! What the daemon needs for jobs that have ended, and what is left of them once they are removed.

use serde_json::{Value, json};

use crate::support::daemon::anonymous_kib;
use crate::support::{Home, Serve, eventually};

/// Ended jobs, as many as are kept for one scope of agents.
const JOBS: usize = 200;

/// What 25 MB leave for them beyond the program itself, of which some eight are code; in KiB.
const FOR_ENDED: u64 = 16 * 1024;

/// What may be left of them once they are removed, in KiB.
const AFTERWARDS: u64 = 10 * 1024;

/// Waits until the daemon has no more memory of its own than this.
#[track_caller]
fn wait_for(serve: &mut Serve, daemon: u32, most: u64) {
    eventually(&format!("it has at most {most} KiB"), || {
        let has = anonymous_kib(daemon);
        eprintln!("{has} KiB");
        serve.ok(json!({"action": "events", "limit": 1, "afterSeq": u32::MAX, "waitMs": 100}));
        (has <= most).then_some(())
    });
}

#[test]
fn ended_jobs_take_little_and_removed_ones_next_to_nothing() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let daemon = serve.ok(json!({"action": "stats"}))["daemonPid"].as_u64();
    let daemon = u32::try_from(daemon.unwrap()).unwrap();
    let fresh = anonymous_kib(daemon);
    // Of each kind: what rests at once, and what has to be painted again.
    for n in 0..JOBS {
        let command = ["echo hello", "seq 1 2000"][n % 2];
        let start = json!({"action": "start", "command": command, "wait": true});
        assert_eq!(serve.ok(start)["exitCode"], 0);
    }
    wait_for(&mut serve, daemon, fresh + FOR_ENDED);
    let list = serve.ok(json!({"action": "list", "limit": JOBS}));
    let sessions = list["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), JOBS);
    // They are what they were when somebody asks.
    let screen = json!({"action": "capture", "sessionId": sessions[0]["sessionId"]});
    let text = serve.ok(screen)["text"].as_str().unwrap().to_owned();
    assert!(text.contains("2000") || text.contains("hello"), "{text}");
    let ids: Vec<Value> = sessions
        .iter()
        .map(|one| one["sessionId"].clone())
        .collect();
    for id in ids {
        serve.ok(json!({"action": "remove", "sessionId": id}));
    }
    wait_for(&mut serve, daemon, fresh + AFTERWARDS);
}
