//! The results of `log`, `capture` and `export` as text.

use serde_json::Value;

use super::carrier::commands_on;
use super::screen::folded;
use super::{array, end_line, fields, without_heads, word};

/// A part of one log or several. `newest`: of the matches, the newest were wanted.
pub(super) fn log(result: &Value, newest: bool) -> String {
    if result["results"].is_array() {
        several(result, newest)
    } else {
        one(result, newest)
    }
}

/// The logs of several sessions.
fn several(result: &Value, newest: bool) -> String {
    let mut text = String::new();
    for part in array(result, "results") {
        let label = match part["label"].as_str() {
            Some(label) => format!(" ({label})"),
            None => String::new(),
        };
        let own = without_heads(&format!("\n{}\n", one(part, newest)));
        text.push_str(&format!("--- {}{label}{own}", word(part, "sessionId")));
    }
    let unread: Vec<&str> = array(result, "unread").filter_map(Value::as_str).collect();
    match (text.is_empty(), unread.is_empty()) {
        (true, true) => "no session has it".to_owned(),
        (_, true) => text.trim_end().to_owned(),
        (_, false) => format!("{text}[not read, the reply is full: {}]", unread.join(", ")),
    }
}

/// A part of the log of one session.
fn one(result: &Value, newest: bool) -> String {
    if result["lines"].is_array() {
        lines(result)
    } else if result["matches"].is_array() {
        matches(result, newest)
    } else {
        bytes(result)
    }
}

/// A page of lines.
fn lines(result: &Value) -> String {
    let mut text = String::new();
    for line in array(result, "lines") {
        text.push_str(&border(result, &line["n"]));
        let stream = match line["stream"].as_str() {
            Some("stderr") => "! ",
            _ => "",
        };
        text.push_str(&format!("{}: {stream}{}\n", line["n"], word(line, "text")));
    }
    let command = &result["command"];
    let in_all = match command["lines"].as_u64() {
        Some(1) => "1 line".to_owned(),
        Some(count) => format!("{count} lines"),
        None => in_all(result),
    };
    let ended = match (command["running"].as_bool(), command["exitCode"].as_i64()) {
        (Some(true), _) => "still running, ".to_owned(),
        (Some(false), Some(code)) => format!("exit {code}, "),
        (Some(false), None) => "without an exit code, ".to_owned(),
        _ => String::new(),
    };
    let (left_out, rest, lost) = (left_out(result), rest(result), not_kept(result));
    format!("{text}[{ended}{left_out}{in_all}{rest}{lost}]")
}

/// What was found, with the lines around it.
fn matches(result: &Value, newest: bool) -> String {
    let context = |found: &Value| found["before"].is_array() || found["after"].is_array();
    let has_context = array(result, "matches").any(context);
    let mut text = String::new();
    let mut last = 0;
    for found in array(result, "matches") {
        let n = found["n"].as_u64().unwrap_or_default();
        let before = array(found, "before").filter_map(Value::as_str);
        let first = n.saturating_sub(before.clone().count() as u64);
        let border = border(result, &found["n"]);
        if has_context && border.is_empty() && last > 0 && last + 1 < first {
            text.push_str("--\n");
        }
        text.push_str(&border);
        for (n, line) in (first..).zip(before) {
            text.push_str(&format!("{n}- {line}\n"));
        }
        text.push_str(&format!("{n}: {}\n", word(found, "text")));
        for (n, line) in (n + 1..).zip(array(found, "after").filter_map(Value::as_str)) {
            text.push_str(&format!("{n}- {line}\n"));
        }
        last = n + array(found, "after").count() as u64;
    }
    let count = match array(result, "matches").count() {
        1 => "1 match".to_owned(),
        count => format!("{count} matches"),
    };
    let (more, earlier) = (more_matches(result, newest), earlier(result));
    let (in_all, lost) = (in_all(result), not_kept(result));
    format!("{text}[{count}{more}{earlier}; {in_all}{lost}]")
}

/// Where there are more matches.
fn more_matches(result: &Value, newest: bool) -> String {
    if result["truncated"] != true {
        return String::new();
    }
    let mut numbers = array(result, "matches").filter_map(|found| found["n"].as_u64());
    let more = if newest {
        let first = numbers.next();
        first.map(|first| format!(", more before line {first}"))
    } else {
        let last = numbers.last();
        last.map(|last| format!(", more from line {} on", last + 1))
    };
    more.unwrap_or_default()
}

/// A part of the output as it was written.
fn bytes(result: &Value) -> String {
    let mut text = word(result, "output").to_owned();
    end_line(&mut text);
    let (first, next, total) = (
        &result["offset"],
        &result["nextOffset"],
        &result["totalBytes"],
    );
    let rest = if next.as_u64() < total.as_u64() {
        format!("; next: offset:{next}")
    } else {
        String::new()
    };
    format!("{text}[bytes {first} to {next} of {total}{rest}]")
}

fn total_lines(result: &Value) -> u64 {
    result["totalLines"].as_u64().unwrap_or_default()
}

/// How many lines the log has.
fn in_all(result: &Value) -> String {
    match total_lines(result) {
        1 => "1 line in all".to_owned(),
        total => format!("{total} lines in all"),
    }
}

/// The line before the first one of a run, if the session has had several; else nothing.
fn border(result: &Value, n: &Value) -> String {
    let mut shown = array(&result["runs"], "shown");
    shown
        .find(|run| run["line"] == *n)
        .map_or_else(String::new, |run| format!("[run {}]\n", run["run"]))
}

/// How many matches are of earlier runs, and how to have those of the last one only.
fn earlier(result: &Value) -> String {
    let Some(last) = result["runs"]["last"].as_u64() else {
        return String::new();
    };
    let begin = array(&result["runs"], "shown").find(|run| run["run"] == last);
    let begin = begin.and_then(|run| run["line"].as_u64());
    let is_earlier = |found: &&Value| begin.is_none_or(|begin| found["n"].as_u64() < Some(begin));
    match array(result, "matches").filter(is_earlier).count() {
        0 => String::new(),
        count => format!(", {count} of earlier runs: run:{last} leaves those out"),
    }
}

/// Where the lines go on that follow a page.
fn rest(result: &Value) -> String {
    let total = total_lines(result);
    match (result["nextLine"].as_u64(), array(result, "lines").count()) {
        (Some(next), 1..) if next <= total => format!("; next: fromLine:{next}"),
        (_, 0) if total > 0 => ", none of them here".to_owned(),
        _ => String::new(),
    }
}

/// That the beginning of a log was dropped, so that nothing was found there.
fn not_kept(result: &Value) -> String {
    match result["firstLine"].as_u64() {
        Some(first @ 2..) => format!("; lines 1 to {} are not kept any more", first - 1),
        _ => String::new(),
    }
}

/// What a page of lines does not have.
fn left_out(result: &Value) -> String {
    let shown = array(result, "lines").filter_map(|line| line["n"].as_u64());
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

pub(super) fn captured(result: &Value) -> String {
    if result["changed"] == false {
        return format!("unchanged since screenSeq {}", result["screenSeq"]);
    }
    let picture = ["text", "html", "svg"]
        .iter()
        .find_map(|name| result[*name].as_str());
    let cols = result["cols"]
        .as_u64()
        .and_then(|cols| cols.try_into().ok());
    let mut text = match picture {
        Some(text) if result["text"].is_string() && !text.contains('\x1b') => {
            folded(&commands_on(text, cols))
        }
        Some(picture) => picture.to_owned(),
        None if result["cells"].is_array() => result["cells"].to_string(),
        // The picture is beside the text.
        None => String::new(),
    };
    end_line(&mut text);
    for link in array(result, "links") {
        text.push_str(&format!(
            "[link row {}: {} {}]\n",
            link["row"],
            word(link, "text"),
            word(link, "uri")
        ));
    }
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

/// The path of an export, or the beginning of its data. The structured result has all data.
pub(super) fn exported(result: &Value) -> String {
    let Some(data) = result["data"].as_str() else {
        return fields(result);
    };
    let count = data.chars().count();
    let mut text: String = data.chars().take(HEAD).collect();
    end_line(&mut text);
    let more = if count > HEAD {
        format!("the first {HEAD} of {count} characters; use `path` to write a file")
    } else {
        format!("{count} characters")
    };
    let encoding = match word(result, "encoding") {
        "base64" => "base64, ",
        _ => "",
    };
    format!("{text}[{encoding}{more}]")
}

/// Maximum number of characters of an export that are shown.
pub(super) const HEAD: usize = 2000;
