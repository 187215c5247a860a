//! Output: much of it, what is left out of a reply, and how a reply is shown.

use serde_json::{Value, json};

use super::{Model, has};
use crate::support::Home;

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
    has(&text, &["left out; log grep:"]);
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
    // A line that matches, too, is shown as one around the last match that was wanted.
    let (id, _) = model.start("printf '%s\\n' a error-x error-y at b error-z");
    let mut grep = json!({ "sessionId": id, "grep": "error", "context": 2, "maxMatches": 1 });
    assert_eq!(
        model.call("log", grep.clone()),
        "1- a\n2: error-x\n3- error-y\n4- at\n[1 match, more from line 3 on; 6 lines in all]"
    );
    grep["newest"] = json!(true);
    assert_eq!(
        model.call("log", grep.clone()),
        "4- at\n5- b\n6: error-z\n[1 match, more before line 6; 6 lines in all]"
    );
    grep["maxMatches"] = json!(2);
    assert_eq!(
        model.call("log", grep),
        "1- a\n2- error-x\n3: error-y\n4- at\n5- b\n6: error-z\n[2 matches, more before line 3; 6 lines in all]"
    );
}

#[test]
fn what_an_earlier_run_has_written_is_told_from_the_last_run() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let marker = home.scratch("second");
    let path = marker.display();
    let command =
        format!("if [ -e {path} ]; then echo test passed; else touch {path}; echo test FAILED; fi");
    let start = json!({ "command": command, "label": "test", "wait": true });
    has(&model.call("start", start), &["test FAILED"]);
    let restart = json!({ "action": "restart", "sessionId": "test", "until": [{"exit": true}] });
    has(&model.call("session", restart), &["test passed"]);
    assert_eq!(
        model.call("log", json!({ "sessionId": "test" })),
        "[run 1]\n1: test FAILED\n[run 2]\n2: test passed\n[2 lines in all]"
    );
    assert_eq!(
        model.call("log", json!({ "sessionId": "test", "grep": "FAILED" })),
        "[run 1]\n1: test FAILED\n[1 match, 1 of earlier runs: run:2 leaves those out; 2 lines in all]"
    );
    assert_eq!(
        model.call(
            "log",
            json!({ "sessionId": "test", "grep": "FAILED", "run": 2 })
        ),
        "[0 matches; 2 lines in all]"
    );
    let poll = model.call("poll", json!({ "sessionId": "test" }));
    has(&poll, &["\ntest FAILED\n[run 2]\ntest passed\n"]);
    let recent = json!({ "sessionId": "test", "sinceTime": "10m", "run": 2 });
    assert_eq!(
        model.call("log", recent),
        "2: test passed\n[2 lines in all]"
    );
}

#[test]
fn models_write_bash_and_pagers_end() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (_, text) =
        model.start("[[ a == a ]] && echo {1..3} && set -o pipefail && echo $PAGER,$GIT_EDITOR");
    has(&text, &["done (exit 0)", "1 2 3", "cat,sh -c"]);
    let sh = json!({ "command": "echo $0", "shell": "sh", "pagers": true });
    has(&model.call("start", sh), &["\nsh\n"]);
    let wrong = json!({ "command": "true", "shell": "no-such-shell" });
    let said = model.mcp.fails("start", wrong);
    has(&said, &["`shell`: no-such-shell", "for example"]);
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

/// Draws as `docker pull` does: one line for each layer, redrawn in its place.
const PULL: &str = r#"
draw() { printf '\033[%dA\033[2K\r%s: %s\r\033[%dB' "$1" "$2" "$3" "$1"; }
for layer in a1 b2 c3 d4 e5; do echo "$layer: Waiting"; done
at=0
while [ $at -lt 300 ]; do
  at=$((at + 1)); up=5
  for layer in a1 b2 c3 d4 e5; do draw $up $layer "Downloading ${at}kB/300kB"; up=$((up - 1)); done
done
up=5; for layer in a1 b2 c3 d4 e5; do draw $up $layer 'Pull complete'; up=$((up - 1)); done
echo 'Status: Downloaded newer image'
"#;

#[test]
fn redrawn_lines_are_shown_as_they_ended() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    std::fs::write(home.scratch("pull"), PULL).unwrap();
    let (_, text) = model.start(&format!("sh {}", home.scratch("pull").display()));
    let layers = ["a1", "b2", "c3", "d4", "e5"].map(|layer| format!("{layer}: Pull complete\n"));
    has(
        &text,
        &["done (exit 0)", &layers.concat(), "Downloaded newer image"],
    );
    model.cost(1, 200);
}

#[test]
fn a_spinner_is_one_line() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let (_, text) = model.start(
        "for i in $(seq 5000); do printf '\\r%s building %d' '|' $i; done; \
         printf '\\r\\033[K'; echo built 5000 files",
    );
    has(&text, &["done (exit 0)", "\nbuilt 5000 files\n"]);
    model.cost(1, 80);
}

#[test]
fn a_line_in_a_hundred_megabytes_takes_two_calls() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    model.mcp.be_patient();
    let command = "line='compiling one of very many files of a program that has grown for years'; \
        yes \"$line\" | head -c 60000000; printf '\\nerror: no such file: config.h\\n'; \
        yes \"$line\" | head -c 40000000; echo; echo '1 error'";
    let text = model.call("start", json!({ "command": command, "wait": true }));
    has(&text, &["done (exit 0)", "left out; log grep:", "1 error"]);
    // The log keeps 64 MiB.
    has(
        &text,
        &[
            "[the lines before ",
            " were dropped: the log keeps no more]\n",
        ],
    );
    let id = text.split(' ').next().unwrap();
    let grep = json!({ "sessionId": id, "grep": "^error" });
    has(
        &model.call("log", grep),
        &[": error: no such file: config.h\n[1 match;"],
    );
    model.cost(2, 2400);
}
