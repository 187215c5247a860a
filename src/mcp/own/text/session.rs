//! The results of `start`, `restart`, `list` and `kill` as text.

use serde::Deserialize;
use serde_json::Value;

use super::wait::{outcome, warnings};
use super::{
    array, command, input_state, progress, reason, reported, seconds, status, with_output, word,
};
use crate::protocol::Status;
use crate::protocol::reply::UNREADY;

/// How many sessions that have ended are listed unless the request says how many it wants.
const ENDED: usize = 20;

pub(super) fn started(result: &Value, background: bool) -> String {
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
        if result["runtimeMs"].is_u64() {
            head.push_str(" (session restart runs it again)");
        }
    }
    head.push_str(&ready(result));
    head.push_str(&reason(result));
    head.push_str(input_state(result));
    head.push_str(&progress(result));
    if let Some(ms) = result["timeoutMs"].as_u64() {
        head.push_str(&format!(", will be ended after {}", limit(ms)));
    }
    if result["outcome"].is_string() {
        head.push_str(&format!("; {}", outcome(result)));
    }
    let left = remaining(result);
    if background && left.is_empty() && result["runtimeMs"].is_u64() {
        head.push_str("; what it ran with & has ended, too: start that as a session of its own");
    }
    head.push_str(&left);
    head.push_str(&warnings(result));
    with_output(head, result)
}

/// Whether a session is ready, if it has a probe.
fn ready(session: &Value) -> String {
    match session["ready"].as_bool() {
        Some(true) => ", ready".to_owned(),
        // The reason may say it already, among others.
        Some(false) if word(session, "reason").contains(UNREADY) => String::new(),
        Some(false) if session["status"] == "running" => format!(", {UNREADY}"),
        _ => String::new(),
    }
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
pub(super) fn remaining(result: &Value) -> String {
    let left: Vec<&str> = array(result, "remaining")
        .filter_map(Value::as_str)
        .collect();
    match left.len() {
        0 => String::new(),
        1 => format!("; 1 process goes on: {}", left[0]),
        count => format!("; {count} processes go on: {}", left.join(", ")),
    }
}

/// The sessions that have not ended, oldest first, and then the others, newest first: a text that is too long is cut in
/// its middle, and old ends matter least. Of those that have ended only the newest are told, unless the request is
/// limited itself.
pub(super) fn listed(result: &Value, is_limited: bool) -> String {
    let is_finished = |session: &&Value| {
        let status = Status::deserialize(&session["status"]);
        status.is_ok_and(Status::is_finished)
    };
    let (mut sessions, ended): (Vec<_>, Vec<_>) =
        array(result, "sessions").partition(|session| !is_finished(session));
    let most = if is_limited { usize::MAX } else { ENDED };
    let more = has_ended(result).saturating_sub(ended.len().min(most) as u64);
    sessions.extend(ended.into_iter().rev().take(most));
    let mut lines = Vec::new();
    for session in sessions {
        let mut line = format!("{} {}", word(session, "sessionId"), status(session));
        if let Some(why) = session["waiting"].as_str() {
            line.push_str(&format!(" ({why})"));
        }
        for name in ["label", "group", "project"] {
            if let Some(value) = session[name].as_str() {
                line.push_str(&format!(", {name} {value}"));
            }
        }
        line.push_str(&format!(
            ", {}: {}",
            seconds(session["runtimeMs"].as_u64().unwrap_or_default()),
            command(session).replace('\n', " ⏎ ")
        ));
        match session["restarts"].as_u64() {
            None | Some(0) => {}
            Some(1) => line.push_str(", restarted once"),
            Some(count) => line.push_str(&format!(", restarted {count} times")),
        }
        line.push_str(&ready(session));
        line.push_str(input_state(session));
        line.push_str(&reported(session));
        line.push_str(&progress(session));
        lines.push(line);
        let output = session["output"].as_str().unwrap_or_default();
        lines.extend(output.lines().map(|line| format!("    {line}")));
    }
    if lines.is_empty() {
        return "no sessions".to_owned();
    }
    if more > 0 && !is_limited {
        let counts = result["counts"].as_object().into_iter().flatten();
        let all: u64 = counts.filter_map(|(_, count)| count.as_u64()).sum();
        lines.push(format!("[{more} more ended; limit:{all} lists them]"));
    }
    lines.join("\n")
}

/// How many of the sessions that the request means have ended.
fn has_ended(result: &Value) -> u64 {
    let counts = result["counts"].as_object().into_iter().flatten();
    let is_finished =
        |name: &str| Status::deserialize(&Value::from(name)).is_ok_and(Status::is_finished);
    let ended = counts.filter(|(name, _)| is_finished(name));
    ended.filter_map(|(_, count)| count.as_u64()).sum()
}

pub(super) fn killed(result: &Value) -> String {
    if result["results"].is_array() {
        let each: Vec<String> = array(result, "results").map(killed).collect();
        return each.join("\n");
    }
    let mut head = format!("{} {}", word(result, "sessionId"), status(result));
    if result["alreadyEnded"] == true {
        head.push_str(", had already ended")
    } else {
        head.push_str(&format!(", was {}", word(result, "previousStatus")))
    }
    let survivors: Vec<String> = array(result, "survivors").map(Value::to_string).collect();
    if !survivors.is_empty() {
        head.push_str(&format!(
            "; could not be ended: pid {}",
            survivors.join(", ")
        ));
    }
    let killed = array(result, "killedPids").count();
    if result["alreadyEnded"] == true && killed > 0 {
        let what = if killed == 1 { "process" } else { "processes" };
        head.push_str(&format!("; ended {killed} {what} that it left"));
    }
    if result["removed"] == true {
        head.push_str("; removed");
    }
    with_output(head, result)
}
