//! Typing into sessions: `write` and `send_keys`.

use serde_json::{Value, json};

use super::{background, ended, serve, wait_for_since_start};
use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve, eventually};

#[test]
fn writing_takes_text_bytes_and_pastes() {
    let (_home, mut serve) = serve();
    let id = background(
        &mut serve,
        "stty raw -echo; printf '\\033[?2004h'; echo up; exec od -An -tx1 -v -w1",
    );
    wait_for_since_start(&mut serve, &id, "up");
    let expect = |serve: &mut Serve, request: Value, bytes: &[&str]| {
        let mut request = request;
        request["action"] = json!("write");
        request["sessionId"] = json!(id);
        let from = serve.ok(json!({"action": "status", "sessionId": id}))["outputBytes"].clone();
        serve.ok(request);
        let pattern = bytes.last().unwrap();
        let since = format!("c{from}");
        let seen: Vec<String> = eventually("all of it has come", || {
            let wait = json!({"action": "poll", "sessionId": id, "since": since, "waitMs": 5000});
            let text = serve.ok(wait)["output"].as_str().unwrap().to_owned();
            let seen: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            (seen.len() >= bytes.len()).then_some(seen)
        });
        assert_eq!(seen, bytes, "{pattern}");
    };
    expect(&mut serve, json!({"data": "a\n"}), &["61", "0a"]);
    expect(
        &mut serve,
        json!({"data": "/w==", "encoding": "base64"}),
        &["ff"],
    );
    expect(
        &mut serve,
        json!({"data": "x", "submit": true}),
        &["78", "0d"],
    );
    expect(
        &mut serve,
        json!({"data": "x", "newline": true}),
        &["78", "0a"],
    );
    let paste = [
        "1b", "5b", "32", "30", "30", "7e", "78", "1b", "5b", "32", "30", "31", "7e",
    ];
    expect(&mut serve, json!({"data": "x", "paste": true}), &paste);
    let eof = serve.ok(json!({"action": "write", "sessionId": id, "eof": true}));
    assert_eq!(
        eof["warnings"],
        json!(["no_effect"]),
        "a raw terminal has no end of input"
    );
    serve.err(
        json!({"action": "write", "sessionId": id, "data": "!", "encoding": "base64"}),
        "invalid_params",
    );
}

#[test]
fn enter_is_a_line_feed_in_a_pipe() {
    let (_home, mut serve) = serve();
    let start = json!({"action": "start", "command": "head -n1 | od -An -c", "mode": "pipe", "background": true});
    let id = serve.ok(start)["sessionId"].clone();
    let write = json!({"action": "write", "sessionId": id, "data": "x", "submit": true, "wait": {"timeoutMs": 15_000}});
    let done = serve.ok(write);
    assert_eq!(
        (&done["output"], &done["bytesWritten"]),
        (&json!("   x  \\n\n"), &json!(2))
    );
}

#[test]
fn a_paste_that_the_program_does_not_expect_is_typed_with_a_warning() {
    let (_home, mut serve) = serve();
    for mode in ["pty", "pipe"] {
        let start = json!({"action": "start", "command": "read x; echo got $x", "mode": mode, "background": true});
        let id = serve.ok(start)["sessionId"].clone();
        let write = json!({"action": "write", "sessionId": id, "data": "text", "paste": true, "newline": true, "wait": {"timeoutMs": 15_000}});
        let pasted = serve.ok(write);
        assert_eq!(pasted["warnings"], json!(["paste_not_bracketed"]), "{mode}");
        let output = pasted["output"].as_str().unwrap();
        assert!(output.ends_with("got text\n"), "{mode}: {output}");
    }
}

#[test]
fn the_end_of_input_is_warned_of_only_if_the_program_reads_on() {
    let (_home, mut serve) = serve();
    for program in ["bash --norc --noprofile -i", "python3 -i -q", "sqlite3"] {
        let (name, _) = program.split_once(' ').unwrap_or((program, ""));
        if !have(name) {
            continue;
        }
        for with_wait in [false, true] {
            let id = background(&mut serve, &format!("exec {program}"));
            let ready = json!({"action": "wait", "sessionId": id, "until": [{"input": true}], "timeoutMs": 15_000});
            assert_eq!(serve.ok(ready)["outcome"], "matched", "{program}");
            let mut eof = json!({"action": "write", "sessionId": id, "eof": true});
            if with_wait {
                eof["wait"] = json!({"until": [{"exit": true}], "timeoutMs": 15_000});
            }
            let eof = serve.ok(eof);
            assert_eq!(eof["warnings"], json!([]), "{program}: {eof}");
            let end = serve.ok(json!({"action": "wait", "sessionId": id, "timeoutMs": 15_000}));
            assert_eq!(end["exitCode"], 0, "{program}: {end}");
        }
    }
}

#[test]
fn a_pipe_that_its_program_has_closed_is_closed_after_a_write() {
    let (_home, mut serve) = serve();
    let start = json!({"command": "exec <&-; echo shut; sleep 1000", "mode": "pipe"});
    let job = Job::request(&mut serve, start);
    job.wait_for(&mut serve, "^shut$");
    let write = json!({"action": "write", "sessionId": job.id, "data": "x"});
    serve.err(write, "stdin_not_available");
    let polled = job.ask(&mut serve, "poll", json!({}));
    assert_eq!(
        (&polled["inputState"], &polled["status"]),
        (&json!("closed"), &json!("running")),
        "{polled}"
    );
}

#[test]
fn the_end_of_input_ends_a_reader() {
    let (_home, mut serve) = serve();
    for mode in ["pty", "pipe"] {
        let start = json!({"action": "start", "command": "cat; echo over", "mode": mode, "background": true});
        let id = serve.ok(start)["sessionId"].clone();
        let write = json!({"action": "write", "sessionId": id, "data": "half", "eof": true, "wait": {"timeoutMs": 15_000}});
        let done = serve.ok(write);
        assert_eq!(done["status"], "done", "{mode}: {done}");
        assert!(
            done["output"].as_str().unwrap().ends_with("over\n"),
            "{mode}: {done}"
        );
    }
    let start = json!({"action": "start", "command": "cat; exec sleep 1000", "mode": "pipe", "background": true});
    let id = serve.ok(start)["sessionId"].clone();
    serve.ok(json!({"action": "write", "sessionId": id, "eof": true}));
    let error = serve.err(
        json!({"action": "write", "sessionId": id, "data": "x"}),
        "stdin_not_available",
    );
    assert_eq!(
        error["message"],
        format!("Session {} stdin is not available", id.as_str().unwrap())
    );
    serve.err(
        json!({"action": "resize", "sessionId": id, "rows": 5, "cols": 5}),
        "not_a_tty",
    );
    let over = ended(&mut serve, "echo last");
    let error = serve.err(
        json!({"action": "write", "sessionId": over, "data": "x"}),
        "session_not_running",
    );
    assert_eq!(
        (&error["data"]["exitCode"], &error["data"]["output"]),
        (&json!(0), &json!("last\n"))
    );
}

#[test]
fn keys_follow_the_modes_of_the_program() {
    let (_home, mut serve) = serve();
    let line = "stty raw -echo; printf '\\033[?1h'; echo up; exec od -An -tx1 -v -w1";
    let id = background(&mut serve, line);
    wait_for_since_start(&mut serve, &id, "up");
    let keys = json!(["Up", "C-c", {"text": "é"}, "ctrl+a", "F5"]);
    let until = json!([{"pattern": "7e"}]);
    let sent = serve.ok(
        json!({"action": "send_keys", "sessionId": id, "keys": keys, "wait": {"until": until}}),
    );
    let seen: Vec<&str> = sent["output"]
        .as_str()
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(seen.join(" "), "1b 4f 41 03 c3 a9 01 1b 5b 31 35 7e");
    assert_eq!(sent["bytesWritten"], 12);
    let error = serve.err(
        json!({"action": "send_keys", "sessionId": id, "keys": ["Entre"]}),
        "invalid_key",
    );
    assert!(error["hint"].as_str().unwrap().contains("Enter"), "{error}");
    let text =
        json!({"action": "send_keys", "sessionId": id, "keys": [":wq", "Enter"], "waitMs": 0});
    let error = serve.err(text, "invalid_key");
    let hint = error["hint"].as_str().unwrap();
    assert!(
        hint.starts_with(r#"as text it is {"text":":wq"}"#),
        "{error}"
    );
}

#[test]
fn a_line_that_the_terminal_will_cut_is_warned_of() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "cat >/dev/null");
    let long = "x".repeat(5000);
    let written =
        serve.ok(json!({"action": "write", "sessionId": id, "data": long, "newline": true}));
    assert_eq!(written["warnings"], json!(["line_over_4095"]));
    let keys = json!([{"text": "x".repeat(5000)}, "Enter"]);
    let keys = json!({"action": "send_keys", "sessionId": id, "keys": keys});
    assert_eq!(serve.ok(keys)["warnings"], json!(["line_over_4095"]));
    assert_eq!(written["consumed"], Value::Null);
}

#[test]
fn a_model_is_told_that_enter_is_missing() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let line = "printf 'name? '; read x; stty -echo; printf 'secret? '; read y; stty echo -icanon; \
        printf '[y/n] '; dd bs=1 count=1 2> /dev/null; stty icanon; printf 'more? '; read z";
    let id = serve.ok(json!({"action": "start", "command": line}))["sessionId"].clone();
    let mut warnings = |mut typed: Value| {
        typed["action"] = json!("write");
        typed["sessionId"] = id.clone();
        serve.ok(typed)["warnings"].clone()
    };
    for answer in ["bob", "hunter2-swordfish"] {
        assert_eq!(warnings(json!({"data": answer})), json!(["no_enter"]));
        assert_eq!(warnings(json!({"submit": true})), Value::Null);
    }
    // The key is the answer, and the next question comes.
    assert_eq!(warnings(json!({"data": "y"})), Value::Null);
    assert_eq!(warnings(json!({"data": "no", "submit": true})), Value::Null);
}

#[test]
fn what_was_typed_is_kept_with_its_author_and_secrets_are_not() {
    let (home, mut serve) = serve();
    let line = "read x; stty -echo; echo secret?; read y; stty echo; echo done; read z";
    let id = background(&mut serve, line);
    serve.ok(json!({"action": "write", "sessionId": id, "data": "hello\n"}));
    wait_for_since_start(&mut serve, &id, "secret");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "hunter2-swordfish\n"}));
    wait_for_since_start(&mut serve, &id, "^done");
    let typed = serve.ok(json!({"action": "log", "sessionId": id, "stream": "input"}));
    assert_eq!(typed["totalLines"], 2);
    let lines = &typed["lines"];
    assert_eq!(
        (&lines[0]["text"], &lines[0]["stream"]),
        (&json!("hello\n"), &json!("input"))
    );
    assert_eq!(lines[0]["by"], serve.hello["scope"]);
    assert_eq!(lines[1]["text"], "(18 bytes, not shown)");
    let found = std::process::Command::new("grep")
        .args(["-r", "swordfish"])
        .arg(home.path())
        .output()
        .unwrap();
    assert_eq!(found.stdout, b"", "nowhere in the home");
}

#[test]
fn what_is_typed_later_comes_later() {
    let (home, mut serve) = serve();
    let file = home.scratch("typed");
    let line = format!(
        "stty -icrnl -echo -icanon; echo up; cat > {}",
        file.display()
    );
    let id = background(&mut serve, &line);
    wait_for_since_start(&mut serve, &id, "up");
    let first =
        serve.send(json!({"action": "write", "sessionId": id, "data": "one", "submit": true}));
    let second =
        serve.send(json!({"action": "send_keys", "sessionId": id, "keys": ["t", "w", "o"]}));
    serve.reply(first);
    serve.reply(second);
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    eventually("both arrived in order", || {
        (std::fs::read(&file).unwrap() == b"one\rtwo\n").then_some(())
    });
}

#[test]
fn the_mouse_is_clicked_and_turned() {
    if !have("vim") {
        return;
    }
    let (home, mut serve) = serve();
    let file = home.path().join("lines");
    std::fs::write(&file, "a line of text\n".repeat(200)).unwrap();
    let vim = format!(
        "vim -N -u NONE -i NONE -c 'set mouse=a ttymouse=sgr' {}",
        file.display()
    );
    let start =
        json!({"action": "start", "command": vim, "rows": 24, "cols": 80, "background": true});
    let id = serve.ok(start)["sessionId"].clone();
    let capture = json!({"action": "capture", "sessionId": id});
    eventually("vim reads the mouse", || {
        let captured = serve.ok(capture.clone());
        (captured["modes"]["mouse"] == true).then_some(())
    });
    let click = |row: u16, col: u16| json!([{"click": {"row": row, "col": col}}]);
    let keys = |keys: Value| json!({"action": "send_keys", "sessionId": id, "keys": keys});
    serve.ok(keys(click(7, 4)));
    eventually("the cursor is where the click was", || {
        let cursor = serve.ok(capture.clone())["cursor"].clone();
        (cursor["row"] == 7 && cursor["col"] == 4).then_some(())
    });
    serve.ok(keys(json!([{"scroll": {"row": 5, "col": 5, "lines": 10}}, {"text": ":echo line('w0')"}, "Enter"])));
    eventually("vim has scrolled three lines for each step", || {
        let captured = serve.ok(capture.clone());
        let last = captured["text"]
            .as_str()
            .unwrap()
            .lines()
            .last()
            .unwrap()
            .to_owned();
        (last == "31").then_some(())
    });
    let outside = serve.err(keys(click(24, 0)), "invalid_params");
    assert!(
        outside["message"].as_str().unwrap().contains("24 rows"),
        "{outside}"
    );
    serve.err(
        keys(json!([{"click": {"row": 0, "col": 0, "count": 4}}])),
        "invalid_params",
    );
    let cat = background(&mut serve, "exec cat");
    let click = json!({"action": "send_keys", "sessionId": cat, "keys": click(0, 0)});
    serve.err(click, "unsupported");
}

#[test]
fn the_error_of_an_ended_session_has_whole_lines_of_its_end() {
    let (_home, mut serve) = serve();
    let id = ended(&mut serve, "seq -f 'line %g' 1000");
    let write = json!({"action": "write", "sessionId": id, "data": "x"});
    let error = serve.err(write, "session_not_running");
    let output = error["data"]["output"].as_str().unwrap();
    assert!(
        output.starts_with("line 9") && output.ends_with("\nline 1000\n"),
        "{output}"
    );
}

#[test]
fn the_input_of_a_start_is_typed_as_the_program_reads() {
    let (home, mut serve) = serve();
    let gate = home.gate();
    // More than a pipe or a terminal takes at once.
    for (mode, prefix, length) in [("pipe", "", 200_000), ("pty", "stty -echo; ", 20_000)] {
        let input: String = (0..length / 8).map(|n| format!("{n:07}\n")).collect();
        let line = format!(
            "{prefix}read x < {}; echo; head -c {length} | wc -c",
            gate.display()
        );
        let started = serve.ok(json!({
            "action": "start", "command": line, "mode": mode, "input": input, "background": true,
        }));
        assert_eq!(started["warnings"], json!(["not_reading"]), "{started}");
        std::fs::write(&gate, "\n").unwrap();
        let id = started["sessionId"].as_str().unwrap();
        let wait = json!({"action": "wait", "sessionId": id, "since": "c0", "timeoutMs": 18_000});
        let ended = serve.ok(wait);
        let read = ended["output"].as_str().unwrap().lines().last();
        assert_eq!(read, Some(length.to_string().as_str()), "{ended}");
        let typed = serve.ok(json!({"action": "log", "sessionId": id, "stream": "input"}));
        assert!(!typed["lines"].as_array().unwrap().is_empty(), "{typed}");
    }
    // What is read at once needs no word.
    let quick =
        json!({"action": "start", "command": "cat", "input": "hello\n", "background": true});
    let quick = serve.ok(quick);
    assert!(quick["warnings"].is_null(), "{quick}");
}

#[test]
fn the_input_of_a_late_start_waits_for_a_program_that_begins_to_read_late() {
    let (home, mut serve) = serve();
    let gate = home.gate();
    let first = serve.ok(json!({
        "action": "start", "command": format!("read x < {}", gate.display()), "background": true,
    }));
    let input: String = (0..2500).map(|n| format!("{n:07}\n")).collect();
    let second = serve.ok(json!({
        "action": "start", "command": "stty -echo; sleep 2; head -c 20000 | wc -c", "input": input,
        "after": [{"sessionId": first["sessionId"]}], "background": true,
    }));
    assert_eq!(second["status"], "queued", "{second}");
    std::fs::write(&gate, "\n").unwrap();
    let id = &second["sessionId"];
    let ended = serve.ok(json!({
        "action": "wait", "sessionId": id, "until": [{"exit": true}], "since": "c0", "timeoutMs": 20_000,
    }));
    // What is typed before `stty` runs has its echo.
    let output = ended["output"].as_str().unwrap();
    assert!(output.ends_with("20000\n"), "{ended}");
    let typed = serve.ok(json!({"action": "log", "sessionId": id, "stream": "input"}));
    assert!(!typed["lines"].as_array().unwrap().is_empty(), "{typed}");
}

#[test]
fn an_interrupt_is_taken_while_no_more_input_may_wait() {
    let (_home, mut serve) = serve();
    let line = "stty -echo; echo up; trap 'exit 3' INT; while :; do sleep 0.1; done";
    let id = background(&mut serve, line);
    wait_for_since_start(&mut serve, &id, "up");
    // They fill the limit, and wait for a program that does not read.
    let mut write = |lines: usize| {
        serve.send(json!({"action": "write", "sessionId": id, "data": "x\n".repeat(lines)}))
    };
    let waiting = [write(300_000), write(224_288)];
    let keys =
        json!({"action": "send_keys", "sessionId": id, "keys": ["C-c"], "until": [{"exit": true}]});
    let ended = serve.ok(keys);
    assert_eq!(ended["exitCode"], 3, "{ended}");
    for write in waiting {
        serve.reply(write);
    }
}
