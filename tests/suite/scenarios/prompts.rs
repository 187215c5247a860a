//! Programs that ask and answer: a prompt, a debugger, a shell.

use serde_json::json;

use super::{Model, has};
use crate::support::Home;

#[test]
fn an_unexpected_prompt_is_answered_in_two_calls() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, text) = model.start("read -p 'Overwrite? [y/N] ' x; echo \"you said $x\"");
    has(
        &text,
        &[
            "waits for a line of input",
            "will be ended after 30 min",
            "Overwrite? [y/N]",
        ],
    );
    let text = model.call(
        "write",
        json!({ "sessionId": id, "data": "y", "submit": true }),
    );
    has(&text, &["done (exit 0)", "you said y"]);
    model.cost(2, 300);
}

#[test]
fn a_debugger_is_used_a_call_for_each_command() {
    let home = Home::new();
    let script = home.path().join("bug.py");
    std::fs::write(&script, "def f(n):\n    return 10 / n\nf(0)\n").unwrap();
    let mut model = Model::new(&home, &[]);
    let (id, text) = model.start(&format!("python3 -m pdb {}", script.display()));
    has(&text, &["(Pdb)", "waits for"]);
    let typed = |data: &str| json!({ "sessionId": id, "data": data, "submit": true });
    has(
        &model.call("write", typed("c")),
        &["ZeroDivisionError", "(Pdb)"],
    );
    has(&model.call("write", typed("p n")), &["\n0\n", "(Pdb)"]);
    has(&model.call("write", typed("q")), &["(Pdb)"]);
    model.cost(4, 1500);
}

#[test]
fn a_shell_with_an_environment_runs_commands_a_call_each() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, text) = model.start("NAME=venv bash --norc");
    has(&text, &["waits for"]);
    let exec = |command: &str| json!({ "sessionId": id, "command": command });
    let file = home.path().join("hello.py");
    let heredoc = format!(
        "cat > {} <<'EOF'\nimport os\nprint('hello', os.environ['NAME'])\nEOF",
        file.display()
    );
    assert!(
        model
            .call("exec", exec(&heredoc))
            .starts_with("exit 0 after")
    );
    let text = model.call("exec", exec(&format!("python3 {}", file.display())));
    has(&text, &["exit 0 after", "\nhello venv\n"]);
    model.cost(3, 250);
}

#[test]
fn a_pattern_means_the_output_and_not_what_was_typed() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, _) = model.start("PS1='$ ' bash --norc --noprofile");
    let typed = json!({
        "sessionId": id, "data": "sleep 0.3; expr 20 + 22 # not 42 yet", "submit": true,
        "until": [{"pattern": "42"}],
    });
    has(&model.call("write", typed), &["matched: pattern `42`"]);
    model.cost(2, 400);
}
