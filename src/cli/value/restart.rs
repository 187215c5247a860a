//! Restart policies as people write them.

use crate::protocol::RestartPolicy;

/// Reads what `--restart` says.
pub(crate) fn parse(text: &str) -> Result<RestartPolicy, String> {
    RestartPolicy::parse(text)
        .ok_or_else(|| format!("wants no, on-failure[:N] or always[:N], not \"{text}\""))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_policy_is_refused_with_those_there_are() {
        assert_eq!(parse("always:3").unwrap().max_retries(), 3);
        assert!(parse("sometimes").unwrap_err().contains("on-failure[:N]"));
    }
}
