//! Ends that the exit code alone does not explain: a job that was lost, that reached a limit, that could not be started,
//! that was stopped before it ran, or that a signal has ended.

use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::cli::output::{note, words};
use crate::protocol::run::EndedByKind;
use crate::protocol::{Record, SessionId, Status};
use crate::term::sanitize::clean;

/// How a reason goes on after `it` that explains an end.
const EXPLAIN: [&str; 3] = ["reached its ", "could not be started", "was not ready "];

/// Whether an end is perhaps not explained by the exit code.
pub(in crate::cli) fn is_sudden(status: Status, code: Option<i32>, signal: Option<&str>) -> bool {
    // One that was killed without a signal has not run.
    let has_no_code = matches!(status, Status::Error | Status::Killed) && code.is_none();
    matches!(status, Status::Lost | Status::TimedOut) || has_no_code || signal.is_some()
}

/// Tells how a job ended that somebody has waited for, if the exit code does not explain it.
pub(in crate::cli) fn tell(ctx: &mut Context, id: &SessionId) -> Result<(), Failure> {
    let record = ctx.record(id, false)?;
    if let Some(told) = sentence(&record) {
        note(&told);
    }
    Ok(())
}

/// `web was ended by SIGSEGV, core dumped`. `None` after an end that somebody wanted: by a stop, or by Ctrl-C.
fn sentence(record: &Record) -> Option<String> {
    let job = &record.summary;
    let name = words::name(job);
    let reason = record.reason.as_deref().map(clean);
    if job.status == Status::Lost {
        return Some(match reason {
            Some(why) => format!("{name} was lost: {why}"),
            None => format!("{name} was lost"),
        });
    }
    if words::was_stopped_before_it_ran(job) {
        return Some(match reason {
            Some(why) => format!("{name} has not run: {why}"),
            None => format!("{name} has not run"),
        });
    }
    // `it reached its time limit of 1 s (SIGTERM)`
    let did = reason.as_deref().and_then(|why| why.strip_prefix("it "));
    let explains = |did: &&str| EXPLAIN.iter().any(|how| did.starts_with(how));
    if let Some(did) = did.filter(explains) {
        return Some(format!("{name} {did}"));
    }
    if job.status == Status::TimedOut {
        return Some(format!("{name} reached its time limit"));
    }
    let signal = job.signal.as_deref().filter(|signal| *signal != "SIGINT")?;
    let by = record.ended_by.as_ref().map(|by| by.kind);
    if by.is_some_and(|by| by != EndedByKind::Itself) {
        return None;
    }
    // It says more, for example that a core was dumped.
    let how = reason.filter(|why| why.starts_with(signal));
    let how = how.unwrap_or_else(|| signal.to_owned());
    Some(format!("{name} was ended by {how}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::run::EndedBy;

    #[test]
    fn ends_that_nobody_wanted_are_told() {
        let said = |status, signal: Option<&str>, reason: &str, by| {
            let mut job = record("a", Some("web"), status);
            job.summary.signal = signal.map(str::to_owned);
            job.reason = Some(reason.to_owned());
            job.ended_by = Some(EndedBy::of(by));
            let has_run = status != Status::Killed || signal.is_some();
            job.summary.started_at = has_run.then(words::now);
            sentence(&job)
        };
        let term = Some("SIGTERM");
        for (status, signal, reason, by, expected) in [
            (
                Status::TimedOut,
                term,
                "it reached its time limit of 1 s (SIGTERM)",
                EndedByKind::Timeout,
                Some("web reached its time limit of 1 s (SIGTERM)"),
            ),
            (
                Status::Error,
                Some("SIGSEGV"),
                "SIGSEGV, core dumped",
                EndedByKind::Itself,
                Some("web was ended by SIGSEGV, core dumped"),
            ),
            (
                Status::Error,
                Some("SIGKILL"),
                "it reached its limit `memory` (SIGKILL)",
                EndedByKind::Limit,
                Some("web reached its limit `memory` (SIGKILL)"),
            ),
            (
                Status::Error,
                None,
                "it could not be started: No such file or directory (os error 2)",
                EndedByKind::Itself,
                Some("web could not be started: No such file or directory (os error 2)"),
            ),
            (
                Status::Lost,
                None,
                "its keeper was killed",
                EndedByKind::Itself,
                Some("web was lost: its keeper was killed"),
            ),
            (
                Status::Killed,
                None,
                "it was cancelled (Slurm)",
                EndedByKind::Itself,
                Some("web has not run: it was cancelled (Slurm)"),
            ),
            (
                Status::Killed,
                term,
                "a person ended it (SIGTERM)",
                EndedByKind::Human,
                None,
            ),
            (
                Status::Error,
                Some("SIGINT"),
                "SIGINT",
                EndedByKind::Itself,
                None,
            ),
        ] {
            let told = said(status, signal, reason, by);
            assert_eq!(told.as_deref(), expected, "{reason}");
        }
    }
}
