//! The grace period of jobs that a person stops.

use std::time::Duration;

use crate::cli::exit::Failure;
use crate::protocol::bounds::MAX_WAIT_MS;
use crate::protocol::{Summary, duration};

/// The time between the first signal and KILL in milliseconds: `asked`, else the value of the
/// configuration.
pub(in crate::cli) fn grace(asked: Option<Duration>) -> Result<u64, Failure> {
    match asked.map(duration::millis) {
        Some(asked) if asked > MAX_WAIT_MS => Err(Failure::Usage(format!(
            "--grace is at most {}; for a longer one, send the signal and wait: \
             bgproc signal JOB TERM && bgproc wait JOB",
            duration::span(MAX_WAIT_MS)
        ))),
        Some(asked) => Ok(asked),
        None => Ok(super::configuration()?.stop_grace_ms()),
    }
}

/// The time to ask the daemon for: `asked`, else `usual_ms`, that of the configuration. `None`: the job has its time
/// already.
pub(in crate::cli) fn of(job: &Summary, asked: Option<Duration>, usual_ms: u64) -> Option<u64> {
    match asked {
        Some(asked) => Some(duration::millis(asked)),
        None => (!job.has_grace()).then_some(usual_ms),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::Status;

    #[test]
    fn a_grace_period_is_as_long_as_the_daemon_accepts() {
        let minutes = |minutes: u64| grace(Some(Duration::from_secs(60 * minutes)));
        assert_eq!(minutes(30).unwrap(), MAX_WAIT_MS);
        let refused = minutes(31).unwrap_err().to_string();
        assert!(refused.contains("at most 30m"), "{refused}");
    }

    #[test]
    fn a_job_that_is_being_stopped_keeps_its_time_unless_another_one_is_asked_for() {
        let minute = Some(Duration::from_secs(60));
        for (status, asked, expected) in [
            (Status::Running, None, Some(10_000)),
            (Status::Running, minute, Some(60_000)),
            (Status::Stopping, None, None),
            (Status::Stopping, minute, Some(60_000)),
        ] {
            let job = record("a", None, status).summary;
            assert_eq!(of(&job, asked, 10_000), expected, "{status:?} {asked:?}");
        }
    }
}
