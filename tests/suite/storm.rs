//! Deaths of the daemon and of the keeper, upgrades, restarts, ends and clears at once, and every line of
//! every log looked at meanwhile (issue 13, 4.1).
//!
//! `BGPROC_SOAK=1` lets it go on for ten minutes, or for `BGPROC_SOAK_SECS`.

mod killer;
mod runs;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Dice, Home, Serve, daemon, lasts};
use killer::Killer;

/// What is kept of each log: a second of a flood.
const LOG_BYTES: u64 = 4 << 20;

/// Between two looks at a log: what is wrong in it is there for a second.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Jobs that write without end.
const FLOODS: usize = 3;

#[test]
fn no_line_is_lost_while_everything_dies_and_begins_again() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let program = home.scratch("bgproc");
    daemon::install(&program);
    let mut dice = Dice::new();
    let mut serve = Serve::new(&home, &[]);
    let floods: Vec<Job> = (0..FLOODS)
        .map(|n| {
            let mode = if n == 0 { "pipe" } else { "pty" };
            let request =
                json!({"command": runs::COUNT, "mode": mode, "limits": {"logBytes": LOG_BYTES}, "keep": true});
            Job::request(&mut serve, request)
        })
        .collect();
    let over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = floods
        .iter()
        .map(|job| read_along(&home, job, &over))
        .collect();
    let killer = Killer::begin(&home, program, &over);
    let (began, length) = (Instant::now(), lasts(8, 600));
    let mut asked = [0; 4];
    while began.elapsed() < length && !over.load(Ordering::Relaxed) {
        let job = &floods[dice.below(FLOODS as u64) as usize];
        let (kind, request) = match dice.below(20) {
            0..7 => (0, json!({"action": "restart", "graceMs": 500})),
            7..9 => (1, json!({"action": "clear"})),
            9 => (2, json!({"action": "kill", "graceMs": 500})),
            _ => {
                let key = format!("k{}", asked[3]);
                (
                    3,
                    json!({"action": "start", "command": "exit 7", "wait": true, "key": key}),
                )
            }
        };
        asked[kind] += 1;
        ask(&home, &mut serve, job, request);
    }
    over.store(true, Ordering::Relaxed);
    let killed = killer.end();
    let seen: Vec<_> = readers
        .into_iter()
        .map(|reader| reader.join().unwrap())
        .collect();
    let [restarts, clears, kills, starts] = asked;
    eprintln!(
        "{restarts} restarts, {clears} clears, {kills} kills, {starts} starts; daemons, keepers and upgrades: {killed:?}; \
         looks, MB and runs that were seen: {seen:?}"
    );
    for job in &floods {
        ask(&home, &mut serve, job, json!({"action": "kill"}));
        runs::check(&home.path().join("sessions").join(&job.id)).unwrap();
    }
}

/// Does it, whether a daemon has just died or not.
#[track_caller]
fn ask(home: &Home, serve: &mut Serve, job: &Job, mut request: Value) {
    if request["action"] != "start" {
        request["sessionId"] = json!(job.id);
    }
    let reply = serve.call(request.clone());
    if request["action"] == "start" {
        assert_eq!(reply["result"]["exitCode"], 7, "{reply}\n{}", logs(home));
        return;
    }
    // A daemon that dies may have done it or not, and may have left the end to the next one.
    let may = ["daemon_unavailable", "cancelled", "invalid_request"];
    let code = reply["error"]["code"].as_str();
    assert!(
        code.is_none_or(|code| may.contains(&code)),
        "{request}: {reply}\n{}",
        logs(home)
    );
}

/// The end of what daemon and keeper have said of themselves.
fn logs(home: &Home) -> String {
    let ends = ["daemon.log", "keeper.log"].map(|name| {
        let text = std::fs::read_to_string(home.path().join(name)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    });
    ends.join("\n\n")
}

/// Looks at a log again and again; returns how often, and how much was seen.
fn read_along(home: &Home, job: &Job, over: &Arc<AtomicBool>) -> JoinHandle<(u32, u64, u64)> {
    let (dir, over) = (home.path().join("sessions").join(&job.id), over.clone());
    std::thread::spawn(move || {
        let (mut looks, mut bytes, mut most) = (0, 0, 0);
        while !over.load(Ordering::Relaxed) {
            // The others are to have the processors, too.
            std::thread::sleep(BETWEEN_LOOKS);
            match runs::check(&dir) {
                Ok(Some(seen)) => {
                    looks += 1;
                    bytes += seen.bytes;
                    most = most.max(seen.runs);
                }
                // Some of it went while it was read.
                Ok(None) => {}
                Err(why) => {
                    over.store(true, Ordering::Relaxed);
                    panic!("{}: {why}", dir.display());
                }
            }
        }
        (looks, bytes >> 20, most)
    })
}
