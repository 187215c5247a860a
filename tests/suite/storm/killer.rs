//! The one who kills, one after the other: both at once would end the jobs.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{DEADLINE, Dice, Home, daemon};

/// Between two deaths at least.
const PACE: Duration = Duration::from_millis(50);

/// Kills until it is told that it is over.
pub(super) struct Killer {
    thread: JoinHandle<[u32; 3]>,
}

impl Killer {
    pub(super) fn begin(home: &Home, program: PathBuf, over: &Arc<AtomicBool>) -> Self {
        let (path, over) = (home.path().to_owned(), over.clone());
        let program = program.display().to_string();
        let mut upgrade = home.command_through(&[&program, "daemon", "upgrade"]);
        upgrade.stdout(std::process::Stdio::piped());
        let mut dice = Dice::new();
        let thread = std::thread::spawn(move || {
            let mut done = [0; 3];
            let mut last = 0;
            while !over.load(Ordering::Relaxed) {
                let next = Instant::now() + PACE;
                let (daemon, keeper) = pids(&path, last);
                match dice.below(20) {
                    0 => {
                        daemon::install(Path::new(&program));
                        let status = upgrade.status().unwrap();
                        assert!(status.success(), "upgrade: {status}");
                        done[2] += 1;
                    }
                    1..10 => {
                        daemon::kill_pid(daemon);
                        last = daemon;
                        done[0] += 1;
                    }
                    _ => {
                        daemon::kill_pid(keeper);
                        last = keeper;
                        done[1] += 1;
                    }
                }
                std::thread::sleep(next.saturating_duration_since(Instant::now()));
            }
            done
        });
        Self { thread }
    }

    /// How many daemons and keepers it has killed, and how many upgrades there were.
    pub(super) fn end(self) -> [u32; 3] {
        self.thread.join().unwrap()
    }
}

/// Pids of a daemon and a keeper that have each other; `dead` is neither, which they may not know yet.
fn pids(home: &Path, dead: u32) -> (u32, u32) {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let stats = stats(home).unwrap_or_default();
        let pid = |name: &str| u32::try_from(stats[name].as_u64()?).ok();
        let is_up = stats["keeperVersion"]
            .as_str()
            .is_some_and(|version| !version.is_empty());
        if let (Some(daemon), Some(keeper), true) = (pid("daemonPid"), pid("keeperPid"), is_up)
            && ![daemon, keeper].contains(&dead)
        {
            return (daemon, keeper);
        }
        assert!(Instant::now() < deadline, "nobody answers: {stats}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn stats(home: &Path) -> Option<Value> {
    let mut stream = UnixStream::connect(home.join("daemon.sock")).ok()?;
    stream.set_read_timeout(Some(DEADLINE)).ok()?;
    let hello = json!({"action": "hello", "protocol": 1, "version": "test", "role": "human"});
    let stats = json!({"id": 1, "action": "stats"});
    stream
        .write_all(format!("{hello}\n{stats}\n").as_bytes())
        .ok()?;
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let replies = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let mut replies = replies.filter(|reply| reply["id"] == 1);
    replies.next().map(|mut reply| reply["result"].take())
}
