//! What keeper and daemon say about themselves, and where it stays within bounds.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::process::{self, Held};
use crate::support::{DEADLINE, Home, Serve, eventually};

/// Bytes that a file may have before it makes room.
const LIMIT: usize = 1 << 20;

#[test]
fn the_log_of_the_daemon_is_shown_also_when_none_runs() {
    let home = Home::new();
    let ran = home.run(&["daemon", "logs"]).expect_code(0);
    ran.expect_said("nothing has been written");
    home.ok(&["ls"]);
    home.ok(&["daemon", "stop"]);
    let said = home.ok(&["daemon", "logs"]);
    assert!(said.contains(" INFO started version="), "{said}");
    assert!(
        said.lines().last().unwrap().contains(" INFO stopped pid="),
        "{said}"
    );
    assert_eq!(home.ok(&["daemon", "logs", "-n", "1"]).lines().count(), 1);
    let keeper = home.ok(&["daemon", "logs", "--keeper"]);
    assert!(keeper.contains(" INFO stopped pid="), "{keeper}");
    let ran = home.run(&["--json", "daemon", "logs", "-n", "1"]);
    let line: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(line["level"], "INFO");
    assert!(
        process::of_home(home.path()).is_empty(),
        "looking has started one"
    );
}

#[test]
fn the_log_is_followed_over_the_death_of_a_daemon() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let mut command = home.command(&["daemon", "logs", "-f", "-n", "0"]);
    let mut follower = command.stdout(Stdio::piped()).spawn().unwrap();
    let held = Held::new(follower.id()).unwrap();
    // Without this a follower that shows nothing would hold the test for ever.
    std::thread::spawn(move || {
        if !held.ended(DEADLINE) {
            held.signal(Signal::KILL);
        }
    });
    let pid = serve.ok(json!({"action": "stats"}))["daemonPid"]
        .as_u64()
        .unwrap();
    let daemon = Held::new(u32::try_from(pid).unwrap()).unwrap();
    // Once the follower watches, it sees the second daemon's words for certain.
    wait_for_inotify(follower.id());
    daemon.signal(Signal::KILL);
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let line = lines.next().expect("it ended without a line").unwrap();
    assert!(line.contains(" INFO started "), "{line}");
    follower.kill().unwrap();
    follower.wait().unwrap();
    let keeper = home.ok(&["daemon", "logs", "--keeper"]);
    let ended = format!("the daemon ended pid={pid} failures=0 why=\"it was ended by SIGKILL\"");
    assert!(keeper.contains(&ended), "{keeper}");
}

/// Waits until a process has an inotify descriptor.
fn wait_for_inotify(pid: u32) {
    eventually("it watches the file", || {
        let fds = std::fs::read_dir(format!("/proc/{pid}/fd"))
            .unwrap()
            .flatten();
        let mut aims = fds.filter_map(|fd| std::fs::read_link(fd.path()).ok());
        let watches = aims.any(|aim| aim.to_string_lossy().contains("inotify"));
        watches.then_some(())
    });
}

#[test]
fn a_full_log_makes_room_and_one_older_file_is_kept() {
    let home = Home::new();
    let (log, older) = (
        home.path().join("daemon.log"),
        home.path().join("daemon.log.1"),
    );
    std::fs::write(&older, "oldest\n").unwrap();
    std::fs::write(&log, "x".repeat(LIMIT)).unwrap();
    std::fs::set_permissions(&log, std::fs::Permissions::from_mode(0o600)).unwrap();
    home.ok(&["ls"]);
    assert_eq!(std::fs::metadata(&older).unwrap().len(), LIMIT as u64);
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("started") && said.len() < 1000, "{said}");
    assert_eq!(
        std::fs::metadata(&log).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn a_log_that_somebody_removed_is_begun_anew_when_it_is_full() {
    let home = Home::new();
    let (log, older) = (
        home.path().join("daemon.log"),
        home.path().join("daemon.log.1"),
    );
    home.ok(&["ls"]);
    std::fs::remove_file(&log).unwrap();
    // It still writes into the file that has no name any more, and nothing breaks.
    let id = home.start(&["true"]);
    home.ok(&["wait", &id]);
    assert!(!log.exists() && !older.exists());
    home.ok(&["daemon", "upgrade"]);
    assert!(std::fs::read_to_string(&log).unwrap().contains("started"));
}

#[test]
fn debug_tells_of_jobs_without_what_they_are_about() {
    let home = Home::with_config("log_level = \"debug\"\n");
    let mut serve = Serve::new(&home, &[]);
    let start = json!({"action": "start", "command": "echo said-$SECRET # typed",
        "env": {"SECRET": "hidden"}});
    let id = serve.ok(start)["sessionId"].as_str().unwrap().to_owned();
    let said = home.ok(&["daemon", "logs"]);
    assert!(
        said.contains(&format!("DEBUG started session={id}")),
        "{said}"
    );
    assert!(
        said.contains(&format!("DEBUG ended session={id} status=\"done\"")),
        "{said}"
    );
    for word in ["said", "typed", "hidden", "SECRET"] {
        assert!(!said.contains(word), "{word}: {said}");
    }
}

#[test]
fn the_level_is_checked_by_the_verbs() {
    let home = Home::new();
    let ran = home.run_with_env(&["ls"], &[("BGPROC_LOG", "loud")]);
    ran.expect_code(2).expect_said("error, warn, info, debug");
    let ran = home.run_with_env(&["ls"], &[("BGPROC_LOG", "error")]);
    ran.expect_code(0);
    assert_eq!(home.ok(&["daemon", "logs"]), "");
}
