//! Panes of the dashboard with the real daemon: the grid, what is new since the last look, and failed jobs.

use crate::support::needs::have;
use crate::support::{Home, Terminal};

/// The leave key.
const LEAVE: &str = "\x1d";

/// A job that answers each line with another and counts them.
const ANSWERS: &str =
    "echo ready; n=0; while read -r line; do n=$((n+1)); echo \"$line is answer $n\"; done";

fn size(home: &Home, job: &str) -> (u64, u64) {
    let record = home.json(&["status", job]);
    let number = |key: &str| record[key].as_u64().unwrap();
    (number("cols"), number("rows"))
}

#[test]
fn a_grid_shows_several_jobs_and_resizes_only_the_one_typed_into() {
    let home = Home::new();
    for name in ["one", "two", "three"] {
        home.start(&["-n", name, ANSWERS]);
    }
    let before = size(&home, "one");
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("three");
    view.send("v");
    view.wait_for("three live tiles", |screen| {
        screen.text(true).matches("ready").count() == 3
    });
    view.wait_for_text("grid 3x1");
    // What a job writes shows in its tile without being asked for.
    home.ok(&["send", "three", "hello"]);
    view.wait_for_text("hello is answer 1");
    view.send("2");
    view.wait_for_text("━━ 2");
    assert_eq!(size(&home, "two"), before, "looking resizes nothing");
    view.send("i");
    view.wait_for_text(" INSERT ");
    view.send("typed\r");
    view.wait_for_text("typed is answer 1");
    let after = size(&home, "two");
    assert!(after.0 < 60 && after != before, "{after:?}");
    assert_eq!(size(&home, "one"), before);
    assert_eq!(size(&home, "three"), before);
    view.send(LEAVE);
    view.wait_for_text(" NORMAL ");
    // The whole width again: what was cut off the narrow screen is painted anew from the log.
    home.ok(&["send", "two", &"long ".repeat(12)]);
    view.wait_for_text("answer 2");
    view.send("\x1b");
    view.wait_for_text("[2/3]");
    view.send("\rx\r");
    let whole = format!("{}is answer 2", "long ".repeat(12));
    view.wait_for_text(&whole);
    view.send(LEAVE);
    view.wait_for_text(" NORMAL ");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn the_next_view_shows_what_is_new_and_tells_what_happened() {
    let home = Home::new();
    home.start(&["-n", "web", ANSWERS]);
    home.start(&[
        "-n",
        "lint",
        "read -r line; echo no such rule: $line >&2; exit 3",
    ]);
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("ready");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
    home.ok(&["send", "web", "first"]);
    home.ok(&["wait", "web", "--for", "match:first is answer 1"]);
    home.ok(&["send", "lint", "x"]);
    home.run(&["wait", "lint"]).expect_code(3);
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("new since you last looked (");
    view.wait_for_text("lint failed");
    // Between what was there and what came: `ready` is above the line.
    let text = view.text();
    let row = |what: &str| text.lines().position(|row| row.contains(what)).unwrap();
    assert!(row("ready") < row("new since"), "{text}");
    assert!(row("new since") < row("first is answer 1"), "{text}");
    view.wait_for_text("+");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
    // That was looked at, too.
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("first is answer 1");
    assert!(!view.text().contains("new since"), "{}", view.text());
}

#[test]
fn a_failed_job_says_how_and_whether_the_run_before_did() {
    let home = Home::new();
    home.start(&["-n", "lint", "echo checking; no-such-linter"]);
    home.run(&["wait", "lint"]).expect_code(127);
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("failed: exit 127, command not found: no-such-linter");
    assert!(!view.text().contains("same way"), "{}", view.text());
    view.send("r");
    view.wait_for_text("run 2 (run 1 failed the same way)");
    let events = home.ok(&["--json", "events"]);
    let restarted = events.lines().find(|line| line.contains("\"restarted\""));
    assert!(
        restarted.is_some_and(|line| line.contains("\"kind\":\"human\"")),
        "{events}"
    );
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn a_taken_port_is_named_with_the_job_that_has_it() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let serve = "exec python3 -u -m http.server --bind 127.0.0.1";
    home.start(&["-n", "web", &format!("{serve} 0")]);
    home.ok(&["wait", "web", "--for", "match:port [0-9]+"]);
    let log = home.ok(&["logs", "web"]);
    let port = log
        .split("port ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .unwrap();
    home.start(&["-n", "second", &format!("{serve} {port}")]);
    home.run(&["wait", "second"]).expect_code(1);
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("second");
    view.send("!");
    view.wait_for_text(&format!("port {port} is taken by job web (pid "));
    view.wait_for_text("OSError: ");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}
