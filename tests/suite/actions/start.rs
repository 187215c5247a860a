//! What `start` takes, and how it is answered.

use std::time::Instant;

use serde_json::{Value, json};

use super::{background, serve};
use crate::support::process::write_script;
use crate::support::{Home, Serve, eventually};

#[test]
fn a_short_command_is_answered_with_its_end() {
    let (_home, mut serve) = serve();
    let done = serve.ok(json!({"action": "start", "command": "echo hello; exit 3"}));
    assert_eq!(done["status"], "error");
    assert_eq!(done["exitCode"], 3);
    assert_eq!(done["signal"], Value::Null);
    assert_eq!(done["output"], "hello\n");
    assert!(done["runtimeMs"].is_u64() && done["pid"].is_u64());
    let ok = serve.ok(json!({"action": "start", "command": "true", "wait": true}));
    assert_eq!(
        (&ok["status"], &ok["exitCode"]),
        (&json!("done"), &json!(0))
    );
}

#[test]
fn a_long_command_is_answered_after_the_yield_and_goes_on() {
    let (_home, mut serve) = serve();
    let mut yields = (300_u32..).step_by(700);
    let started = eventually("it has said something before the yield", || {
        let yield_ms = yields.next();
        let start =
            json!({"action": "start", "command": "echo up; exec sleep 1000", "yieldMs": yield_ms});
        let began = Instant::now();
        let started = serve.ok(start);
        assert!(
            began.elapsed().as_millis() >= u128::from(yield_ms.unwrap()),
            "it waited"
        );
        assert_eq!(started["status"], "running");
        (started["output"] != "").then_some(started)
    });
    assert_eq!(started["output"], "up\n");
    assert!(started.get("exitCode").is_none());
}

#[test]
fn arguments_need_no_quoting_and_a_line_has_a_shell() {
    let (_home, mut serve) = serve();
    let exact =
        serve.ok(json!({"action": "start", "command": "printf", "args": ["%s|", "a b", "$HOME"]}));
    assert_eq!(exact["output"], "a b|$HOME|");
    let shell = serve.ok(json!({"action": "start", "command": "echo $((6*7)) | cat"}));
    assert_eq!(shell["output"], "42\n");
}

#[test]
fn directory_variables_size_and_names_are_as_asked_for() {
    let (home, mut serve) = serve();
    let dir = home.scratch("work");
    std::fs::create_dir_all(&dir).unwrap();
    let started = serve.ok(json!({
        "action": "start", "cwd": dir, "rows": 30, "cols": 90,
        "env": {"SET_ME": "x y", "HOME": null},
        "label": "web", "group": "shop", "description": "a test",
        "command": "pwd; echo $SET_ME-${HOME-gone}; stty size; echo $TERM; test -t 0 && echo tty",
    }));
    let dir = dir.canonicalize().unwrap();
    let expected = format!("{}\nx y-gone\n30 90\nxterm-256color\ntty\n", dir.display());
    assert_eq!(started["output"], expected);
    let id = &started["sessionId"];
    let record = serve.ok(json!({"action": "status", "sessionId": id, "detail": true}));
    assert_eq!(record["label"], "web");
    assert_eq!(record["group"], "shop");
    assert_eq!(record["description"], "a test");
    assert_eq!(record["detail"]["envNames"], json!(["HOME", "SET_ME"]));
    assert_eq!(record["endedBy"]["kind"], "itself");
}

#[test]
fn a_job_inherits_nothing_of_ours() {
    let (_home, mut serve) = serve();
    let line = "ls -l /proc/self/fd | grep -c '/dev/pts/\\|pipe\\|socket\\|memfd'; \
                grep -E '^Sig(Blk|Ign):' /proc/self/status; ps -o sid= -o pid= -p $$";
    let started = serve.ok(json!({"action": "start", "command": line}));
    let output = started["output"].as_str().unwrap();
    let words: Vec<&str> = output.split_whitespace().collect();
    // 0, 1 and 2; grep and ls are at the ends of a pipe.
    assert_eq!(words[0], "3", "{output}");
    assert!(output.contains("SigBlk:\t0000000000000000"), "{output}");
    // The C library keeps signals 32 and 33 to itself, and may have them ignored.
    let ignored = words[4];
    let ignored = u64::from_str_radix(ignored, 16).unwrap() & 0x7fff_ffff;
    assert_eq!(ignored, 0, "{output}");
    assert_eq!(words[5], words[6], "it leads a session: {output}");
}

#[test]
fn what_cannot_start_leaves_nothing_behind() {
    let (home, mut serve) = serve();
    let missing = serve.err(
        json!({"action": "start", "command": "surely-not-there", "args": []}),
        "spawn_failed",
    );
    assert_eq!(missing["data"]["errno"], 2);
    assert_eq!(missing["data"]["path"], "surely-not-there");
    let searched = missing["data"]["searched"].as_str().unwrap();
    assert!(searched.contains("/bin"), "{missing}");
    assert_eq!(
        missing["message"], "surely-not-there was not found on PATH",
        "the PATH is in the data"
    );
    let here = home.scratch("script");
    std::fs::write(&here, "#!/nowhere/interpreter\n").unwrap();
    serve.err(
        json!({"action": "start", "command": here, "args": []}),
        "spawn_failed",
    );
    write_script(&here, "#!/nowhere/interpreter\n");
    let interpreter = serve.err(
        json!({"action": "start", "command": here, "args": []}),
        "spawn_failed",
    );
    assert_eq!(interpreter["data"]["errno"], 2, "{interpreter}");
    assert_eq!(interpreter["data"]["path"], json!(here), "{interpreter}");
    let message = interpreter["message"].as_str().unwrap();
    assert!(
        message.ends_with("its interpreter /nowhere/interpreter does not exist"),
        "{interpreter}"
    );
    serve.err(
        json!({"action": "start", "command": "true", "shell": ""}),
        "invalid_params",
    );
    let cwd = serve.err(
        json!({"action": "start", "command": "true", "cwd": "/no/where"}),
        "spawn_failed",
    );
    assert_eq!(cwd["data"]["path"], "/no/where");
    let large = "x".repeat(300_000);
    let large = serve.err(
        json!({"action": "start", "command": "true", "args": [large]}),
        "spawn_failed",
    );
    assert_eq!(large["data"]["errno"], 7, "E2BIG: {large}");
    assert_eq!(serve.ok(json!({"action": "list"}))["sessions"], json!([]));
    assert_eq!(
        std::fs::read_dir(home.path().join("sessions"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn bad_parameters_are_named() {
    let (_home, mut serve) = serve();
    for (request, word) in [
        (json!({"command": ""}), "command"),
        (json!({"command": "a\u{0}b"}), "NUL"),
        (json!({"command": "x", "env": {"A=B": "c"}}), "A=B"),
        (json!({"command": "x", "rows": 0}), "rows"),
        (json!({"command": "x", "cols": 70_000}), "cols"),
        (json!({"command": "x", "label": "a\nb"}), "label"),
        (json!({"command": "x", "maxChars": 300_000}), "maxChars"),
        (json!({"command": "x", "yieldMs": 1_800_001}), "yieldMs"),
        (json!({"command": "x", "mode": "ptty"}), "pty"),
        (json!({"command": "x", "timeoutSec": -1}), "timeoutSec"),
        (json!({}), "command"),
    ] {
        let mut request = request;
        request["action"] = json!("start");
        let error = serve.err(request.clone(), "invalid_params");
        assert!(error.to_string().contains(word), "{request}: {error}");
    }
}

#[test]
fn the_same_key_is_the_same_session() {
    let (home, mut serve) = serve();
    let request =
        json!({"action": "start", "command": "exec sleep 1000", "key": "k", "background": true});
    let first = serve.ok(request.clone());
    let again = serve.ok(request.clone());
    assert_eq!(first["sessionId"], again["sessionId"]);
    assert_eq!(again["reused"], true);
    assert!(first.get("reused").is_none());
    let mut other = Serve::new(&home, &[]);
    assert_ne!(
        other.ok(request)["sessionId"],
        first["sessionId"],
        "another scope's key"
    );
    let elsewhere =
        json!({"action": "start", "command": "exec sleep 1000", "key": "k", "cwd": "/"});
    let error = serve.err(elsewhere, "invalid_params");
    assert!(error.to_string().contains("runs in"), "{error}");
}

#[test]
fn a_label_that_means_two_sessions_is_told() {
    let (_home, mut serve) = serve();
    let start = json!({"action": "start", "command": "exec sleep 1000", "label": "web", "background": true});
    assert!(serve.ok(start.clone()).get("warnings").is_none());
    assert_eq!(serve.ok(start)["warnings"], json!(["label_in_use"]));
}

#[test]
fn a_directory_has_one_name() {
    let (_home, mut serve) = serve();
    for cwd in ["/usr/", "/usr/./", "/usr"] {
        let start = json!({"action": "start", "command": "true", "cwd": cwd, "wait": true});
        let id = serve.ok(start)["sessionId"].clone();
        let status = serve.ok(json!({"action": "status", "sessionId": id}));
        assert_eq!(status["cwd"], "/usr", "{cwd}");
    }
}

#[test]
fn input_given_at_the_start_is_typed() {
    let (_home, mut serve) = serve();
    let started =
        serve.ok(json!({"action": "start", "command": "read x; echo got $x", "input": "hello\n"}));
    assert_eq!(started["output"], "hello\ngot hello\n");
}

#[test]
fn pipes_tell_streams_apart_and_have_no_terminal() {
    let (_home, mut serve) = serve();
    let line = "test -t 0 || echo no tty; echo out; echo err >&2";
    let started = serve.ok(json!({"action": "start", "command": line, "mode": "pipe"}));
    let id = &started["sessionId"];
    let polled = serve.ok(json!({"action": "poll", "sessionId": id}));
    assert_eq!(polled["stdout"], "no tty\nout\n");
    assert_eq!(polled["stderr"], "err\n");
    let only = serve.ok(json!({"action": "poll", "sessionId": id, "stream": "stderr"}));
    assert_eq!(only["output"], "err\n");
    serve.err(
        json!({"action": "send_keys", "sessionId": id, "keys": ["Enter"]}),
        "session_not_running",
    );
}

#[test]
fn a_terminal_has_no_stream_of_errors() {
    let (_home, mut serve) = serve();
    let started = serve.ok(json!({"action": "start", "command": "echo out; echo err >&2"}));
    let id = &started["sessionId"];
    for action in ["poll", "log"] {
        let errors = json!({"action": action, "sessionId": id, "stream": "stderr"});
        let error = serve.err(errors, "invalid_params");
        let said = error["message"].as_str().unwrap();
        assert!(said.contains("one stream"), "{said}");
        let all = serve.ok(json!({"action": action, "sessionId": id, "stream": "stdout"}));
        assert_eq!(all["output"], "out\nerr\n");
    }
}

#[test]
fn variables_may_be_numbers() {
    let (_home, mut serve) = serve();
    let env = json!({"PORT": 3000, "DEBUG": true});
    let started = serve.ok(json!({"action": "start", "command": "echo $PORT $DEBUG", "env": env}));
    assert_eq!(started["output"], "3000 true\n");
}

#[test]
fn a_start_beyond_the_limit_says_which() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--max-sessions", "1"]);
    let id = background(&mut serve, "exec sleep 1000");
    let error = serve.err(
        json!({"action": "start", "command": "true"}),
        "limit_exceeded",
    );
    assert_eq!(
        (&error["data"]["limit"], &error["data"]["current"]),
        (&json!(1), &json!(1))
    );
    serve.ok(json!({"action": "kill", "sessionId": id}));
    serve.ok(json!({"action": "start", "command": "true"}));
}

#[test]
fn a_probe_that_is_late_is_told_when_it_is() {
    let (_home, mut serve) = serve();
    let quiet = background(&mut serve, "exec sleep 1000");
    let start = json!({
        "action": "start", "command": "exec sleep 1000", "ready": {"pattern": "never", "timeoutMs": 300},
    });
    let started = serve.ok_before(8000, &quiet, start);
    assert_eq!(
        (&started["status"], &started["ready"]),
        (&json!("running"), &json!(false))
    );
}

#[test]
fn a_label_with_a_typo_is_suggested_to_those_who_may_see_it() {
    let (home, mut serve) = serve();
    let start = json!({"action": "start", "command": "true", "label": "frontend", "wait": true});
    serve.ok(start);
    let poll = json!({"action": "poll", "sessionId": "fronted"});
    let error = serve.err(poll.clone(), "session_not_found");
    assert_eq!(error["hint"], "did you mean `frontend`?");
    let other = Serve::new(&home, &[]).err(poll, "session_not_found");
    assert!(!other.to_string().contains("frontend"), "{other}");
}

#[test]
fn a_script_that_is_too_long_is_cut_in_the_error() {
    let (_home, mut serve) = serve();
    let command = format!("true #{}", "x".repeat(200_000));
    let error = serve.err(
        json!({"action": "start", "command": command}),
        "spawn_failed",
    );
    assert_eq!(error["data"]["path"], "/bin/sh", "{error}");
    assert_eq!(
        error["message"],
        "/bin/sh could not be started: Argument list too long (os error 7)"
    );
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("into a file"), "{error}");
}

#[test]
fn blanks_around_a_key_do_not_count() {
    let (_home, mut serve) = serve();
    let start = |key: &str| json!({"action": "start", "command": "true", "wait": true, "key": key});
    let first = serve.ok(start(" once"));
    for key in [" once", "once ", "once"] {
        let again = serve.ok(start(key));
        assert_eq!(
            (&again["sessionId"], &again["reused"]),
            (&first["sessionId"], &json!(true)),
            "{key:?}"
        );
    }
}

#[test]
fn the_home_directory_is_a_tilde_unless_there_is_a_directory_of_that_name() {
    let home = Home::new();
    let place = home.path().join("person");
    std::fs::create_dir_all(place.join("src")).unwrap();
    let mut command = home.command(&["--serve"]);
    command.env("HOME", &place);
    let mut serve = Serve::spawn(command);
    let mut pwd = |cwd: &str| {
        let start = json!({"action": "start", "command": "pwd -P", "cwd": cwd, "wait": true});
        let said = serve.ok(start)["output"]
            .as_str()
            .unwrap()
            .trim()
            .to_owned();
        std::path::PathBuf::from(said)
    };
    let real = place.canonicalize().unwrap();
    assert_eq!(pwd("~"), real);
    assert_eq!(pwd("~/src"), real.join("src"));
    let literal = pwd(".").join("~");
    std::fs::create_dir(&literal).unwrap();
    assert_eq!(pwd("~"), literal);
    serve.err(
        json!({"action": "start", "command": "true", "cwd": "~nobody"}),
        "spawn_failed",
    );
}
