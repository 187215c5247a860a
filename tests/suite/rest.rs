//! Screens that nobody uses are put to rest, and are what they were when somebody asks.

use serde_json::json;

use crate::support::daemon::memory_kib;
use crate::support::job::Job;
use crate::support::{Home, Serve, eventually};

/// Sessions, each with a screen of a quarter of a megabyte.
const SESSIONS: usize = 40;

#[test]
fn a_screen_at_rest_gives_its_memory_back_and_is_as_it_was() {
    let home = Home::new();
    let hurried = home.command_after("export BGPROC_REST_MS=500", &["--serve"]);
    let mut agent = Serve::spawn(hurried);
    let paint =
        "printf '\\033]2;name\\007one\\r\\n\\033[31mtwo\\033[4;9Hthree\\033[?1h'; exec sleep 1000";
    let start =
        |agent: &mut Serve| Job::request(agent, json!({"command": paint, "cols": 200, "rows": 50}));
    let jobs: Vec<_> = (0..SESSIONS).map(|_| start(&mut agent)).collect();
    let mut screens = Vec::new();
    for job in &jobs {
        job.wait_for(&mut agent, "three");
        screens.push(job.ask(&mut agent, "capture", json!({})));
    }
    let daemon = home.json(&["daemon", "status"])["daemonPid"]
        .as_u64()
        .unwrap();
    let awake = memory_kib(daemon as u32);
    // Of 320 KB each, half is to be seen to go, whatever else the process does.
    // Without a request meanwhile: the daemon's own timer has to do it.
    eventually("the screens have given half their memory back", || {
        let left = memory_kib(daemon as u32) + SESSIONS as u64 * 160;
        (left <= awake).then_some(())
    });
    for (job, before) in jobs.iter().zip(&screens) {
        let record = job.ask(&mut agent, "status", json!({}));
        assert_eq!(record["title"], "name", "{record}");
        let after = job.ask(&mut agent, "capture", json!({}));
        for part in [
            "text",
            "cursor",
            "screenSeq",
            "title",
            "rows",
            "cols",
            "altScreen",
        ] {
            assert_eq!(after[part], before[part], "{part}: {after}");
        }
    }
}
