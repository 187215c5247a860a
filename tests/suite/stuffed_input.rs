//! Input for programs that do not read it: the writer is answered, and nobody else waits.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve, eventually};

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

/// Not quite a megabyte of short lines: as much as a request may carry.
fn megabyte() -> String {
    format!("{}\n", "x".repeat(98)).repeat(10_000)
}

/// A job that has said "up" and then reads nothing.
fn deaf(serve: &mut Serve, request: Value) -> Job {
    let job = Job::request(serve, request);
    job.wait_for(serve, "^up$");
    job
}

/// Waits until a job's terminal has no more room.
#[track_caller]
fn stuffed(serve: &mut Serve, job: &Job) {
    eventually("the terminal is full", || {
        let status = job.ask(serve, "status", json!({}));
        (status["unreadInputBytes"].as_u64()? > 3000).then_some(())
    });
}

fn write(job: &Job, data: &str) -> Value {
    json!({"action": "write", "sessionId": job.id, "data": data})
}

#[test]
fn a_megabyte_that_nobody_reads_is_answered_soon_with_what_was_taken() {
    let (_home, mut serve) = serve();
    let commands = [
        ("pty", "echo up; exec sleep 1000"),
        ("pty", "stty raw -echo; echo up; exec sleep 1000"),
        ("pipe", "echo up; exec sleep 1000"),
    ];
    let quiet = Job::start(&mut serve, "exec sleep 1000");
    for (mode, command) in commands {
        let job = deaf(&mut serve, json!({"command": command, "mode": mode}));
        let said = serve.ok_before(5000, &quiet.id, write(&job, &megabyte()));
        let taken = said["bytesWritten"].as_u64().unwrap();
        assert!((1..990_000).contains(&taken), "{command}: {said}");
        assert_eq!(said["notWritten"], 990_000 - taken, "{command}: {said}");
        let unread = said["unreadInputBytes"].as_u64().unwrap();
        assert!((1..=taken).contains(&unread), "{command}: {said}");
        assert_eq!(
            (&said["consumed"], &said["warnings"]),
            (&json!(false), &json!(["not_reading"])),
            "{command}"
        );
        let status = job.ask(&mut serve, "status", json!({}));
        assert_eq!(status["unreadInputBytes"], unread, "{command}");
        // Known to be stuffed, it is not waited for again, which would take a second each time. The terminal may
        // have moved some of it meanwhile and take a little more.
        let mut refused = 0;
        for _ in 0..10 {
            let again = write(&job, &"y\n".repeat(10_000));
            let (again, is_soon) = serve.race(500, &quiet.id, again);
            assert_eq!(again["warnings"], json!(["not_reading"]), "{command}");
            if again["bytesWritten"] == 0 {
                refused += 1;
                assert!(is_soon, "{command}: {again}");
            }
        }
        assert!(refused >= 5, "{command}: {refused}");
    }
}

#[test]
fn more_than_a_mebibyte_does_not_wait() {
    let (_home, mut serve) = serve();
    let job = deaf(&mut serve, json!({"command": "echo up; exec sleep 1000"}));
    let first = serve.send(write(&job, &megabyte()));
    let error = serve.err(write(&job, &megabyte()), "limit_exceeded");
    assert_eq!(error["data"]["limit"], 1 << 20, "{error}");
    assert!(serve.reply(first)["result"]["bytesWritten"].as_u64() > Some(0));
    // What waited is gone with its answer, so there is room again.
    serve.ok(write(&job, &megabyte()));
}

#[test]
fn an_interrupt_passes_what_waits_and_discards_it() {
    let (_home, mut serve) = serve();
    let command = "echo up; sleep 1000; echo interrupted; read line; echo \"got $line\"";
    let command = format!("trap : INT; {command}");
    let job = deaf(&mut serve, json!({"command": command}));
    let long = serve.send(write(&job, &megabyte()));
    let later = serve.send(write(&job, "later\n"));
    let keys = json!({"action": "send_keys", "sessionId": job.id, "keys": ["C-c"]});
    let pressed = serve.ok(keys);
    assert_eq!(pressed["bytesWritten"], 1);
    // It did not wait for its turn: the other two are answered because of it.
    for id in [long, later] {
        let said = serve.reply(id);
        assert_eq!(said["result"]["warnings"], json!(["not_reading"]), "{said}");
    }
    job.wait_for(&mut serve, "interrupted$");
    job.say(&mut serve, "new", "^got new$");
    job.end(&mut serve);
}

#[test]
fn an_interrupt_goes_the_usual_way_where_nothing_is_stuffed() {
    let (_home, mut serve) = serve();
    let job = deaf(&mut serve, json!({"command": "echo up; exec sleep 1000"}));
    // Typed and not ended: the line is the terminal's, which discards it by itself.
    serve.ok(write(&job, "half"));
    job.press(&mut serve, json!(["C-c"]));
    let end = job.end(&mut serve);
    assert_eq!(end["signal"], "SIGINT", "{end}");
    assert!(job.output(&mut serve).contains("half^C"));
}

#[test]
fn without_its_meaning_the_character_waits_like_any_other() {
    let (_home, mut serve) = serve();
    let command = "stty raw -echo; echo up; exec sleep 1000";
    let job = deaf(&mut serve, json!({"command": command}));
    serve.ok(write(&job, &megabyte()));
    // More than once, as the kernel may still have room for a few.
    let keys = json!({"keys": ["C-c"], "repeat": 10_000});
    let pressed = job.ask(&mut serve, "send_keys", keys);
    assert!(pressed["bytesWritten"].as_u64() < Some(10_000), "{pressed}");
    assert_eq!(pressed["warnings"], json!(["not_reading"]));
    // A signal needs no terminal.
    let long = serve.send(write(&job, &megabyte()));
    let signal = json!({"action": "signal", "sessionId": job.id, "signal": "INT"});
    assert_eq!(serve.ok(signal)["deliveredTo"], json!([job.pid]));
    assert_eq!(job.end(&mut serve)["signal"], "SIGINT");
    serve.reply(long);
}

#[test]
fn a_stopped_job_gets_everything_in_order_when_it_goes_on() {
    let (_home, mut serve) = serve();
    let job = deaf(
        &mut serve,
        json!({"command": "stty -echo; echo up; exec cat"}),
    );
    serve.ok(json!({"action": "subscribe", "events": ["paused"]}));
    job.ask(&mut serve, "signal", json!({"signal": "STOP"}));
    serve.event("paused");
    let ids: Vec<_> = (0..200)
        .map(|n| serve.send(write(&job, &format!("line {n}\n"))))
        .collect();
    for (n, id) in ids.into_iter().enumerate() {
        let said = serve.reply(id);
        // All of it was taken, and none was read: it is stopped.
        let written = format!("line {n}\n").len();
        assert_eq!(said["result"]["bytesWritten"], written, "{said}");
        assert_eq!(said["result"]["warnings"], json!(["not_reading"]), "{said}");
    }
    job.ask(&mut serve, "signal", json!({"signal": "CONT"}));
    job.wait_for(&mut serve, "^line 199$");
    let expected: String = (0..200).map(|n| format!("line {n}\n")).collect();
    assert_eq!(job.output(&mut serve), format!("up\n{expected}"));
    let last = job.ask(&mut serve, "write", json!({"data": "x\n"}));
    assert_eq!(
        (&last["consumed"], &last["unreadInputBytes"]),
        (&json!(true), &json!(0))
    );
}

#[test]
fn input_that_was_cut_is_not_ended_or_submitted() {
    let (_home, mut serve) = serve();
    let command = "echo up; read x; exec sleep 1000";
    let job = deaf(&mut serve, json!({"command": command, "mode": "pipe"}));
    let mut request = write(&job, &megabyte());
    request["eof"] = json!(true);
    let said = serve.ok(request);
    assert_eq!(said["warnings"], json!(["not_reading"]));
    // Still open, so the rest can follow.
    let more = serve.ok(write(&job, "more"));
    assert_eq!(more["warnings"], json!(["not_reading"]), "{more}");
}

#[test]
fn an_end_of_input_counts_what_was_typed_before_it() {
    let (_home, mut serve) = serve();
    for typed in ["hello", "hello\n", ""] {
        let job = Job::start(&mut serve, "exec cat");
        if !typed.is_empty() {
            job.ask(&mut serve, "write", json!({"data": typed}));
        }
        job.ask(&mut serve, "write", json!({"eof": true}));
        let end = job.end(&mut serve);
        assert_eq!(end["exitCode"], 0, "{end}");
    }
}

#[test]
fn a_key_waits_a_second_behind_the_input_of_a_start() {
    let (_home, mut serve) = serve();
    let quiet = Job::start(&mut serve, "exec sleep 1000");
    let start = json!({
        "command": "stty raw -echo; echo up; exec sleep 1000", "input": "line of input\n".repeat(6000),
    });
    let job = Job::request(&mut serve, start);
    // After what the terminal has echoed before it was raw.
    job.wait_for(&mut serve, "up$");
    let keys = json!({"action": "send_keys", "sessionId": job.id, "keys": ["C-c"]});
    let said = serve.ok_before(5000, &quiet.id, keys);
    assert_eq!(said["warnings"], json!(["not_reading"]), "{said}");
}

#[test]
fn what_a_program_took_before_it_ended_is_told() {
    let (home, mut serve) = serve();
    let gate = home.gate();
    let command = format!(
        "stty raw -echo; echo up; cat {} > /dev/null",
        gate.display()
    );
    let job = deaf(&mut serve, json!({"command": command}));
    let asked = serve.send(write(&job, &"x".repeat(20_000)));
    // The terminal takes what it has room for, and the rest waits when the program ends.
    stuffed(&mut serve, &job);
    std::fs::write(gate, "").unwrap();
    let reply = serve.reply(asked);
    let taken = reply["result"]["bytesWritten"].as_u64().unwrap_or(0);
    assert!((1..20_000).contains(&taken), "{reply}");
    assert_eq!(reply["result"]["warnings"], json!(["not_reading"]));
}

#[test]
fn what_waits_until_the_echo_is_off_is_not_recorded() {
    if !have("python3") {
        return;
    }
    let (home, mut serve) = serve();
    let gate = home.gate();
    let code = "import sys, termios as t\n\
        open(sys.argv[1]).read()\n\
        mode = t.tcgetattr(0); mode[3] &= ~t.ECHO; t.tcsetattr(0, t.TCSANOW, mode)\n\
        for line in sys.stdin:\n\
        \x20   if 'secret' in line: break\n\
        print('all', flush=True); input()";
    // The input of a start waits longer for a program that does not read yet.
    let input = format!("{}secret\n", "x\n".repeat(10_000));
    let start = json!({"command": "python3", "args": ["-c", code, gate], "input": input});
    let job = Job::request(&mut serve, start);
    stuffed(&mut serve, &job);
    std::fs::write(gate, "").unwrap();
    job.wait_for(&mut serve, "all$");
    let [first, rest] = eventually("both parts are recorded", || {
        let typed = job.ask(&mut serve, "log", json!({"stream": "input"}));
        let lines = typed["lines"].as_array()?.iter();
        let texts = lines.map(|line| line["text"].as_str().unwrap_or_default().to_owned());
        <[String; 2]>::try_from(texts.collect::<Vec<_>>()).ok()
    });
    assert!(first.starts_with("x\nx\n") && !first.contains("secret"));
    assert!(rest.ends_with("bytes, not shown)"), "{rest}");
}
