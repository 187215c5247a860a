//! The results of `poll`, `wait`, `write` and `send_keys` as text.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::session::remaining;
use super::{
    array, input_state, progress, reason, seconds, status, with_output, without_heads, word,
};
use crate::protocol::Status;

pub(super) fn news(result: &Value) -> String {
    let head = format!(
        "{}{}{}{}{}{}",
        status(result),
        reason(result),
        input_state(result),
        progress(result),
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

pub(super) fn waited(result: &Value) -> String {
    if !result["results"].is_array() {
        let head = format!(
            "{}{}{}{}{}",
            verdict(result),
            input_state(result),
            progress(result),
            remaining(result),
            cursors(result)
        );
        return with_output(head, result);
    }
    let mut text = all_ended(result).unwrap_or_else(|| verdict(result));
    for one in array(result, "results") {
        let id = word(one, "sessionId");
        let label = one["label"].as_str();
        let label = label.map_or_else(String::new, |label| format!(" ({label})"));
        let (reason, input) = (reason(one), input_state(one));
        let one = if one["outcome"] == "running" {
            format!("still running{reason}{input}")
        } else {
            // When it came is not known: it may have been so when the wait began.
            let (outcome, before) = (outcome(one), silent(one) + &seen_before(one));
            let head = format!("{outcome}{before}; {}{reason}{input}", status(one));
            with_output(head, one)
        };
        text.push_str(&format!("\n--- {id}{label}: {}", without_heads(&one)));
    }
    text
}

/// How several sessions have ended, if all have: `all 3 have ended after 4.0 s: 2 done, 1 error`.
fn all_ended(result: &Value) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in array(result, "results") {
        let status = Status::deserialize(&one["status"]).ok();
        let status = status.filter(|status| status.is_finished())?;
        *counts.entry(status.as_str()).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let counts = counts
        .iter()
        .map(|(status, count)| format!("{count} {status}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let after = seconds(result["elapsedMs"].as_u64().unwrap_or_default());
    (all > 1).then(|| format!("all {all} have ended after {after}: {counts}"))
}

fn verdict(result: &Value) -> String {
    let mut text = outcome(result);
    text.push_str(&format!(
        " after {}",
        seconds(result["elapsedMs"].as_u64().unwrap_or_default())
    ));
    if result["status"].is_string() {
        text.push_str(&format!("; {}{}", status(result), reason(result)));
    }
    text + &silent(result) + &seen_before(result)
}

/// After a timeout: for how long nothing was written, if that is longer than the wait.
fn silent(result: &Value) -> String {
    let idle = result["idleMs"].as_u64();
    idle.map_or_else(String::new, |ms| format!(", silent for {}", seconds(ms)))
}

/// After a timeout or the end of the session: what matches elsewhere.
fn seen_before(result: &Value) -> String {
    if let Some(row) = result["screenRow"].as_u64() {
        return format!("; row {row} of the screen matches: view:\"screen\" looks there");
    }
    let before = &result["seenBefore"];
    match before["line"].as_u64() {
        Some(line) => format!(
            "; line {line}, which you have seen, matches: `{}` (since:\"{}\" counts it)",
            word(before, "text"),
            word(before, "since")
        ),
        None => String::new(),
    }
}

/// The outcome of a wait, and what has matched.
pub(super) fn outcome(result: &Value) -> String {
    let outcome = word(result, "outcome");
    let matched = &result["matched"];
    let mut text = match (outcome, matched["kind"].as_str()) {
        ("matched" | "failed", Some(kind)) => format!("{outcome}: {kind}"),
        _ => outcome.to_owned(),
    };
    if let Some(line) = matched["text"].as_str() {
        text.push_str(&format!(" `{line}`"));
    }
    if let Some(code) = matched["exitCode"].as_i64() {
        text.push_str(&format!(", exit {code}"));
    }
    if let Some(id) = matched["sessionId"].as_str() {
        text.push_str(&format!(" in {id}"));
    }
    text
}

/// What is to be known of input.
pub(super) fn warnings(result: &Value) -> String {
    // What was not typed is said otherwise.
    let is_said = |warning: &&str| *warning == "not_reading" && result["notWritten"].is_u64();
    let warnings = array(result, "warnings").filter_map(Value::as_str);
    let warnings = warnings.filter(|warning| !is_said(warning));
    warnings
        .map(|warning| format!(", warning: {}", explained(warning)))
        .collect()
}

/// What a warning means, and what to do about it.
fn explained(warning: &str) -> &str {
    match warning {
        "line_over_4095" => {
            "the terminal keeps 4095 bytes of a line, the rest is lost; write a file instead"
        }
        "not_reading" => "the program does not read its input now; what was typed waits",
        "no_effect" => "the end of input was taken as a key; the program reads on",
        "paste_not_bracketed" => "the program does not know pastes; each line was typed as by hand",
        "label_in_use" => "another running session has this label, so use ids",
        "newline_not_enter" => {
            "the newline was sent as ^J, not as Enter; submit:true or send_keys Enter presses Enter"
        }
        "no_enter" => {
            "Enter was not pressed: the text stands at the prompt; write submit:true presses it"
        }
        warning => warning,
    }
}

/// What a program does after its input.
fn reaction(result: &Value) -> String {
    let ms = result["elapsedMs"].as_u64().unwrap_or_default();
    let matched = &result["matched"];
    let command = match (matched["kind"].as_str(), matched["exitCode"].as_i64()) {
        (Some("command"), Some(code)) => format!("the command ended with exit {code}; "),
        (Some("command"), None) => "the command ended; ".to_owned(),
        _ => String::new(),
    };
    let state = format!(
        "{command}{}{}{}{}",
        status(result),
        reason(result),
        input_state(result),
        remaining(result)
    );
    match (result["outcome"].as_str(), matched["kind"].as_str()) {
        // It may wait for keys since before the input.
        (Some("timeout"), _) if input_state(result).is_empty() => {
            format!("{state}, still busy after {}", seconds(ms))
        }
        (Some("timeout"), _) => format!("{state}, after {}", seconds(ms)),
        (_, Some("idleMs")) => format!("{state}, quiet after {}", seconds(ms)),
        _ => state,
    }
}

/// What became of a question to a person.
pub(super) fn answered(result: &Value) -> String {
    if let Some(answer) = result["answer"].as_str() {
        return format!(
            "answered; it was not typed, because the program waits for no input:\n{answer}"
        );
    }
    let mut text = word(result, "outcome").to_owned();
    if let Some(ms) = result["elapsedMs"].as_u64() {
        text.push_str(&format!(" after {}", seconds(ms)));
    }
    if result["status"].is_string() {
        text.push_str(&format!("; {}{}", status(result), input_state(result)));
    }
    if result["heldBy"].is_object() {
        text.push_str("; the person has the keyboard");
    }
    if result["outcome"] == "timeout" {
        text.push_str("; ask again, go on without the answer, or kill the session");
    }
    text
}

/// How far a command has come that was typed into a shell.
pub(super) fn executed(result: &Value) -> String {
    let after = seconds(result["elapsedMs"].as_u64().unwrap_or_default());
    let head = match (word(result, "outcome"), result["exitCode"].as_i64()) {
        ("done", Some(code)) => format!("exit {code} after {after}"),
        ("done", None) => format!("done after {after}"),
        ("exited", _) => format!("the session has ended: {}", status(result)),
        ("input", _) if !input_state(result).is_empty() => {
            format!("after {after} it{}", &input_state(result)[1..])
        }
        ("notBegun", _) => format!("the shell has not begun it after {after}"),
        _ => format!("still running after {after}"),
    };
    let goes_on = match result["pending"].as_str() {
        Some(pending) => format!(" [exec pending:\"{pending}\" waits on]"),
        None => String::new(),
    };
    with_output(head + &reason(result) + &untold(result) + &goes_on, result)
}

/// That the command before has ended, and how.
fn untold(result: &Value) -> String {
    let before = &result["before"];
    let Some(since) = before["since"].as_str() else {
        return String::new();
    };
    let how = before["exitCode"].as_i64();
    let how = how.map_or_else(String::new, |code| format!(" with exit {code}"));
    format!("; the command before it ended{how}, its output: poll since:\"{since}\"")
}

pub(super) fn written(result: &Value, asked: bool) -> String {
    let mut head = match result["bytesWritten"].as_u64() {
        Some(1) => "1 byte typed".to_owned(),
        count => format!("{} bytes typed", count.unwrap_or_default()),
    };
    if result["consumed"] == false {
        head.push_str(", not all read yet");
    }
    if let Some(rest @ 1..) = result["notWritten"].as_u64() {
        head.push_str(&format!(
            "; the program takes no more: the last {rest} were NOT typed; send them again if it reads on"
        ));
    }
    head.push_str(&warnings(result));
    match result["outcome"].is_string() {
        // The model has not said what to wait for: say what it can do now.
        true if !asked && result["outcome"] != "failed" => {
            let head = format!("{head}; {}{}", reaction(result), cursors(result));
            with_output(head, result)
        }
        true => format!("{head}; {}", waited(result)),
        false => head,
    }
}
