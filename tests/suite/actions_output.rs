//! Reading what sessions write, waiting for it, and typing into them.

use serde_json::{Value, json};

use super::support::job::Job;
use super::support::{Home, Serve, daemon};

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

fn background(serve: &mut Serve, command: &str) -> String {
    let started = serve.ok(json!({"action": "start", "command": command, "background": true}));
    started["sessionId"].as_str().unwrap().to_owned()
}

fn ended(serve: &mut Serve, command: &str) -> String {
    let started = serve.ok(json!({"action": "start", "command": command, "wait": true}));
    started["sessionId"].as_str().unwrap().to_owned()
}

fn wait_for(serve: &mut Serve, id: &str, pattern: &str) -> Value {
    let until = json!([{"pattern": pattern}]);
    let waited = serve.ok(json!({"action": "wait", "sessionId": id, "until": until}));
    assert_eq!(waited["outcome"], "matched", "{waited}");
    waited
}

#[test]
fn a_lost_reply_can_be_read_again() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "cat");
    let mut previous = json!("c0");
    for word in ["one", "two"] {
        serve.ok(json!({"action": "write", "sessionId": id, "data": word, "newline": true,
                        "wait": {"until": [{"pattern": format!("{word}\\n?$")}], "since": previous}}));
        serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"idleMs": 50}]}));
        let news = serve.ok(json!({"action": "poll", "sessionId": id, "since": previous}));
        let again =
            serve.ok(json!({"action": "poll", "sessionId": id, "since": news["prevCursor"]}));
        assert_eq!(news["output"], again["output"]);
        assert_eq!(news["output"], format!("{word}\n{word}\n"));
        previous = news["cursor"].clone();
    }
    serve.err(
        json!({"action": "poll", "sessionId": id, "since": "yesterday"}),
        "invalid_params",
    );
}

#[test]
fn new_is_what_this_scope_was_not_shown() {
    let (_home, mut serve) = serve();
    let id = ended(&mut serve, "echo hello");
    let nothing = serve.ok(json!({"action": "poll", "sessionId": id, "since": "new"}));
    assert_eq!(nothing["output"], "", "start has shown it");
    let all = serve.ok(json!({"action": "poll", "sessionId": id}));
    assert_eq!(all["output"], "hello\n");
}

#[test]
fn what_is_left_out_is_counted() {
    let (_home, mut serve) = serve();
    let id = ended(&mut serve, "seq 1 1000");
    let polled = serve.ok(json!({"action": "poll", "sessionId": id, "maxChars": 9}));
    assert_eq!(polled["output"], "999\n1000\n");
    // 1..9 of 2 bytes, 10..99 of 3, 100..998 of 4.
    assert_eq!(
        polled["omitted"],
        json!({"bytes": 18 + 270 + 899 * 4, "lines": 998})
    );
    assert_eq!(polled["offloaded"], false);
}

#[test]
fn large_output_is_named_as_a_file_and_read_at_its_end() {
    let (_home, mut serve) = serve();
    let id = ended(&mut serve, "seq 1 400000");
    let polled = serve.ok(json!({"action": "poll", "sessionId": id, "maxChars": 7}));
    assert_eq!(polled["output"], "400000\n");
    assert_eq!(polled["offloaded"], true);
    let path = polled["outputFile"].as_str().unwrap();
    assert_eq!(
        std::fs::metadata(path).unwrap().len(),
        polled["outputBytes"].as_u64().unwrap()
    );
    let left = &polled["omitted"];
    assert_eq!(left["lines"], 399_999, "{left}");
    let record = serve.ok(json!({"action": "status", "sessionId": id}));
    assert_eq!(record["outputLines"], 400_000);
    let last = serve.ok(json!({"action": "log", "sessionId": id, "tail": 2}));
    assert_eq!(last["lines"][1]["n"], 400_000);
    assert_eq!(last["lines"][1]["text"], "400000");
    let middle =
        serve.ok(json!({"action": "log", "sessionId": id, "fromLine": 200_000, "lines": 1}));
    assert_eq!(middle["lines"][0]["text"], "200000");
}

#[test]
fn polling_waits_for_news_or_the_end() {
    let (home, mut serve) = serve();
    let gate = home.gate();
    // Not from its terminal: that it waits for input would be news, too.
    let id = background(
        &mut serve,
        &format!("read x < {}; echo got $x", gate.display()),
    );
    let poll = json!({"action": "poll", "sessionId": id, "since": "new", "waitMs": 15_000});
    let pending = serve.send(poll.clone());
    std::fs::write(gate, "y\n").unwrap();
    assert_eq!(serve.reply(pending)["result"]["output"], "got y\n");
    serve.ok(json!({"action": "wait", "sessionId": id}));
    serve.ok(json!({"action": "poll", "sessionId": id}));
    let over = serve.ok(poll);
    assert_eq!(
        (&over["output"], &over["status"]),
        (&json!(""), &json!("done"))
    );
}

#[test]
fn a_progress_bar_is_one_line_and_characters_are_whole() {
    let (_home, mut serve) = serve();
    let bar =
        "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); printf '\\rdone %d%%' $((i/20)); done; echo";
    let id = ended(&mut serve, bar);
    let polled = serve.ok(json!({"action": "poll", "sessionId": id}));
    assert_eq!(polled["output"], "done 100%\n");
    // A character whose bytes come apart.
    let id = background(
        &mut serve,
        "stty -echo; printf '\\344\\270'; read x; printf '\\255\\n'; sleep 1000",
    );
    serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"idleMs": 100}]}));
    let half = serve.ok(json!({"action": "poll", "sessionId": id, "since": "c0"}));
    assert_eq!(half["output"], "");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    let until = json!([{"pattern": "中"}]);
    let whole = serve
        .ok(json!({"action": "wait", "sessionId": id, "until": until, "since": half["cursor"]}));
    assert_eq!(whole["outcome"], "matched", "{whole}");
}

#[test]
fn a_full_screen_program_leaves_nothing_in_the_text() {
    let (_home, mut serve) = serve();
    let line = "echo before; printf '\\033[?1049h\\033[2Jpainted\\033[?1049l'; echo after";
    let id = ended(&mut serve, line);
    let polled = serve.ok(json!({"action": "poll", "sessionId": id}));
    assert_eq!(polled["output"], "before\nafter\n");
}

#[test]
fn the_log_by_bytes_goes_on_where_it_stopped() {
    let (_home, mut serve) = serve();
    let id = ended(
        &mut serve,
        "printf 'h\\303\\251llo\\n\\033[31mred\\033[m\\n'",
    );
    let mut offset = 0;
    let mut text = String::new();
    loop {
        let part =
            serve.ok(json!({"action": "log", "sessionId": id, "offset": offset, "limit": 4}));
        text += part["output"].as_str().unwrap();
        assert_eq!(part["offset"], offset);
        let next = part["nextOffset"].as_u64().unwrap();
        assert!(next > offset, "{part}");
        offset = next;
        if part["eof"] == true {
            break;
        }
    }
    assert_eq!(text, "héllo\nred\n");
    let raw = serve.ok(json!({"action": "log", "sessionId": id, "format": "raw"}));
    assert_eq!(raw["output"], "héllo\r\n\u{1b}[31mred\u{1b}[m\r\n");
    let base64 = serve
        .ok(json!({"action": "log", "sessionId": id, "format": "base64", "offset": 1, "limit": 2}));
    assert_eq!(base64["output"], "w6k=");
    serve.err(
        json!({"action": "log", "sessionId": id, "limit": 2_000_000}),
        "invalid_params",
    );
    serve.err(
        json!({"action": "log", "sessionId": id, "limit": 5, "tail": 5}),
        "invalid_params",
    );
}

#[test]
fn the_log_is_searched_with_context() {
    let (_home, mut serve) = serve();
    let id = ended(&mut serve, "seq 1 100; echo ERROR here; seq 101 110");
    let found = serve.ok(json!({"action": "log", "sessionId": id, "grep": "error", "ignoreCase": true, "context": 2}));
    let first = &found["matches"][0];
    assert_eq!(
        (&first["n"], &first["text"]),
        (&json!(101), &json!("ERROR here"))
    );
    assert_eq!(first["before"], json!(["99", "100"]));
    assert_eq!(first["after"], json!(["101", "102"]));
    let many = serve.ok(json!({"action": "log", "sessionId": id, "grep": "^1", "maxMatches": 3}));
    assert_eq!(many["matches"].as_array().unwrap().len(), 3);
    let error = serve.err(
        json!({"action": "log", "sessionId": id, "grep": "("}),
        "invalid_params",
    );
    assert!(error["message"].as_str().unwrap().contains('('));
}

#[test]
fn clearing_forgets_and_numbers_go_on() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "echo one; read x; echo two; read x");
    wait_for_since_start(&mut serve, &id, "one");
    let cleared = serve.ok(json!({"action": "clear", "sessionId": id}));
    assert_eq!(cleared["clearedBytes"], 5);
    let empty = serve.ok(json!({"action": "log", "sessionId": id}));
    assert_eq!(
        (&empty["output"], &empty["firstOffset"]),
        (&json!(""), &json!(5))
    );
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    wait_for(&mut serve, &id, "^two");
    let lines = serve.ok(json!({"action": "log", "sessionId": id, "tail": 1}));
    assert_eq!(lines["lines"][0]["text"], "two");
    assert_eq!(
        lines["lines"][0]["n"], 3,
        "the cleared line and the echo count: {lines}"
    );
}

fn wait_for_since_start(serve: &mut Serve, id: &str, pattern: &str) {
    let until = json!([{"pattern": pattern}]);
    let wait = json!({"action": "wait", "sessionId": id, "until": until, "since": "c0"});
    assert_eq!(serve.ok(wait)["outcome"], "matched");
}

#[test]
fn each_way_to_wait_comes_out_as_documented() {
    let (_home, mut serve) = serve();
    let line = "echo ready on 3000; read x; echo FAIL: no; read x; exit 3";
    let id = background(&mut serve, line);
    let matched = serve.ok(json!({"action": "wait", "sessionId": id, "since": "c0",
        "until": [{"pattern": "never"}, {"pattern": "on (\\d+)"}], "fail": [{"pattern": "^FAIL"}]}));
    assert_eq!(matched["outcome"], "matched");
    assert_eq!(matched["matched"]["index"], 1);
    assert_eq!(matched["matched"]["kind"], "pattern");
    assert_eq!(matched["matched"]["groups"], json!(["3000"]));
    assert_eq!(matched["matched"]["text"], "ready on 3000");
    let again = serve.ok(
        json!({"action": "wait", "sessionId": id, "since": "c0", "until": [{"pattern": "on"}]}),
    );
    assert_eq!(again["matchedAtEntry"], true);
    let timeout = serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"pattern": "never"}], "timeoutMs": 100}));
    assert_eq!(timeout["outcome"], "timeout");
    assert!(timeout["elapsedMs"].as_u64().unwrap() >= 100);
    let idle = serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"idleMs": 50}]}));
    assert_eq!(idle["matched"]["kind"], "idleMs");
    let request = json!({"action": "wait", "sessionId": id, "until": [{"exit": true}], "fail": [{"pattern": "^FAIL"}]});
    let pending = serve.send(request);
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    let failed = serve.reply(pending);
    assert_eq!(failed["result"]["outcome"], "failed", "{failed}");
    assert_eq!(failed["result"]["matched"]["text"], "FAIL: no");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    let exit = serve.ok(json!({"action": "wait", "sessionId": id}));
    assert_eq!(
        (&exit["outcome"], &exit["matched"]["kind"]),
        (&json!("matched"), &json!("exit"))
    );
    assert_eq!(exit["exitCode"], 3);
    let ended =
        serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"pattern": "never"}]}));
    assert_eq!(
        ended["outcome"], "exited",
        "it ends at once when the job has"
    );
    serve.err(
        json!({"action": "wait", "sessionId": id, "until": [{"pattern": "(?=x)"}]}),
        "invalid_params",
    );
    serve.err(
        json!({"action": "wait", "sessionId": id, "timeoutMs": 600_001}),
        "invalid_params",
    );
}

#[test]
fn the_screen_can_be_waited_for_and_a_spinner_to_go() {
    let (_home, mut serve) = serve();
    let line = "printf '\\033[2J\\033[5;5Hworking'; read x; printf '\\033[5;5Hfinished'; read x";
    let id = background(&mut serve, line);
    let shown = serve.ok(json!({"action": "wait", "sessionId": id, "view": "screen", "until": [{"pattern": "working"}]}));
    assert_eq!(
        (&shown["outcome"], &shown["matched"]["line"]),
        (&json!("matched"), &json!(5))
    );
    let pending =
        serve.send(json!({"action": "wait", "sessionId": id, "until": [{"gone": "working"}]}));
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    let gone = serve.reply(pending);
    assert_eq!(gone["result"]["matched"]["kind"], "gone", "{gone}");
}

#[test]
fn several_sessions_are_waited_for_as_any_or_all() {
    let (_home, mut serve) = serve();
    let quick = background(&mut serve, "exit 7");
    let slow = background(&mut serve, "read x; exit 8");
    let ids = json!([quick, slow]);
    let any = serve.ok(json!({"action": "wait", "sessionIds": ids}));
    assert_eq!(
        (&any["outcome"], &any["matched"]["sessionId"]),
        (&json!("matched"), &json!(quick))
    );
    assert_eq!(any["results"].as_array().unwrap().len(), 2);
    let pending = serve.send(json!({"action": "wait", "sessionIds": ids, "mode": "all"}));
    serve.ok(json!({"action": "write", "sessionId": slow, "data": "\n"}));
    let all = serve.reply(pending);
    assert_eq!(all["result"]["outcome"], "matched");
    let codes: Vec<_> = all["result"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["exitCode"].clone())
        .collect();
    assert_eq!(codes, [7, 8]);
}

#[test]
fn a_wait_is_cancelled_and_its_connection_goes_on() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "exec sleep 1000");
    let pending = serve.send(json!({"action": "wait", "sessionId": id}));
    serve.ok(json!({"action": "cancel", "requestId": pending}));
    assert_eq!(serve.reply(pending)["error"]["code"], "cancelled");
    serve.err(
        json!({"action": "cancel", "requestId": pending}),
        "invalid_request",
    );
}

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
        let mut seen = Vec::new();
        while seen.len() < bytes.len() {
            let wait = json!({"action": "poll", "sessionId": id, "since": since, "waitMs": 5000});
            let text = serve.ok(wait)["output"].as_str().unwrap().to_owned();
            seen = text.split_whitespace().map(str::to_owned).collect();
        }
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
}

#[test]
fn a_line_that_the_terminal_will_cut_is_warned_of() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "cat >/dev/null");
    let long = "x".repeat(5000);
    let written =
        serve.ok(json!({"action": "write", "sessionId": id, "data": long, "newline": true}));
    assert_eq!(written["warnings"], json!(["line_over_4095"]));
    assert_eq!(written["consumed"], Value::Null);
}

#[test]
fn the_screen_is_captured_resized_and_compared() {
    let (_home, mut serve) = serve();
    let line = "printf '\\033]2;my title\\007\\033[2J\\033[2;3Hhello\\033[1m bold'; read x; stty size; read x";
    let started = serve.ok(
        json!({"action": "start", "command": line, "rows": 10, "cols": 40, "background": true}),
    );
    let id = started["sessionId"].as_str().unwrap().to_owned();
    wait_for_since_start(&mut serve, &id, "bold");
    let shot = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert_eq!(shot["text"], "\n  hello bold");
    assert_eq!(
        (&shot["rows"], &shot["cols"], &shot["title"]),
        (&json!(10), &json!(40), &json!("my title"))
    );
    assert_eq!(
        shot["cursor"],
        json!({"row": 1, "col": 12, "visible": true, "shape": "block"})
    );
    let same = serve.ok(json!({"action": "capture", "sessionId": id, "since": shot["screenSeq"]}));
    assert_eq!((&same["changed"], same.get("text")), (&json!(false), None));
    let ansi = serve.ok(json!({"action": "capture", "sessionId": id, "format": "ansi"}));
    assert_eq!(ansi["text"], "\n  hello\u{1b}[0;1m bold\u{1b}[0m");
    let size = serve.ok(json!({"action": "resize", "sessionId": id, "rows": 12, "cols": 50}));
    assert_eq!(size, json!({"rows": 12, "cols": 50}));
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    wait_for(&mut serve, &id, "^12 50");
    serve.err(
        json!({"action": "resize", "sessionId": id, "rows": 1, "cols": 50}),
        "invalid_params",
    );
}

#[test]
fn lines_above_the_screen_can_be_captured() {
    let (_home, mut serve) = serve();
    let started =
        serve.ok(json!({"action": "start", "command": "seq 1 30", "rows": 5, "wait": true}));
    let id = &started["sessionId"];
    let shot = serve.ok(json!({"action": "capture", "sessionId": id, "scrollback": 3}));
    assert_eq!(shot["text"], "24\n25\n26\n27\n28\n29\n30");
}

#[test]
fn a_narrower_screen_keeps_its_text_when_it_widens_again() {
    let (_home, mut serve) = serve();
    let started = serve.ok(json!({"action": "start", "command": "echo 0123456789; read x", "rows": 5, "cols": 20, "background": true}));
    let id = started["sessionId"].as_str().unwrap().to_owned();
    wait_for_since_start(&mut serve, &id, "0123456789");
    serve.ok(json!({"action": "resize", "sessionId": id, "rows": 5, "cols": 6}));
    let narrow = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert_eq!(narrow["text"], "012345\n6789");
    serve.ok(json!({"action": "resize", "sessionId": id, "rows": 5, "cols": 20}));
    let wide = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert_eq!(wide["text"], "0123456789");
}

#[test]
fn a_watcher_gets_the_screen_and_then_what_changes() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "echo first; read x; echo second; read x");
    wait_for_since_start(&mut serve, &id, "first");
    serve.ok(json!({"action": "watch", "sessionId": id}));
    let mut screen = bgproc::term::screen::Screen::new(bgproc::term::size::Size::default());
    let mut feed = |event: &Value| {
        use base64::Engine;
        let bytes = event["data"]["bytes"].as_str().unwrap();
        screen.feed(
            &base64::engine::general_purpose::STANDARD
                .decode(bytes)
                .unwrap(),
        );
        screen.text(true)
    };
    let whole = serve.event("screen");
    assert_eq!(whole["data"]["full"], true);
    assert_eq!(feed(&whole), "first");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    while !feed(&serve.event("screen")).contains("second") {}
    serve.ok(json!({"action": "unwatch", "sessionId": id}));
    serve.err(
        json!({"action": "unwatch", "sessionId": id}),
        "invalid_params",
    );
    serve.err(
        json!({"action": "watch", "sessionId": id, "maxFps": 0}),
        "invalid_params",
    );
}

#[test]
fn terminal_queries_are_answered_once() {
    let (_home, mut serve) = serve();
    let line = "stty raw -echo; printf '\\033[6n\\033[c'; exec od -An -c -v -w1";
    let id = background(&mut serve, line);
    let until = json!([{"pattern": "c$"}]);
    let wait = json!({"action": "wait", "sessionId": id, "until": until, "since": "c0"});
    let answered = serve.ok(wait);
    assert_eq!(answered["outcome"], "matched");
    let text: String = answered["output"]
        .as_str()
        .unwrap()
        .split_whitespace()
        .collect();
    assert!(text.starts_with("033[1;1R033[?"), "{text}");
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
fn lines_from_a_pipe_stand_below_each_other() {
    let (_home, mut serve) = serve();
    let start =
        json!({"action": "start", "command": "printf 'a\\nb\\n'", "mode": "pipe", "wait": true});
    let id = serve.ok(start)["sessionId"].clone();
    let shot = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert_eq!(shot["text"], "a\nb");
}

#[test]
fn half_a_character_at_the_very_end_is_one_that_is_none() {
    let (_home, mut serve) = serve();
    let id = ended(&mut serve, "printf 'a\\346\\227'");
    for request in [json!({"action": "poll"}), json!({"action": "log"})] {
        let mut request = request;
        request["sessionId"] = json!(id);
        assert_eq!(serve.ok(request)["output"], "a\u{fffd}");
    }
}

#[test]
fn a_poll_wakes_for_a_pause_and_not_for_half_a_character() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "printf '\\346'; exec sleep 1000");
    serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"idleMs": 100}]}));
    let poll = json!({"action": "poll", "sessionId": id, "since": "new", "waitMs": 300});
    let began = std::time::Instant::now();
    assert_eq!(serve.ok(poll)["output"], "");
    assert!(began.elapsed().as_millis() >= 300, "it waited");
    let pending =
        serve.send(json!({"action": "poll", "sessionId": id, "since": "new", "waitMs": 600_000}));
    serve.ok(json!({"action": "signal", "sessionId": id, "signal": "STOP", "target": "tree"}));
    assert_eq!(serve.reply(pending)["result"]["status"], "paused");
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
    super::support::eventually("both arrived in order", || {
        (std::fs::read(&file).unwrap() == b"one\rtwo\n").then_some(())
    });
}

#[test]
fn line_numbers_survive_resizes_and_small_pages_are_small() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "seq 1 5; printf 'ééé'; read x; echo after");
    job.wait_for(&mut serve, "é");
    for cols in [80, 100, 60] {
        job.ask(&mut serve, "resize", json!({"rows": 30, "cols": cols}));
    }
    job.ask(&mut serve, "write", json!({"data": "", "newline": true}));
    let after = job.wait_for(&mut serve, "^after");
    let log = job.ask(&mut serve, "log", json!({"tail": 1}));
    assert_eq!(log["lines"][0]["text"], "after", "{log}");
    assert_eq!(
        log["lines"][0]["n"], after["matched"]["line"],
        "{log} {after}"
    );
    let bytes = job.ask(&mut serve, "log", json!({"offset": 15, "limit": 1}));
    assert_eq!(bytes["output"], "é", "{bytes}");
    assert_eq!(bytes["nextOffset"], 17, "{bytes}");
}

#[test]
fn the_time_of_the_last_output_is_that_of_the_output() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "echo once; exec sleep 1000");
    job.wait_for(&mut serve, "once");
    let last =
        |serve: &mut Serve| job.ask(serve, "log", json!({"tail": 1}))["lines"][0]["at"].clone();
    let before = last(&mut serve);
    daemon::kill(&mut serve);
    let status = job.ask(&mut serve, "status", json!({}));
    assert_eq!(status["lastOutputAt"], before, "{status}");
}
