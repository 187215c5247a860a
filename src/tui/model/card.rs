//! The card of a failed job: how it failed, the first line that looks like an error, and whether
//! the previous run failed in the same way. Built from replies of the daemon that are requested
//! once the job is shown in the pane.

use super::ending;
use crate::protocol::reply::LogLines;
use crate::protocol::run::Run;
use crate::protocol::{Ending, Record, Timestamp};
use crate::term::sanitize::clean;
use crate::tui::errors::is_error_like;
use crate::tui::message::CardPart;

/// Number of lines read from the end of a run, where most programs report what went wrong.
pub const LINES: u64 = 2000;

/// Number of last output lines in a report.
const IN_REPORT: usize = 20;

/// What is known about how a job failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// When the run that the card describes ended.
    pub ended_at: Option<Timestamp>,
    /// The run that ended.
    pub run: Option<Run>,
    /// The previous run, if there was one.
    pub before: Option<Run>,
    /// Last lines of its output; `None` if not read yet.
    pub output: Option<Vec<String>>,
    /// The first of these lines that looks like an error.
    pub error: Option<String>,
    /// Whether the previous run failed in the same way; `None` if not known yet.
    pub same: Option<bool>,
    /// The port that was already in use.
    pub port: Option<u16>,
    /// The job that listens on that port.
    pub owner: Option<Owner>,
}

/// The job that listens on a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its name.
    pub name: String,
    /// The pid of its first process.
    pub pid: Option<u32>,
}

impl Owner {
    /// This job.
    pub fn of(record: &Record) -> Self {
        let summary = &record.summary;
        let name = summary.label.as_ref().unwrap_or(&summary.command);
        Self {
            name: clean(name),
            pid: summary.pid,
        }
    }
}

impl Card {
    /// A card that only knows when the job ended.
    pub fn new(ended_at: Option<Timestamp>) -> Self {
        Self {
            ended_at,
            ..Self::default()
        }
    }

    /// Stores the runs and returns the next requests.
    pub fn runs(&mut self, runs: &[Run]) -> Vec<CardPart> {
        self.run = runs.last().cloned();
        self.before = runs
            .len()
            .checked_sub(2)
            .and_then(|at| runs.get(at))
            .cloned();
        match &self.run {
            Some(run) => vec![CardPart::Output(run.run)],
            None => {
                self.refused();
                Vec::new()
            }
        }
    }

    /// Handles a refused request: the card stays without that part.
    pub fn refused(&mut self) {
        self.output.get_or_insert_default();
    }

    /// Stores the output of the run of `command` and returns the next requests.
    pub fn output(&mut self, log: &LogLines, command: &str) -> Vec<CardPart> {
        let lines: Vec<String> = log.lines.iter().map(|line| clean(&line.text)).collect();
        self.error = first_error(&lines);
        let taken = |line: &String| ending::port_in_use(line, command);
        self.port = lines.iter().rev().find_map(taken);
        self.output = Some(lines);
        let mut next = Vec::new();
        if let (Some(run), Some(before)) = (&self.run, &self.before) {
            if (run.exit_code, &run.signal) == (before.exit_code, &before.signal) {
                next.push(CardPart::Before(before.run));
            } else {
                self.same = Some(false);
            }
        }
        next.extend(self.port.map(CardPart::Port));
        next
    }

    /// Stores the output of the previous run, which ended with the same code.
    pub fn before(&mut self, log: &LogLines) {
        let lines: Vec<String> = log.lines.iter().map(|line| clean(&line.text)).collect();
        let error = first_error(&lines);
        self.same = Some(error.as_deref().map(masked) == self.error.as_deref().map(masked));
    }

    /// How the job failed: `exit 1, port 8080 is taken by job web (pid 48213)`.
    pub fn how(&self, record: &Record) -> String {
        let output = self.output.as_deref().unwrap_or_default();
        let words = ending::how_ended(record, output).to_string();
        let Some(port) = self.port else {
            return words;
        };
        let by = match &self.owner {
            Some(Owner {
                name,
                pid: Some(pid),
            }) => format!(" by job {name} (pid {pid})"),
            Some(Owner { name, pid: None }) => format!(" by job {name}"),
            None => String::new(),
        };
        format!("{words}, port {port} is taken{by}")
    }

    /// Comparison with the previous run: `run 3 (run 2 failed the same way)`.
    pub fn compared(&self) -> Option<String> {
        let (run, before) = (self.run.as_ref()?, self.before.as_ref()?);
        let how = match self.same {
            Some(true) => format!("run {} failed the same way", before.run),
            Some(false) if before.exit_code == Some(0) => format!("run {} ended well", before.run),
            Some(false) => match Ending::from(before).known() {
                Some(how) => format!("run {} ended with {how}", before.run),
                None => format!("run {} ended otherwise", before.run),
            },
            None => return Some(format!("run {}", run.run)),
        };
        Some(format!("run {} ({how})", run.run))
    }

    /// The last lines of the output, for a report.
    pub fn tail(&self) -> &[String] {
        let lines = self.output.as_deref().unwrap_or_default();
        let written = lines
            .iter()
            .rposition(|line| !line.trim().is_empty())
            .map_or(0, |at| at + 1);
        let lines = &lines[..written];
        &lines[lines.len().saturating_sub(IN_REPORT)..]
    }
}

fn first_error(lines: &[String]) -> Option<String> {
    let mut errors = lines.iter().filter(|line| is_error_like(line));
    let first = errors.next()?;
    // Python prints the error last, after the traceback.
    let is_start = first.trim_start().starts_with("Traceback ");
    let named = errors.next().filter(|_| is_start);
    Some(named.unwrap_or(first).trim().to_owned())
}

/// The line without its numbers, because times, pids and addresses differ between runs.
fn masked(line: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit();
    let mut out = String::new();
    for c in line.chars() {
        if !is_number(c) {
            out.push(c);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn log(lines: &[&str]) -> LogLines {
        let lines: Vec<_> = lines
            .iter()
            .zip(1..)
            .map(|(text, n)| json!({"n": n, "at": null, "stream": "stdout", "text": text}))
            .collect();
        serde_json::from_value(json!({"lines": lines, "firstLine": 1, "totalLines": 9})).unwrap()
    }

    fn run(number: u32, exit_code: i32) -> Run {
        Run {
            exit_code: Some(exit_code),
            ..Run::begun(number, 0, Timestamp(0))
        }
    }

    #[test]
    fn compares_runs_ignoring_numbers() {
        let mut card = Card::new(None);
        assert_eq!(
            card.runs(&[run(1, 0), run(2, 1), run(3, 1)]),
            [CardPart::Output(3)]
        );
        let next = card.output(&log(&["ok", "12:44:07 error in line 9", "error later"]), "");
        assert_eq!(next, [CardPart::Before(2)]);
        card.before(&log(&["12:01:59 error in line 10"]));
        assert_eq!(
            card.compared().unwrap(),
            "run 3 (run 2 failed the same way)"
        );
        card.before(&log(&["another error"]));
        assert_eq!(card.compared().unwrap(), "run 3 (run 2 ended with exit 1)");
        // The previous run ended with another code, so its output is not read.
        card.runs(&[run(1, 0), run(2, 1)]);
        assert_eq!(card.output(&log(&["error"]), ""), []);
        assert_eq!(card.compared().unwrap(), "run 2 (run 1 ended well)");
    }

    #[test]
    fn names_the_error_instead_of_the_traceback() {
        let mut card = Card::new(None);
        let lines = [
            "start",
            "Traceback (most recent call last):",
            "  File \"x.py\", line 1, in f",
            "OSError: [Errno 98] Address already in use",
        ];
        card.output(&log(&lines), "python3 -m http.server 8765");
        let error = card.error.as_deref();
        assert_eq!(error, Some("OSError: [Errno 98] Address already in use"));
        assert_eq!(card.port, Some(8765));
    }

    #[test]
    fn a_report_contains_the_end_of_the_output() {
        let mut card = Card::new(None);
        let lines: Vec<String> = (1..=30).map(|n| n.to_string()).collect();
        let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        lines.push("");
        card.output(&log(&lines), "");
        assert_eq!(card.tail().len(), IN_REPORT);
        assert_eq!(card.tail().last().unwrap(), "30");
    }
}
