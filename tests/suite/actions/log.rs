//! Reading what sessions write: `poll`, `log` and `clear`.

use serde_json::json;

use super::{background, ended, serve, wait_for, wait_for_since_start};
use crate::support::job::Job;
use crate::support::{Home, Serve, daemon, eventually};

#[test]
fn a_lost_reply_can_be_read_again() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "exec sed -u 's/^/got /'");
    let mut previous = json!("c0");
    for word in ["one", "two"] {
        // The answer comes after the echo: then both are there.
        let answer = json!({"until": [{"pattern": format!("^got {word}$")}], "since": previous});
        serve.ok(json!({"action": "write", "sessionId": id, "data": word, "newline": true, "wait": answer}));
        let news = serve.ok(json!({"action": "poll", "sessionId": id, "since": previous}));
        let again =
            serve.ok(json!({"action": "poll", "sessionId": id, "since": news["prevCursor"]}));
        assert_eq!(news["output"], again["output"]);
        assert_eq!(news["output"], format!("{word}\ngot {word}\n"));
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
fn the_oldest_output_is_read_in_pages_that_split_nothing() {
    let (_home, mut serve) = serve();
    let print =
        "printf 'a\\303\\251\\n\\n\\360\\237\\246\\200\\033[31mb\\033[0m\\342\\202\\254\\nz\\n'";
    for mode in ["pty", "pipe"] {
        let start = json!({"action": "start", "command": print, "mode": mode});
        let id = serve.ok(start)["sessionId"].clone();
        for bytes in 1..=24 {
            let (mut read, mut since) = (String::new(), json!("c0"));
            loop {
                let poll = json!({
                    "action": "poll", "sessionId": id, "since": since, "maxChars": bytes, "oldest": true,
                });
                let page = serve.ok(poll);
                read.push_str(page["output"].as_str().unwrap());
                if page["cursor"] == since {
                    break;
                }
                since = page["cursor"].clone();
            }
            assert_eq!(read, "aé\n\n🦀b€\nz\n", "{mode}, pages of {bytes} bytes");
        }
    }
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
fn what_the_log_has_dropped_is_counted_by_every_reader() {
    const BYTES: u64 = 3_000_000;
    let (_home, mut serve) = serve();
    for read in [
        json!({"action": "wait", "since": "c0"}),
        json!({"action": "poll", "since": "c0"}),
        json!({"action": "poll", "since": "new"}),
    ] {
        let started = serve.ok(json!({
            "action": "start", "command": format!("yes | head -c {BYTES}"), "mode": "pipe",
            "limits": {"logBytes": 1 << 20}, "background": true,
        }));
        let id = started["sessionId"].as_str().unwrap();
        eventually("it has ended", || {
            let status = serve.ok(json!({"action": "status", "sessionId": id}));
            (status["status"] == "done").then_some(())
        });
        let mut read = read;
        (read["sessionId"], read["maxChars"]) = (json!(id), json!(10));
        let said = serve.ok(read);
        let shown = said["output"].as_str().unwrap().len() as u64;
        assert_eq!(said["omitted"]["bytes"], BYTES - shown, "{said}");
    }
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
    let gone = json!({
        "action": "wait", "sessionId": id, "until": [{"pattern": "one"}], "since": "c0", "timeoutMs": 0,
    });
    assert_eq!(serve.ok(gone)["outcome"], "timeout");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    wait_for(&mut serve, &id, "^two");
    let lines = serve.ok(json!({"action": "log", "sessionId": id, "tail": 1}));
    assert_eq!(lines["lines"][0]["text"], "two");
    assert_eq!(
        lines["lines"][0]["n"], 3,
        "the cleared line and the echo count: {lines}"
    );
}

#[test]
fn a_page_that_is_shorter_than_a_character_has_all_of_it() {
    let (_home, mut serve) = serve();
    let id = ended(&mut serve, "printf 'a\\346\\227\\245b'");
    let (mut offset, mut pages) = (json!(0), Vec::new());
    while offset != 5 {
        let page = serve.ok(json!({
            "action": "log", "sessionId": id, "format": "raw", "offset": offset, "limit": 1,
        }));
        assert!(page["nextOffset"].as_u64() > offset.as_u64(), "{page}");
        offset = page["nextOffset"].clone();
        pages.push(page["output"].as_str().unwrap().to_owned());
    }
    assert_eq!(pages, ["a", "\u{65e5}", "b"]);
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

#[test]
fn several_logs_are_read_in_one_request() {
    let (home, mut serve) = serve();
    let mut other = Serve::new(&home, &["--scope", "other"]);
    ended(&mut other, "echo an error of somebody else");
    let mut ids = Vec::new();
    for (command, group) in [
        ("echo one; echo 'error 1'; echo two", "a"),
        ("echo fine", "a"),
        ("seq -f 'error %g' 100", "b"),
    ] {
        let start = json!({"action": "start", "command": command, "group": group, "wait": true});
        ids.push(serve.ok(start)["sessionId"].clone());
    }
    let found = serve.ok(json!({"action": "log", "grep": "error"}));
    let results = found["results"].as_array().unwrap();
    // The newest session has as many matches as are shown.
    assert_eq!(results.len(), 1, "{found}");
    assert_eq!(results[0]["sessionId"], ids[2]);
    assert_eq!(results[0]["matches"].as_array().unwrap().len(), 50);
    assert_eq!(found["unread"], json!([ids[1], ids[0]]));
    let found = serve.ok(json!({"action": "log", "grep": "error", "group": "a", "context": 1}));
    let results = found["results"].as_array().unwrap();
    assert_eq!(
        results.len(),
        1,
        "a session without a match is not named: {found}"
    );
    assert_eq!(results[0]["sessionId"], ids[0]);
    let matched = &results[0]["matches"][0];
    assert_eq!(
        (&matched["n"], &matched["before"]),
        (&json!(2), &json!(["one"]))
    );
    let ends = serve.ok(json!({"action": "log", "sessionIds": [ids[0], ids[2]], "tail": 1}));
    let results = ends["results"].as_array().unwrap();
    let last = |n: usize| results[n]["lines"][0]["text"].as_str().unwrap();
    assert_eq!((last(0), last(1)), ("error 100", "two"));
    for wrong in [
        json!({"action": "log"}),
        json!({"action": "log", "grep": "x", "fromLine": 3}),
        json!({"action": "log", "group": "a", "offset": 0}),
        json!({"action": "log", "group": "a", "sessionId": ids[0], "grep": "x"}),
    ] {
        serve.err(wrong, "invalid_params");
    }
    serve.err(
        json!({"action": "log", "grep": "x", "group": "none"}),
        "session_not_found",
    );
}

#[test]
fn a_search_of_many_logs_has_the_size_of_a_reply_for_a_model() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    for _ in 0..12 {
        let command = "seq -f 'error %g: something went wrong in a long line' 200";
        serve.ok(json!({"action": "start", "command": command, "wait": true}));
    }
    let request = json!({"action": "log", "grep": "error", "maxMatches": 10_000});
    let found = serve.ok(request);
    let bytes = found.to_string().len();
    assert!((15_000..32_000).contains(&bytes), "{bytes} bytes");
    let read = found["results"].as_array().unwrap().len();
    assert_eq!(read + found["unread"].as_array().unwrap().len(), 12);
    let ends = serve.ok(json!({"action": "log", "tail": 1000}));
    assert_eq!(ends["results"].as_array().unwrap().len(), 12);
    let bytes = ends.to_string().len();
    assert!((15_000..32_000).contains(&bytes), "{bytes} bytes");
}

#[test]
fn a_line_of_both_streams_is_found_in_each() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gates = ["first", "second"].map(|name| home.gate_named(name));
    let command = format!(
        "printf 'Loading...'; read x < {}; echo 'ERROR: bad' >&2; read x < {}; echo ' done'; echo end >&2",
        gates[0].display(),
        gates[1].display()
    );
    let job = Job::request(&mut serve, json!({"command": command, "mode": "pipe"}));
    for (seen, gate) in [r"Loading\.\.\.$", "bad$"].iter().zip(&gates) {
        job.wait_for(&mut serve, seen);
        std::fs::write(gate, "go\n").unwrap();
    }
    job.end(&mut serve);
    let mut texts = |log: serde_json::Value| -> Vec<(u64, String)> {
        let read = job.ask(&mut serve, "log", log);
        let found = read["lines"].as_array().or(read["matches"].as_array());
        let found = found.unwrap().iter();
        found
            .map(|line| {
                let text = line["text"].as_str().unwrap().to_owned();
                (line["n"].as_u64().unwrap(), text)
            })
            .collect()
    };
    let line = |n: u64, text: &str| (n, text.to_owned());
    let errors = texts(json!({"tail": 9, "stream": "stderr"}));
    assert_eq!(errors, [line(1, "ERROR: bad"), line(3, "end")]);
    let output = texts(json!({"tail": 9, "stream": "stdout"}));
    assert_eq!(output, [line(1, "Loading..."), line(2, " done")]);
    let error = texts(json!({"grep": "^ERROR", "stream": "stderr"}));
    assert_eq!(error, [line(1, "ERROR: bad")]);
    let none = texts(json!({"grep": "ERROR", "stream": "stdout"}));
    assert_eq!(none, []);
    let all = texts(json!({"grep": "ERROR"}));
    assert_eq!(all, [line(1, "Loading...ERROR: bad")]);
}

#[test]
fn reading_by_bytes_ends_where_a_file_was_cut() {
    let (home, mut serve) = serve();
    let id = ended(&mut serve, "seq 1 5000");
    let file = home.path().join("sessions").join(&id).join("output.log");
    std::fs::File::options()
        .write(true)
        .open(file)
        .unwrap()
        .set_len(1000)
        .unwrap();
    let mut offset = 0;
    for _ in 0..4 {
        let page = serve.ok(json!({"action": "log", "sessionId": id, "offset": offset}));
        offset = page["nextOffset"].as_u64().unwrap();
        if page["eof"] == true {
            assert_eq!(page["totalBytes"], offset, "{page}");
            return;
        }
    }
    panic!("no end at {offset}");
}

#[test]
fn pages_of_one_stream_split_nothing_either() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let command = "i=0; while [ $i -lt 300 ]; do printf '\\033[38;5;196m€€\\033[0m\\n'; echo err >&2; i=$((i+1)); done";
    let start = json!({"action": "start", "command": command, "mode": "pipe", "wait": true});
    let id = serve.ok(start)["sessionId"].clone();
    for format in ["plain", "raw"] {
        let (mut offset, mut text) = (json!(0), String::new());
        loop {
            let page = serve.ok(json!({"action": "log", "sessionId": id, "stream": "stdout",
                "format": format, "offset": offset, "limit": 101}));
            text.push_str(page["output"].as_str().unwrap());
            assert_ne!(page["nextOffset"], offset, "{page}");
            offset = page["nextOffset"].clone();
            if page["eof"] == true {
                break;
            }
        }
        let line = match format {
            "plain" => "€€\n",
            _ => "\u{1b}[38;5;196m€€\u{1b}[0m\n",
        };
        assert_eq!(text, line.repeat(300), "{format}");
    }
}

#[test]
fn what_would_be_ignored_is_refused() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let id =
        serve.ok(json!({"action": "start", "command": "true", "wait": true}))["sessionId"].clone();
    for (more, why) in [
        (json!({"grep": "x", "lines": 2}), "maxMatches"),
        (json!({"run": 1, "offset": 4}), "count bytes"),
        (
            json!({"sinceTime": "2026-01-01T00:00:00Z", "limit": 4}),
            "count bytes",
        ),
        (
            json!({"stream": "input", "offset": 4}),
            "can be read only by",
        ),
    ] {
        let mut request = json!({"action": "log", "sessionId": id});
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        let error = serve.err(request, "invalid_params");
        assert!(error["message"].as_str().unwrap().contains(why), "{error}");
    }
}

#[test]
fn half_a_character_at_the_end_waits_for_the_rest() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let command = "printf 'abc\\342'; read x; printf '\\202\\254 def'";
    let start = json!({"action": "start", "command": command, "mode": "pipe", "background": true});
    let id = serve.ok(start)["sessionId"].clone();
    serve.ok(
        json!({"action": "wait", "sessionId": id, "until": [{"pattern": "abc"}], "since": "c0"}),
    );
    for more in [
        json!({}),
        json!({"stream": "stdout"}),
        json!({"format": "raw"}),
    ] {
        let mut page = |offset: u64| {
            let mut request = json!({"action": "log", "sessionId": id, "offset": offset});
            for (name, value) in more.as_object().unwrap() {
                request[name] = value.clone();
            }
            let page = serve.ok(request);
            (page["output"].clone(), page["nextOffset"].clone())
        };
        // Which stream a byte belongs to is known a moment later.
        let begun = eventually("it is told", || Some(page(0)).filter(|page| page.1 != 0));
        assert_eq!(begun, (json!("abc"), json!(3)), "{more}");
        assert_eq!(page(3), (json!(""), json!(3)), "{more}");
    }
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    serve.ok(json!({"action": "wait", "sessionId": id}));
    let page = serve.ok(json!({"action": "log", "sessionId": id, "offset": 3}));
    assert_eq!(page["output"], "€ def", "{page}");
}
