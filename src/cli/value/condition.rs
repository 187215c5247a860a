//! The conditions of `wait --for`.

use std::time::Duration;

use crate::protocol::Condition;
use crate::protocol::duration;

/// How long a job must write nothing for `quiet` without a time.
const QUIET: Duration = Duration::from_secs(2);

/// Parses the value of `--for`.
pub fn parse(text: &str) -> Result<Condition, String> {
    let (kind, rest) = match text.split_once(':') {
        Some((kind, rest)) => (kind, Some(rest)),
        None => (text, None),
    };
    let pattern = |what: &str| match rest {
        Some(expression) if !expression.is_empty() => match regex::Regex::new(expression) {
            Ok(_) => Ok(expression.to_owned()),
            Err(error) => Err(error.to_string()),
        },
        _ => Err(format!("`{what}` needs a regular expression: {what}:REGEX")),
    };
    match (kind, rest) {
        ("exit", None) => Ok(Condition::Exit(true)),
        ("input", None) => Ok(Condition::Input(true)),
        ("ready", None) => Ok(Condition::Ready(true)),
        ("command", None) => Ok(Condition::Command(true)),
        ("quiet", None) => Ok(Condition::IdleMs(duration::millis(QUIET))),
        ("quiet", Some(time)) => {
            duration::parse(time).map(|time| Condition::IdleMs(duration::millis(time)))
        }
        ("port", Some(port)) => match port.parse() {
            Ok(port @ 1..) => Ok(Condition::Port(port)),
            _ => Err(format!("`{port}` is not a port; write port:8080")),
        },
        ("match", _) => pattern("match").map(Condition::Pattern),
        ("gone", _) => pattern("gone").map(Condition::Gone),
        _ => Err(format!(
            "unknown condition `{text}`; known are exit, ready, command, input, quiet[:TIME], match:REGEX, gone:REGEX, port:N"
        )),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        assert_eq!(parse("exit").unwrap(), Condition::Exit(true));
        assert_eq!(parse("command").unwrap(), Condition::Command(true));
        assert_eq!(parse("quiet").unwrap(), Condition::IdleMs(2000));
        assert_eq!(parse("quiet:500ms").unwrap(), Condition::IdleMs(500));
        assert_eq!(parse("port:80").unwrap(), Condition::Port(80));
        let colon = Condition::Pattern("a:b".to_owned());
        assert_eq!(parse("match:a:b").unwrap(), colon);
        for text in [
            "", "exit:1", "match", "match:", "match:(", "quiet:x", "gone", "lunch", "port",
            "port:0", "port:x", "ready:1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
