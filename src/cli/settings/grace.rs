//! How long a job has to end when a person stops it.

use std::time::Duration;

use crate::cli::exit::Failure;
use crate::config::duration;

/// The longest grace that the daemon takes.
const LONGEST_GRACE: Duration = Duration::from_secs(600);

/// Milliseconds between the first signal and KILL: what was asked for, else what the configuration says.
pub(in crate::cli) fn grace(asked: Option<Duration>) -> Result<u64, Failure> {
    match asked {
        Some(asked) if asked > LONGEST_GRACE => Err(Failure::Usage(
            "--grace is at most 10m: with a longer one, send the signal and wait: \
             bgproc signal JOB TERM && bgproc wait JOB"
                .to_owned(),
        )),
        Some(asked) => Ok(duration::millis(asked)),
        None => Ok(super::configuration()?.stop_grace_ms()),
    }
}
