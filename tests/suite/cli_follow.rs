//! Output that is followed: as the job writes it on a terminal, as lines in a pipe, and never cut.

use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use bgproc::term::screen::Color;
use rustix::process::Signal;

use crate::support::following::Following;
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Terminal};

/// Writes a progress bar, with a colour, and much that is not for somebody else's terminal. What it asks its own is
/// answered, and not echoed.
const BAR: &str = r"stty -echo; printf '10 %%\r50 %%\r\033[K\033[32m100 %%\033[0m\n'; printf '\033[6n\033[c\033]52;c;aGk=\007\033]0;title\007\033[?1000h\033[?1049hvim\033[?1049l\033[31mend'";

#[test]
fn a_terminal_gets_what_the_job_writes_and_nothing_that_reaches_further() {
    let home = Home::new();
    home.run(&["run", "-n", "bar", BAR]).expect_code(0);
    for args in [
        &["run", "-f", BAR][..],
        &["run", "-w", BAR],
        &["logs", "-f", "bar"],
    ] {
        let mut view = Terminal::new(&home, args, (80, 10));
        view.mute();
        assert_eq!(view.exit_code(), 0, "{args:?}");
        assert!(
            view.asked("10 %\r50 %\r\x1b[K\x1b[32m100 %\x1b[0m\r\r\n"),
            "{args:?}"
        );
        // Nothing is left in force.
        assert!(view.asked("\x1b[31mend\x1b[0m"), "{args:?}");
        for kept in ["\x1b[6n", "\x1b[c", "\x1b]", "\x1b[?", "vim"] {
            assert!(!view.asked(kept), "{args:?} passed {kept:?} on");
        }
    }
}

#[test]
fn a_terminal_gets_text_alone_if_somebody_says_so() {
    let home = Home::new();
    let mut view = Terminal::new(&home, &["run", "-f", "--plain", BAR], (80, 10));
    view.mute();
    view.exit_code();
    assert!(view.asked("100 %\r\nend") && !view.asked("10 %\r") && !view.asked("\x1b"));
    let args = ["run", "-f", "--color", "never", BAR];
    let mut view = Terminal::new(&home, &args, (80, 10));
    view.mute();
    view.exit_code();
    assert!(view.asked("10 %\r50 %\r\x1b[K100 %\r\r\n") && !view.asked("\x1b[3"));
    let dumb = [("TERM", "dumb")];
    let mut view = Terminal::with_env(&home, &["run", "-f", BAR], (80, 10), &dumb);
    view.mute();
    view.exit_code();
    assert!(view.asked("100 %\r\nend") && !view.asked("\x1b"));
}

#[test]
fn a_pipe_gets_each_line_in_its_last_state() {
    let home = Home::new();
    home.run(&["run", "-n", "bar", BAR]).expect_code(0);
    home.run(&["wait", "bar"]).expect_code(0);
    for args in [
        &["run", "-f", BAR][..],
        &["run", "-wq", BAR],
        &["logs", "-f", "bar"],
    ] {
        assert_eq!(home.ok(args), "100 %\nend", "{args:?}");
    }
    assert_eq!(home.ok(&["logs", "bar"]), "100 %\nend\n");
    let coloured = home.ok(&["logs", "--color", "always", "bar"]);
    assert_eq!(coloured, "\x1b[32m100 %\x1b[0m\n\x1b[31mend\x1b[0m\n");
}

#[test]
fn logs_on_a_terminal_keep_their_colours() {
    let home = Home::new();
    home.start(&["-n", "bar", BAR]);
    home.run(&["wait", "bar"]).expect_code(0);
    let mut view = Terminal::new(&home, &["logs", "bar"], (80, 10));
    view.exit_code();
    assert_eq!(view.text().trim_end(), "100 %\nend");
    let colour = |row| view.screen().cell(row, 0).unwrap().fg;
    assert_eq!((colour(0), colour(1)), (Color::Idx(2), Color::Idx(1)));
}

#[test]
fn a_terminal_gets_the_lines_that_are_asked_for_with_their_times() {
    let home = Home::new();
    let gate = home.gate();
    let script = format!(
        r"printf 'first\n\033[32mthe\033[0m second\n'; read _ <{}; echo a second third",
        gate.display()
    );
    for mode in ["--pty", "--no-pty"] {
        home.start(&["-n", "job", mode, &script]);
        let found = ["logs", "-f", "--grep", "^(the|a) second", "job"];
        let mut found = Terminal::new(&home, &found, (100, 20));
        let mut timed = Terminal::new(&home, &["logs", "-f", "--times", "job"], (100, 20));
        found.wait_for_text("the second");
        timed.wait_for_text(" the second");
        std::fs::write(&gate, "\n").unwrap();
        assert_eq!(found.exit_code(), 0, "{mode}");
        assert_eq!(timed.exit_code(), 0, "{mode}");
        let text = found.text();
        let lines = text.lines().map(str::trim_end);
        let lines: Vec<_> = lines.filter(|line| line.contains("second")).collect();
        assert_eq!(lines, ["the second", "a second third"], "{mode}: {text}");
        assert!(!text.contains("first"), "{mode}: {text}");
        let text = timed.text();
        for line in ["first", "the second", "a second third"] {
            let end = format!(" {line}");
            let is_timed = |shown: &str| {
                shown.trim_end().ends_with(&end) && shown.starts_with(|c: char| c.is_ascii_digit())
            };
            assert!(text.lines().any(is_timed), "{mode}: no `{line}` in {text}");
        }
        home.ok(&["rm", "job"]);
    }
}

#[test]
fn no_line_is_cut_however_long() {
    let home = Home::new();
    for (length, mode) in [
        (1_000_000, "--pty"),
        (5_000_000, "--pty"),
        (5_000_000, "--no-pty"),
    ] {
        let script = format!("echo first; seq -s ' ' 9999999 | head -c {length}; echo; echo last");
        let digits = (1..).flat_map(|n: u32| format!("{n} ").into_bytes());
        let line = String::from_utf8(digits.take(length).collect()).unwrap();
        let expected = format!("first\n{line}\nlast\n");
        let waited = home.ok(&["run", "-n", "long", "-w", mode, &script]);
        assert!(waited == expected, "run -w {mode}: {} bytes", waited.len());
        for args in [&["logs", "long"][..], &["logs", "-f", "long"]] {
            let logs = home.ok(args);
            assert!(logs == expected, "{args:?} {mode}: {} bytes", logs.len());
        }
        let last = home.ok(&["logs", "-n", "2", "long"]);
        assert!(
            last == format!("{line}\nlast\n"),
            "-n: {} bytes",
            last.len()
        );
        let json = home.ok(&["logs", "--json", "long"]);
        let lines: Vec<serde_json::Value> = json
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1]["text"] == line.as_str());
        home.ok(&["rm", "long"]);
    }
}

#[test]
fn what_follows_ends_when_nobody_can_read_it() {
    let home = Home::new();
    home.start(&["-n", "web", "echo up; exec sleep 1000"]);
    home.run(&["wait", "web", "--for", "match:up"])
        .expect_code(0);
    // The other end of a pipe, and of a socket.
    type Reader = Box<dyn Read>;
    let pipe = || -> (Reader, OwnedFd) {
        let (reader, writer) = std::io::pipe().unwrap();
        (Box::new(reader), writer.into())
    };
    let socket = || -> (Reader, OwnedFd) {
        let (reader, writer) = UnixStream::pair().unwrap();
        (Box::new(reader), writer.into())
    };
    for (args, has_line) in [
        (&["logs", "-f", "web"][..], true),
        (&["events", "-f"], true),
        (&["daemon", "logs", "-f"], true),
        (&["news", "-f", "--scope", "shop"], false),
    ] {
        for (kind, (reader, writer)) in [("pipe", pipe()), ("socket", socket())] {
            let mut command = home.command(args);
            let mut follower = command.stdout(writer).spawn().unwrap();
            // It holds the other end, too.
            drop(command);
            let mut reader = BufReader::new(reader);
            if has_line {
                reader.read_line(&mut String::new()).unwrap();
            }
            drop(reader);
            let held = Held::new(follower.id()).unwrap();
            assert!(held.ended(DEADLINE), "{args:?} goes on without its {kind}");
            assert_eq!(follower.wait().unwrap().code(), Some(0), "{args:?} {kind}");
        }
    }
}

#[test]
fn what_is_no_longer_kept_joins_no_lines() {
    let home = Home::with_config("log_bytes = 1000000\n");
    let go = home.gate();
    let line = format!(
        "echo begin; read go < {}; seq -f '%08.0f yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy' 200000",
        go.display()
    );
    home.start(&["-n", "flood", "--no-pty", &line]);
    let mut command = home.command(&["logs", "-f", "flood"]);
    let (reader, writer) = std::io::pipe().unwrap();
    let mut follower = command
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(command);
    let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "begin");
    let held = Held::new(follower.id()).unwrap();
    held.signal(Signal::STOP);
    std::fs::write(go, "go\n").unwrap();
    home.run(&["wait", "flood"]).expect_code(0);
    held.signal(Signal::CONT);
    let lines: Vec<String> = lines.collect();
    let mut said = String::new();
    let stderr = follower.stderr.as_mut().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(follower.wait().unwrap().code(), Some(0), "{said}");
    assert!(said.contains("no longer kept"), "{said}");
    assert!(lines.len() < 200_000 && lines.last().unwrap().starts_with("00200000 "));
    let whole = "00000000 yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy".len();
    let joined: Vec<_> = lines.iter().filter(|line| line.len() > whole).collect();
    assert!(joined.is_empty(), "{joined:?}");
}

#[test]
fn one_of_several_that_is_started_again_is_followed_again() {
    let home = Home::new();
    home.start(&["-n", "db", "exec sleep 1000"]);
    home.start(&["-n", "web", "echo up; exec sleep 1000"]);
    let mut view = Terminal::new(&home, &["logs", "-f", "web", "db"], (80, 20));
    view.wait_for_text("web | up");
    home.ok(&["stop", "web"]);
    home.ok(&["start", "web"]);
    view.wait_for("the next run is shown", |screen| {
        screen.text(true).matches("web | up").count() == 2
    });
    home.ok(&["stop", "web", "db"]);
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn of_several_that_are_followed_one_that_has_ended_shows_its_matches() {
    let home = Home::new();
    for name in ["web", "db"] {
        home.ok(&[
            "run",
            "-w",
            "-q",
            "-n",
            name,
            "echo no; echo found it; echo no",
        ]);
    }
    let ran = home
        .run(&["logs", "-f", "-n", "5", "--grep", "found", "web", "db"])
        .expect_code(0);
    for line in ["web | found it", "db  | found it"] {
        assert!(ran.stdout.contains(line), "{line}: {ran}");
    }
}

#[test]
fn who_waits_is_told_that_the_job_asks() {
    let home = Home::new();
    let args = [
        "run",
        "-w",
        "-n",
        "ask",
        "printf 'Name: '; read name; echo is $name",
    ];
    let mut view = Terminal::new(&home, &args, (100, 20));
    view.wait_for_text("ask waits for input: bgproc attach ask in another terminal");
    home.ok(&["send", "ask", "ada"]);
    view.wait_for_text("is ada");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn the_log_of_a_job_that_never_pauses_has_an_end() {
    let home = Home::new();
    home.start(&[
        "-n",
        "flood",
        "i=0; while :; do i=$((i+1)); echo line $i; done",
    ]);
    home.run(&["wait", "flood", "--for", "match:line 1000"])
        .expect_code(0);
    let log = home.ok(&["logs", "flood"]);
    assert!(log.starts_with("line 1\n") && log.lines().count() >= 1000);
    home.ok(&["kill", "flood"]);
}

#[test]
fn who_waits_is_told_that_the_job_was_lost() {
    let home = Home::new();
    for verb in ["-w", "-f"] {
        let args = ["run", verb, "-n", "web", "echo up; exec sleep 1000"];
        let mut view = Terminal::new(&home, &args, (100, 20));
        view.wait_for_text("up");
        home.kill_both();
        view.wait_for_text("web was lost: ");
        assert_eq!(view.exit_code(), 1, "{verb}");
    }
    home.run(&["wait", "web"])
        .expect_code(1)
        .expect_said("web was lost: ");
}

#[test]
fn jobs_that_a_pattern_means_are_followed_as_soon_as_they_start() {
    let home = Home::new();
    let gate = home.gate();
    let script = format!("echo up; read _ <{}", gate.display());
    home.start(&["-n", "api-1", &script]);
    let mut follow = Following::new(&home, &["logs", "-f", "api-*"]);
    follow.until("api-1 | up");
    // The exact bytes are those of one job.
    let raw = Following::new(&home, &["logs", "-f", "--raw", "api-*"]);
    raw.until("up");
    home.start(&["-n", "web", "echo no"]);
    home.start(&["-n", "api-2", "echo too; exit 3"]);
    follow.until("api-2 | too");
    // One that has ended is followed again.
    home.run(&["wait", "api-2"]).expect_code(3);
    home.ok(&["restart", "api-2"]);
    follow.until("api-2 | too");
    std::fs::write(&gate, "").unwrap();
    assert_eq!(follow.code(), Some(0));
}
