//! Restart policies.

use crate::protocol::RestartPolicy;

/// Parses the value of `--restart`.
pub(crate) fn parse(text: &str) -> Result<RestartPolicy, String> {
    RestartPolicy::parse(text)
        .ok_or_else(|| format!("needs no, on-failure[:N] or always[:N], not \"{text}\""))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_policy_is_refused_and_the_known_ones_are_listed() {
        assert_eq!(parse("always:3").unwrap().max_retries(), 3);
        assert!(parse("sometimes").unwrap_err().contains("on-failure[:N]"));
    }
}
