//! What real programs do with their input, as the kernel tells it: a table of them.

use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::needs::is_root;
use crate::support::privilege::Stranger;
use crate::support::{Home, Serve};

/// Starts the programs that are here all at once, and expects each to come to wait
/// for its input as `expected` says.
#[track_caller]
fn all_come_to(expected: &str, programs: &[(&str, &str)]) {
    let home = Home::new();
    std::fs::write(home.scratch("text"), "line\n".repeat(2000)).unwrap();
    let mut serve = Serve::new(&home, &[]);
    let here: Vec<_> = programs
        .iter()
        .filter(|(program, _)| have(program))
        .collect();
    let cwd = home.scratch("text").parent().unwrap().display().to_string();
    let start = |serve: &mut Serve, command: &str| {
        let env = json!({"TMUX": null, "HOME": cwd, "INPUTRC": "/dev/null"});
        Job::request(serve, json!({"command": command, "cwd": cwd, "env": env}))
    };
    let jobs: Vec<_> = here
        .iter()
        .map(|(_, command)| (*command, start(&mut serve, command)))
        .collect();
    for (command, job) in jobs {
        let wait = json!({"until": [{"input": true}], "timeoutMs": 18_000});
        let waited = job.ask(&mut serve, "wait", wait);
        let seen = (waited["outcome"].as_str(), waited["inputState"].as_str());
        assert_eq!(
            seen,
            (Some("matched"), Some(expected)),
            "{command}: {waited}"
        );
    }
}

#[test]
fn who_reads_lines() {
    all_come_to(
        "line",
        &[
            ("cat", "cat"),
            ("sh", "read x"),
            ("sh", "sh -c 'sh -c cat; true'; true"),
            ("sh", "read x < /dev/tty"),
            ("setsid", "setsid -w cat"),
            ("bash", "bash -c 'select x in a b; do break; done'"),
            ("sed", "sed p"),
            ("awk", "awk '{ print }'"),
            ("sort", "sort"),
            ("wc", "wc"),
            ("dd", "dd bs=64 count=1 status=none"),
            ("tee", "tee /dev/null"),
            ("xargs", "xargs echo"),
            ("head", "sleep 0 | cat; head -n1"),
            ("perl", "perl -e '$x = <STDIN>'"),
            ("tclsh", "tclsh"),
            ("ed", "ed"),
            ("m4", "m4"),
        ],
    );
}

#[test]
fn who_reads_lines_by_any_system_call_and_thread() {
    let python = |code: &str| format!("exec python3 -c '{code}'");
    let programs = [
        python("input()"),
        python("import os; os.readv(0, [bytearray(9)])"),
        python("import threading as t; r = t.Thread(target=input); r.start(); r.join()"),
        python("import select; select.select([0], [], [])"),
        python("import select; p = select.poll(); p.register(0, 1); p.poll()"),
        python("import select; select.select([0], [], [], 3600)"),
        python("import select as s; e = s.epoll(); e.register(0, 1); e.poll()"),
        python(
            "import select as s; i = s.epoll(); i.register(0, 1); o = s.epoll(); \
             o.register(i.fileno(), 1); o.poll()",
        ),
        python(
            "import asyncio as a; l = a.new_event_loop(); l.add_reader(0, print); l.run_forever()",
        ),
        python("import os; f = os.open(\"/dev/tty\", 0); os.dup2(f, 99); os.read(99, 1)"),
        python("import sys; sys.stdin.buffer.raw.read(1)"),
    ];
    let programs: Vec<(&str, &str)> = programs.iter().map(|p| ("python3", p.as_str())).collect();
    all_come_to("line", &programs);
}

#[test]
fn who_asks_for_passwords() {
    let mut programs = vec![
        ("sh", "stty -echo; read x"),
        ("bash", "bash -c 'read -s -p password: x'"),
        ("python3", "python3 -c 'import getpass; getpass.getpass()'"),
        ("ssh-keygen", "ssh-keygen -q -t ed25519 -f key"),
        ("openssl", "openssl passwd -6"),
    ];
    if is_root() {
        programs.push(("passwd", "passwd"));
        programs.push(("su", "su nobody -s /bin/sh -c 'stty -echo; read x'"));
    }
    all_come_to("password", &programs);
}

#[test]
fn who_edits_lines_or_reads_keys() {
    all_come_to(
        "raw",
        &[
            ("bash", "bash --norc"),
            ("bash", "bash -c 'read -n 1 x'"),
            ("bash", "bash -c 'read -e x'"),
            ("python3", "python3 -q -i"),
            (
                "python3",
                "python3 -c 'import tty; tty.setcbreak(0); input()'",
            ),
            ("node", "node -i"),
            ("gdb", "gdb -q"),
            ("sqlite3", "sqlite3"),
            ("bc", "bc -q"),
            ("more", "more text"),
            ("dialog", "dialog --inputbox What? 10 40"),
            ("script", "script -qc cat /dev/null"),
        ],
    );
}

#[test]
fn who_has_the_whole_screen() {
    let curses = "python3 -c 'import curses; curses.wrapper(lambda w: w.getch())'";
    all_come_to(
        "tui",
        &[
            ("vim", "vim -N -n -u NONE text"),
            ("less", "less text"),
            ("whiptail", "whiptail --yesno Really? 10 40"),
            ("mc", "mc --nosubshell"),
            ("nano", "nano text"),
            ("python3", curses),
        ],
    );
}

#[test]
fn who_does_not_read() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // Each says when it has come to what it does.
    let programs = [
        ("sh", "echo here; exec sleep 1000"),
        ("sh", "echo here; sleep 1000 & wait"),
        ("sh", "(echo here; sleep 1000) | cat"),
        ("sh", "echo here; stty -echo; exec sleep 1000"),
        ("sh", "cat & echo here; exec sleep 1000"),
        ("tail", "echo here; exec tail -f /dev/null"),
        (
            "python3",
            "exec python3 -c 'print(\"here\")\nwhile True: pass'",
        ),
        (
            "python3",
            "exec python3 -uc 'import http.server as h; \
            s = h.HTTPServer((\"\", 0), None); print(\"here\"); s.serve_forever()'",
        ),
        (
            "python3",
            "exec python3 -uc 'import select; print(\"here\"); select.select([], [0], [0]); \
            select.select([], [], [0])'",
        ),
        (
            "node",
            "exec node -e 'console.log(\"here\"); setInterval(() => 0, 60000)'",
        ),
    ];
    for (program, command) in programs {
        if !have(program) {
            continue;
        }
        let job = Job::start(&mut serve, command);
        job.wait_for(&mut serve, "^here");
        // It may be on its way from there for a moment, but never waits for input.
        for _ in 0..20 {
            let state = job.ask(&mut serve, "poll", json!({}))["inputState"].clone();
            assert_eq!(state, "none", "{command}");
        }
    }
}

#[test]
fn pipes_are_read_or_closed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let pipe = |command: &str| json!({"command": command, "mode": "pipe"});
    let cat = Job::request(&mut serve, pipe("sh -c 'cat; sleep 1000'"));
    let waited = cat.wait_until(&mut serve, json!({"until": [{"input": true}]}));
    assert_eq!(waited["inputState"], "line");
    cat.ask(&mut serve, "write", json!({"eof": true}));
    let status = cat.ask(&mut serve, "status", json!({}));
    assert_eq!(status["inputState"], "closed");
    let sleep = Job::request(&mut serve, pipe("echo here; exec sleep 1000"));
    sleep.wait_for(&mut serve, "here");
    let status = sleep.ask(&mut serve, "status", json!({}));
    assert_eq!(status["inputState"], "none");
    sleep.ask(&mut serve, "kill", json!({"force": true}));
    let status = sleep.ask(&mut serve, "status", json!({}));
    assert_eq!(status["inputState"], "closed");
}

#[test]
fn a_stopped_program_does_not_wait_until_it_goes_on() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "exec cat");
    job.wait_until(&mut serve, json!({"until": [{"input": true}]}));
    for (signal, status, input) in [("STOP", "paused", "none"), ("CONT", "running", "line")] {
        serve.ok(json!({"action": "subscribe", "sessionIds": [job.id]}));
        job.ask(&mut serve, "signal", json!({"signal": signal}));
        serve.event(if signal == "STOP" {
            "paused"
        } else {
            "resumed"
        });
        if input == "line" {
            // It goes on, and comes to its read again in a moment.
            job.wait_until(&mut serve, json!({"until": [{"input": true}]}));
        }
        let record = job.ask(&mut serve, "status", json!({}));
        assert_eq!(
            (&record["status"], &record["inputState"]),
            (&json!(status), &json!(input))
        );
    }
}

#[test]
fn a_late_word_of_a_stop_undoes_no_later_signal() {
    const ROUNDS: usize = 100;
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "exec sleep 1000");
    serve.ok(json!({"action": "subscribe", "events": ["paused", "resumed"]}));
    for round in 0..ROUNDS {
        // The keeper sees the kernel's word of each and passes it on: later than the next signal, if it
        // is slow.
        for (signal, status) in [("STOP", "paused"), ("CONT", "running")] {
            job.ask(&mut serve, "signal", json!({"signal": signal}));
            let record = job.ask(&mut serve, "status", json!({}));
            assert_eq!(record["status"], status, "round {round}: {record}");
        }
    }
    // Everything that the keeper has to say was said before its word of the end.
    job.ask(&mut serve, "kill", json!({"force": true}));
    let told = ["paused", "resumed"].map(|kind| serve.told(kind).len());
    assert_eq!(told, [ROUNDS; 2], "each is told once");
}

#[test]
fn of_a_program_with_more_rights_only_a_password_prompt_is_known() {
    let home = Home::new();
    let Some(stranger) = Stranger::new(&home) else {
        return;
    };
    let Some(up) = stranger.root_program() else {
        return;
    };
    let mut serve = Serve::spawn(stranger.command(1000, &["--serve"]));
    let as_root = |command: &str| format!("exec {} --reuid=0 sh -c '{command}'", up.display());
    let prompt = Job::start(&mut serve, &as_root("stty -echo; echo here; exec cat"));
    prompt.wait_for(&mut serve, "here");
    let waited = prompt.wait_until(&mut serve, json!({"until": [{"input": true}]}));
    assert_eq!(waited["inputState"], "password");
    let reader = Job::start(&mut serve, &as_root("echo here; exec cat"));
    reader.wait_for(&mut serve, "here");
    let status = reader.ask(&mut serve, "status", json!({}));
    assert_eq!(status["inputState"], "unknown");
}

#[test]
fn of_a_large_family_nothing_is_guessed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let line = "i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i+1)); done; echo here; wait";
    let job = Job::start(&mut serve, line);
    job.wait_for(&mut serve, "here");
    let status = job.ask(&mut serve, "status", json!({}));
    assert_eq!(status["inputState"], "unknown");
    job.ask(&mut serve, "kill", json!({"force": true}));
}
