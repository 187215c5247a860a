//! What a shell tells by its marks (OSC 133) and of its directory (OSC 7).

use serde_json::{Value, json};

use super::serve;
use crate::support::Serve;

/// Starts a bash that marks its prompts and outputs, as the scripts of terminals set it up. Returns its id.
fn marked(serve: &mut Serve) -> String {
    let started = serve.ok(json!({
        "action": "start", "command": "bash", "args": ["--norc", "--noediting"], "rows": 24, "cols": 80,
        "label": "marked", "until": [{"pattern": "ready>"}],
        "env": {
            "PS0": r"\e]133;C;\a", "PS1": r"\[\e]133;A\a\]ready> \[\e]133;B\a\]", "HISTFILE": null,
            "PROMPT_COMMAND": r#"printf '\e]133;D;%s\a\e]7;file://%s%s\a' $? "$HOSTNAME" "$PWD""#,
        },
    }));
    assert_eq!(started["outcome"], "matched", "{started}");
    started["sessionId"].as_str().unwrap().to_owned()
}

/// Types a line and waits for the end of the command.
fn run(serve: &mut Serve, id: &str, line: &str) -> Value {
    serve.ok(json!({
        "action": "write", "sessionId": id, "data": line, "submit": true, "until": [{"command": true}],
    }))
}

fn output(serve: &mut Serve, id: &str, command: u32) -> (Vec<String>, Value) {
    let log = serve.ok(json!({"action": "log", "sessionId": id, "command": command}));
    let lines = log["lines"].as_array().unwrap().iter();
    let lines = lines.map(|line| line["text"].as_str().unwrap().to_owned());
    (lines.collect(), log["command"].clone())
}

#[test]
fn the_end_of_a_command_is_awaited_and_its_output_read() {
    let (home, mut serve) = serve();
    let id = marked(&mut serve);
    let waited = run(&mut serve, &id, "echo one; echo two; (exit 3)");
    assert_eq!(waited["outcome"], "matched", "{waited}");
    assert_eq!(waited["matched"]["kind"], "command");
    assert_eq!(waited["matched"]["exitCode"], 3);
    run(&mut serve, &id, "printf 'no newline'");
    let (lines, command) = output(&mut serve, &id, 1);
    assert_eq!(lines, ["no newline"]);
    assert_eq!(
        command,
        json!({"running": false, "exitCode": 0, "lines": 1})
    );
    let (lines, command) = output(&mut serve, &id, 2);
    assert_eq!(lines, ["one", "two"]);
    assert_eq!(command["exitCode"], 3);
    serve.err(
        json!({"action": "log", "sessionId": id, "command": 3}),
        "no_shell",
    );
    // The same for people.
    let printed = home.ok(&["logs", "marked", "--command=2"]);
    assert_eq!(printed, "one\ntwo\n");
    let found = serve.ok(json!({"action": "log", "sessionId": id, "command": 2, "grep": "t"}));
    assert_eq!(found["matches"].as_array().unwrap().len(), 1, "{found}");
}

/// A command that is typed before the prompt stands behind it: the terminal has gone to the next line already.
#[test]
fn the_output_of_a_command_that_was_typed_ahead_is_read_without_the_prompt() {
    let (home, mut serve) = serve();
    let gate = home.gate();
    let id = marked(&mut serve);
    serve.ok(json!({
        "action": "write", "sessionId": id, "submit": true, "data": format!("read x <{}", gate.display()),
        "until": [{"pattern": "read x"}],
    }));
    // Typed while the first command runs, which ends then.
    serve.ok(
        json!({"action": "write", "sessionId": id, "data": "printf 'ready> a b'; echo; echo c\n"}),
    );
    let wait =
        serve.send(json!({"action": "wait", "sessionId": id, "until": [{"pattern": "^c$"}]}));
    std::fs::write(&gate, "go\n").unwrap();
    assert_eq!(serve.reply(wait)["result"]["outcome"], "matched");
    serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"input": true}]}));
    let (lines, command) = output(&mut serve, &id, 1);
    assert_eq!(lines, ["ready> a b", "c"]);
    assert_eq!(command["exitCode"], 0);
    let found = serve.ok(json!({"action": "log", "sessionId": id, "command": 1, "grep": "^ready"}));
    assert_eq!(found["matches"][0]["text"], "ready> a b", "{found}");
}

#[test]
fn the_state_of_a_shell_and_its_directory_are_told() {
    let (home, mut serve) = serve();
    let id = marked(&mut serve);
    run(&mut serve, &id, "cd / && false");
    let status = serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"input": true}]}));
    assert_eq!(
        status["shell"],
        json!({"activity": "prompt", "exitCode": 1})
    );
    let status = serve.ok(json!({"action": "status", "sessionId": id}));
    assert_eq!(status["presentDirectory"], "/");
    assert_ne!(status["cwd"], "/");
    // What runs has no end yet.
    serve.ok(json!({
        "action": "write", "sessionId": id, "data": "echo begun; read line; (exit 9)", "submit": true,
        "until": [{"pattern": "^begun$"}],
    }));
    let (lines, command) = output(&mut serve, &id, 1);
    assert_eq!(lines, ["begun"]);
    assert_eq!(command["running"], true);
    let status = serve.ok(json!({"action": "poll", "sessionId": id}));
    assert_eq!(status["shell"]["activity"], "command");
    // The verb ends with the exit code of the command.
    let mut wait = home.command(&["wait", "marked", "--for", "command"]);
    let mut wait = wait.spawn().unwrap();
    serve.ok(json!({"action": "write", "sessionId": id, "data": "go", "submit": true}));
    assert_eq!(wait.wait().unwrap().code(), Some(9));
    // At a prompt it ends at once.
    home.run(&["wait", "marked", "--for", "command"])
        .expect_code(9);
}

#[test]
fn a_job_without_marks_has_no_commands() {
    let (_home, mut serve) = serve();
    let started = serve.ok(json!({
        "action": "start", "command": "echo hello", "until": [{"exit": true}],
    }));
    serve.err(
        json!({
            "action": "log", "sessionId": started["sessionId"], "command": 1,
        }),
        "no_shell",
    );
    serve.err(
        json!({
            "action": "log", "sessionId": started["sessionId"], "command": 1, "run": 1,
        }),
        "invalid_params",
    );
}
