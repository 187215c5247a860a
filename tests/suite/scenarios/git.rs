//! git, without the configuration of a user.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Model, has};
use crate::support::Home;
use crate::support::needs::have;

/// Variables without which git would do what a user has configured.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_AUTHOR_NAME", "Test"),
    ("GIT_AUTHOR_EMAIL", "test@example.com"),
    ("GIT_COMMITTER_NAME", "Test"),
    ("GIT_COMMITTER_EMAIL", "test@example.com"),
];

/// A repository with so many commits, each of one file.
fn repository(home: &Home, commits: usize) -> PathBuf {
    let dir = home.scratch("repository");
    let commit =
        "for i in $(seq \"$2\"); do echo $i > f$i; git add f$i; git commit -qm \"change $i\"; done";
    let line = format!("set -e; git init -q -b main \"$1\"; cd \"$1\"; {commit}");
    let count = commits.to_string();
    let mut made = home.command_through(&["sh", "-c", &line, "sh", dir.to_str().unwrap(), &count]);
    made.envs(ENVIRONMENT);
    Home::finish(made, &["git"]).expect_code(0);
    dir
}

/// The same variables for a session, and one more.
fn environment(name: &str, value: &str) -> Value {
    let mut env = json!({ name: value });
    for (name, value) in ENVIRONMENT {
        env[name] = json!(value);
    }
    env
}

#[test]
fn the_log_of_git_ends_by_itself() {
    if !have("git") {
        return;
    }
    let home = Home::new();
    let cwd = repository(&home, 30);
    let mut model = Model::new(&home, &[]);
    let env = environment("GIT_OPTIONAL_LOCKS", "0");
    let start = json!({ "command": "git log", "cwd": cwd, "env": env });
    let text = model.call("start", start);
    has(
        &text,
        &[
            "done (exit 0)",
            "change 30",
            "change 1\n",
            "left out; log grep:\"...\" or fromLine:",
        ],
    );
    model.cost(1, 2200);
}

#[test]
fn an_interactive_rebase_is_done_in_the_editor() {
    if !have("git") || !have("vim") {
        return;
    }
    let home = Home::new();
    let cwd = repository(&home, 3);
    let mut model = Model::new(&home, &[]);
    let mut env = environment("GIT_EDITOR", "vim -N -n -u NONE");
    env["GIT_SEQUENCE_EDITOR"] = Value::Null;
    let start = json!({
        "command": "git rebase -i HEAD~2", "cwd": cwd, "env": env, "pagers": true, "rows": 20,
    });
    let text = model.call("start", start);
    has(&text, &["waits for keys", "screen:\npick ", " change 3\n"]);
    let id = text.split(' ').next().unwrap();
    let squash = json!([{"text": ":2s/pick/squash/"}, "Enter", {"text": ":wq"}, "Enter"]);
    let text = model.press(id, squash);
    has(
        &text,
        &["waits for keys", "# This is a combination of 2 commits."],
    );
    let text = model.press(id, json!([{"text": ":wq"}, "Enter"]));
    has(&text, &["done (exit 0)", "Successfully rebased"]);
    model.cost(3, 2400);
}

#[test]
fn an_interactive_rebase_without_an_editor_fails_and_changes_nothing() {
    if !have("git") {
        return;
    }
    let home = Home::new();
    let cwd = repository(&home, 3);
    let mut model = Model::new(&home, &[]);
    let mut env = environment("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
    let rebase = "git rebase -i HEAD~2; echo code $?; git status";
    let text = model.call(
        "start",
        json!({ "command": rebase, "cwd": cwd, "env": env }),
    );
    has(
        &text,
        &[
            r#"no editor here; start again with env {"GIT_SEQUENCE_EDITOR":"vim"}"#,
            "code 1",
            "nothing to commit",
        ],
    );
    // An editor of the model's own is used, and messages need none.
    env["GIT_SEQUENCE_EDITOR"] = "sed -i 2s/pick/squash/".into();
    let text = model.call(
        "start",
        json!({ "command": rebase, "cwd": cwd, "env": env }),
    );
    has(&text, &["Successfully rebased", "code 0"]);
}

#[test]
fn a_hunk_is_not_edited_without_an_editor_and_a_message_needs_none() {
    if !have("git") {
        return;
    }
    let home = Home::new();
    let cwd = repository(&home, 1);
    let mut model = Model::new(&home, &[]);
    let command =
        "echo new > f1; printf 'e\\nn\\nq\\n' | git add -p; git commit --amend; echo code $?";
    let env = environment("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
    let start = json!({ "command": command, "cwd": cwd, "env": env });
    let text = model.call("start", start);
    has(
        &text,
        &[
            "bgproc: no editor here",
            "bgproc: message left as it is",
            "change 1",
            "code 0",
        ],
    );
}

#[test]
fn an_editor_that_a_command_line_names_is_used() {
    if !have("git") {
        return;
    }
    let home = Home::new();
    let cwd = repository(&home, 3);
    let mut model = Model::new(&home, &[]);
    let env = environment("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
    for (command, subjects) in [
        (
            "EDITOR='sed -i s/change/by-variable/' git commit --amend",
            "by-variable 3\nchange 2\n",
        ),
        (
            "git -c core.editor='sed -i s/by-variable/by-option/' commit --amend",
            "by-option 3\nchange 2\n",
        ),
        (
            "git -c sequence.editor='sed -i 1s/pick/drop/' rebase -i HEAD~2",
            "by-option 3\nchange 1\n",
        ),
        (
            "EDITOR='sed -i 2s/pick/drop/' git rebase -i --root",
            "change 1\n",
        ),
    ] {
        let command = format!("{command} && git log --format=%s");
        let start = json!({ "command": command, "cwd": cwd, "env": env });
        has(&model.call("start", start), &["done (exit 0)", subjects]);
    }
}
