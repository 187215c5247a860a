//! Commands that are typed into a shell which runs already: `exec`.

use serde_json::{Value, json};

use super::serve;
use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Serve, eventually};

/// Starts a shell, and returns its id once it is at its prompt.
fn shell(serve: &mut Serve, command: &str, mode: &str) -> String {
    let start = json!({
        "action": "start", "command": command, "mode": mode, "until": [{"input": true}],
        "env": {"PS1": "> ", "HISTFILE": null}, "rows": 24, "cols": 80,
    });
    let started = serve.ok(start);
    assert_eq!(started["outcome"], "matched", "{started}");
    started["sessionId"].as_str().unwrap().to_owned()
}

fn exec(serve: &mut Serve, id: &str, command: &str) -> Value {
    serve.ok(json!({"action": "exec", "sessionId": id, "command": command}))
}

#[track_caller]
fn check_done(reply: &Value, code: i64, output: &str) {
    assert_eq!(reply["outcome"], "done", "{reply}");
    assert_eq!(reply["exitCode"], code, "{reply}");
    assert_eq!(reply["output"], output, "{reply}");
    assert_eq!(reply["pending"], Value::Null, "{reply}");
}

/// Everything that any shell does, whatever its language.
fn check_shell(command: &str, mode: &str) {
    let (_home, mut serve) = serve();
    let id = shell(&mut serve, command, mode);
    check_done(&exec(&mut serve, &id, "echo hello"), 0, "hello\n");
    // It is the shell itself that runs it.
    check_done(&exec(&mut serve, &id, "cd /tmp"), 0, "");
    check_done(&exec(&mut serve, &id, "pwd; sh -c 'exit 3'"), 3, "/tmp\n");
    // Characters that a shell, a line editor or printf(1) gives a meaning.
    let odd = r#"printf '%s|' "a b" 'c\d' '$x' '!!' 'é%' "it's"; echo"#;
    check_done(&exec(&mut serve, &id, odd), 0, "a b|c\\d|$x|!!|é%|it's|\n");
    let lines = "printf '%s\\n' 'one\ttwo\n%d \\three'\n\techo it\\'s four";
    check_done(
        &exec(&mut serve, &id, lines),
        0,
        "one\ttwo\n%d \\three\nit's four\n",
    );
    check_done(
        &exec(&mut serve, &id, "printf 'no newline'"),
        0,
        "no newline",
    );
    // More than fits into a reply, or into a terminal's buffer.
    let long = format!("echo {} | wc -c", "x".repeat(2000));
    let reply = exec(&mut serve, &id, &long);
    assert_eq!(reply["output"].as_str().unwrap().trim(), "2001");
    let ended = exec(&mut serve, &id, "exit 4");
    assert_eq!(ended["outcome"], "exited", "{ended}");
    assert_eq!(
        (&ended["status"], &ended["exitCode"]),
        (&json!("error"), &json!(4))
    );
}

#[test]
fn a_command_runs_in_bash() {
    check_shell("bash --norc", "pty");
}

#[test]
fn a_command_runs_in_a_shell_without_a_line_editor() {
    check_shell("dash", "pty");
}

#[test]
fn a_command_runs_in_a_shell_with_pipes() {
    check_shell("bash", "pipe");
}

#[test]
fn a_command_runs_in_zsh() {
    if have("zsh") {
        check_shell("zsh -f", "pty");
    }
}

#[test]
fn a_command_runs_in_fish() {
    if have("fish") {
        check_shell("fish --no-config", "pty");
    }
}

#[test]
fn a_command_runs_in_a_shell_behind_another_program() {
    if !have("script") {
        return;
    }
    let (_home, mut serve) = serve();
    // As with ssh, a program between has the terminal, and always waits for input.
    let id = shell(&mut serve, "script -qc 'bash --norc' /dev/null", "pty");
    let quiet = "sleep 0.7; echo late";
    check_done(&exec(&mut serve, &id, quiet), 0, "late\n");
    check_done(&exec(&mut serve, &id, "false"), 1, "");
}

#[test]
fn a_command_that_asks_is_answered_and_waited_for() {
    let (_home, mut serve) = serve();
    let id = shell(&mut serve, "bash --norc", "pty");
    let reply = exec(&mut serve, &id, "read -p 'name? ' x; echo \"hi $x\"");
    assert_eq!(reply["outcome"], "input", "{reply}");
    assert_eq!(reply["output"], "name? ");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "Ann", "submit": true}));
    let pending = json!({"action": "exec", "sessionId": id, "pending": reply["pending"]});
    let reply = serve.ok(pending);
    check_done(&reply, 0, "Ann\nhi Ann\n");
    // A program of its own that reads keys.
    let reply = exec(&mut serve, &id, "python3 -q");
    assert_eq!(reply["outcome"], "input", "{reply}");
    assert_eq!(reply["output"], ">>> ");
    let refused = json!({"action": "exec", "sessionId": id, "command": "ls"});
    let error = serve.err(refused, "no_shell");
    assert!(
        error["message"].as_str().unwrap().contains("python3"),
        "{error}"
    );
    serve.ok(json!({"action": "write", "sessionId": id, "data": "exit(5)", "submit": true}));
    let pending = json!({"action": "exec", "sessionId": id, "pending": reply["pending"]});
    let reply = serve.ok(pending);
    assert_eq!(
        (&reply["outcome"], &reply["exitCode"]),
        (&json!("done"), &json!(5))
    );
}

#[test]
fn the_answer_to_a_command_that_asks_tells_its_end() {
    let home = crate::support::Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let id = shell(&mut serve, "bash --norc", "pty");
    let asks = "read -p 'name? ' x; echo \"hi $x\"; (exit 5)";
    let ended = |reply: &serde_json::Value| {
        assert_eq!(reply["matched"]["kind"], "command", "{reply}");
        assert_eq!(reply["matched"]["exitCode"], 5, "{reply}");
        assert!(
            reply["output"].as_str().unwrap().contains("hi Ann"),
            "{reply}"
        );
    };
    assert_eq!(exec(&mut serve, &id, asks)["outcome"], "input");
    let answer = json!({"action": "write", "sessionId": id, "data": "Ann", "submit": true});
    ended(&serve.ok(answer.clone()));
    // What is typed now is no command of `exec`.
    let written =
        serve.ok(json!({"action": "write", "sessionId": id, "data": "cat", "submit": true}));
    assert_eq!(written["matched"]["kind"], "input", "{written}");
    serve.ok(json!({"action": "send_keys", "sessionId": id, "keys": ["C-d"]}));
    // The same for a `wait` that names nothing.
    let slow = asks.replace("; echo", "; sleep 1; echo");
    assert_eq!(exec(&mut serve, &id, &slow)["outcome"], "input");
    let mut quick = answer;
    quick["waitMs"] = json!(0);
    assert_eq!(serve.ok(quick)["outcome"], "timeout");
    ended(&serve.ok(json!({"action": "wait", "sessionId": id})));
}

#[test]
fn the_end_is_told_to_a_client_that_has_read_on() {
    let (_home, mut serve) = serve();
    let id = shell(&mut serve, "bash --norc", "pty");
    let request = json!({
        "action": "exec", "sessionId": id, "command": "read x; echo got $x; (exit 6)", "waitMs": 5000,
    });
    let reply = serve.ok(request);
    assert_eq!(reply["outcome"], "input", "{reply}");
    let answer = json!({"until": [{"pattern": "^> $"}]});
    let write = json!({"action": "write", "sessionId": id, "data": "it\r", "wait": answer});
    assert_eq!(serve.ok(write)["outcome"], "matched");
    let pending = json!({"action": "exec", "sessionId": id, "pending": reply["pending"]});
    check_done(&serve.ok(pending.clone()), 6, "");
    // The marks are gone.
    serve.ok(json!({"action": "clear", "sessionId": id}));
    let mut pending = pending;
    pending["waitMs"] = json!(1);
    let reply = serve.ok(pending);
    assert_eq!(reply["output"], "", "{reply}");
    let unknown =
        json!({"action": "exec", "sessionId": id, "pending": "aaaaaaaa@999999@0", "waitMs": 1});
    assert_eq!(serve.ok(unknown)["outcome"], "notBegun");
}

#[test]
fn an_end_without_output_is_told_with_the_next_command() {
    let (home, mut serve) = serve();
    let id = shell(&mut serve, "bash --norc", "pty");
    let gate = home.gate();
    let line = format!("read _ < {}; (exit 8)", gate.display());
    let request = json!({"action": "exec", "sessionId": id, "command": line, "waitMs": 100});
    assert_eq!(serve.ok(request)["outcome"], "running");
    std::fs::write(&gate, "").unwrap();
    // Its end is not told, although all of its output is shown.
    let at_prompt = json!([{"pattern": "^> $"}]);
    serve.ok(json!({"action": "wait", "sessionId": id, "until": at_prompt}));
    let next = exec(&mut serve, &id, "echo next");
    assert_eq!(next["before"]["exitCode"], 8, "{next}");
    let last = exec(&mut serve, &id, "echo last");
    assert!(last.get("before").is_none(), "{last}");
}

#[test]
fn a_command_that_is_interrupted_is_not_waited_for() {
    let (_home, mut serve) = serve();
    for shell_line in ["bash --norc", "dash"] {
        let id = shell(&mut serve, shell_line, "pty");
        let request =
            json!({"action": "exec", "sessionId": id, "command": "sleep 100", "waitMs": 1});
        let pending = serve.ok(request)["pending"].clone();
        eventually("the command runs", || {
            let status = serve.ok(json!({"action": "status", "sessionId": id}));
            (status["foreground"] == "sleep").then_some(())
        });
        serve.ok(json!({"action": "send_keys", "sessionId": id, "keys": ["C-c"]}));
        let wait = json!({
            "action": "exec", "sessionId": id, "pending": pending, "waitMs": 60_000,
        });
        // The shell is at its prompt, and gives no exit code for the command.
        let reply = serve.ok(wait.clone());
        assert_eq!(reply["outcome"], "done", "{reply}");
        assert_eq!(reply["exitCode"], Value::Null, "{reply}");
        assert_eq!(reply["pending"], Value::Null, "{reply}");
        assert_eq!(
            reply["reason"], "interrupted; the shell is at its prompt",
            "{reply}"
        );
        check_done(&exec(&mut serve, &id, "echo next"), 0, "next\n");
        let reply = serve.ok(wait);
        assert_eq!(reply["outcome"], "done", "{reply}");
    }
}

#[test]
fn a_long_command_is_waited_for_by_another_daemon() {
    let (home, mut serve) = serve();
    let fifo = home.gate_named("gate");
    let id = shell(&mut serve, "bash --norc", "pty");
    let command = format!("echo first; read x < {}; echo $x; (exit 9)", fifo.display());
    let request = json!({"action": "exec", "sessionId": id, "command": command, "waitMs": 300});
    let reply = serve.ok(request);
    assert_eq!(reply["outcome"], "running", "{reply}");
    assert_eq!(reply["output"], "first\n");
    let busy = serve.err(
        json!({"action": "exec", "sessionId": id, "command": "ls"}),
        "no_shell",
    );
    assert!(
        busy["message"].as_str().unwrap().contains("is busy"),
        "{busy}"
    );
    let token = reply["pending"].as_str().unwrap();
    assert!(busy["hint"].as_str().unwrap().contains(token), "{busy}");
    home.kill_daemon();
    let wait = serve.send(json!({"action": "exec", "sessionId": id, "pending": token}));
    std::fs::write(&fifo, "second\n").unwrap();
    let reply = serve.reply(wait)["result"].clone();
    assert_eq!(
        (&reply["outcome"], &reply["exitCode"]),
        (&json!("done"), &json!(9))
    );
    assert!(
        reply["output"].as_str().unwrap().ends_with("second\n"),
        "{reply}"
    );
}

#[test]
fn what_is_no_shell_takes_no_command() {
    let (_home, mut serve) = serve();
    let cat = shell(&mut serve, "cat", "pty");
    let command = json!({"action": "exec", "sessionId": cat, "command": "echo hello"});
    let error = serve.err(command.clone(), "no_shell");
    assert!(
        error["message"].as_str().unwrap().contains("`cat`"),
        "{error}"
    );
    let log = json!({"action": "log", "sessionId": cat, "tail": 9});
    assert_eq!(serve.ok(log)["totalLines"], 0, "nothing was typed");
    // The client says that it is one.
    let mut command = command;
    command["language"] = json!("posix");
    let reply = serve.ok(command);
    assert_eq!(reply["outcome"], "notBegun", "{reply}");
    assert!(reply["output"].as_str().unwrap().contains("echo hello"));
    let wrong = [
        (json!({"sessionId": cat}), "invalid_params"),
        (json!({"sessionId": cat, "command": " "}), "invalid_params"),
        (
            json!({"sessionId": cat, "command": "a\u{0}b"}),
            "invalid_params",
        ),
        (json!({"sessionId": cat, "pending": "x"}), "invalid_params"),
        (
            json!({"sessionId": cat, "command": "ls", "waitMs": 99_999_999}),
            "invalid_params",
        ),
        (
            json!({"sessionId": cat, "command": "x".repeat(5000), "language": "posix"}),
            "invalid_params",
        ),
        (
            json!({"sessionId": "none", "command": "ls"}),
            "session_not_found",
        ),
    ];
    for (mut request, code) in wrong {
        request["action"] = json!("exec");
        serve.err(request, code);
    }
    if have("vim") {
        let vim = shell(&mut serve, "vim -N -u NONE", "pty");
        eventually("vim has drawn its screen", || {
            let status = serve.ok(json!({"action": "status", "sessionId": vim}));
            (status["inputState"] == "tui").then_some(())
        });
        let refused = json!({"action": "exec", "sessionId": vim, "command": "ls"});
        serve.err(refused, "no_shell");
    }
}

#[test]
fn a_prompt_of_the_shells_own_command_is_not_answered_with_a_command() {
    let (_home, mut serve) = serve();
    for (shell_line, mode) in [("bash --norc", "pty"), ("dash", "pty"), ("bash", "pipe")] {
        let id = shell(&mut serve, shell_line, mode);
        let reply = exec(&mut serve, &id, "echo 'delete? '; read a; echo \"got $a\"");
        assert_eq!(reply["outcome"], "input", "{reply}");
        let ls = json!({"action": "exec", "sessionId": id, "command": "ls"});
        serve.err(ls, "no_shell");
        serve.ok(json!({"action": "write", "sessionId": id, "data": "n\n"}));
        let pending = json!({"action": "exec", "sessionId": id, "pending": reply["pending"]});
        let reply = serve.ok(pending);
        assert!(
            reply["output"].as_str().unwrap().ends_with("got n\n"),
            "{reply}"
        );
        check_done(&exec(&mut serve, &id, "echo next"), 0, "next\n");
    }
    // Nor is that of a script, or of a program that the shell has started.
    for line in [
        "bash -c 'read name; echo got $name'",
        "dash -ec 'read name; echo got $name'",
        "f=$(mktemp); echo 'read name; echo got $name' > $f; dash $f; rm $f",
        "read name; echo got $name",
    ] {
        let script = shell(&mut serve, line, "pty");
        let ls = json!({"action": "exec", "sessionId": script, "command": "ls"});
        serve.err(ls, "no_shell");
        let answer = json!({"data": "me\n", "wait": {"until": [{"exit": true}]}});
        let answered = Job {
            id: script,
            pid: None,
        }
        .ask(&mut serve, "write", answer);
        assert_eq!(answered["output"], "me\ngot me\n", "{line}: {answered}");
    }
    let id = shell(&mut serve, "bash --norc", "pty");
    let reply = exec(&mut serve, &id, "cat");
    assert_eq!(reply["outcome"], "input", "{reply}");
    serve.err(
        json!({"action": "exec", "sessionId": id, "command": "pwd"}),
        "no_shell",
    );
}

#[test]
fn text_that_stands_on_the_line_of_a_shell_is_not_run_with_a_command() {
    let (home, mut serve) = serve();
    let begun = home.scratch("begun");
    for (line, mode) in [("bash --norc", "pty"), ("dash", "pty"), ("sh", "pipe")] {
        let id = shell(&mut serve, line, mode);
        check_done(&exec(&mut serve, &id, "echo first"), 0, "first\n");
        let touch = format!("touch {} ", begun.display());
        serve.ok(json!({"action": "write", "sessionId": id, "data": touch}));
        let refused = json!({"action": "exec", "sessionId": id, "command": "echo second"});
        let error = serve.err(refused, "no_shell");
        // A pipe has no keys.
        let (hint, data, is_there) = match mode {
            "pty" => ("C-u", "\u{15}", false),
            _ => ("newline", "\n", true),
        };
        let said = error["hint"].as_str().unwrap();
        assert!(said.contains(hint), "{line}: {error}");
        serve.ok(json!({"action": "write", "sessionId": id, "data": data}));
        check_done(&exec(&mut serve, &id, "echo third"), 0, "third\n");
        assert_eq!(begun.exists(), is_there, "{line}");
    }
}

#[test]
fn what_no_shell_has_on_its_line_holds_up_no_command() {
    let (_home, mut serve) = serve();
    let id = shell(&mut serve, "bash --norc", "pty");
    // The terminal's answer to a question.
    let ask = r"printf '\033[c'; read -rs -d c answer; echo answered";
    let reply = exec(&mut serve, &id, ask);
    assert_eq!(reply["outcome"], "done", "{reply}");
    check_done(&exec(&mut serve, &id, "echo first"), 0, "first\n");
    if !have("less") {
        return;
    }
    // The key that a program has taken.
    let less =
        json!({"action": "exec", "sessionId": id, "command": "seq 1000 | less", "waitMs": 500});
    let reply = serve.ok(less);
    assert_ne!(reply["outcome"], "done", "{reply}");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "q"}));
    let pending = json!({"action": "exec", "sessionId": id, "pending": reply["pending"]});
    assert_eq!(serve.ok(pending)["outcome"], "done");
    check_done(&exec(&mut serve, &id, "echo last"), 0, "last\n");
}

#[test]
fn text_that_was_typed_ahead_of_the_prompt_is_not_run_with_a_command() {
    let (home, mut serve) = serve();
    let gate = home.gate();
    let id = shell(&mut serve, "bash --norc", "pty");
    check_done(&exec(&mut serve, &id, "echo first"), 0, "first\n");
    let line = format!("cat {}\n", gate.display());
    serve.ok(json!({"action": "write", "sessionId": id, "data": line}));
    serve.ok(json!({"action": "write", "sessionId": id, "data": "touch ahead "}));
    std::fs::write(&gate, "").unwrap();
    let ahead = json!({"action": "wait", "sessionId": id, "view": "screen", "until": [{"pattern": "> touch ahead"}]});
    serve.ok(ahead);
    let refused = json!({"action": "exec", "sessionId": id, "command": "echo second"});
    serve.err(refused, "no_shell");
}

#[test]
fn much_output_is_returned_as_an_excerpt_without_what_follows() {
    let (_home, mut serve) = serve();
    let id = shell(&mut serve, "bash --norc", "pty");
    let request = json!({
        "action": "exec", "sessionId": id, "command": "seq 300000", "maxChars": 30,
    });
    let reply = serve.ok(request);
    assert_eq!(reply["outcome"], "done", "{reply}");
    assert_eq!(reply["exitCode"], 0);
    let output = reply["output"].as_str().unwrap();
    assert!(output.ends_with("299999\n300000\n"), "{output}");
    // What the command has written is not new any more.
    let new = serve.ok(json!({"action": "poll", "sessionId": id, "since": "new"}));
    assert!(!new["output"].as_str().unwrap().contains("300000"), "{new}");
}

#[test]
fn what_a_model_is_not_shown_of_a_command_is_named_by_its_lines() {
    let home = crate::support::Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let id = shell(&mut serve, "bash --norc", "pty");
    for command in ["echo short", "seq 3000"] {
        let reply = exec(&mut serve, &id, command);
        assert_eq!(reply["outcome"], "done", "{reply}");
        let output = reply["output"].as_str().unwrap();
        if command == "echo short" {
            assert_eq!(output, "short\n");
            continue;
        }
        let [first, last] = [0, 1].map(|at| reply["omittedLines"][at].as_u64().unwrap());
        // The line that the log has at that place is the one after the last that is shown.
        let shown = output
            .split("\n[lines")
            .next()
            .unwrap()
            .lines()
            .last()
            .unwrap();
        let log = json!({"action": "log", "sessionId": id, "fromLine": first, "lines": 1});
        let missing = serve.ok(log)["lines"][0]["text"]
            .as_str()
            .unwrap()
            .parse::<u64>();
        assert_eq!(missing.unwrap(), shown.parse::<u64>().unwrap() + 1);
        let rest = output.split("left out; log grep:").nth(1).unwrap();
        let next: u64 = rest.lines().nth(1).unwrap().parse().unwrap();
        let log = json!({"action": "log", "sessionId": id, "fromLine": last, "lines": 1});
        let missing = serve.ok(log)["lines"][0]["text"]
            .as_str()
            .unwrap()
            .parse::<u64>();
        assert_eq!(missing.unwrap(), next - 1);
    }
}

#[test]
fn a_shell_that_drops_the_rest_of_the_line_takes_the_next_command() {
    let (_home, mut serve) = serve();
    let id = shell(&mut serve, "dash", "pty");
    for line in [". ./missing", "echo ${FOO:?is not set}", "shift 5"] {
        let reply = exec(&mut serve, &id, line);
        assert_eq!(reply["outcome"], "done", "{line}: {reply}");
        assert_eq!(reply["exitCode"], Value::Null, "{line}: {reply}");
        check_done(&exec(&mut serve, &id, "echo next"), 0, "next\n");
    }
}

#[test]
fn a_signal_that_interrupts_nothing_leaves_a_question_open() {
    let (_home, mut serve) = serve();
    let id = shell(&mut serve, "dash", "pty");
    let reply = exec(
        &mut serve,
        &id,
        "printf 'delete all? '; read x; echo got $x",
    );
    assert_eq!(reply["outcome"], "input", "{reply}");
    for signal in ["STOP", "CONT", "WINCH"] {
        serve.ok(json!({"action": "signal", "sessionId": id, "signal": signal}));
    }
    serve.ok(json!({"action": "send_keys", "sessionId": id, "keys": ["C-\\"]}));
    let reads = json!({"action": "wait", "sessionId": id, "until": [{"input": true}]});
    assert_eq!(serve.ok(reads)["outcome"], "matched");
    let ls = json!({"action": "exec", "sessionId": id, "command": "ls"});
    let error = serve.err(ls, "no_shell");
    assert!(
        error["message"].as_str().unwrap().contains("has not ended"),
        "{error}"
    );
    serve.ok(json!({"action": "send_keys", "sessionId": id, "keys": ["C-c"]}));
    check_done(&exec(&mut serve, &id, "echo next"), 0, "next\n");
}

#[test]
fn a_shell_without_its_line_editor_takes_commands_if_the_client_says_so() {
    let (_home, mut serve) = serve();
    let id = shell(&mut serve, "bash --norc --noediting -i", "pty");
    let said = |command: &str| json!({"action": "exec", "sessionId": id, "command": command, "language": "posix"});
    let unsaid = json!({"action": "exec", "sessionId": id, "command": "echo hello"});
    let error = serve.err(unsaid, "no_shell");
    assert!(
        error["hint"].as_str().unwrap().contains("`language`"),
        "{error}"
    );
    check_done(&serve.ok(said("echo hello")), 0, "hello\n");
    let reply = serve.ok(said("printf 'name? '; read x; echo hi $x"));
    assert_eq!(reply["outcome"], "input", "{reply}");
    serve.err(said("ls"), "no_shell");
}

#[test]
fn of_two_commands_at_once_the_second_is_not_typed_into_the_program_of_the_first() {
    let (home, mut serve) = serve();
    let (mut round, taken) = (0, home.scratch("taken"));
    // On a busy machine the shell may take longer to come up than a command waits for it.
    let [first, second] = eventually("a shell comes up in time", || {
        round += 1;
        let gate = home.gate_named(&format!("gate{round}"));
        let command = format!("read go < {}; exec bash --norc", gate.display());
        let env = json!({"HISTFILE": null});
        let start = json!({"action": "start", "command": command, "background": true, "env": env});
        let id = serve.ok(start)["sessionId"].clone();
        let commands = [
            format!("cat > {}", taken.display()),
            "echo second".to_owned(),
        ];
        let exec = commands.map(|command| {
            json!({"action": "exec", "sessionId": id, "command": command, "waitMs": 1000})
        });
        // Both wait for its prompt.
        let sent = serve.send_together(exec);
        std::fs::write(gate, "go\n").unwrap();
        let replies = [serve.reply(sent[0]), serve.reply(sent[1])];
        (replies[0]["ok"] == true).then_some(replies)
    });
    assert_eq!(first["result"]["outcome"], "input", "{first}");
    // Whichever comes to the prompt first: it runs in the shell, or not at all.
    let ran = second["result"]["output"] == "second\n";
    assert!(ran || second["error"]["code"] == "no_shell", "{second}");
    assert_eq!(std::fs::read_to_string(taken).unwrap(), "");
}

#[test]
fn commands_at_once_queue_at_the_prompt() {
    let home = crate::support::Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let id = shell(&mut serve, "bash --norc", "pty");
    let command = |n: usize| format!("echo r{n}; sleep 0.1");
    let commands =
        (0..8).map(|n| json!({"action": "exec", "sessionId": id, "command": command(n)}));
    let sent = serve.send_together(commands);
    for (n, request) in sent.into_iter().enumerate() {
        let reply = serve.reply(request);
        assert_eq!(reply["result"]["outcome"], "done", "{reply}");
        assert_eq!(reply["result"]["output"], format!("r{n}\n"), "{reply}");
    }
}
