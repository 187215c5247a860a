//! A host whose key has a passphrase: nothing asks behind a person's back, and a login in the terminal opens it.

use std::process::Command;

use serde_json::json;

use crate::support::{Person, Serve, Sshd, Terminal, eventually};

const PASSPHRASE: &str = "open sesame 7391";

/// A server whose key wants a passphrase, with a job on its host.
fn locked() -> Option<Sshd> {
    let sshd = Sshd::new(1)?;
    let key = sshd.dir().join("id");
    let changed = Command::new("ssh-keygen")
        .args(["-q", "-p", "-P", "", "-N", PASSPHRASE, "-f"])
        .arg(&key)
        .status();
    assert!(changed.unwrap().success());
    sshd.hosts[0].ok(&["run", "-n", "web", "cat"]);
    Some(sshd)
}

#[test]
fn a_login_from_the_dashboard_asks_as_ssh_does_and_brings_the_jobs_of_the_host() {
    let Some(sshd) = locked() else { return };
    sshd.home.ok(&["run", "-n", "here", "sleep 600"]);
    let mut view = Terminal::dashboard(&sshd.home, (100, 24), "here");
    view.wait_for_text("h1 · login needed");
    view.press("G");
    view.wait_for_text("l log in");
    view.send("l");
    view.wait_for_text("Enter passphrase for key");
    view.send(format!("{PASSPHRASE}\r"));
    view.wait_for("the job of the host", |screen| {
        screen.text(true).contains("web") && screen.text(true).contains("NORMAL")
    });
    view.wait_gone("login needed");
    // What was typed is nowhere.
    let found = Command::new("grep")
        .args(["-rlF", PASSPHRASE])
        .arg(sshd.home.path())
        .output();
    assert!(found.unwrap().stdout.is_empty());
    sshd.home.ok(&["send", "web@h1", "after the login"]);
    sshd.home
        .ok(&["wait", "web@h1", "--for", "match:after the login"]);
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn a_one_time_code_opens_a_connection_that_all_later_ones_share() {
    let Some(mut sshd) = Sshd::new(1) else { return };
    sshd.hosts[0].ok(&["run", "-n", "web", "cat"]);
    if !sshd.asks_for("493817") {
        return;
    }
    let home = &sshd.home;
    home.run(&["logs", "web@h1"])
        .expect_code(69)
        .expect_said("bgproc hosts login h1");
    let mut terminal = Terminal::new(home, &["hosts", "login", "h1"], (80, 24));
    terminal.wait_for_text("Password:");
    terminal.send("493817\r");
    assert_eq!(terminal.exit_code(), 0);
    // The code was good for once.
    home.ok(&["send", "web@h1", "after the login"]);
    home.ok(&["wait", "web@h1", "--for", "match:after the login"]);
    home.kill_daemon();
    let listed = home.ok(&["-H", "h1", "ls"]);
    assert!(listed.contains("web"), "{listed}");
    let found = Command::new("grep")
        .args(["-rlF", "493817"])
        .arg(home.path())
        .output();
    assert!(found.unwrap().stdout.is_empty());
    // The login ends with the host.
    let sockets = || {
        let mut find = Command::new("find");
        let find = find.arg(home.path()).args(["-name", "ssh-h1-*"]);
        String::from_utf8(find.output().unwrap().stdout).unwrap()
    };
    assert!(!sockets().is_empty());
    home.ok(&["hosts", "rm", "h1"]);
    eventually("the shared connection is closed", || {
        sockets().is_empty().then_some(())
    });
}

#[test]
fn a_login_that_is_due_is_said_at_once_and_not_tried_again() {
    let Some(sshd) = locked() else { return };
    let home = &sshd.home;
    let mut serve = Serve::new(home, &["--hosts", "h1"]);
    serve.ok(json!({"action": "subscribe"}));
    let down = serve.event("host_down");
    assert_eq!(down["data"]["error"]["code"], "auth_required", "{down}");
    let start = json!({"action": "start", "command": "true", "host": "h1"});
    let refused = serve.err(start, "auth_required");
    assert_eq!(refused["hint"], "bgproc hosts login h1", "{refused}");
    home.run(&["logs", "web@h1"])
        .expect_code(69)
        .expect_said("host h1 wants a login")
        .expect_said("bgproc hosts login h1");
    let mut person = Person::new(home);
    let hosts = person.ok(json!({"action": "hosts"}));
    assert_eq!(hosts["hosts"][0]["retryAt"], json!(null), "{hosts}");
    let refused = person.call(json!({"action": "connect", "host": "h1"}));
    assert_eq!(refused["error"]["code"], "auth_required", "{refused}");
}
