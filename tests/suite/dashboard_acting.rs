//! A person who acts from the dashboard: answering from the row, commands by name, removing with a way back,
//! forms, and quitting with everything stopped.

use std::time::Duration;

use serde_json::json;

use crate::support::job::Job;
use crate::support::{Home, Serve, Terminal, eventually};

/// Asks for a name, which shows, and for a password, which does not.
const LOGIN: &str = "printf 'Name: '; read name; stty -echo; printf 'Password: '; read word; \
    stty echo; echo; echo \"$name has ${#word} letters\"; exec sleep 1000";

#[test]
fn a_password_is_answered_from_the_row() {
    for size in [(120, 40), (80, 24), (40, 12)] {
        let home = Home::new();
        home.start(&["-n", "login", LOGIN]);
        // A narrow window has the short words of the list.
        let (asks, hides) = if size.0 < 60 {
            ("login ? input", "login ? password")
        } else {
            ("login ? needs input", "login ? password prompt")
        };
        let mut view = Terminal::dashboard(&home, size, asks);
        assert_eq!(view.screen().title(), "bgproc: 1 needs input");
        view.send("\t");
        view.wait_for_text("PROMPT");
        view.send("ada\r");
        view.wait_for_text(hides);
        view.send("\t");
        view.wait_for_text("login: hidden");
        view.wait_for_text(" Password:");
        view.send("lovelace\r");
        view.wait_for_text("answered login");
        view.wait_for_text("login ●");
        assert!(!view.text().contains("lovelace"), "{}", view.text());
        let log = home.ok(&["logs", "login"]);
        assert!(log.contains("ada has 8 letters"), "{log}");
        let typed = home.ok(&["logs", "--stdin", "login"]);
        assert!(!typed.contains("lovelace"), "{typed}");
        view.wait_for("title", |screen| screen.title() == "bgproc");
        view.send("q");
        assert_eq!(view.exit_code(), 0);
    }
}

#[test]
fn commands_are_found_by_name_and_do_what_their_keys_do() {
    let home = Home::new();
    home.start(&["-n", "web", "exec sleep 1000"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "web ● running");
    view.send(":stop");
    view.wait_for_text("bgproc stop web");
    view.send("\r");
    view.wait_for_text(" STOP ");
    view.send("y");
    view.wait_for_text("web stopped (SIGTERM)   bgproc stop web");
    view.send(":messages\r");
    view.wait_for_text("MESSAGES");
    view.wait_for_text("web stopped (SIGTERM)");
    view.send("q");
    view.wait_for_text(" NORMAL ");
}

#[test]
fn what_is_removed_can_be_put_back_and_is_gone_when_the_view_closes() {
    let home = Home::new();
    home.start(&["-n", "build", "true"]);
    home.start(&["-n", "web", "exec sleep 1000"]);
    home.run(&["wait", "build"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "✓ build");
    view.send("1d");
    view.wait_for_text("removed build");
    view.wait_gone("✓ build");
    assert!(home.ok(&["ls"]).contains("build"), "nobody was told yet");
    view.send("\x1f");
    view.wait_for_text("✓ build");
    view.send("d");
    view.wait_gone("✓ build");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
    let listed = home.ok(&["ls"]);
    assert!(
        !listed.contains("build") && listed.contains("web"),
        "{listed}"
    );
}

#[test]
fn a_job_is_duplicated_and_changed() {
    let home = Home::new();
    home.start(&["-n", "web", "-g", "shop", "exec sleep 1000"]);
    let mut view = Terminal::dashboard(&home, (120, 40), "web ● running");
    view.send("c");
    view.wait_for_text("name: web-2");
    view.send("\r");
    view.wait_for_text("web-2 ● running");
    assert_eq!(home.record("web-2")["group"], "shop");
    view.send("e");
    view.wait_for_text("pin: no");
    view.send("\x15exec sleep 2000\t\x15copy\t\t\t\x15always\r");
    view.wait_for_text("copy is changed; its next run");
    let changed = home.record("copy");
    assert_eq!(changed["command"], "exec sleep 2000");
    assert_eq!(changed["restart"]["policy"], "always");
    view.send("q");
    view.exit_code();
}

#[test]
fn the_projects_commands_are_suggested() {
    let home = Home::new();
    let dir = home.scratch("project");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("Makefile"), "serve:\n\techo served by make\n").unwrap();
    let mut view = Terminal::dashboard(&home, (80, 24), "Nothing is running yet.");
    view.send("n\t\t\t\x15");
    view.wait_for_text("dir:");
    view.send(dir.to_str().unwrap());
    view.send("\t");
    view.wait_for_text("run: make serve");
    view.send("mak");
    view.wait_for_text("run: make serve");
    view.send("\x1b[C\x01echo \r");
    // Not while the form is still there: it would take the key, and it shows the command as well.
    view.wait_for_text("echo make serve ✓ done");
    view.wait_mode("NORMAL");
    view.send("q");
    view.exit_code();
}

#[test]
fn quitting_and_stopping_waits_for_the_ends() {
    let home = Home::new();
    home.start(&["-n", "web", "-g", "shop", "exec sleep 1000"]);
    home.start(&[
        "-n",
        "api",
        "-g",
        "shop",
        "trap '' TERM; echo up; while :; do sleep 1000; done",
    ]);
    home.start(&["-n", "other", "exec sleep 1000"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "other");
    view.send("/web\r");
    view.wait_for_text("web ● running");
    view.send("Q");
    view.wait_for_text("s stop shop (2)");
    view.send("\r");
    view.wait_for_text(" NORMAL ");
    assert_eq!(home.record("web")["status"], "running", "Enter is no");
    view.send("Q");
    view.wait_for_text("A stop all 3");
    view.send("s");
    view.wait_for_text("then closes");
    assert_eq!(view.exit_code(), 0);
    assert!(
        view.text().contains("1 job keeps running"),
        "{}",
        view.text()
    );
    for (job, status) in [("web", "killed"), ("api", "killed"), ("other", "running")] {
        assert_eq!(home.record(job)["status"], status, "{job}");
    }
}

#[test]
fn a_person_takes_the_keyboard_and_gives_it_back_by_leaving() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut agent, "echo up; exec cat");
    job.wait_for(&mut agent, "^up$");
    let mut view = Terminal::dashboard(&home, (80, 24), "[1/1]");
    // It shows for two seconds, which a busy dashboard may need for a frame: the agent goes on typing.
    eventually("the dashboard shows that an agent types", || {
        agent.ok(json!({"action": "write", "sessionId": job.id, "data": "one\n"}));
        view.watch(Duration::from_millis(200));
        view.text().contains(" is typing").then_some(())
    });
    view.send("T");
    view.wait_for_text("you hold the keyboard");
    agent.event("held");
    let write = json!({"action": "write", "sessionId": job.id, "data": "two\n"});
    agent.err(write, "input_held");
    view.send("q");
    view.exit_code();
    agent.event("released");
    job.say(&mut agent, "three", "^three$");
}

#[test]
fn a_sentence_typed_in_normal_is_held_and_can_be_typed_into_the_job() {
    let home = Home::new();
    home.start(&["-n", "web", "exec cat"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "[1/1]");
    view.send("python3 setup.py\r");
    view.wait_mode("HELD");
    view.wait_for_text("held: \"python3 setup.py⏎\"");
    // As fingers type: the question that the first letters open is answered with no.
    view.send("\x1b");
    view.wait_mode("NORMAL");
    for letter in ["p", "y", "t", "h", "o", "n"] {
        view.send(letter);
        view.watch(Duration::from_millis(60));
    }
    view.wait_mode("HELD");
    assert_eq!(home.record("web")["status"], "running");
    view.send("\r");
    view.wait_for_text("⏎");
    view.watch(Duration::from_millis(700));
    view.send("i");
    view.wait_mode("INSERT");
    home.ok(&["wait", "web", "--for", "match:^python$"]);
}

#[test]
fn a_signal_is_sent_after_an_answer_only() {
    let home = Home::new();
    home.start(&["-n", "web", "exec sleep 1000"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "web ●");
    view.send("K");
    view.wait_mode("SIGNAL");
    view.send("K");
    view.wait_for_text("SEND SIGKILL");
    view.wait_for_text("to web (pid ");
    view.send("\r");
    view.wait_mode("NORMAL");
    assert_eq!(home.record("web")["status"], "running");
    view.press("K");
    view.wait_mode("SIGNAL");
    view.press("K");
    view.wait_for_text("SEND SIGKILL");
    view.press("y");
    home.run(&["wait", "web"]);
    assert_eq!(home.record("web")["signal"], "SIGKILL");
}
