//! `doctor`: what it finds, and that it touches nothing.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use crate::support::fake::FakeDaemon;
use crate::support::{Home, Ran, Terminal, process};

/// The findings of a subject with a verdict.
fn found(home: &Home, subject: &str, verdict: &str) -> Vec<String> {
    let ran = home.run(&["--json", "doctor"]);
    let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran}"));
    let findings = said["findings"].as_array().unwrap().iter();
    let fits = findings.filter(|it| it["subject"] == subject && it["verdict"] == verdict);
    let texts = fits.map(|it| format!("{} -> {}", it["text"], it["advice"]));
    texts.collect()
}

fn assert_found(home: &Home, subject: &str, verdict: &str, text: &str) {
    let found = found(home, subject, verdict);
    assert!(
        found.iter().any(|it| it.contains(text)),
        "no `{text}`: {found:?}"
    );
}

#[test]
fn a_fresh_home_is_well_and_stays_as_it_is() {
    let home = Home::new();
    let ran = home.run(&["doctor"]).expect_code(0);
    assert!(
        ran.stdout
            .contains("no daemon runs; the next command starts one"),
        "{ran}"
    );
    assert!(
        ran.stdout
            .lines()
            .last()
            .unwrap()
            .starts_with("no problems"),
        "{ran}"
    );
    fits_80_columns(&ran, &home);
    assert_eq!(
        std::fs::read_dir(home.path()).unwrap().count(),
        0,
        "it made something"
    );
    assert!(
        process::of_home(home.path()).is_empty(),
        "it started something"
    );
}

/// But for paths, which are not broken.
fn fits_80_columns(ran: &Ran, home: &Home) {
    let path = home.path().display().to_string();
    let long = ran
        .stdout
        .lines()
        .find(|line| line.chars().count() > 80 && !line.contains(&path));
    assert_eq!(long, None, "{ran}");
}

#[test]
fn it_tells_daemon_and_keeper_and_wakes_neither() {
    let home = Home::new();
    home.start(&["sleep 1000"]);
    let stats = home.json(&["daemon", "status"]);
    let answers = format!("daemon (pid {}, bgproc", stats["daemonPid"]);
    assert_found(&home, "processes", "ok", &answers);
    home.ok(&["daemon", "stop"]);
    let rests = format!("keeper (pid {}) runs and listens at", stats["keeperPid"]);
    assert_found(&home, "processes", "ok", &rests);
    // Had it knocked, a daemon would be there by now or soon.
    assert_found(&home, "processes", "ok", &rests);
    home.ok(&["daemon", "stop", "--kill"]);
}

#[test]
fn a_directory_that_is_not_ours_alone_is_a_problem() {
    let home = Home::new();
    let mode = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(home.path(), mode).unwrap();
    };
    mode(0o770);
    home.run(&["doctor"]).expect_code(1);
    assert_found(&home, "directories", "problem", "run: chmod 700");
    mode(0o700);
    home.run(&["doctor"]).expect_code(0);
    symlink("/tmp", home.path().join("sessions")).unwrap();
    assert_found(&home, "directories", "problem", "symbolic link");
}

#[test]
fn a_wrong_configuration_is_a_problem_with_its_place() {
    let home = Home::with_config("ttl_ms = \"long\"\n");
    home.run(&["doctor"]).expect_code(1);
    assert_found(&home, "configuration", "problem", "config.toml:1:10");
}

#[test]
fn a_configuration_that_the_daemon_has_not_read_is_a_warning() {
    let home = Home::with_config("max_sessions = 50\n");
    home.start(&["-n", "web", "sleep 1000"]);
    assert_eq!(found(&home, "configuration", "warning"), [""; 0]);
    let changed = "max_sessions = 50\nnotify_command = \"true\"\n";
    std::fs::write(home.path().join("config.toml"), changed).unwrap();
    let said = "which reads these only then: max_sessions, notify_command";
    assert_found(&home, "configuration", "warning", said);
    home.run(&["doctor"]).expect_code(0);
    home.ok(&["daemon", "upgrade"]);
    assert_eq!(found(&home, "configuration", "warning"), [""; 0]);
}

#[test]
fn leftovers_are_warnings() {
    let home = Home::new();
    let session = home.path().join("sessions/abcdefghijkl");
    std::fs::create_dir_all(&session).unwrap();
    for dir in [home.path(), &home.path().join("sessions")] {
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    std::fs::write(session.join("meta.json.bad"), "{").unwrap();
    std::fs::write(session.join("exit.json.123.tmp"), "").unwrap();
    std::fs::create_dir(home.path().join("sessions/what")).unwrap();
    home.run(&["doctor"]).expect_code(0);
    assert_found(&home, "state", "warning", "meta.json.bad could not be read");
    assert_found(
        &home,
        "state",
        "warning",
        "exit.json.123.tmp were left over",
    );
    assert_found(
        &home,
        "state",
        "warning",
        "abcdefghijkl in sessions/ have no record",
    );
    assert_found(&home, "state", "warning", "what in sessions/ are not jobs");
    assert!(session.join("meta.json.bad").exists());
}

#[test]
fn a_stale_socket_is_told_and_left_for_the_next_command() {
    let home = Home::new();
    drop(FakeDaemon::new(&home));
    assert_found(&home, "processes", "ok", "a socket is left over");
    assert!(home.path().join("daemon.sock").exists());
    home.ok(&["ls"]);
}

#[test]
fn who_cannot_reach_the_daemon_is_sent_to_the_doctor() {
    let home = Home::new();
    // A directory in the place of the socket can neither be reached nor replaced.
    std::fs::create_dir(home.path().join("daemon.sock")).unwrap();
    home.run(&["ls"])
        .expect_code(69)
        .expect_said("bgproc doctor");
}

#[test]
fn what_can_be_put_right_is_offered_and_done_with_y() {
    let home = Home::new();
    home.start(&["-n", "job", "exec sleep 1000"]);
    let pid = home.json(&["daemon", "status"])["daemonPid"]
        .as_u64()
        .unwrap();
    let daemon = process::Held::new(u32::try_from(pid).unwrap()).unwrap();
    daemon.signal(rustix::process::Signal::STOP);
    // Left behind by a process that is not there any more: no pid is that large.
    let left = home.path().join("recent.4194305.tmp");
    std::fs::write(&left, "").unwrap();
    let mut terminal = Terminal::with_env(&home, &["doctor"], (120, 40), &[]);
    terminal.wait_for_text(&format!("resume pid {pid} (kill -CONT)? [y/N]"));
    terminal.send("y\r");
    terminal.wait_for_text("recent.4194305.tmp? [y/N]");
    terminal.send("n\r");
    assert_eq!(terminal.exit_code(), 0, "no problem is left");
    assert!(left.exists(), "nobody agreed to that");
    assert_eq!(home.json(&["status", "job"])["status"], "running");
    let ran = home.run(&["doctor", "--yes"]).expect_code(0);
    assert!(ran.stdout.contains("done: remove"), "{ran}");
    assert!(!left.exists());
    std::fs::write(&left, "").unwrap();
    let ran = home.run(&["doctor", "--json", "--yes"]).expect_code(0);
    assert!(ran.stdout.starts_with('{'), "{ran}");
    assert!(ran.stderr.contains("done: remove"), "{ran}");
    assert!(!left.exists());
}
