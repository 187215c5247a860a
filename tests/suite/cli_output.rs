//! What the command line shows: lists, logs, screens, and what is typed.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::support::following::Following;
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Terminal, eventually};

#[test]
fn a_piped_list_is_tab_separated_and_a_terminal_gets_a_table() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "-g", "shop", "sleep 1000"]);
    let listed = home.ok(&["ls"]);
    let (heading, line) = listed.split_once('\n').unwrap();
    let columns = "NAME STATUS EXIT PID ID GROUP COMMAND STATE PORT TIME CPU MEM STARTED DIR \
                   PROJECT PHASE WHY TAGS HOST SEEN";
    assert_eq!(heading, columns.replace(' ', "\t"));
    let fields: Vec<_> = line.trim_end().split('\t').collect();
    assert_eq!((fields[0], fields[1], fields[2]), ("web", "running", "-"));
    assert_eq!(
        (fields[4], fields[5], fields[6]),
        (&id[..], "shop", "sleep 1000")
    );
    assert_eq!(fields.len(), 20);
    for args in [&["ps", "-o", "tsv"][..], &["ls", "--no-header"]] {
        let bare = home.ok(args);
        assert!(bare.starts_with("web\trunning\t"), "{bare}");
        assert_eq!(bare.lines().count(), 1);
    }
    assert!(
        home.ok(&["ls", "-o", "table", "--no-header"])
            .starts_with("web ")
    );
    let table = home.ok(&["ls", "-o", "table"]);
    assert!(table.starts_with("NAME"), "{table}");
    assert!(!table.contains('\x1b'), "{table}");
    let coloured = home.ok(&["ls", "-o", "table", "--color", "always"]);
    assert!(coloured.contains("\x1b[32mrunning\x1b[0m"), "{coloured:?}");
}

#[test]
fn a_table_never_wraps_and_keeps_both_ends_of_a_name() {
    let home = Home::new();
    let name = "a-very-long-name-for-a-job-that-goes-on-and-on-until-the-end";
    home.start(&[
        "-n",
        name,
        "echo this is a command that is longer than a terminal; sleep 1000",
    ]);
    for cols in [40, 80] {
        let mut terminal = Terminal::new(&home, &["ls"], (cols, 12));
        terminal.exit_code();
        let text = terminal.text();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains('…') && text.contains("running"), "{text}");
    }
}

#[test]
fn the_list_can_be_narrowed() {
    let home = Home::new();
    home.start(&["-n", "web", "-g", "shop", "sleep 1000"]);
    home.start(&["-n", "bad", "exit 1"]);
    home.run(&["wait", "bad"]).expect_code(1);
    assert_eq!(home.ok(&["ls", "-g", "shop"]).lines().count(), 2);
    assert!(
        home.ok(&["ls", "--no-header", "--status", "error"])
            .starts_with("bad\terror\t1\t")
    );
    let listed = home.json(&["ls"]);
    assert_eq!(listed["counts"]["running"], 1);
    home.run(&["ls", "--status", "bad"])
        .expect_code(2)
        .expect_said("running");
}

#[test]
fn names_and_commands_cannot_write_to_the_terminal() {
    let home = Home::new();
    home.run(&["run", "-n", "ev\x1b]0;il\x07", "sleep 1000"])
        .expect_code(2)
        .expect_said("control characters");
    let id = home.start(&["sleep 1000 # \x1b]0;evil\x07\u{9b}2J\tx\ny"]);
    for args in [
        &["ls"][..],
        &["ls", "-o", "table"],
        &["ls", "--json"],
        &["status", &id],
    ] {
        let said = home.ok(args);
        assert!(!said.contains(['\x1b', '\x07', '\u{9b}']), "{said:?}");
    }
    assert_eq!(home.ok(&["ls", "--no-header"]).matches('\t').count(), 19);
}

#[test]
fn logs_are_clean_and_raw_logs_are_exact() {
    let home = Home::new();
    let line = r"printf '\033[31mred\033[0m\n10%%\r20%%\n\377end\n'";
    let id = home.start(&["-n", "out", line]);
    home.run(&["wait", "out"]).expect_code(0);
    assert_eq!(home.ok(&["logs", "out"]), "red\n20%\n\u{fffd}end\n");
    let raw = home.command(&["logs", "--raw", &id]).output().unwrap();
    assert_eq!(raw.stdout, b"\x1b[31mred\x1b[0m\r\n10%\r20%\r\n\xffend\r\n");
    assert_eq!(home.ok(&["log", "-n", "1", "out"]), "\u{fffd}end\n");
    assert_eq!(home.ok(&["logs", "-n", "0", "out"]), "");
}

#[test]
fn many_lines_come_whole_and_in_order() {
    let home = Home::new();
    home.start(&["-n", "many", "seq 1 30000"]);
    home.run(&["wait", "many"]).expect_code(0);
    let expected: String = (1..=30000).map(|n| format!("{n}\n")).collect();
    assert!(home.ok(&["logs", "many"]) == expected, "logs differ");
    assert!(
        home.ok(&["logs", "-f", "many"]) == expected,
        "followed logs differ"
    );
    let last: String = (28001..=30000).map(|n| format!("{n}\n")).collect();
    assert!(
        home.ok(&["logs", "-n", "2000", "many"]) == last,
        "last lines differ"
    );
    assert!(
        home.ok(&["follow", "-n", "2000", "many"]) == last,
        "last followed lines differ"
    );
    let tail: String = (29991..=30000).map(|n| format!("{n}\n")).collect();
    assert_eq!(home.ok(&["tail", "many"]), tail);
}

#[test]
fn following_shows_what_comes_and_ends_with_the_job() {
    let home = Home::new();
    home.start(&["-n", "web", "echo one; read x; echo got $x; read x"]);
    let mut command = home.command(&["logs", "-f", "web"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "one");
    home.ok(&["send", "web", "hello"]);
    let mut next = || lines.next().unwrap().unwrap();
    // The terminal echoes what is typed.
    assert_eq!(
        (next(), next()),
        ("hello".to_owned(), "got hello".to_owned())
    );
    home.ok(&["stop", "web"]);
    assert!(lines.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn several_jobs_are_told_apart_by_their_names() {
    let home = Home::new();
    home.start(&["-n", "a", "echo one; echo two"]);
    home.start(&["-n", "long", "printf three"]);
    home.run(&["wait", "a", "long"]).expect_code(0);
    let expected = "a    | one\na    | two\nlong | three\n";
    assert_eq!(home.ok(&["logs", "a", "long"]), expected);
    let followed = home.ok(&["logs", "-f", "a", "long"]);
    let mut lines: Vec<_> = followed.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.join("\n") + "\n", expected);
    let coloured = home.ok(&["logs", "--color", "always", "a", "long"]);
    assert!(
        coloured.starts_with("\x1b[36ma    | \x1b[0mone"),
        "{coloured:?}"
    );
}

#[test]
fn lines_of_several_jobs_are_in_order_of_time() {
    let home = Home::new();
    let clock = || home.json(&["daemon", "status"])["uptimeMs"].as_u64();
    for name in ["a", "b"] {
        home.start(&["-n", name, "stty -echo; echo up; exec cat"]);
        home.run(&["wait", name, "--for", "match:up"])
            .expect_code(0);
    }
    for (name, text) in [("b", "one"), ("a", "two"), ("b", "three")] {
        // What arrives within 20 ms counts as one.
        let before = clock().unwrap();
        eventually("the clock to go on", || {
            (clock()? > before + 20).then_some(())
        });
        home.ok(&["send", name, text]);
        home.run(&["wait", name, "--for", &format!("match:{text}")])
            .expect_code(0);
    }
    let expected = "b | one\na | two\nb | three\n";
    let merged = home.ok(&["logs", "a", "b"]);
    assert!(merged.ends_with(expected), "{merged}");
    let follow = Following::new(&home, &["logs", "-f", "b", "a"]);
    for line in expected.lines() {
        follow.until(line);
    }
    home.ok(&["send", "a", "four"]);
    follow.until("a | four");
    let json = home.ok(&["--json", "logs", "a", "b"]);
    let last: Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["name"], &last["text"]),
        (&"a".into(), &"four".into())
    );
}

#[test]
fn the_last_lines_of_a_job_that_floods_are_not_more_than_asked() {
    // What is written is dropped within tens of milliseconds, and no processor is used up for that.
    let home = Home::with_config("log_bytes = 65536\n");
    let flood = "$|=1; while (1) { print \"9\\n\" x 1000; select(undef, undef, undef, 0.001) }";
    home.start(&["-n", "flood", "--", "perl", "-e", flood]);
    home.run(&["wait", "flood", "--for", "match:9"])
        .expect_code(0);
    for _ in 0..5 {
        assert_eq!(home.ok(&["logs", "-n", "3", "flood"]).lines().count(), 3);
    }
    assert_eq!(home.json(&["status", "flood"])["status"], "running");
}

#[test]
fn following_several_jobs_ends_with_the_codes_of_following_one() {
    let home = Home::new();
    for name in ["a", "b"] {
        home.start(&["-n", name, "echo up; exec sleep 1000"]);
    }
    for jobs in [&["a"][..], &["a", "b"]] {
        let args = [&["logs", "-f"], jobs].concat();
        let mut follow = home.command(&args);
        let mut follow = follow.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
        for _ in jobs {
            lines.next().unwrap().unwrap();
        }
        home.ok(&[&["rm", "-f"], jobs].concat());
        let held = Held::new(follow.id()).unwrap();
        assert!(held.ended(DEADLINE), "{args:?} goes on");
        // A job that is removed while it runs may be seen to end first.
        let code = follow.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 4)), "{args:?}: {code:?}");
        home.start(&["-n", "a", "echo up; exec sleep 1000"]);
    }
    home.start(&["-n", "c", "echo up"]);
    home.ok(&["stop", "a"]);
    home.run(&["wait", "c"]).expect_code(0);
    for (pattern, code) in [("up", 0), ("zzz", 1)] {
        for jobs in [&["c"][..], &["a", "c"]] {
            let args = [&["logs", "-f", "--grep", pattern], jobs].concat();
            home.run(&args).expect_code(code);
        }
    }
}

#[test]
fn send_types_and_presses_enter_unless_told_otherwise() {
    let home = Home::new();
    home.start(&["-n", "cat", "cat"]);
    home.ok(&["send", "cat", "two", "words"]);
    home.ok(&["send", "cat", "--no-enter", "not yet"]);
    home.run_with_input(&["send", "cat"], b" from stdin\n")
        .expect_code(0);
    home.ok(&["keys", "cat", "o", "k", "Enter", "C-d"]);
    home.run(&["wait", "cat"]).expect_code(0);
    let text = home.ok(&["logs", "cat"]);
    for line in ["two words", "not yet from stdin", "ok"] {
        // Once as the echo, once from cat.
        assert_eq!(
            text.lines().filter(|shown| *shown == line).count(),
            2,
            "{text}"
        );
    }
    home.run(&["send", "cat", "x"]).expect_code(3);
}

#[test]
fn send_reaches_pipes_too() {
    let home = Home::new();
    home.start(&["-n", "head", "--no-pty", "head -n 2"]);
    home.ok(&["send", "head", "one"]);
    home.ok(&["send", "head", "two"]);
    home.run(&["wait", "head"]).expect_code(0);
    assert_eq!(home.ok(&["logs", "head"]), "one\ntwo\n");
}

#[test]
fn a_name_that_is_no_key_is_refused_and_not_typed() {
    let home = Home::new();
    home.start(&["-n", "cat", "cat"]);
    home.run(&["keys", "cat", "Entr"])
        .expect_code(2)
        .expect_said("Enter");
    home.ok(&["keys", "cat", "C-d"]);
    home.run(&["wait", "cat"]).expect_code(0);
    assert_eq!(home.ok(&["logs", "cat"]), "");
}

#[test]
fn capture_shows_the_screen() {
    let home = Home::new();
    let line = r"printf '\033[2J\033[3;5H\033[1mbold\033[0m'; exec sleep 1000";
    home.start(&["-n", "paint", "--size", "40x10", line]);
    home.run(&["wait", "paint", "--for", "match:bold", "--timeout", "15s"])
        .expect_code(0);
    assert_eq!(home.ok(&["capture", "paint"]), "\n\n    bold\n");
    assert!(home.ok(&["screen", "-e", "paint"]).contains("1mbold"));
    let mut command = home.command(&["capture", "paint", "-o", "-"]);
    let dir = home.scratch("here");
    std::fs::create_dir_all(&dir).unwrap();
    command.current_dir(&dir);
    let ran = home.run_command(command, &["capture", "-o", "-"]);
    assert_eq!(ran.stdout, "\n\n    bold\n");
    assert!(!dir.join("-").exists());
    let captured = home.json(&["capture", "paint"]);
    assert_eq!(
        (captured["rows"].as_u64(), captured["cols"].as_u64()),
        (Some(10), Some(40))
    );
}

#[test]
fn the_daemon_tells_of_itself_and_jobs_outlive_it() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    let before = home.json(&["daemon", "status"]);
    assert!(before["daemonPid"].as_u64() > Some(1) && before["keeperPid"].as_u64() > Some(1));
    assert!(home.ok(&["daemon", "status"]).contains("1 running"));
    let said = home.ok(&["daemon", "upgrade"]);
    assert!(said.contains("jobs continued"), "{said}");
    let after = home.json(&["daemon", "status"]);
    assert_ne!(after["daemonPid"], before["daemonPid"]);
    assert_eq!(after["keeperPid"], before["keeperPid"]);
    assert!(home.ok(&["daemon", "stop"]).contains("jobs continue"));
    assert_eq!(home.json(&["status", "web"])["status"], "running");
    let pid = home.json(&["status", "web"])["pid"].as_u64().unwrap();
    assert!(home.ok(&["daemon", "stop", "--kill"]).contains("all jobs"));
    assert!(!crate::support::process::is_alive(
        u32::try_from(pid).unwrap()
    ));
}

#[test]
fn status_tells_of_ports_processes_limits_and_the_log() {
    let home = Home::new();
    let script = "import socket,time; s=socket.create_server(('127.0.0.1',0)); print('http://localhost:%d/' % s.getsockname()[1], flush=True); time.sleep(1000)";
    home.start(&["-n", "web", "--timeout", "10m", "python3", "-c", script]);
    home.run(&["wait", "web", "--for", "match:http", "--timeout", "15s"])
        .expect_code(0);
    let url = home.ok(&["logs", "web"]).trim().to_owned();
    let port = url.trim_matches('/').rsplit(':').next().unwrap().to_owned();
    let said = home.ok(&["status", "web"]);
    for expected in [
        format!("port  {port}"),
        format!("url  {url}"),
        "process  ".to_owned(),
        "limits  time 10m".to_owned(),
        "/output.log".to_owned(),
    ] {
        assert!(said.contains(&expected), "no {expected}: {said}");
    }
}

#[test]
fn times_are_local_or_in_utc() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    let shown = home.json(&["status", "web"]);
    let [created, started] =
        ["createdAt", "startedAt"].map(|name| shown[name].as_str().unwrap().to_owned());
    // Seven hours behind, without rules of its own.
    let east = [("TZ", "XYZ+7")];
    // It may begin to run in the second after it was created.
    let event = home.ok(&["--utc", "events"])[..19].to_owned();
    for (args, at) in [
        (&["ls"][..], &created),
        (&["status", "web"], &started),
        (&["events"], &event),
    ] {
        let utc = at[..19].replace('T', " ");
        let local = home.run_with_env(args, &east).expect_code(0).stdout;
        assert!(
            !local.contains(&utc) && !local.contains(&at[..19]),
            "{local}"
        );
        let args = [&["--utc"], args].concat();
        let said = home.run_with_env(&args, &east).expect_code(0).stdout;
        assert!(said.replace('T', " ").contains(&utc), "no {utc}: {said}");
    }
}

#[test]
fn a_terminal_that_only_prints_gets_the_list() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    for term in ["dumb", ""] {
        let mut view = Terminal::with_env(&home, &[], (80, 10), &[("TERM", term)]);
        view.mute();
        assert_eq!(view.exit_code(), 0);
        assert!(
            view.text().contains("web") && !view.asked("\x1b"),
            "{}",
            view.text()
        );
        for verb in ["attach", "replay"] {
            let args = [verb, "web"];
            let mut view = Terminal::with_env(&home, &args, (80, 10), &[("TERM", term)]);
            view.mute();
            assert_eq!(view.exit_code(), 2, "{}", view.text());
            assert!(!view.asked("\x1b"), "{}", view.text());
        }
    }
}

#[test]
fn a_list_says_which_command_was_not_found() {
    let home = Home::new();
    let ran = home.run(&["run", "-w", "-n", "lint", "true; nosuchprogram"]);
    ran.expect_code(127);
    let listed = home.ok(&["ls", "-o", "table"]);
    assert!(
        listed.contains("(command not found: nosuchprogram)"),
        "{listed}"
    );
}

#[test]
fn a_table_that_is_no_terminal_has_the_columns_that_it_is_told() {
    let home = Home::new();
    home.start(&[
        "-n",
        "web",
        &format!("exec sleep 1000 # {}", "x".repeat(200)),
    ]);
    let longest = |columns: &str| {
        let ran = home.run_with_env(&["ls", "-o", "table"], &[("COLUMNS", columns)]);
        ran.stdout.lines().map(|line| line.chars().count()).max()
    };
    assert!(longest("60") <= Some(60));
    assert!(longest("0") > Some(200), "that is no width");
}
