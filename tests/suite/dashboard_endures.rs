//! What may happen to a dashboard: its daemon dies, its window is dragged about, it is suspended, its terminal is
//! closed. The view goes on or ends; the jobs do not notice.

use rustix::process::Signal;
use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Serve, Terminal, daemon};

/// The leave key.
const LEAVE: &str = "\x1d";

#[test]
fn a_daemon_that_dies_under_the_fingers_costs_nothing_that_was_seen() {
    let home = Home::new();
    home.start(&["-n", "echo", "exec cat"]);
    let mut view = Terminal::new(&home, &[], (80, 24));
    view.wait_for_text(" NORMAL  echo ");
    view.send("i");
    view.wait_for_text(" INSERT ");
    for round in ["one", "two", "three"] {
        view.send(format!("typed {round}\r"));
        view.wait_for_text(&format!("typed {round}"));
        home.kill_daemon();
        // Another client has its daemon, and what it says reaches the view: it has one, too.
        home.ok(&["send", "echo", &format!("said {round}")]);
        view.wait_for_text(&format!("said {round}"));
    }
    for round in ["one", "two", "three"] {
        view.wait_for_text(&format!("typed {round}"));
    }
    view.send(format!("{LEAVE}q"));
    assert_eq!(view.exit_code(), 0);
    assert!(home.ok(&["ls", "--no-header"]).starts_with("echo\trunning"));
}

#[test]
fn a_window_dragged_about_ends_with_a_whole_picture_and_resizes_no_job() {
    let home = Home::new();
    let counting = "n=0; while [ $n -lt 400 ]; do n=$((n+1)); echo line $n; done; exec sleep 1000";
    home.start(&["-n", "web", counting]);
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("line 400");
    let before = home.json(&["status", "web"]);
    for step in 0..150_u16 {
        view.resize(20 + step * 7 % 110, 4 + step * 5 % 40);
    }
    view.resize(80, 24);
    view.wait_for("the whole picture", |screen| {
        let rows = screen.rows_text(false);
        let at = |row: usize, text: &str| rows[row].contains(text);
        // The cursor is on the row below the last line.
        at(0, "1 running") && at(1, "web") && at(20, "line 400") && at(22, " NORMAL  web ● running")
    });
    view.send("q");
    assert_eq!(view.exit_code(), 0);
    let after = home.json(&["status", "web"]);
    let size = |record: &serde_json::Value| (record["cols"].clone(), record["rows"].clone());
    assert_eq!(size(&before), size(&after));
}

/// Waits until the shell reads the next command.
#[track_caller]
fn wait_prompt(shell: &mut Terminal) {
    shell.wait_for("prompt", |screen| {
        screen.text(true).lines().last() == Some("$")
    });
}

#[test]
fn suspended_and_continued_it_is_as_it_was() {
    if !have("bash") {
        return;
    }
    let home = Home::new();
    home.start(&["-n", "web", "echo up; exec sleep 1000"]);
    let mut shell = Terminal::shell(&home, (80, 24));
    wait_prompt(&mut shell);
    let at_prompt = shell.settings();
    shell.send(format!("{}\r", env!("CARGO_BIN_EXE_bgproc")));
    shell.wait_for_text(" NORMAL  web ● running");
    shell.send("\x1a");
    shell.wait_for("the shell's screen", |screen| !screen.alt_screen());
    shell.wait_for_text("Stopped");
    shell.send("fg\r");
    shell.wait_for("the dashboard again", |screen| {
        screen.alt_screen() && screen.text(true).contains(" NORMAL  web ● running")
    });
    shell.send("q");
    shell.wait_for_text("1 job keeps running");
    wait_prompt(&mut shell);
    shell.send("echo $?.\r");
    shell.wait_for_text("\n0.");
    wait_prompt(&mut shell);
    assert_eq!(shell.settings(), at_prompt);
    shell.send("exit\r");
    shell.exit_code();
}

#[test]
fn a_terminal_that_is_closed_ends_the_view_and_no_job() {
    let home = Home::new();
    home.start(&["-n", "web", "echo up; exec sleep 1000"]);
    // A terminal that can go away for good: that of a job whose keeper and daemon are killed at once.
    let outer = Home::new();
    let mut serve = Serve::new(&outer, &[]);
    let line = format!(
        "BGPROC_HOME={} TERM=xterm exec {}",
        home.path().display(),
        env!("CARGO_BIN_EXE_bgproc")
    );
    let job = Job::request(&mut serve, json!({"command": line, "rows": 24, "cols": 80}));
    job.wait_screen(&mut serve, "web . running");
    let view = Held::new(job.pid.unwrap()).unwrap();
    let (daemon, keeper) = daemon::pids(&mut serve);
    // Stopped first, so that neither starts the other anew.
    let both = [keeper, daemon].map(|pid| Held::new(pid).unwrap());
    for signal in [Signal::STOP, Signal::KILL] {
        both.iter().for_each(|process| process.signal(signal));
    }
    assert!(view.ended(DEADLINE), "the view goes on without a terminal");
    assert!(home.ok(&["ls", "--no-header"]).starts_with("web\trunning"));
}
