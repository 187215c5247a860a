//! Results as text for a model: one line that says what happened, and then the output unchanged. To
//! keep prompts short, fields that a model rarely needs are left out, and JSON appears only as the
//! value of a rare field.

pub(super) mod carrier;
mod output;
mod project;
mod screen;
mod session;
mod wait;

use serde_json::Value;

use self::output::{captured, exported, log};
use self::session::{killed, listed, started};
use self::wait::{answered, executed, news, waited, written};
use super::catalog::{RARE, SESSION};

/// What the daemon writes in place of lines that it leaves out.
const LEFT_OUT: &str = " left out; log ";

/// What of a request decides how its result is told.
#[derive(Clone, Copy, Default, Debug)]
pub struct Asked {
    /// It has said what to wait for.
    pub until: bool,
    /// It searches a log from its end.
    pub newest: bool,
    /// It starts a line that leaves something running.
    pub background: bool,
    /// It says how many sessions it wants.
    pub limit: bool,
    /// It brings up a project.
    pub up: bool,
    /// It also restarts the jobs of a project whose definition has changed.
    pub apply: bool,
}

/// The text for the result of an action.
pub fn of(action: &str, result: &Value, asked: Asked) -> String {
    let text = match action {
        "start" | "restart" => started(result, asked.background),
        "list" => listed(result, asked.limit),
        "poll" => news(result),
        "log" => log(result, asked.newest),
        "wait" => waited(result),
        "exec" => executed(result),
        "write" | "send_keys" => written(result, asked.until),
        "capture" => captured(result),
        "kill" => killed(result),
        "ask_human" => answered(result),
        "export" => exported(result),
        "project" => project::state(result, asked),
        "hosts" if array(result, "hosts").next().is_none() => "no hosts".to_owned(),
        _ => fields(result),
    };
    match action {
        // It may be a document, which stays as it is.
        "export" | "capture" => text,
        _ => carrier::commands(text),
    }
}

/// A hint for a model: the actions that it names and that have no tool of their own, as calls.
pub(super) fn calls(hint: &str) -> String {
    let tool = SESSION;
    RARE.iter().fold(hint.to_owned(), |hint, action| {
        hint.replace(
            &format!("`{action}`"),
            &format!("`{tool} {{action:\"{action}\"}}`"),
        )
    })
}

/// Any other result: one field per line, without empty fields.
fn fields(result: &Value) -> String {
    let mut lines = Vec::new();
    let mut empty = None;
    for (name, value) in result.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::String(text) => lines.push(format!("{name}: {text}")),
            Value::Array(items) if items.is_empty() => empty = Some(name),
            value => lines.push(format!("{name}: {value}")),
        }
    }
    match (lines.is_empty(), empty) {
        (true, Some(list)) => format!("no {list}"),
        (true, None) => "done".to_owned(),
        (false, _) => lines.join("\n"),
    }
}

/// `head`, the output unchanged unless all of it is blank, and the screen if the result has it.
fn with_output(head: String, result: &Value) -> String {
    let mut text = head;
    let output = result["output"].as_str().unwrap_or_default();
    let screen = &result["screen"];
    let is_blank = output.trim().is_empty();
    if is_blank && !output.is_empty() {
        text.push_str("\n(only blank lines)");
    } else if !is_blank {
        text.push('\n');
        if result["omittedLines"].is_null()
            && let Some(bytes @ 1..) = result["omitted"]["bytes"].as_u64()
            && !output.contains(LEFT_OUT)
        {
            text.push_str(&format!(
                "[{bytes} earlier bytes left out; log shows them]\n"
            ));
        }
        text.push_str(output);
    } else if screen.is_null() {
        // Without the number it is about what was shown before, as the end of a session.
        let wrote = if result["previousStatus"].is_string() {
            result["outputBytes"].as_u64() != Some(0)
        } else {
            result["outputBytes"].as_u64().unwrap_or_default() > 0
        };
        text.push_str(if wrote {
            "\n(nothing new)"
        } else {
            "\n(no output)"
        });
    }
    if screen["text"].is_string() {
        end_line(&mut text);
        text.push_str(&screen::full(screen));
    }
    text
}

/// The text of one session in a result of several. A line that begins as the head of the next session does gets a blank in
/// front: output must not look like another session.
fn without_heads(text: &str) -> String {
    text.replace("\n--- ", "\n --- ")
}

/// The status with exit code or signal.
fn status(result: &Value) -> String {
    let name = word(result, "status");
    match (result["exitCode"].as_i64(), result["signal"].as_str()) {
        (Some(code), _) => format!("{name} (exit {code})"),
        (None, Some(signal)) => format!("{name} ({signal})"),
        (None, None) => name.to_owned(),
    }
}

fn input_state(result: &Value) -> &'static str {
    match result["inputState"].as_str() {
        Some("line") => ", waits for a line of input",
        Some("password") => ", asks for a password",
        Some("raw" | "tui") => ", waits for keys",
        _ => "",
    }
}

/// What else there is to know of a session: that it was restarted, who has ended it, why it is not ready.
fn reason(result: &Value) -> String {
    let reason = result["reason"].as_str();
    reason.map_or_else(String::new, |reason| format!(", {}", calls(reason)))
}

/// What the program reports of itself.
fn reported(result: &Value) -> String {
    let report = &result["report"];
    match (report["state"].as_str(), report["message"].as_str()) {
        (Some(state), Some(message)) => format!(", reports {state}: {message}"),
        (Some(state), None) => format!(", reports {state}"),
        (None, _) => String::new(),
    }
}

/// The progress that the program reports, and what a shell reports of its commands.
fn progress(result: &Value) -> String {
    let shell = &result["shell"];
    let code = shell["exitCode"].as_i64();
    let code = code.map(|code| format!(", its last command had exit {code}"));
    let shell = match shell["activity"].as_str() {
        Some("command") => ", its shell runs a command".to_owned(),
        _ => code.unwrap_or_default(),
    };
    let percent = result["progress"]["percent"].as_u64();
    let percent = percent.map(|percent| format!(", {percent} % done"));
    let state = match result["progress"]["state"].as_str() {
        Some("error") => ", reports an error",
        Some("paused") => ", paused itself",
        _ => "",
    };
    shell + &percent.unwrap_or_default() + state
}

fn command(session: &Value) -> String {
    let mut words = vec![word(session, "command")];
    words.extend(array(session, "args").filter_map(Value::as_str));
    words.join(" ")
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

fn word<'a>(result: &'a Value, name: &str) -> &'a str {
    result[name].as_str().unwrap_or_default()
}

fn array<'a>(result: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + Clone {
    result[name]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::output::HEAD;
    use super::*;

    const UNTIL: Asked = Asked {
        until: true,
        newest: false,
        background: false,
        limit: false,
        up: false,
        apply: false,
    };

    #[test]
    fn a_result_is_a_headline_and_then_the_output() {
        for (action, result, text) in [
            (
                "start",
                json!({"sessionId": "k3v", "status": "running", "pid": 7, "output": "hi\n", "omitted": {"bytes": 0}}),
                "k3v running, pid 7\nhi\n",
            ),
            (
                "start",
                json!({"sessionId": "k3v", "status": "error", "exitCode": 3, "runtimeMs": 1250, "output": ""}),
                "k3v error (exit 3) after 1.2 s\n(no output)",
            ),
            (
                "start",
                json!({"sessionId": "k3v", "status": "running", "pid": 7, "inputState": "password", "output": "Password: "}),
                "k3v running, pid 7, asks for a password\nPassword: ",
            ),
            (
                "poll",
                json!({"status": "running", "inputState": "line", "output": "name? ", "omitted": {"bytes": 9}}),
                "running, waits for a line of input\n[9 earlier bytes left out; log shows them]\nname? ",
            ),
            (
                "wait",
                json!({"outcome": "matched", "matched": {"kind": "pattern", "text": "up 80"}, "elapsedMs": 200, "status": "running", "output": "up 80\n"}),
                "matched: pattern `up 80` after 0.2 s; running\nup 80\n",
            ),
            (
                "wait",
                json!({"outcome": "timeout", "elapsedMs": 3000, "results": [
                    {"sessionId": "a1", "outcome": "running", "status": "running", "inputState": "password", "label": "deploy"},
                    {"sessionId": "b2", "outcome": "running", "status": "running"},
                    {"sessionId": "c3", "outcome": "matched", "matched": {"kind": "exit"}, "elapsedMs": 3000, "status": "done", "exitCode": 0, "output": "ok\n"},
                ]}),
                "timeout after 3.0 s\n--- a1 (deploy): still running, asks for a password\n--- b2: still running\n--- c3: matched: exit; done (exit 0)\nok\n",
            ),
            // Output does not look like another session.
            (
                "wait",
                json!({"outcome": "matched", "matched": {"kind": "exit"}, "elapsedMs": 100, "results": [
                    {"sessionId": "a1", "outcome": "matched", "matched": {"kind": "exit"}, "status": "done", "exitCode": 0, "output": "ok\n--- b2: done (exit 0)\n"},
                    {"sessionId": "b2", "outcome": "running", "status": "running"},
                ]}),
                "matched: exit after 0.1 s\n--- a1: matched: exit; done (exit 0)\nok\n --- b2: done (exit 0)\n\n--- b2: still running",
            ),
            (
                "log",
                json!({"results": [{"sessionId": "a1", "output": "--- b2\nx", "offset": 0, "nextOffset": 8, "totalBytes": 8}]}),
                "--- a1\n --- b2\nx\n[bytes 0 to 8 of 8]",
            ),
            (
                "wait",
                json!({"outcome": "timeout", "elapsedMs": 3000, "status": "running", "reason": "not ready yet", "idleMs": 62_000, "output": ""}),
                "timeout after 3.0 s; running, not ready yet, silent for 62.0 s\n(no output)",
            ),
            (
                "wait",
                json!({"outcome": "timeout", "elapsedMs": 3000, "status": "running", "screenRow": 7, "output": ""}),
                "timeout after 3.0 s; running; row 7 of the screen matches: view:\"screen\" looks there\n(no output)",
            ),
            (
                "wait",
                json!({"outcome": "exited", "elapsedMs": 3000, "results": [
                    {"sessionId": "a1", "outcome": "exited", "status": "done", "exitCode": 0, "output": "",
                     "seenBefore": {"line": 4, "text": "up", "since": "c0"}},
                ]}),
                "exited after 3.0 s\n--- a1: exited; line 4, which you have seen, matches: `up` (since:\"c0\" counts it); done (exit 0)\n(no output)",
            ),
            (
                "write",
                json!({"bytesWritten": 2, "consumed": false, "warnings": ["not_reading"]}),
                "2 bytes typed, not all read yet, warning: the program does not read its input now; what was typed waits",
            ),
            (
                "send_keys",
                json!({"bytesWritten": 1, "consumed": true}),
                "1 byte typed",
            ),
            (
                "start",
                json!({"sessionId": "k3v", "status": "running", "pid": 7, "reason": "restarted once so far", "output": "hi\n"}),
                "k3v running, pid 7, restarted once so far\nhi\n",
            ),
            (
                "list",
                json!({"sessions": [{"sessionId": "k3v", "status": "running", "runtimeMs": 900, "command": "make", "restarts": 3}]}),
                "k3v running, 0.9 s: make, restarted 3 times",
            ),
            (
                "list",
                json!({"sessions": [
                    {"sessionId": "a", "status": "done", "exitCode": 0, "runtimeMs": 100, "command": "one"},
                    {"sessionId": "b", "status": "running", "runtimeMs": 200, "command": "two"},
                    {"sessionId": "c", "status": "error", "exitCode": 1, "runtimeMs": 300, "command": "three"},
                    {"sessionId": "d", "status": "queued", "runtimeMs": 0, "command": "four"},
                ]}),
                "b running, 0.2 s: two\nd queued, 0.0 s: four\nc error (exit 1), 0.3 s: three\na done (exit 0), 0.1 s: one",
            ),
            (
                "exec",
                json!({"outcome": "done", "exitCode": 2, "elapsedMs": 3210, "output": "bad\n"}),
                "exit 2 after 3.2 s\nbad\n",
            ),
            (
                "exec",
                json!({"outcome": "input", "elapsedMs": 100, "inputState": "password", "output": "Password: ", "pending": "a@1@0"}),
                "after 0.1 s it asks for a password [exec pending:\"a@1@0\" waits on]\nPassword: ",
            ),
            (
                "log",
                json!({"matches": [{"n": 5, "text": "bad", "before": ["a"], "after": ["b"]}], "totalLines": 9, "truncated": false}),
                "4- a\n5: bad\n6- b\n[1 match; 9 lines in all]",
            ),
            (
                "log",
                json!({"results": [{"sessionId": "a1", "label": "web", "matches": [{"n": 5, "text": "bad"}], "totalLines": 9}], "unread": ["b2"]}),
                "--- a1 (web)\n5: bad\n[1 match; 9 lines in all]\n[not read, the reply is full: b2]",
            ),
            (
                "log",
                json!({"lines": [{"n": 1, "text": "a"}, {"n": 2, "text": "b"}], "totalLines": 5, "nextLine": 3}),
                "1: a\n2: b\n[5 lines in all; next: fromLine:3]",
            ),
            (
                "log",
                json!({"lines": [{"n": 3, "text": "a"}], "totalLines": 9, "nextLine": 10,
                    "command": {"running": false, "exitCode": 0, "lines": 1}}),
                "3: a\n[exit 0, 1 line]",
            ),
            (
                "log",
                json!({"lines": [{"n": 4, "text": "a"}, {"n": 5, "text": "b"}], "totalLines": 5, "nextLine": 6,
                    "runs": {"last": 2, "shown": [{"run": 1, "line": 4}, {"run": 2, "line": 5}]}}),
                "[run 1]\n4: a\n[run 2]\n5: b\n[5 lines in all]",
            ),
            (
                "log",
                json!({"matches": [{"n": 4, "text": "a"}, {"n": 7, "text": "b"}], "totalLines": 9, "truncated": false,
                    "runs": {"last": 3, "shown": [{"run": 1, "line": 4}, {"run": 3, "line": 7}]}}),
                "[run 1]\n4: a\n[run 3]\n7: b\n[2 matches, 1 of earlier runs: run:3 leaves those out; 9 lines in all]",
            ),
            (
                "log",
                json!({"lines": [], "totalLines": 5, "nextLine": 9}),
                "[5 lines in all, none of them here]",
            ),
            (
                "log",
                json!({"output": "ab", "offset": 0, "nextOffset": 2, "totalBytes": 9}),
                "ab\n[bytes 0 to 2 of 9; next: offset:2]",
            ),
            (
                "ask_human",
                json!({"outcome": "answered", "elapsedMs": 2700, "status": "running", "inputState": "line"}),
                "answered after 2.7 s; running, waits for a line of input",
            ),
            (
                "ask_human",
                json!({"outcome": "answered", "answer": "yes"}),
                "answered; it was not typed, because the program waits for no input:\nyes",
            ),
            (
                "ask_human",
                json!({"outcome": "timeout", "elapsedMs": 5000, "status": "running", "inputState": "password"}),
                "timeout after 5.0 s; running, asks for a password; ask again, go on without the answer, or kill the session",
            ),
            (
                "kill",
                json!({"sessionId": "k3v", "status": "killed", "signal": "SIGTERM", "previousStatus": "running", "output": "x"}),
                "k3v killed (SIGTERM), was running\nx",
            ),
            (
                "clear",
                json!({"clearedBytes": 5, "x": null}),
                "clearedBytes: 5",
            ),
        ] {
            assert_eq!(of(action, &result, UNTIL), text, "{action}");
        }
    }

    #[test]
    fn the_rest_of_the_matches_is_where_the_search_ends() {
        let found = json!({
            "matches": [{"n": 5, "text": "bad", "after": ["worse"]}], "totalLines": 9, "truncated": true,
        });
        let told = |newest| of("log", &found, Asked { newest, ..UNTIL });
        assert!(told(false).ends_with("[1 match, more from line 6 on; 9 lines in all]"));
        assert!(told(true).ends_with("[1 match, more before line 5; 9 lines in all]"));
    }

    #[test]
    fn of_the_sessions_that_have_ended_the_newest_are_listed() {
        let one = |n: usize| {
            let status = if n == 0 { "running" } else { "done" };
            json!({"sessionId": format!("s{n}"), "status": status, "runtimeMs": 100, "command": "x"})
        };
        let sessions: Vec<Value> = (0..30).map(one).collect();
        let counts = json!({"running": 1, "done": 154});
        let list = json!({"sessions": sessions, "counts": counts});
        let told = |limit| of("list", &list, Asked { limit, ..UNTIL });
        let short = told(false);
        assert_eq!(short.lines().count(), 22, "{short}");
        assert!(short.starts_with("s0 running"), "{short}");
        assert!(short.contains("\ns29 done") && short.contains("\ns10 done"));
        assert!(short.ends_with("\n[134 more ended; limit:155 lists them]"));
        assert_eq!(told(true).lines().count(), 30);
    }

    #[test]
    fn a_list_without_hosts_says_so() {
        assert_eq!(of("hosts", &json!({}), UNTIL), "no hosts");
        let hosts = json!({"hosts": [{"name": "gpu1"}]});
        assert!(of("hosts", &hosts, UNTIL).contains("gpu1"));
    }

    #[test]
    fn that_a_session_is_not_ready_is_said_once() {
        let start = json!({
            "sessionId": "k3v", "status": "running", "pid": 7, "ready": false, "reason": "not ready yet",
        });
        let text = of("start", &start, UNTIL);
        assert!(
            text.starts_with("k3v running, pid 7, not ready yet\n"),
            "{text}"
        );
    }

    #[test]
    fn a_failure_is_told_also_to_a_model_that_has_asked_for_nothing_else() {
        let of_outcome = |outcome: &str| {
            json!({
                "bytesWritten": 2, "outcome": outcome, "matched": {"kind": "pattern", "text": "error"},
                "elapsedMs": 300, "status": "running", "output": "error\n",
            })
        };
        let failed = of("write", &of_outcome("failed"), Asked::default());
        let expected = "2 bytes typed; failed: pattern `error` after 0.3 s; running\nerror\n";
        assert_eq!(failed, expected);
        let matched = of("write", &of_outcome("matched"), Asked::default());
        assert_eq!(matched, "2 bytes typed; running\nerror\n");
    }

    #[test]
    fn the_beginning_of_an_export_is_shown() {
        let short = json!({"data": "a\nb", "encoding": "utf8", "bytes": 3});
        assert_eq!(of("export", &short, UNTIL), "a\nb\n[3 characters]");
        let long = json!({"data": "é".repeat(HEAD + 1), "encoding": "utf8", "bytes": 4002});
        let text = of("export", &long, UNTIL);
        assert!(
            text.ends_with("é\n[the first 2000 of 2001 characters; use `path` to write a file]")
        );
        let file = json!({"path": "/tmp/x", "data": null, "bytes": 3});
        assert_eq!(of("export", &file, UNTIL), "bytes: 3\npath: /tmp/x");
    }

    #[test]
    fn a_screen_is_shown_with_its_cursor_below() {
        let screen = json!({
            "text": "~\n~", "rows": 2, "cols": 9, "cursor": {"row": 0, "col": 1, "visible": true},
            "altScreen": true, "title": null, "screenSeq": 4, "changed": true,
        });
        let text = "~\n~\n[cursor row 0 col 1; 9x2; full-screen program; screenSeq 4]";
        assert_eq!(of("capture", &screen, UNTIL), text);
        assert_eq!(
            of("capture", &json!({"changed": false, "screenSeq": 4}), UNTIL),
            "unchanged since screenSeq 4"
        );
    }
}
