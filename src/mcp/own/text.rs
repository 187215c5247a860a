//! Results as text for a model: one line that says what happened, and then the output unchanged. To
//! keep prompts short, fields that a model rarely needs are left out, and JSON appears only as the
//! value of a rare field.

use serde_json::Value;

/// Maximum number of characters of an export that are shown.
const HEAD: usize = 2000;

/// What the daemon writes in place of lines that it leaves out.
const LEFT_OUT: &str = " left out; log ";

/// The text for the result of an action. `asked` says whether the request has named what to wait for.
pub fn of(action: &str, result: &Value, asked: bool) -> String {
    match action {
        "start" | "restart" => started(result),
        "list" => listed(result),
        "poll" => news(result),
        "log" => log(result),
        "wait" => waited(result),
        "write" | "send_keys" => written(result, asked),
        "capture" => captured(result),
        "kill" => killed(result),
        "export" => exported(result),
        _ => fields(result),
    }
}

fn started(result: &Value) -> String {
    let mut head = format!("{} {}", word(result, "sessionId"), status(result));
    match result["runtimeMs"].as_u64() {
        Some(ms) => head.push_str(&format!(" after {}", seconds(ms))),
        None => {
            if let Some(pid) = result["pid"].as_u64() {
                head.push_str(&format!(", pid {pid}"));
            }
        }
    }
    if result["reused"] == true {
        head.push_str(", the existing session with this key");
    }
    if result["ready"] == true {
        head.push_str(", ready");
    }
    head.push_str(input_state(result));
    if let Some(ms) = result["timeoutMs"].as_u64() {
        head.push_str(&format!(", will be ended after {}", limit(ms)));
    }
    if result["outcome"].is_string() {
        head.push_str(&format!("; {}", outcome(result)));
    }
    head.push_str(&remaining(result));
    with_output(head, result)
}

/// A time limit in the unit that fits it.
fn limit(ms: u64) -> String {
    match (ms % 3_600_000, ms % 60_000) {
        (0, _) => format!("{} h", ms / 3_600_000),
        (_, 0) => format!("{} min", ms / 60_000),
        _ => seconds(ms),
    }
}

/// The processes that a session has left running.
fn remaining(result: &Value) -> String {
    let left: Vec<&str> = array(result, "remaining")
        .filter_map(Value::as_str)
        .collect();
    match left.len() {
        0 => String::new(),
        1 => format!("; 1 process goes on: {}", left[0]),
        count => format!("; {count} processes go on: {}", left.join(", ")),
    }
}

fn listed(result: &Value) -> String {
    let mut lines = Vec::new();
    for session in array(result, "sessions") {
        let mut line = format!("{} {}", word(session, "sessionId"), status(session));
        for (name, mark) in [("label", "label"), ("group", "group")] {
            if let Some(value) = session[name].as_str() {
                line.push_str(&format!(", {mark} {value}"));
            }
        }
        line.push_str(&format!(
            ", {}: {}",
            seconds(session["runtimeMs"].as_u64().unwrap_or_default()),
            command(session)
        ));
        if session["ready"] == true {
            line.push_str(", ready");
        }
        line.push_str(input_state(session));
        lines.push(line);
        let output = session["output"].as_str().unwrap_or_default();
        lines.extend(output.lines().map(|line| format!("    {line}")));
    }
    if lines.is_empty() {
        return "no sessions".to_owned();
    }
    lines.join("\n")
}

fn news(result: &Value) -> String {
    let head = format!(
        "{}{}{}{}",
        status(result),
        input_state(result),
        remaining(result),
        cursors(result)
    );
    with_output(head, result)
}

/// Where the output begins and ends, for a read that repeats it or goes on after it.
fn cursors(result: &Value) -> String {
    match (result["prevCursor"].as_str(), result["cursor"].as_str()) {
        (Some(before), Some(after)) if before != after => format!(" [{before}..{after}]"),
        _ => String::new(),
    }
}

fn log(result: &Value) -> String {
    let total = result["totalLines"].as_u64().unwrap_or_default();
    let mut text = String::new();
    if result["lines"].is_array() {
        for line in array(result, "lines") {
            let stream = match line["stream"].as_str() {
                Some("stderr") => "! ",
                _ => "",
            };
            text.push_str(&format!("{}: {stream}{}\n", line["n"], word(line, "text")));
        }
        return format!("{text}[{}{total} lines in all]", left_out(result, "lines"));
    }
    if result["matches"].is_array() {
        let context = |found: &Value| found["before"].is_array() || found["after"].is_array();
        let has_context = array(result, "matches").any(context);
        let mut last = 0;
        for found in array(result, "matches") {
            let n = found["n"].as_u64().unwrap_or_default();
            let before = array(found, "before").filter_map(Value::as_str);
            let count = before.clone().count() as u64;
            if has_context && last > 0 && last + 1 < n.saturating_sub(count) {
                text.push_str("--\n");
            }
            for (place, line) in before.enumerate() {
                text.push_str(&format!(
                    "{}- {line}\n",
                    n.saturating_sub(count) + place as u64
                ));
            }
            text.push_str(&format!("{n}: {}\n", word(found, "text")));
            for (place, line) in array(found, "after").filter_map(Value::as_str).enumerate() {
                text.push_str(&format!("{}- {line}\n", n + 1 + place as u64));
            }
            last = n + array(found, "after").count() as u64;
        }
        let more = match result["truncated"] == true {
            true if last > 0 => format!(", more from line {} on", last + 1),
            true => ", and there are more".to_owned(),
            false => String::new(),
        };
        let count = match array(result, "matches").count() {
            1 => "1 match".to_owned(),
            count => format!("{count} matches"),
        };
        return format!("{text}[{count}{more}; {total} lines in all]");
    }
    text.push_str(word(result, "output"));
    end_line(&mut text);
    format!(
        "{text}[bytes {} to {} of {}]",
        result["offset"], result["nextOffset"], result["totalBytes"]
    )
}

/// What a page of lines does not have.
fn left_out(result: &Value, of: &str) -> String {
    let shown = array(result, of).filter_map(|line| line["n"].as_u64());
    let (first, last) = (shown.clone().min(), shown.max());
    match (result["omitted"]["lines"].as_u64(), first, last) {
        (Some(count), Some(first), _) => {
            format!("{count} lines left out before line {first}; ")
        }
        (None, _, Some(last)) if result["omitted"]["bytes"].is_u64() => {
            format!("long lines are cut; last line {last} of ")
        }
        _ => String::new(),
    }
}

fn waited(result: &Value) -> String {
    if !result["results"].is_array() {
        let head = format!(
            "{}{}{}{}",
            verdict(result),
            input_state(result),
            remaining(result),
            cursors(result)
        );
        return with_output(head, result);
    }
    let mut text = verdict(result);
    for one in array(result, "results") {
        let id = word(one, "sessionId");
        let one = match one["outcome"] == "running" {
            true => "still running".to_owned(),
            false => with_output(verdict(one), one),
        };
        text.push_str(&format!("\n--- {id}: {one}"));
    }
    text
}

fn verdict(result: &Value) -> String {
    let mut text = outcome(result);
    text.push_str(&format!(
        " after {}",
        seconds(result["elapsedMs"].as_u64().unwrap_or_default())
    ));
    if result["status"].is_string() {
        text.push_str(&format!("; {}", status(result)));
    }
    text
}

/// The outcome of a wait, and what has matched.
fn outcome(result: &Value) -> String {
    let outcome = word(result, "outcome");
    let matched = &result["matched"];
    let mut text = match (outcome, matched["kind"].as_str()) {
        ("matched" | "failed", Some(kind)) => format!("{outcome}: {kind}"),
        _ => outcome.to_owned(),
    };
    if let Some(line) = matched["text"].as_str() {
        text.push_str(&format!(" `{line}`"));
    }
    if let Some(id) = matched["sessionId"].as_str() {
        text.push_str(&format!(" in {id}"));
    }
    text
}

/// What a program does after its input.
fn reaction(result: &Value) -> String {
    let ms = result["elapsedMs"].as_u64().unwrap_or_default();
    let state = format!(
        "{}{}{}",
        status(result),
        input_state(result),
        remaining(result)
    );
    match (
        result["outcome"].as_str(),
        result["matched"]["kind"].as_str(),
    ) {
        (Some("timeout"), _) => format!("{state}, still busy after {}", seconds(ms)),
        (_, Some("idleMs")) => format!("{state}, quiet after {}", seconds(ms)),
        _ => state,
    }
}

fn written(result: &Value, asked: bool) -> String {
    let mut head = format!("{} bytes typed", result["bytesWritten"]);
    if result["consumed"] == false {
        head.push_str(", not all read yet");
    }
    for warning in array(result, "warnings").filter_map(Value::as_str) {
        head.push_str(&format!(", warning: {warning}"));
    }
    match result["outcome"].is_string() {
        // The model has named no condition: say what it can do now.
        true if !asked => {
            let head = format!("{head}; {}{}", reaction(result), cursors(result));
            with_output(head, result)
        }
        true => format!("{head}; {}", waited(result)),
        false => head,
    }
}

fn captured(result: &Value) -> String {
    if result["changed"] == false {
        return format!("unchanged since screenSeq {}", result["screenSeq"]);
    }
    let picture = ["text", "html", "svg"]
        .iter()
        .find_map(|name| result[*name].as_str());
    let mut text = match picture {
        Some(picture) => picture.to_owned(),
        None => result["cells"].to_string(),
    };
    end_line(&mut text);
    let cursor = &result["cursor"];
    text.push_str(&format!(
        "[cursor row {} col {}",
        cursor["row"], cursor["col"]
    ));
    if cursor["visible"] == false {
        text.push_str(", hidden");
    }
    text.push_str(&format!("; {}x{}", result["cols"], result["rows"]));
    if result["altScreen"] == true {
        text.push_str("; full-screen program");
    }
    if let Some(title) = result["title"].as_str() {
        text.push_str(&format!("; title {title}"));
    }
    text.push_str(&format!("; screenSeq {}]", result["screenSeq"]));
    text
}

fn killed(result: &Value) -> String {
    if result["results"].is_array() {
        let each: Vec<String> = array(result, "results").map(killed).collect();
        return each.join("\n");
    }
    let mut head = format!("{} {}", word(result, "sessionId"), status(result));
    match result["alreadyEnded"] == true {
        true => head.push_str(", had already ended"),
        false => head.push_str(&format!(", was {}", word(result, "previousStatus"))),
    }
    let survivors: Vec<String> = array(result, "survivors").map(Value::to_string).collect();
    if !survivors.is_empty() {
        head.push_str(&format!(
            "; could not be ended: pid {}",
            survivors.join(", ")
        ));
    }
    if result["removed"] == true {
        head.push_str("; removed");
    }
    with_output(head, result)
}

/// The path of an export, or the beginning of its data. The structured result has all data.
fn exported(result: &Value) -> String {
    let Some(data) = result["data"].as_str() else {
        return fields(result);
    };
    let count = data.chars().count();
    let mut text: String = data.chars().take(HEAD).collect();
    end_line(&mut text);
    let more = match count > HEAD {
        true => format!("the first {HEAD} of {count} characters; use `path` to write a file"),
        false => format!("{count} characters"),
    };
    let encoding = match word(result, "encoding") {
        "base64" => "base64, ",
        _ => "",
    };
    format!("{text}[{encoding}{more}]")
}

/// Any other result: one field per line, without empty fields.
fn fields(result: &Value) -> String {
    let mut lines = Vec::new();
    for (name, value) in result.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::String(text) => lines.push(format!("{name}: {text}")),
            Value::Array(items) if items.is_empty() => {}
            value => lines.push(format!("{name}: {value}")),
        }
    }
    match lines.is_empty() {
        true => "done".to_owned(),
        false => lines.join("\n"),
    }
}

/// `head`, the output unchanged, and the screen if the result has it.
fn with_output(head: String, result: &Value) -> String {
    let mut text = head;
    let output = result["output"].as_str().unwrap_or_default();
    let screen = &result["screen"];
    if !output.is_empty() {
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
        let wrote = result["outputBytes"].as_u64().unwrap_or_default() > 0;
        text.push_str(if wrote {
            "\n(nothing new)"
        } else {
            "\n(no output)"
        });
    }
    if let Some(rows) = screen["text"].as_str() {
        end_line(&mut text);
        text.push_str(&format!("screen:\n{rows}"));
        end_line(&mut text);
        text.push_str(&format!(
            "[cursor row {} col {}",
            screen["row"], screen["col"]
        ));
        for part in array(screen, "highlighted") {
            text.push_str(&format!(
                "; highlighted row {}: {}",
                part["row"],
                word(part, "text")
            ));
        }
        text.push(']');
    }
    text
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

    use super::*;

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
                "write",
                json!({"bytesWritten": 2, "consumed": false, "warnings": ["not_reading"]}),
                "2 bytes typed, not all read yet, warning: not_reading",
            ),
            (
                "log",
                json!({"matches": [{"n": 5, "text": "bad", "before": ["a"], "after": ["b"]}], "totalLines": 9, "truncated": false}),
                "4- a\n5: bad\n6- b\n[1 match; 9 lines in all]",
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
            assert_eq!(of(action, &result, true), text, "{action}");
        }
    }

    #[test]
    fn the_beginning_of_an_export_is_shown() {
        let short = json!({"data": "a\nb", "encoding": "utf8", "bytes": 3});
        assert_eq!(of("export", &short, true), "a\nb\n[3 characters]");
        let long = json!({"data": "é".repeat(HEAD + 1), "encoding": "utf8", "bytes": 4002});
        let text = of("export", &long, true);
        assert!(
            text.ends_with("é\n[the first 2000 of 2001 characters; use `path` to write a file]")
        );
        let file = json!({"path": "/tmp/x", "data": null, "bytes": 3});
        assert_eq!(of("export", &file, true), "bytes: 3\npath: /tmp/x");
    }

    #[test]
    fn a_screen_is_shown_with_its_cursor_below() {
        let screen = json!({
            "text": "~\n~", "rows": 2, "cols": 9, "cursor": {"row": 0, "col": 1, "visible": true},
            "altScreen": true, "title": null, "screenSeq": 4, "changed": true,
        });
        let text = "~\n~\n[cursor row 0 col 1; 9x2; full-screen program; screenSeq 4]";
        assert_eq!(of("capture", &screen, true), text);
        assert_eq!(
            of("capture", &json!({"changed": false, "screenSeq": 4}), true),
            "unchanged since screenSeq 4"
        );
    }
}
