//! The result of `project` as text.

use serde_json::Value;

use super::{Asked, array, word};
use crate::protocol::project::GUESSED;

/// A line about the project, one for each job, and what belongs to it.
pub(super) fn state(result: &Value, asked: Asked) -> String {
    let mut lines = vec![head(result)];
    let changes = array(result, "plan").filter(|change| change["change"] != "keep");
    if asked.up && result["settled"] == true {
        // What has been done is told by the jobs.
        let left = changes.filter(|change| !asked.apply || change["change"] != "restart");
        let left = left.filter_map(left_alone);
        lines.extend(left);
    } else {
        lines.extend(changes.map(plan));
    }
    for job in array(result, "jobs") {
        lines.push(line(job));
        if let Some(question) = job["question"].as_str() {
            lines.push(format!("  asks: {question}"));
        }
        let output = job["output"].as_str().unwrap_or_default();
        lines.extend(output.lines().map(|line| format!("  | {line}")));
    }
    let warnings = array(result, "warnings").filter_map(Value::as_str);
    lines.extend(warnings.map(|warning| format!("warning: {warning}")));
    lines.join("\n")
}

fn head(result: &Value) -> String {
    let state = match (&result["up"], &result["settled"], &result["failed"]) {
        (Value::Bool(false), ..) => "down",
        (_, _, Value::Bool(true)) => "up; something failed",
        (_, Value::Bool(false), _) => "up; not settled yet: ask again with op status and waitMs",
        _ => "up; all jobs have settled",
    };
    format!(
        "project {} in {}: {state}",
        word(result, "name"),
        word(result, "dir")
    )
}

/// Says that a job runs on as it was, as `up` leaves it if nothing else is wanted.
fn left_alone(change: &Value) -> Option<String> {
    if change["fate"] == "goesOn" {
        let job = word(change, "job");
        return Some(format!(
            "{job} is not in the file and goes on; prune:true stops it"
        ));
    }
    let is_left = change["change"] == "restart" && change["ended"] != true;
    is_left.then(|| {
        format!(
            "{} runs on as it was{}; apply:true restarts it",
            word(change, "job"),
            in_brackets(change["note"].as_str())
        )
    })
}

fn in_brackets(note: Option<&str>) -> String {
    note.map(|note| format!(" ({note})")).unwrap_or_default()
}

/// `planned: restart api (run changed)`.
fn plan(change: &Value) -> String {
    let note = match change["fate"].as_str() {
        Some("goesOn") => Some("not in the file; it goes on"),
        Some("stopped") => Some("not in the file; it is stopped"),
        Some("scheduleEnds") => Some("not in the file; its schedule ends"),
        _ => change["note"].as_str(),
    };
    let (what, job) = (word(change, "change"), word(change, "job"));
    format!("planned: {what} {job}{}", in_brackets(note))
}

/// `api ready http://localhost:3000 k3v9xq2mwt7b`.
fn line(job: &Value) -> String {
    let mut line = format!("{} {}", word(job, "job"), word(job, "phase"));
    let code = job["exitCode"].as_i64().filter(|code| *code != 0);
    let code = code.map(|code| format!("exit code {code}"));
    let signal = job["signal"].as_str().map(str::to_owned);
    let ends: Vec<String> = code.into_iter().chain(signal).collect();
    for end in &ends {
        line.push_str(&format!(", {end}"));
    }
    let why = job["why"].as_str();
    let why = why.filter(|why| !ends.iter().any(|end| end == why));
    // A service without a probe counts as ready when it listens.
    let listens = why.and_then(|why| why.strip_prefix(GUESSED));
    if let Some(port) = listens {
        line.push_str(&format!(": listens on {port}"));
    } else if let Some(why) = why {
        line.push_str(&format!(": {why}"));
    }
    if let Some(next) = job["nextRun"].as_str() {
        line.push_str(&format!(", next run {next}"));
    }
    let ports = || {
        let ports: Vec<String> = array(job, "ports").map(Value::to_string).collect();
        let is_news = !ports.is_empty() && listens.is_none();
        is_news.then(|| format!("port {}", ports.join(", ")))
    };
    let runs = matches!(
        job["phase"].as_str(),
        Some("ready" | "running" | "starting")
    );
    let place = job["url"].as_str().map(str::to_owned).or_else(ports);
    if let Some(place) = place.filter(|_| runs) {
        line.push_str(&format!(" {place}"));
    }
    if let Some(session) = job["sessionId"].as_str() {
        line.push_str(&format!(" [{session}]"));
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_reply_has_addresses_and_what_failed() {
        let result = json!({
            "name": "shop", "dir": "/src/shop", "up": true, "settled": true, "failed": true,
            "plan": [{"change": "start", "job": "web"}, {"change": "keep", "job": "db"},
                {"change": "restart", "job": "api", "note": "run changed"},
                {"change": "gone", "job": "old", "fate": "goesOn"}],
            "jobs": [
                {"job": "web", "phase": "ready", "url": "http://localhost:3000", "ports": [3000], "sessionId": "k3v9"},
                {"job": "db", "phase": "running", "ports": [5432], "sessionId": "a", "question": "Password:"},
                {"job": "migrate", "phase": "failed", "exitCode": 1, "sessionId": "b", "output": "no such table\nbye"},
                {"job": "api", "phase": "skipped", "why": "needs migrate ok"},
            ],
            "warnings": ["web: odd"],
        });
        let expected = "\
project shop in /src/shop: up; something failed
planned: start web
planned: restart api (run changed)
planned: gone old (not in the file; it goes on)
web ready http://localhost:3000 [k3v9]
db running port 5432 [a]
  asks: Password:
migrate failed, exit code 1 [b]
  | no such table
  | bye
api skipped: needs migrate ok
warning: web: odd";
        let mut asked = Asked::default();
        assert_eq!(state(&result, asked), expected);
        asked.up = true;
        let up = state(&result, asked);
        assert!(!up.contains("planned") && up.contains("web ready"), "{up}");
        let left = "api runs on as it was (run changed); apply:true restarts it";
        assert!(up.contains(left), "{up}");
        let gone = "old is not in the file and goes on; prune:true stops it";
        assert!(up.contains(gone), "{up}");
        asked.apply = true;
        assert!(!state(&result, asked).contains("runs on"));
    }

    #[test]
    fn nothing_is_said_twice_of_a_job() {
        for (job, text) in [
            (
                json!({"job": "web", "phase": "ready", "why": "guessed :8135", "ports": [8135], "sessionId": "a"}),
                "web ready: listens on :8135 [a]",
            ),
            (
                json!({"job": "web", "phase": "ready", "why": "guessed :8135", "url": "http://localhost:8135"}),
                "web ready: listens on :8135 http://localhost:8135",
            ),
            (
                json!({"job": "test", "phase": "failed", "why": "exit code 1", "exitCode": 1}),
                "test failed, exit code 1",
            ),
            (
                json!({"job": "test", "phase": "failed", "why": "SIGKILL", "signal": "SIGKILL"}),
                "test failed, SIGKILL",
            ),
        ] {
            assert_eq!(line(&job), text);
        }
    }
}
