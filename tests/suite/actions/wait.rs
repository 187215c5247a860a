//! Waiting for what sessions write, show, or come to.

use serde_json::json;

use super::{background, serve};
use crate::support::job::Job;
use crate::support::{Home, Serve};

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
        json!({"action": "wait", "sessionId": id, "timeoutMs": 1_800_001}),
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
    let quick = Job::start(&mut serve, "exit 7").id;
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
fn a_pattern_is_about_the_whole_line_in_which_the_wait_begins() {
    let (home, mut serve) = serve();
    let gate = home.gate();
    let line = format!(
        "stty -echo; printf 'not '; printf 'step 1'; cat {}; echo ' finished'; read x; echo ok",
        gate.display()
    );
    let job = Job::start(&mut serve, &line);
    // A prompt that was there is none that was waited for, and its line is known later.
    job.wait_for(&mut serve, "^not step 1$");
    let seen = json!({"since": "new", "until": [{"pattern": "step 1$"}], "waitMs": 50});
    assert_eq!(job.ask(&mut serve, "wait", seen)["outcome"], "timeout");
    std::fs::write(gate, "").unwrap();
    let whole = job.wait_for(&mut serve, "^not step 1 finished$");
    assert_eq!(whole["matched"]["text"], "not step 1 finished");
    let failing =
        json!({"since": "c0", "until": [{"pattern": "never"}], "fail": [{"pattern": "step"}]});
    let failed = job.ask(&mut serve, "wait", failing);
    assert_eq!(
        (&failed["outcome"], &failed["matchedAtEntry"]),
        (&json!("failed"), &json!(true))
    );
}

#[test]
fn a_line_that_is_only_continued_is_no_new_line() {
    let (home, mut serve) = serve();
    let gate = home.gate();
    let line = format!(
        "printf 'not '; cat {}; echo ok; exec sleep 1000",
        gate.display()
    );
    let job = Job::start(&mut serve, &line);
    job.wait_for(&mut serve, "^not ");
    job.ask(&mut serve, "poll", json!({"since": "new"}));
    std::fs::write(gate, "").unwrap();
    let tap = json!({"since": "new", "until": [{"pattern": "^ok$"}, {"pattern": "ok$"}]});
    let found = job.ask(&mut serve, "wait", tap);
    assert_eq!(found["matched"]["index"], 1, "{found}");
    assert_eq!(found["matched"]["text"], "not ok", "{found}");
}

#[test]
fn the_next_end_is_none_when_each_was_told() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    for _ in 0..2 {
        Job::request(&mut serve, json!({"command": "true", "group": "g"}));
    }
    let next = json!({"action": "wait", "group": "g", "mode": "next"});
    for _ in 0..2 {
        let waited = serve.call(next.clone());
        if waited["error"].is_object() {
            break;
        }
    }
    let error = serve.err(next, "session_not_running");
    assert!(
        error["message"].as_str().unwrap().contains("each end"),
        "{error}"
    );
}

#[test]
fn the_echo_of_what_a_model_has_typed_before_is_not_what_it_waits_for() {
    let home = Home::new();
    for shell in ["dash", "bash --norc", "python3 -q"] {
        let mut serve = Serve::new(&home, &["--lean"]);
        let gate = home.gate_named(&format!("gate-{}", &shell[..4]));
        let gate = gate.display();
        let job = Job::request(&mut serve, json!({"command": shell, "env": {"PS1": "> "}}));
        job.ask(&mut serve, "wait", json!({"until": [{"input": true}]}));
        let line = match shell {
            "python3 -q" => format!("x = open('{gate}').read(); print('SERVER_READY' + x)"),
            _ => format!("(read x < {gate}; echo SERVER_READY$x) &"),
        };
        let typed = json!({"data": line, "submit": true, "waitMs": 300});
        job.ask(&mut serve, "write", typed);
        let mut wait = json!({"until": [{"pattern": "SERVER_READY"}], "waitMs": 100});
        let early = job.ask(&mut serve, "wait", wait.clone());
        assert_eq!(early["outcome"], "timeout", "{shell}: {early}");
        wait["waitMs"] = json!(18_000);
        wait["action"] = json!("wait");
        wait["sessionId"] = json!(job.id);
        let waits = serve.send(wait);
        std::fs::write(gate.to_string(), "!\n").unwrap();
        let ready = serve.reply(waits)["result"].clone();
        assert_eq!(ready["outcome"], "matched", "{shell}: {ready}");
        let text = ready["matched"]["text"].as_str().unwrap();
        assert!(text.ends_with("SERVER_READY!"), "{shell}: {ready}");
    }
}

#[test]
fn the_echo_of_a_paste_is_not_what_a_model_waits_for() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let job = Job::request(&mut serve, json!({"command": "bash --norc"}));
    job.ask(&mut serve, "wait", json!({"until": [{"input": true}]}));
    let paste = json!({
        "data": "x=1\nsleep 0.2\necho PASTED", "paste": true, "submit": true,
        "until": [{"pattern": "PASTED"}], "waitMs": 18_000,
    });
    let pasted = job.ask(&mut serve, "write", paste);
    assert_eq!(pasted["matched"]["text"], "PASTED", "{pasted}");
}

#[test]
fn an_agent_is_told_that_what_it_waits_for_is_skipped() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let first = Job::start(&mut serve, "read go; exit 2");
    let after = json!({"command": "echo hi", "after": [{"sessionId": first.id}], "wait": true});
    let mut start = after.clone();
    start["action"] = json!("start");
    let pending = serve.send(start);
    first.ask(&mut serve, "write", json!({"data": "go", "submit": true}));
    let reply = serve.reply(pending);
    let reason = reply["result"]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("needs"), "{reply}");
    assert_eq!(reply["result"]["status"], "queued", "{reply}");
}

#[test]
fn a_session_that_is_removed_does_not_hide_the_others() {
    let (_home, mut serve) = serve();
    let gone = background(&mut serve, "read x");
    let stays = background(&mut serve, "read x; echo HIT; read x");
    let wait =
        json!({"action": "wait", "sessionIds": [stays, gone], "until": [{"pattern": "HIT"}]});
    let pending = serve.send(wait);
    serve.ok(json!({"action": "kill", "sessionId": gone, "remove": true}));
    serve.ok(json!({"action": "write", "sessionId": stays, "data": "\n"}));
    let waited = serve.reply(pending)["result"].clone();
    assert_eq!(waited["outcome"], "matched", "{waited}");
    assert_eq!(waited["results"][0]["matched"]["text"], "HIT", "{waited}");
    assert_eq!(waited["results"][1]["outcome"], "lost", "{waited}");
}

#[test]
fn a_server_that_listens_for_commands_asks_nothing() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let server = "python3 -c 'import select, sys, os; r, w = os.pipe(); print(\"up\", flush=True)\n\
while select.select([sys.stdin, r], [], []) and (line := sys.stdin.readline()) != \"q\\n\": print(\"got\", line, end=\"\", flush=True)'";
    let job = Job::start(&mut serve, server);
    job.ask(&mut serve, "wait", json!({"until": [{"input": true}]}));
    // It answers, and then it is the turn of who has typed.
    let said = job.ask(&mut serve, "write", json!({"data": "a", "submit": true}));
    assert_eq!(said["matched"]["kind"], "input", "{said}");
    assert!(said["output"].as_str().unwrap().contains("got a"), "{said}");
    let wait = json!({"action": "wait", "sessionId": job.id, "waitMs": 60_000});
    let pending = serve.send(wait);
    job.ask(&mut serve, "write", json!({"data": "q", "submit": true}));
    let ended = serve.reply(pending)["result"].clone();
    assert_eq!(
        ended["status"], "done",
        "it was not told that it asks: {ended}"
    );
}

#[test]
fn a_model_is_told_where_its_pattern_matches_instead() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let line = "echo up; echo on 3000; read x; exit 3";
    let job = Job::request(&mut serve, json!({"command": line}));
    job.ask(&mut serve, "wait", json!({"until": [{"input": true}]}));
    job.ask(
        &mut serve,
        "write",
        json!({"submit": true, "until": [{"exit": true}]}),
    );
    let wait = json!({"until": [{"pattern": "on \\d+"}]});
    let ended = job.ask(&mut serve, "wait", wait);
    assert_eq!(ended["outcome"], "exited", "{ended}");
    assert_eq!(ended["seenBefore"]["line"], 2, "{ended}");
    assert_eq!(ended["seenBefore"]["text"], "on 3000", "{ended}");
    // The screen shows one word, which was not written as one.
    let line = "printf '\\033[?1049h\\033[3;3HNU\\033[3;1HME'; read x";
    let job = Job::request(&mut serve, json!({"command": line}));
    job.ask(&mut serve, "wait", json!({"until": [{"input": true}]}));
    let wait = json!({"until": [{"pattern": "MENU"}], "waitMs": 100});
    let late = job.ask(&mut serve, "wait", wait);
    assert_eq!(late["outcome"], "timeout", "{late}");
    assert_eq!(late["screenRow"], 3, "{late}");
}
