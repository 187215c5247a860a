//! Why a job failed, in the words that stand beside its command: `command not found: eslint`.

use super::bash_line;
use crate::cli::output::words;
use crate::client::{host, log_tail};
use crate::protocol::{Record, Status};
use crate::tui::model::ending::how_ended;

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
    how_ended(job, &lines).why
}

/// Whether a shell may have ended with this code because it does not understand its line.
pub(in crate::cli) fn may_be_of_shell(code: Option<i32>) -> bool {
    matches!(code, Some(2 | 127))
}

/// What to do if the line of a failed job needs another shell than the one that has run it.
pub(in crate::cli) fn other_shell(job: &Record) -> Option<String> {
    may_be_of_shell(job.summary.exit_code).then(|| bash_line::lead(job, &last_lines(job)))?
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
        let why = |job: &Record, lines: &[String]| how_ended(job, lines).why;
        assert_eq!(why(&job, &[]).as_deref(), Some("command not found"));
        assert_eq!(
            why(&job, &lines).as_deref(),
            Some("command not found: eslint")
        );
        job.summary.exit_code = Some(1);
        assert_eq!(why(&job, &lines), None, "the state says it");
        job.summary.exit_code = None;
        job.reason = Some("it could not be started: no such directory".to_owned());
        assert_eq!(
            why(&job, &[]).as_deref(),
            Some("it could not be started: no such directory")
        );
        job.summary.status = Status::Done;
        assert_eq!(cause(&job), None);
    }
}
