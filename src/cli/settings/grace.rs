//! The grace period of jobs that a person stops.

use std::time::Duration;

use crate::cli::exit::Failure;
use crate::protocol::duration;

/// The longest grace period that the daemon accepts.
const LONGEST_GRACE: Duration = Duration::from_secs(600);

/// The time between the first signal and KILL in milliseconds: `asked`, else the value of the
/// configuration.
pub(in crate::cli) fn grace(asked: Option<Duration>) -> Result<u64, Failure> {
    match asked {
        Some(asked) if asked > LONGEST_GRACE => Err(Failure::Usage(
            "--grace is at most 10m; for a longer one, send the signal and wait: \
             bgproc signal JOB TERM && bgproc wait JOB"
                .to_owned(),
        )),
        Some(asked) => Ok(duration::millis(asked)),
        None => Ok(super::configuration()?.stop_grace_ms()),
    }
}
