//! Why a job failed, in the words that stand beside its command: `command not found: eslint`.

use crate::cli::output::words;
use crate::client::{host, log_tail};
use crate::protocol::{Record, Status};
use crate::tui::model::ending;

/// Bytes at the end of a log in which the line of the shell is looked for.
const TAIL: u64 = 4096;

/// What is known beyond the state of a failed job. `None` if the state says it all.
pub(in crate::cli) fn cause(job: &Record) -> Option<String> {
    if job.summary.status != Status::Error {
        return words::ended_early(&job.summary);
    }
    // Only a shell says what it did not find or could not execute.
    let lines = match job.summary.exit_code {
        Some(126 | 127) => last_lines(job),
        _ => Vec::new(),
    };
    words_of(job, &lines)
}

/// The same with the last lines of the job's output.
fn words_of(job: &Record, lines: &[String]) -> Option<String> {
    let said = ending::words(job, lines);
    match said.strip_prefix(&words::state(&job.summary).0) {
        Some(rest) => rest.strip_prefix(", ").map(str::to_owned),
        None => Some(said),
    }
}

/// The last lines of the log, if it is on this machine.
fn last_lines(job: &Record) -> Vec<String> {
    let is_here = host::chosen().is_none() && job.summary.session_id.host().is_none();
    let tail = is_here.then(|| log_tail(&job.summary.session_id, TAIL));
    // A job of a cluster has its log elsewhere.
    let bytes = tail.and_then(Result::ok).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;

    #[test]
    fn a_command_that_was_not_found_is_named() {
        let lines = ["sh: 1: old: not found", "sh: 1: eslint: not found"].map(str::to_owned);
        let mut job = record("a", Some("lint"), Status::Error);
        job.summary.exit_code = Some(127);
        assert_eq!(words_of(&job, &[]).as_deref(), Some("command not found"));
        assert_eq!(
            words_of(&job, &lines).as_deref(),
            Some("command not found: eslint")
        );
        job.summary.exit_code = Some(1);
        assert_eq!(words_of(&job, &lines), None, "the state says it");
        job.summary.status = Status::Done;
        assert_eq!(cause(&job), None);
    }
}
