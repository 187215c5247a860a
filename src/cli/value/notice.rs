//! Events of which people are notified.

use crate::protocol::Notice;

/// Parses a value of `--notify`.
pub(crate) fn parse(text: &str) -> Result<Notice, String> {
    Notice::parse(text).ok_or_else(|| format!("needs failed, ready, input or done, not \"{text}\""))
}
