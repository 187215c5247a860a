//! How long an ended job is kept.

use crate::protocol::duration;

/// The value of `--keep`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// This long, in milliseconds.
    For(u64),
    /// Until it is removed.
    Forever,
}

/// Parses `7d` or `forever`.
pub(crate) fn parse(text: &str) -> Result<Keep, String> {
    Ok(match duration::parse_or_forever(text)? {
        u64::MAX => Keep::Forever,
        ms => Keep::For(ms),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_or_forever() {
        assert_eq!(parse("2h"), Ok(Keep::For(7_200_000)));
        assert_eq!(parse("forever"), Ok(Keep::Forever));
        assert!(parse("always").is_err());
    }
}
