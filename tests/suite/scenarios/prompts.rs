//! Programs that ask and answer: a prompt, a debugger, a shell.

use serde_json::json;

use super::{Model, has};
use crate::support::Home;
use crate::support::needs::{have, skipped};

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
    let text = model.say(&id, "y");
    has(&text, &["done (exit 0)", "you said y"]);
    model.cost(2, 200);
}

#[test]
fn a_debugger_is_used_a_call_for_each_command() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let script = home.path().join("bug.py");
    std::fs::write(&script, "def f(n):\n    return 10 / n\nf(0)\n").unwrap();
    let mut model = Model::new(&home, &[]);
    let (id, text) = model.start(&format!("python3 -m pdb {}", script.display()));
    has(&text, &["(Pdb)", "waits for"]);
    has(&model.say(&id, "c"), &["ZeroDivisionError", "(Pdb)"]);
    has(&model.say(&id, "p n"), &["\n0\n", "(Pdb)"]);
    has(&model.say(&id, "q"), &["(Pdb)"]);
    model.cost(4, 1500);
}

#[test]
fn a_shell_with_an_environment_runs_commands_a_call_each() {
    if !have("python3") {
        return;
    }
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
    model.cost(3, 190);
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
    model.cost(2, 260);
}

#[test]
fn npm_init_takes_a_call_for_each_question() {
    if !have("npm") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let cwd = home.scratch("shop");
    std::fs::create_dir(&cwd).unwrap();
    let env = json!({ "npm_config_offline": "true", "npm_config_update_notifier": "false" });
    let start = json!({ "command": "npm init", "cwd": cwd, "env": env });
    let text = model.call("start", start);
    has(&text, &["package name: (shop)", "waits for keys"]);
    let id = text.split(' ').next().unwrap();
    for (answer, next) in [
        ("tidy", "version:"),
        ("2.0.0", "description:"),
        ("", "entry point:"),
        ("", "test command:"),
        ("", "git repository:"),
        ("", "keywords:"),
        ("", "author:"),
        ("", "license:"),
    ] {
        has(&model.say(id, answer), &[next, "waits for keys"]);
    }
    let mut text = model.say(id, "MIT");
    // npm 11 has one question more.
    let more = usize::from(text.contains("type:"));
    if more == 1 {
        text = model.say(id, "");
    }
    has(&text, &["\"name\": \"tidy\"", "Is this OK? (yes)"]);
    has(&model.say(id, ""), &["done (exit 0)"]);
    assert!(cwd.join("package.json").is_file());
    model.cost(11 + more, 1800);
}

#[test]
fn a_crash_is_found_in_gdb() {
    if !have("gdb") || !have("gcc") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let source = home.scratch("crash.c");
    let code = "int deref(int *p) { return *p; }\nint main(void) { return deref(0); }\n";
    std::fs::write(&source, code).unwrap();
    let start = json!({
        "command": "gcc -g -O0 -o crash crash.c && gdb -q -nx ./crash",
        "cwd": source.parent().unwrap(), "env": { "DEBUGINFOD_URLS": null },
    });
    let text = model.call("start", start);
    has(&text, &["Reading symbols", "(gdb)", "waits for keys"]);
    let id = text.split(' ').next().unwrap();
    let text = model.say(id, "run");
    if text.contains("not permitted") {
        skipped("no program may be traced here");
        return;
    }
    has(&text, &["SIGSEGV", "deref (p=0x0)", "(gdb)"]);
    has(&model.say(id, "bt"), &["in main () at crash.c:2", "(gdb)"]);
    has(&model.say(id, "quit"), &["Quit anyway? (y or n)"]);
    has(&model.say(id, "y"), &["done (exit 0)"]);
    model.cost(5, 1100);
}

#[test]
fn a_database_is_asked_a_call_for_each_statement() {
    if !have("sqlite3") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, text) = model.start("sqlite3 :memory:");
    has(&text, &["sqlite> ", "waits for keys"]);
    let table = "create table t(name, n); insert into t values('a', 1), ('b', 41);";
    has(&model.say(&id, table), &["\nsqlite> "]);
    has(
        &model.say(&id, "select sum(n) from t;"),
        &["\n42\nsqlite> "],
    );
    has(&model.say(&id, ".quit"), &["done (exit 0)"]);
    model.cost(4, 500);
}

/// Asks as `ssh` does, and gives a shell.
const LOGIN: &str = r#"
printf "The authenticity of host 'example' can't be established.\n"
printf 'Are you sure you want to continue connecting (yes/no)? '
read -r sure; [ "$sure" = yes ] || exit 1
printf "user@example's password: "
stty -echo; read -r secret; stty echo; echo
[ "$secret" = test ] || { echo 'Permission denied'; exit 1; }
echo 'Last login: yesterday'
PS1='example$ ' exec bash --norc --noprofile -i
"#;

#[test]
fn a_login_asks_twice_and_then_runs_commands() {
    if !have("bash") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    std::fs::write(home.scratch("login"), LOGIN).unwrap();
    let (id, text) = model.start(&format!("sh {}", home.scratch("login").display()));
    has(&text, &["(yes/no)?", "waits for a line of input"]);
    let text = model.say(&id, "yes");
    has(&text, &["user@example's password:", "asks for a password"]);
    let text = model.say(&id, "test");
    has(&text, &["Last login", "example$ ", "waits for keys"]);
    assert!(!text.contains("\ntest"), "{text}");
    let run = json!({ "sessionId": id, "command": "expr 6 '*' 7" });
    has(&model.call("exec", run), &["exit 0 after", "\n42\n"]);
    has(&model.say(&id, "exit"), &["done (exit 0)"]);
    model.cost(5, 560);
}

#[test]
fn a_heredoc_is_a_command_like_any_other() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (_, text) = model.start("cat <<'EOF' | tr a-z A-Z\nit costs $HOME\nand 'quotes'\nEOF");
    has(
        &text,
        &["done (exit 0)", "\nIT COSTS $HOME\nAND 'QUOTES'\n"],
    );
    model.cost(1, 80);
}

#[test]
fn a_command_is_read_back_without_the_marks_around_it() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    for shell in ["sh -i", "bash --norc"] {
        let (id, _) = model.start(shell);
        let exec = json!({ "sessionId": id, "command": "echo 'a  b'" });
        has(&model.call("exec", exec), &["exit 0", "a  b"]);
        let text = model.call("poll", json!({ "sessionId": id, "since": "c0" }));
        has(&text, &["echo 'a  b'\na  b\n"]);
        assert!(!text.contains("bgproc="), "{text}");
    }
}

#[test]
fn a_question_is_found_although_another_thread_writes() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let asking = "import threading, time\n\
        def tick():\n\
        \x20 while True: print('tick', flush=True); time.sleep(0.02)\n\
        threading.Thread(target=tick, daemon=True).start()\n\
        input('Replace? [y/N] ')\n";
    let script = home.path().join("asking.py");
    std::fs::write(&script, asking).unwrap();
    let command = format!("python3 {}", script.display());
    let start = json!({ "command": command, "label": "ask", "background": true });
    model.call("start", start);
    let wait = json!({ "sessionId": "ask", "waitMs": 60_000 });
    has(
        &model.call("wait", wait),
        &["matched: input", "waits for a line of input"],
    );
    model.call("kill", json!({ "sessionId": "ask" }));
}
