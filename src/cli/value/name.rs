//! The name of a job.

use crate::protocol::name;

/// A name that no target means something else by.
pub(in crate::cli) fn parse_name(text: &str) -> Result<String, String> {
    match name::fault(text) {
        Some(fault) => Err(fault),
        None => Ok(text.to_owned()),
    }
}
