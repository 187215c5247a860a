//! Every daemon is killed as soon as it is there, 50 ms after the one before, whatever it is doing.

use std::collections::HashMap;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::numbers::{self, COUNT, COUNT_GENTLY, Reader};
use crate::support::{DEADLINE, Home, Serve, daemon, rounds};

/// Between two kills at least.
const PACE: Duration = Duration::from_millis(50);

/// The one who kills, for so long: a daemon that never comes to be answers nobody, so it does
/// not wait for answers.
struct Storm {
    thread: JoinHandle<u32>,
}

impl Storm {
    fn begin(home: &Path, length: Duration) -> Self {
        let home = home.to_owned();
        let thread = std::thread::spawn(move || {
            let mut kills = 0;
            let (began, mut next) = (Instant::now(), Instant::now());
            while began.elapsed() < length {
                if Instant::now() >= next
                    && let Some(daemon) = daemon::find(&home)
                {
                    daemon.signal(Signal::KILL);
                    assert!(daemon.ended(DEADLINE), "it survives SIGKILL");
                    next = Instant::now() + PACE;
                    kills += 1;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            kills
        });
        Self { thread }
    }

    fn goes_on(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Returns how many it has killed.
    fn end(self) -> u32 {
        self.thread.join().unwrap()
    }
}

/// What is kept of the flood each daemon reads again.
const CONFIG: &str = "log_bytes = 8388608\n";

#[test]
fn a_kill_every_50_ms_under_load_loses_nothing() {
    if !have("python3") || !have("vim") {
        return;
    }
    let home = Home::with_config(CONFIG);
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["exited"]}));
    let python = Job::start(&mut serve, "exec python3 -i -q");
    python.wait_screen(&mut serve, "^>>>$");
    python.say(&mut serve, "n = 40; print('at', n)", "^at 40$");
    let args = json!(["-N", "-n", "-u", "NONE", "-i", "NONE"]);
    let vim = Job::request(&mut serve, json!({"command": "vim", "args": args}));
    vim.wait_screen(&mut serve, "^~$");
    vim.press(&mut serve, json!(["i", {"text": "half done"}]));
    vim.wait_screen(&mut serve, "^half done$");
    let shown = vim.screen(&mut serve);
    let flood = Job::start(&mut serve, COUNT);
    let gentle = Job::start(&mut serve, COUNT_GENTLY);
    let mut readers = [(Reader::default(), &flood), (Reader::default(), &gentle)];
    // It does not end when it is asked to.
    let limited = json!({"command": "trap '' TERM; echo deaf; while :; do sleep 0.1; done",
        "timeoutGraceMs": 500});
    let limited = Job::request(&mut serve, limited);
    // Not before it is deaf.
    limited.wait_for(&mut serve, "^deaf$");
    limited.ask(&mut serve, "set", json!({"timeoutSec": 1}));
    let mut codes = HashMap::new();
    let (mut asked, mut longest) = (0, Duration::ZERO);
    let began = Instant::now();
    let length = Duration::from_secs(rounds(2, 10).into());
    let storm = Storm::begin(home.path(), length);
    while storm.goes_on() {
        let request = Instant::now();
        let code = asked % 100 + 1;
        // With a key it is asked again, and runs once.
        let brief =
            json!({"command": format!("sleep 0.1; exit {code}"), "key": format!("k{asked}")});
        let started = start(&mut serve, brief);
        let id = started["sessionId"].as_str().unwrap();
        codes.insert(id.to_owned(), code);
        for (reader, job) in &mut readers {
            reader.read(&mut serve, job);
        }
        asked += 1;
        longest = longest.max(request.elapsed());
    }
    let kills = storm.end();
    let late = began.elapsed().saturating_sub(length);
    eprintln!(
        "{kills} kills in {length:?}; {asked} rounds of three requests, the longest took \
         {longest:?}; the last was answered {late:?} after it"
    );
    assert!(kills > 5, "{kills}");
    check_ends(&mut serve, &codes, &limited);
    assert_eq!(vim.screen(&mut serve), shown);
    python.say(&mut serve, "n += 2; print('at', n)", "^at 42$");
    for (reader, job) in &mut readers {
        assert_eq!(job.ask(&mut serve, "kill", json!({}))["status"], "killed");
        reader.read(&mut serve, job);
        numbers::check(&home, &job.id);
    }
}

fn start(serve: &mut Serve, mut request: Value) -> Value {
    request["action"] = json!("start");
    request["background"] = json!(true);
    serve.ok(request)
}

/// Fails unless each end was told once and as it was.
fn check_ends(serve: &mut Serve, codes: &HashMap<String, u32>, limited: &Job) {
    let mut ends: HashMap<String, Value> = HashMap::new();
    while ends.len() < codes.len() + 1 {
        let event = serve.event("exited");
        let id = event["sessionId"].as_str().unwrap().to_owned();
        let before = ends.insert(id, event["data"].clone());
        assert_eq!(before, None, "told twice: {event}");
    }
    let list = serve.ok(json!({"action": "list"}));
    let sessions = list["sessions"].as_array().unwrap().len();
    // With python, vim and the two that count.
    assert_eq!(sessions, ends.len() + 4, "one for each start");
    assert!(serve.told("exited").is_empty(), "told twice");
    for (id, code) in codes {
        assert_eq!(ends[id]["exitCode"], *code, "{}", ends[id]);
    }
    let end = &ends[&limited.id];
    assert_eq!(
        (&end["status"], &end["signal"]),
        (&json!("timed_out"), &json!("SIGKILL"))
    );
    // No earlier than that; that some daemon has seen to it is told by its end, which was waited for.
    let runtime = end["runtimeMs"].as_u64().unwrap();
    assert!(runtime >= 1500, "{end}");
}
