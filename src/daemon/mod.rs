//! Stands in for the daemon until it is merged.

use std::process::ExitCode;

/// Always fails.
pub fn run() -> ExitCode {
    ExitCode::FAILURE
}
