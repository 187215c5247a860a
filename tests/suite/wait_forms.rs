//! Every form of `wait`: what decides it, and what it says.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Serve};

fn setup() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

/// Waits for a job and returns outcome, kind and index.
fn decide(serve: &mut Serve, job: &Job, wait: Value) -> (String, String, Value) {
    let mut wait = wait;
    wait["timeoutMs"] = json!(18_000);
    let waited = job.ask(serve, "wait", wait);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let matched = &waited["matched"];
    (
        text(&waited["outcome"]),
        text(&matched["kind"]),
        matched["index"].clone(),
    )
}

fn told(outcome: &str, kind: &str, index: u32) -> (String, String, Value) {
    (outcome.to_owned(), kind.to_owned(), json!(index))
}

#[test]
fn each_kind_of_condition_can_be_the_failure() {
    let (_home, mut serve) = setup();
    let job = Job::start(&mut serve, "echo one; echo two; read x; exit 3");
    job.wait_for(&mut serve, "^two$");
    let never = json!([{"pattern": "never"}]);
    for (fail, kind) in [
        (json!({"pattern": "^two$"}), "pattern"),
        (json!({"gone": "three"}), "gone"),
        (json!({"idleMs": 20}), "idleMs"),
    ] {
        let wait = json!({"until": never, "fail": [{"pattern": "nope"}, fail], "since": "c0"});
        assert_eq!(decide(&mut serve, &job, wait), told("failed", kind, 1));
    }
    let end = serve.send(
        json!({"action": "wait", "sessionId": job.id, "until": never,
        "fail": [{"exit": true}]}),
    );
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    let failed = serve.reply(end)["result"].take();
    assert_eq!(
        (&failed["outcome"], &failed["matched"]["kind"]),
        (&json!("failed"), &json!("exit"))
    );
    assert_eq!(failed["exitCode"], 3);
}

#[test]
fn the_first_line_decides_and_of_one_line_the_failure() {
    let (_home, mut serve) = setup();
    let job = Job::start(
        &mut serve,
        "printf 'ok 1\\nerror 2\\nok error 3\\n'; read x",
    );
    job.wait_for(&mut serve, "3$");
    let wait = |until: &str, fail: &str| json!({"until": [{"pattern": until}], "fail": [{"pattern": fail}], "since": "c0"});
    let matched = told("matched", "pattern", 0);
    let failed = told("failed", "pattern", 0);
    assert_eq!(decide(&mut serve, &job, wait("ok", "error")), matched);
    assert_eq!(decide(&mut serve, &job, wait("3", "error")), failed);
    assert_eq!(decide(&mut serve, &job, wait("3", "3")), failed);
}

#[test]
fn captures_are_told_by_number() {
    let (_home, mut serve) = setup();
    let job = Job::start(&mut serve, "echo first; echo 'port=80 host=a'; read x");
    let pattern = "port=(?<port>\\d+)(?: user=(\\w+))? host=(\\w+)";
    let waited = job.wait_for(&mut serve, pattern);
    let matched = &waited["matched"];
    assert_eq!(matched["groups"], json!(["80", null, "a"]), "{waited}");
    assert_eq!(
        (&matched["line"], &matched["text"]),
        (&json!(2), &json!("port=80 host=a"))
    );
}

#[test]
fn rows_of_the_screen_count_from_one_and_a_row_can_go() {
    let (_home, mut serve) = setup();
    let line = "printf '\\033[2J\\033[3;1Hbusy'; read x; printf '\\033[3;1Hdone'; read y";
    let job = Job::start(&mut serve, line);
    let screen = json!({"until": [{"pattern": "^(bu)sy"}], "view": "screen"});
    let shown = job.wait_until(&mut serve, screen);
    assert_eq!(shown["matched"]["line"], 3, "{shown}");
    assert_eq!(shown["matched"]["groups"], json!(["bu"]));
    let gone = json!({"until": [{"gone": "busy"}], "timeoutMs": 18_000});
    let wrote = job.ask(&mut serve, "write", json!({"data": "\n", "wait": gone}));
    assert_eq!(wrote["matched"]["kind"], "gone", "{wrote}");
    assert_eq!(wrote["matchedAtEntry"], false);
}

#[test]
fn what_was_there_says_so_and_what_follows_an_input_does_not() {
    let (_home, mut serve) = setup();
    let job = Job::start(
        &mut serve,
        "echo hello; while read x; do echo \"got $x\"; done",
    );
    job.wait_for(&mut serve, "^hello$");
    let before = job.wait_until(
        &mut serve,
        json!({"until": [{"pattern": "^hello$"}], "since": "c0"}),
    );
    assert_eq!(before["matchedAtEntry"], true);
    for action in ["write", "send_keys"] {
        // The cursor is taken before the input, so that the answer is never missed
        // and the greeting never found.
        let wait = json!({"until": [{"pattern": "^got"}], "fail": [{"pattern": "^hello$"}],
            "timeoutMs": 18_000});
        let input = match action {
            "write" => json!({"data": "a", "newline": true, "wait": wait}),
            _ => json!({"keys": ["a", "Enter"], "wait": wait}),
        };
        let said = job.ask(&mut serve, action, input);
        assert_eq!(said["outcome"], "matched", "{said}");
        assert_eq!(said["matchedAtEntry"], false, "{said}");
    }
    // Unless the client looks further back.
    let wait = json!({"until": [{"pattern": "^hello$"}], "since": "c0"});
    let said = job.ask(&mut serve, "write", json!({"data": "b\n", "wait": wait}));
    assert_eq!(said["matchedAtEntry"], true, "{said}");
    // Each session of a wait says it for itself.
    let ended = Job::start(&mut serve, "true");
    ended.wait_until(&mut serve, json!({"until": [{"exit": true}]}));
    let both = serve.ok(json!({
        "action": "wait", "sessionIds": [job.id, ended.id], "mode": "all", "timeoutMs": 50,
    }));
    let flags: Vec<_> = [0, 1]
        .map(|at| both["results"][at]["matchedAtEntry"].clone())
        .into();
    assert_eq!(flags, [false, true], "{both}");
}

#[test]
fn groups_are_waited_for_as_any_and_all() {
    let (_home, mut serve) = setup();
    let start = |serve: &mut Serve, line: &str| {
        Job::request(serve, json!({"command": line, "group": "pair"}))
    };
    let one = start(&mut serve, "read x; echo one up; read y");
    let two = start(&mut serve, "read x; echo two up; read y");
    let wait = json!({"action": "wait", "group": "pair", "until": [{"pattern": "(\\w+) up"}],
        "since": "c0", "timeoutMs": 18_000});
    let mut all = wait.clone();
    all["mode"] = json!("all");
    let (any, all) = (serve.send(wait), serve.send(all));
    two.ask(&mut serve, "write", json!({"data": "\n"}));
    let any = serve.reply(any)["result"].take();
    assert_eq!(any["matched"]["sessionId"], two.id.as_str(), "{any}");
    assert_eq!(any["matched"]["groups"], json!(["two"]));
    assert_eq!(any["results"].as_array().unwrap().len(), 2);
    one.ask(&mut serve, "write", json!({"data": "\n"}));
    let all = serve.reply(all)["result"].take();
    assert_eq!(all["outcome"], "matched", "{all}");
    // One that ends can match no more: then `all` is over.
    let never = serve.send(json!({"action": "wait", "group": "pair", "mode": "all",
        "until": [{"pattern": "never"}], "timeoutMs": 18_000}));
    one.ask(&mut serve, "write", json!({"data": "\n"}));
    let ended = serve.reply(never)["result"].take();
    assert_eq!(ended["outcome"], "exited", "{ended}");
}

#[test]
fn what_cannot_be_a_condition_is_refused_in_words() {
    let (_home, mut serve) = setup();
    let job = Job::start(&mut serve, "read x");
    for (condition, word) in [
        (json!({"pattern": "a(?=b)"}), "look-around"),
        (json!({"pattern": "(a)\\1"}), "backreferences"),
        (json!({"pattern": "(a{1000}){1000}"}), "size limit"),
        (json!({"port": 0}), "1 to 65535"),
        (json!({"exit": true, "idleMs": 5}), "exactly one"),
        (json!({}), "exactly one"),
    ] {
        let wait = json!({"action": "wait", "sessionId": job.id, "until": [condition]});
        let error = serve.err(wait, "invalid_params");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(word) && !message.contains('\n'), "{error}");
    }
    // As long as can be written is longer than anything lasts.
    let long = json!({"until": [{"idleMs": u64::MAX}], "timeoutMs": 10});
    assert_eq!(job.ask(&mut serve, "wait", long)["outcome"], "timeout");
}

#[test]
fn a_failure_is_added_to_what_an_input_waits_for() {
    let home = Home::new();
    for args in [&[][..], &["--lean"]] {
        let mut serve = Serve::new(&home, args);
        let line = "while read x; do echo \"got $x\"; done; exec sleep 1000";
        let job = Job::start(&mut serve, line);
        job.wait_until(&mut serve, json!({"until": [{"input": true}]}));
        let fail = json!([{"pattern": "^got bad$"}]);
        let write = |data: &str| json!({"data": data, "fail": fail, "waitMs": 18_000});
        let good = job.ask(&mut serve, "write", write("good\n"));
        assert_eq!(good["matched"]["kind"], "input", "{good}");
        let bad = job.ask(&mut serve, "write", write("bad\n"));
        assert_eq!(bad["outcome"], "failed", "{bad}");
        assert_eq!(bad["matched"]["text"], "got bad", "{bad}");
    }
}

#[test]
fn a_failure_is_added_to_what_a_start_waits_for() {
    let (_home, mut serve) = setup();
    let start = |command: &str| {
        json!({
            "action": "start", "command": command, "fail": [{"pattern": "^error"}], "waitMs": 18_000,
        })
    };
    let asks = serve.ok(start("printf 'Name: '; read x; exec sleep 1000"));
    assert_eq!(asks["outcome"], "matched", "{asks}");
    assert_eq!(asks["inputState"], "line", "{asks}");
    let fails = serve.ok(start("echo error: no disk; exec sleep 1000"));
    assert_eq!(fails["outcome"], "failed", "{fails}");
}

#[test]
fn a_start_that_waits_for_readiness_without_a_probe_starts_nothing() {
    let (_home, mut serve) = setup();
    let start =
        json!({"action": "start", "command": "exec sleep 1000", "until": [{"ready": true}]});
    let error = serve.err(start, "invalid_params");
    assert!(error["hint"].to_string().contains("`ready`"), "{error}");
    let listed = serve.ok(json!({"action": "list"}));
    assert_eq!(listed["sessions"], json!([]), "{listed}");
}

#[test]
fn one_of_all_that_matches_does_not_end_the_wait_for_the_others() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let [one, two] = [(); 2].map(|()| Job::start(&mut serve, "echo hit; exec sleep 1000"));
    one.wait_for(&mut serve, "^hit$");
    let wait = json!({"action": "wait", "sessionIds": [one.id, two.id], "mode": "all",
        "until": [{"pattern": "^hit$"}], "waitMs": 100});
    let waited = serve.ok(wait);
    let results = waited["results"].as_array().unwrap();
    let outcomes: Vec<&Value> = results.iter().map(|result| &result["outcome"]).collect();
    assert_eq!(outcomes, ["timeout", "matched"], "{waited}");
    assert_eq!(results[0]["seenBefore"]["text"], "hit", "{waited}");
}

#[test]
fn a_failure_that_was_seen_before_is_told() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let job = Job::start(&mut serve, "echo ERROR; echo up; exec sleep 1000");
    job.wait_for(&mut serve, "^up$");
    let wait =
        json!({"until": [{"pattern": "^up$"}], "fail": [{"pattern": "ERROR"}], "waitMs": 100});
    let waited = job.ask(&mut serve, "wait", wait);
    assert_eq!(waited["outcome"], "timeout", "{waited}");
    assert_eq!(waited["seenBefore"]["text"], "ERROR", "{waited}");
}

#[test]
fn a_pattern_that_no_line_can_match_is_refused() {
    let (_home, mut serve) = setup();
    let job = Job::start(&mut serve, "echo up; exec cat");
    for request in [
        json!({"action": "wait", "until": [{"pattern": "a\nb"}]}),
        json!({"action": "wait", "until": [{"gone": r"up\n"}]}),
        json!({"action": "log", "grep": r"a\r?\nb"}),
    ] {
        let mut request = request;
        request["sessionId"] = json!(job.id);
        let error = serve.err(request, "invalid_params");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("contains a newline"), "{error}");
    }
}

#[test]
fn a_newline_as_a_key_is_enter() {
    let (_home, mut serve) = setup();
    let job = Job::start(
        &mut serve,
        "stty -icanon -icrnl -echo; echo up; head -c 1 | od -An -tx1; exec cat",
    );
    job.wait_for(&mut serve, "^up$");
    let keys = json!({"keys": ["\n"], "until": [{"pattern": "0d"}], "waitMs": 15_000});
    let pressed = job.ask(&mut serve, "send_keys", keys);
    assert_eq!(pressed["outcome"], "matched", "{pressed}");
}
