//! The grace period of jobs that a person stops.

use std::time::Duration;

use crate::cli::exit::Failure;
use crate::protocol::bounds::MAX_WAIT_MS;
use crate::protocol::duration;

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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_grace_period_is_as_long_as_the_daemon_accepts() {
        let minutes = |minutes: u64| grace(Some(Duration::from_secs(60 * minutes)));
        assert_eq!(minutes(30).unwrap(), MAX_WAIT_MS);
        let refused = minutes(31).unwrap_err().to_string();
        assert!(refused.contains("at most 30m"), "{refused}");
    }
}
