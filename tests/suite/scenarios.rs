//! What a model does with `bgproc mcp`: the number of calls that each task takes, and the bytes that the model
//! reads. A bound is a little above what the task takes now.

use serde_json::{Value, json};

use crate::support::{Home, Mcp, Serve};

/// A model at work. It reads texts only.
struct Model {
    mcp: Mcp,
    calls: usize,
    bytes: usize,
}

impl Model {
    fn new(home: &Home, args: &[&str]) -> Self {
        Self {
            mcp: Mcp::model(home, args),
            calls: 0,
            bytes: 0,
        }
    }

    /// Calls a tool, and returns what the model reads.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        let text = self.mcp.text(tool, arguments);
        self.calls += 1;
        self.bytes += text.len();
        text
    }

    /// Starts a command. Also returns its id.
    #[track_caller]
    fn start(&mut self, command: &str) -> (String, String) {
        let text = self.call("start", json!({ "command": command }));
        let id = text.split(' ').next().unwrap().to_owned();
        (id, text)
    }

    /// Checks what the task has cost.
    #[track_caller]
    fn cost(&self, calls: usize, bytes: usize) {
        assert_eq!(self.calls, calls, "calls");
        assert!(self.bytes <= bytes, "{} bytes", self.bytes);
    }
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

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
fn a_dialogue_is_answered_by_what_is_highlighted() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let menu = "import curses\n\
        def main(s):\n\
        \x20 curses.curs_set(0); at = 0\n\
        \x20 while True:\n\
        \x20   for i, t in enumerate(['red', 'green', 'blue']):\n\
        \x20     s.addstr(i + 1, 2, t, curses.A_REVERSE if i == at else 0)\n\
        \x20   s.refresh(); k = s.getch()\n\
        \x20   if k == 10: return at\n\
        \x20   at += k == curses.KEY_DOWN\n\
        print('chosen', curses.wrapper(main))\n";
    let script = home.path().join("menu.py");
    std::fs::write(&script, menu).unwrap();
    let (id, text) = model.start(&format!("python3 {}", script.display()));
    has(&text, &["screen:", "highlighted row 1: red"]);
    let text = model.call("send_keys", json!({ "sessionId": id, "keys": ["Down"] }));
    has(&text, &["highlighted row 2: green"]);
    let text = model.call("send_keys", json!({ "sessionId": id, "keys": ["Enter"] }));
    has(&text, &["done (exit 0)", "chosen 1"]);
    model.cost(3, 700);
}

#[test]
fn three_failures_among_three_thousand_tests_take_two_calls() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, text) = model.start(
        "for i in $(seq 3000); do case $i in 7|900|2999) echo \"test $i ... FAILED\";; \
         *) echo \"test $i ... ok\";; esac; done; echo '2997 passed; 3 failed'; exit 1",
    );
    has(
        &text,
        &[
            "error (exit 1)",
            "test 1 ... ok",
            "test 7 ... FAILED",
            "3 failed",
        ],
    );
    has(&text, &["left out; log fromLine:"]);
    let text = model.call("log", json!({ "sessionId": id, "grep": "FAILED$" }));
    has(
        &text,
        &[
            "7: test 7",
            "900: test 900",
            "2999: test 2999",
            "[3 matches; 3001 lines in all]",
        ],
    );
    model.cost(2, 2600);
}

#[test]
fn a_server_is_ready_in_one_call_and_restarted_in_one() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let server = "echo compiling; sleep 0.2; echo 'ready on port 1'; exec sleep 100";
    let start = json!({ "command": server, "label": "web", "ready": {"pattern": "ready on"} });
    let text = model.call("start", start);
    has(&text, &["running", ", ready", "ready on port 1"]);
    // The label is a name for the session.
    let restart = json!({
        "action": "restart", "sessionId": "web", "until": [{"pattern": "ready on"}],
    });
    has(
        &model.call("session", restart),
        &["matched: pattern", "ready on port 1"],
    );
    has(
        &model.call("kill", json!({ "sessionId": "web" })),
        &["killed (SIGTERM)"],
    );
    model.cost(3, 600);
}

#[test]
fn the_next_end_of_three_jobs_is_waited_for() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    for gate in ["a", "b", "c"] {
        let fifo = home.gate_named(gate);
        let command = format!("read x < {}; echo end {gate}", fifo.display());
        let start = json!({ "command": command, "group": "g", "background": true });
        model.call("start", start);
    }
    for gate in ["b", "a"] {
        let wait = model.mcp.send(
            "tools/call",
            json!({ "name": "wait", "arguments": {"group": "g", "mode": "next"} }),
        );
        std::fs::write(home.scratch(gate), "go\n").unwrap();
        let reply = model.mcp.reply(wait);
        let text = reply["result"]["content"][0]["text"].as_str().unwrap();
        has(
            text,
            &["matched: exit", &format!("end {gate}"), "still running"],
        );
    }
}

#[test]
fn two_agents_of_a_scope_each_read_everything() {
    let home = Home::new();
    let mut one = Model::new(&home, &["--scope", "shared"]);
    let mut other = Model::new(&home, &["--scope", "shared"]);
    other.call("list", json!({}));
    let (id, text) = one.start("echo to all; read x; echo later");
    has(&text, &["to all"]);
    let news = json!({ "sessionId": id, "since": "new" });
    has(&other.call("poll", news.clone()), &["to all"]);
    one.call(
        "write",
        json!({ "sessionId": id, "data": "", "submit": true }),
    );
    has(&other.call("poll", news.clone()), &["later"]);
    has(&other.call("poll", news), &["(nothing new)"]);
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

#[test]
fn no_reply_is_longer_than_thirty_kilobytes() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, text) =
        model.start("seq 200000; head -c 300000 /dev/zero | tr '\\0' x; echo needle; seq 9");
    assert!(text.len() < 3000, "{}", text.len());
    for arguments in [
        json!({ "sessionId": id, "lines": 100_000, "fromLine": 1 }),
        json!({ "sessionId": id, "tail": 100_000 }),
        json!({ "sessionId": id, "limit": 1_048_576 }),
        json!({ "sessionId": id, "limit": 1_048_576, "format": "base64" }),
        json!({ "sessionId": id, "grep": "1", "maxMatches": 10_000, "context": 5 }),
    ] {
        let text = model.call("log", arguments.clone());
        assert!(text.len() <= 30_720, "{arguments}: {}", text.len());
    }
    let text = model.call("log", json!({ "sessionId": id, "grep": "needle" }));
    assert!(text.len() <= 2000, "{}", text.len());
    has(&text, &["xneedle"]);
    let wait = json!({ "sessionId": id, "since": "c0", "until": [{"pattern": "needle"}], "maxChars": 262_144 });
    let text = model.call("wait", wait);
    assert!(text.len() <= 33_000, "{}", text.len());
    has(&text, &["needle"]);
}

#[test]
fn lines_around_matches_are_shown_once() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, _) = model.start("printf '%s\\n' a hit b hit c d e f g hit h");
    let text = model.call(
        "log",
        json!({ "sessionId": id, "grep": "hit", "context": 1 }),
    );
    assert_eq!(
        text,
        "1- a\n2: hit\n3- b\n4: hit\n5- c\n--\n9- g\n10: hit\n11- h\n[3 matches; 11 lines in all]"
    );
}

#[test]
fn models_write_bash_and_pagers_end() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (_, text) =
        model.start("[[ a == a ]] && echo {1..3} && set -o pipefail && echo $PAGER,$GIT_EDITOR");
    has(&text, &["done (exit 0)", "1 2 3", "cat,true"]);
    let sh = json!({ "command": "echo $0", "shell": "sh", "pagers": true });
    has(&model.call("start", sh), &["\nsh\n"]);
    let wrong = json!({ "command": "true", "shell": "no-such-shell" });
    let said = model.mcp.fails("start", wrong);
    has(&said, &["`shell`: no-such-shell", "for example"]);
}

#[test]
fn what_a_job_leaves_running_is_named() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (id, text) =
        model.start("setsid sleep 100 > /dev/null 2>&1 < /dev/null & sleep 0.5; echo started");
    has(
        &text,
        &["done (exit 0)", "1 process goes on: pid ", " sleep"],
    );
    model.call("kill", json!({ "sessionId": id }));
}

#[test]
fn a_tailed_log_is_read_in_pieces_and_not_in_lines() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let gate = home.gate();
    let command = format!(
        "read x < {}; for i in 1 2 3 4 5; do echo line $i; sleep 0.01; done; read x",
        gate.display()
    );
    let start = json!({ "command": command, "background": true });
    let text = model.call("start", start);
    let id = text.split(' ').next().unwrap();
    let poll =
        json!({ "name": "poll", "arguments": {"sessionId": id, "since": "new", "waitMs": 18_000} });
    let polled = model.mcp.send("tools/call", poll);
    std::fs::write(&gate, "go\n").unwrap();
    let reply = model.mcp.reply(polled);
    has(
        reply["result"]["content"][0]["text"].as_str().unwrap(),
        &["line 1", "line 5"],
    );
}

#[test]
fn the_results_are_text_unless_a_program_asks_for_data() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let result = model.mcp.result("start", json!({ "command": "true" }));
    assert_eq!(result["structuredContent"], Value::Null, "{result}");
    let listed = model.mcp.request("tools/list", json!({}));
    for tool in listed["tools"].as_array().unwrap() {
        assert_eq!(tool["outputSchema"], Value::Null, "{tool}");
    }
    let bytes = listed["tools"].to_string().len();
    assert!(bytes < 12_000, "{bytes} bytes");
}

#[test]
fn a_listed_job_takes_at_most_150_bytes() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let long = "echo a long command that goes on for ever and ever and ever and a day";
    serve.ok(json!({ "action": "start", "command": long, "label": "worker" }));
    let listed = serve.ok(json!({ "action": "list" }));
    let row = listed["sessions"][0].to_string();
    assert!(row.len() <= 150, "{} bytes: {row}", row.len());
    let ended = serve.ok(json!({ "action": "poll", "sessionId": "worker" }));
    for absent in [
        "signal",
        "omitted",
        "outputFile",
        "outputFiles",
        "offloaded",
    ] {
        assert!(ended.get(absent).is_none(), "{absent}: {ended}");
    }
}
