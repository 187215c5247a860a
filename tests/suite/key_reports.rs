//! Programs that ask their terminal for more: exact keys, colours, sizes.

use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve, Terminal};

/// A program that asks its terminal for what its arguments say, then shows in hexadecimal what it reads.
const READER: &str = r#"
import os, sys, termios, tty
tty.setraw(0)
os.write(1, sys.argv[1].encode().decode("unicode_escape").encode() + b"ready\r\n")
while True:
    read = os.read(0, 100)
    os.write(1, b"<" + read.hex().encode() + b">\r\n")
    if read == b"q":
        break
"#;

/// Starts the program with what it asks for.
fn reader(home: &Home, serve: &mut Serve, asks: &str) -> Job {
    let path = home.path().join("reader.py");
    std::fs::write(&path, READER).unwrap();
    let request = json!({"command": "python3", "args": [path, asks], "label": "reader",
        "rows": 24, "cols": 80});
    let job = Job::request(serve, request);
    job.wait_for(serve, "^ready$");
    job
}

/// How the program shows these bytes.
fn shown(bytes: &str) -> String {
    bytes.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn keys_are_sent_as_the_program_has_asked_also_after_the_daemon_was_killed() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let kitty = reader(&home, &mut serve, r"\x1b[>1u");
    let press = |serve: &mut Serve, job: &Job, key: &str, bytes: &str| {
        job.press(serve, json!([key]));
        job.wait_for(serve, &shown(bytes));
    };
    press(&mut serve, &kitty, "S-Enter", "\x1b[13;2u");
    press(&mut serve, &kitty, "C-i", "\x1b[105;5u");
    home.kill_daemon();
    press(&mut serve, &kitty, "Escape", "\x1b[27u");
    // A narrower screen is painted anew, from output that need not have the request.
    kitty.ask(&mut serve, "resize", json!({"rows": 24, "cols": 60}));
    press(&mut serve, &kitty, "C-Enter", "\x1b[13;5u");
    kitty.press(&mut serve, json!(["q"]));
    kitty.end(&mut serve);
    let xterm = reader(&home, &mut serve, r"\x1b[>4;2m");
    press(&mut serve, &xterm, "S-Enter", "\x1b[27;2;13~");
    xterm.press(&mut serve, json!(["q"]));
}

#[test]
fn a_persons_keys_reach_the_program_exactly() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = reader(&home, &mut serve, r"\x1b[>1u");
    let vars = [("TERM", "xterm-256color")];
    let mut view = Terminal::with_env(&home, &["attach", "reader"], (80, 24), &vars);
    view.wait_for_text(" INSERT ");
    view.wait_for("the protocol of the program", |screen| {
        screen.modes().reports.keys.kitty.bits() == 1
    });
    view.send("\x1b[13;2u");
    job.wait_for(&mut serve, &shown("\x1b[13;2u"));
    // The key that leaves has the form of the protocol too, and the terminal is then as before.
    view.send("\x1b[93;5u");
    view.wait_for_text(" NORMAL ");
    view.wait_for("the usual keys", |screen| {
        screen.modes().reports.keys.is_legacy()
    });
    // A terminal that says that it has no such protocol.
    let mut old = Terminal::with_env(&home, &["attach", "reader"], (80, 24), &vars);
    old.mute();
    old.send("\x1b[?62c");
    old.wait_for_text(" INSERT ");
    old.send("\x1b");
    job.wait_for(&mut serve, &shown("\x1b[27u"));
    old.send("q");
    job.end(&mut serve);
}

#[test]
fn programs_are_told_the_colours_of_who_watches_and_their_size() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = reader(&home, &mut serve, r"\x1b[?2031h\x1b[?2048h\x1b[?996n");
    job.wait_for(&mut serve, &shown("\x1b[?997;1n"));
    job.wait_for(&mut serve, &shown("\x1b[48;24;80;384;640t"));
    job.ask(&mut serve, "resize", json!({"rows": 30, "cols": 90}));
    job.wait_for(&mut serve, &shown("\x1b[48;30;90;480;720t"));
    let vars = [("TERM", "xterm-256color")];
    let mut view = Terminal::with_env(&home, &["attach", "reader"], (80, 24), &vars);
    view.mute();
    view.send("\x1b]10;rgb:1010/2020/3030\x1b\\\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\\x1b[?62c");
    job.wait_for(&mut serve, &shown("\x1b[?997;2n"));
    job.press(&mut serve, json!(["q"]));
    job.end(&mut serve);
    // A program that starts later is told the same.
    let later = reader(&home, &mut serve, r"\x1b]11;?\x1b\\");
    later.wait_for(&mut serve, &shown("\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\"));
    later.press(&mut serve, json!(["q"]));
}
