//! Sizes in bytes on the command line.

use crate::protocol::size;

/// Parses a size that is not 0.
pub fn parse(text: &str) -> Result<u64, String> {
    let bytes = size::bytes(text).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| format!("`{text}` is not a size, such as 500M or 32G"))
}
