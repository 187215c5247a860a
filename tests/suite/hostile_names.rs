//! What jobs and clients call things cannot write to a terminal, nor into JSON.

use serde_json::json;

use crate::support::job::Job;
use crate::support::{Home, Serve, Terminal};

/// Sets a title, rings, clears: what a terminal would obey, in both forms.
const EVIL: &str = "\x1b]0;evil\x07\u{9b}2J\u{9d}0;evil\u{9c}\x1b[31m\x7f";

#[test]
fn names_commands_directories_and_titles_are_shown_without_their_controls() {
    let home = Home::new();
    let cwd = home.scratch(&format!("dir{EVIL}"));
    std::fs::create_dir(&cwd).unwrap();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    for name in ["label", "group"] {
        let mut start = json!({"action": "start", "command": "true", "background": true});
        start[name] = json!(format!("a{EVIL}"));
        serve.err(start, "invalid_params");
    }
    // The title comes from the program, which may say what it likes.
    let command =
        format!("printf '\\033]2;ti\\302\\233tle\\033\\\\'; echo up; exec sleep 1000 # {EVIL}");
    let job = Job::request(
        &mut serve,
        json!({"command": command, "cwd": cwd, "description": EVIL}),
    );
    job.wait_for(&mut serve, "^up$");
    for args in [
        &["ls"][..],
        &["ls", "-o", "table"],
        &["ls", "--json"],
        &["status", &job.id],
        &["--json", "status", &job.id],
        &["logs", &job.id],
        &["capture", &job.id],
    ] {
        let said = home.ok(args);
        let stray = said
            .chars()
            .find(|c| c.is_control() && !"\n\t".contains(*c));
        assert_eq!(stray, None, "{args:?}: {said:?}");
    }
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("sleep 1000");
    assert!(!view.screen().title().contains("evil"));
    assert!(!view.text().contains('\u{9b}'));
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn no_line_to_an_agent_has_a_raw_control() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    let home = Home::new();
    let mut command = home.command(&["--serve"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let start = json!({"id": 1, "action": "start", "command": format!("printf '%s' '{EVIL}' # {EVIL}"), "maxChars": 500});
    writeln!(stdin, "{start}").unwrap();
    writeln!(stdin, "{}", json!({"id": 2, "action": "list"})).unwrap();
    writeln!(stdin, "{}", json!({"id": EVIL, "action": EVIL})).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..4 {
        let line = lines.next().unwrap().unwrap();
        let stray = line.chars().find(|c| c.is_control());
        assert_eq!(stray, None, "{line:?}");
    }
    drop(stdin);
    child.wait().unwrap();
}
