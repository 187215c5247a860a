//! The screen as it was: `capture` of a moment in the past, SCROLL's rewind, and `replay`.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve, Terminal, daemon};

/// Writes, and goes on when it is told to.
const STAGES: &str =
    r"stty -echo; echo one; read x; printf '\033[2J\033[Htwo\n'; read x; echo three; read x";

/// The job at its third stage, and how much it had written at each.
fn staged(serve: &mut Serve) -> (Job, Vec<u64>) {
    let request = json!({"command": STAGES, "rows": 10, "cols": 40});
    let job = Job::request(serve, request);
    let mut offsets = Vec::new();
    for text in ["one", "two", "three"] {
        job.wait_screen(serve, text);
        let polled = job.ask(serve, "poll", json!({}));
        offsets.push(polled["outputBytes"].as_u64().unwrap());
        if text != "three" {
            job.ask(serve, "write", json!({"data": "\r"}));
        }
    }
    (job, offsets)
}

fn at(job: &Job, serve: &mut Serve, offset: u64) -> Value {
    job.ask(serve, "capture", json!({"atOffset": offset}))
}

#[test]
fn a_moment_is_painted_anew_and_knows_its_neighbours() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let (job, offsets) = staged(&mut serve);
    let texts: Vec<Value> = offsets
        .iter()
        .map(|offset| at(&job, &mut serve, *offset)["text"].take())
        .collect();
    assert_eq!(texts, ["one", "two", "two\nthree"]);

    // From the end back to the beginning, and each step forward leads back to where one came from.
    let mut here = at(&job, &mut serve, u64::MAX);
    assert_eq!(here["moment"]["next"], Value::Null);
    let mut steps = 0;
    while let Some(previous) = here["moment"]["previous"].as_u64() {
        let before = at(&job, &mut serve, previous);
        assert_eq!(before["moment"]["offset"], previous);
        assert!(before["moment"]["next"].as_u64() > Some(previous));
        assert!(before["moment"]["nextAt"].is_string(), "{before}");
        here = before;
        steps += 1;
    }
    assert!(steps >= 1);
    assert_eq!(here["moment"]["offset"], 0);
    assert_eq!(here["text"], "");

    let then = at(&job, &mut serve, offsets[1])["moment"]["at"].clone();
    let by_time = job.ask(&mut serve, "capture", json!({"atTime": then}));
    assert!(by_time["moment"]["offset"].as_u64() >= Some(offsets[1]));
    assert!(by_time["text"].as_str().unwrap().starts_with("two"));

    for wrong in [
        json!({"atOffset": 1, "atTime": then}),
        json!({"atOffset": 1, "since": 3}),
        json!({"atTime": "yesterday"}),
    ] {
        let mut request = json!({"action": "capture", "sessionId": job.id});
        let more = wrong.as_object().unwrap().clone();
        request.as_object_mut().unwrap().extend(more);
        serve.err(request, "invalid_params");
    }
}

#[test]
fn a_screen_has_the_size_it_was_painted_for_also_after_the_daemons_death() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let full = r"printf '\033[?1049h\033[H10x40'; read x; printf '\033[H\033[J6x20'; read x";
    let request = json!({"command": full, "rows": 10, "cols": 40});
    let job = Job::request(&mut serve, request);
    job.wait_screen(&mut serve, "10x40");
    let before = job.ask(&mut serve, "poll", json!({}))["outputBytes"].clone();
    job.ask(&mut serve, "resize", json!({"rows": 6, "cols": 20}));
    job.ask(&mut serve, "write", json!({"data": "\r"}));
    job.wait_screen(&mut serve, "6x20");
    daemon::kill(&mut serve);
    let then = at(&job, &mut serve, before.as_u64().unwrap());
    assert_eq!((&then["rows"], &then["cols"]), (&json!(10), &json!(40)));
    assert_eq!(then["text"], "10x40");
    assert_eq!(then["altScreen"], true);
    let now = at(&job, &mut serve, u64::MAX);
    assert_eq!((&now["rows"], &now["text"]), (&json!(6), &json!("6x20")));
    let cast = job.ask(&mut serve, "export", json!({"format": "asciicast"}));
    let cast = cast["data"].as_str().unwrap();
    assert!(cast.contains(r#""width":40,"height":10"#), "{cast}");
    assert!(cast.contains(r#","r","20x6"]"#), "{cast}");
}

#[test]
fn a_recording_has_a_change_of_size_after_the_last_output() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let request = json!({"command": "echo one; read x", "rows": 10, "cols": 40});
    let job = Job::request(&mut serve, request);
    job.wait_screen(&mut serve, "one");
    job.ask(&mut serve, "resize", json!({"rows": 6, "cols": 20}));
    let cast = job.ask(&mut serve, "export", json!({"format": "asciicast"}));
    let cast = cast["data"].as_str().unwrap();
    assert!(cast.ends_with(",\"r\",\"20x6\"]\n"), "{cast}");
}

#[test]
fn a_moment_after_a_long_progress_line_has_the_lines_above_it() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let command = r"stty -echo; echo one; echo two; echo three
        yes '50 %' | tr '\n' '\r' | head -c 400000; printf '\rdone'; read x";
    let request = json!({"command": command, "rows": 10, "cols": 40});
    let job = Job::request(&mut serve, request);
    job.wait_screen(&mut serve, "done");
    let then = at(&job, &mut serve, u64::MAX);
    assert_eq!(then["text"], "one\ntwo\nthree\ndone");
}

#[test]
fn a_past_full_screen_does_not_begin_within_a_sequence() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // What is painted begins 2 MiB before the end: one byte after the start of one of these colours.
    let command = r#"stty -echo; printf '\033[?1049h'
        yes "$(printf '\033[38;2;100;100;100m')" | tr -d '\n' | head -c 2280000
        printf '\033[5;1Hend'; read x"#;
    let request = json!({"command": command, "rows": 10, "cols": 40});
    let job = Job::request(&mut serve, request);
    job.wait_screen(&mut serve, "end");
    let then = at(&job, &mut serve, u64::MAX);
    assert_eq!(then["text"], "\n\n\n\nend");
}

#[test]
fn a_person_steps_back_through_vim() {
    if !have("vim") {
        return;
    }
    let home = Home::new();
    home.start(&["-n", "ed", "exec vim -N -n -u NONE -i NONE"]);
    home.run(&["send", "ed", "--no-enter", "iall of it"]);
    let mut view = Terminal::new(&home, &[], (80, 24));
    view.wait_for_text("all of it");
    view.send("s");
    view.wait_for_text(" SCROLL ");
    view.send("<");
    view.wait_for_text("as it was");
    // Back until nothing had been typed yet.
    let mut steps = 0;
    while view.text().contains("all of it") {
        steps += 1;
        assert!(steps < 50, "{}", view.text());
        let before = view.text();
        view.send("<");
        view.wait_for("another moment", |screen| screen.text(true) != before);
    }
    view.send("G");
    view.wait_for_text(" NORMAL ");
    view.wait_for_text("all of it");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn replay_plays_on_a_terminal_and_prints_elsewhere() {
    let home = Home::new();
    home.start(&[
        "-n",
        "job",
        "echo first; read x; printf '\\033[2J\\033[Hsecond\\n'",
    ]);
    home.run(&["wait", "job", "--for", "match:first"]);
    home.run(&["send", "job", ""]);
    home.run(&["wait", "job"]);
    let mut view = Terminal::new(&home, &["replay", "job", "--speed", "8"], (80, 24));
    view.wait_for_text("second");
    view.wait_for_text("the end");
    view.send("g");
    view.wait_for_text("the beginning");
    view.send(" ");
    view.wait_for_text("second");
    // It was opened for this, so leaving goes back to the shell.
    view.send("q");
    assert_eq!(view.exit_code(), 0);

    let printed = home.run(&["replay", "job", "--at", "0s"]);
    assert_eq!(
        (printed.code, printed.stdout.as_str()),
        (Some(0), "second\n")
    );
    let long_ago = home.run(&["replay", "job", "--at", "1h"]);
    assert_eq!((long_ago.code, long_ago.stdout.as_str()), (Some(0), ""));
    let refused = home.run(&["replay", "job"]);
    assert_eq!(refused.code, Some(2), "{refused}");
}
