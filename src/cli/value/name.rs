//! The name of a job.

use crate::protocol::name;

/// Parses a name that cannot be confused with another kind of target.
pub(in crate::cli) fn parse_name(text: &str) -> Result<String, String> {
    match name::fault(text) {
        Some(fault) => Err(fault),
        None => Ok(text.to_owned()),
    }
}
