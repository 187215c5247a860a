//! Restart policies as people write them.

use crate::protocol::RestartPolicy;
use crate::protocol::policy::RestartWhen;

/// Reads what `--restart` says.
pub(super) fn parse(text: &str) -> Result<RestartPolicy, String> {
    let (word, count) = match text.split_once(':') {
        Some((word, count)) => (word, Some(count)),
        None => (text, None),
    };
    let wrong = || format!("`{text}` is no restart policy; known: no, on-failure[:N], always");
    let policy = match (word, count) {
        ("no", None) => RestartWhen::Never,
        ("on-failure", _) => RestartWhen::OnFailure,
        ("always", None) => RestartWhen::Always,
        _ => return Err(wrong()),
    };
    let max_retries = count.map(str::parse).transpose().map_err(|_| wrong())?;
    Ok(RestartPolicy {
        policy,
        max_retries,
        backoff_ms: None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_read() {
        assert_eq!(parse("no").unwrap().policy, RestartWhen::Never);
        assert_eq!(parse("always").unwrap().policy, RestartWhen::Always);
        let three = parse("on-failure:3").unwrap();
        assert_eq!(
            (three.policy, three.max_retries()),
            (RestartWhen::OnFailure, 3)
        );
        assert_eq!(parse("on-failure").unwrap().max_retries(), 5);
        for text in [
            "",
            "never",
            "always:3",
            "on-failure:",
            "on-failure:x",
            "no:1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
