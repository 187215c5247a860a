//! Who the agent is and what it may do: flags, then environment, then file.

use std::ffi::OsString;

use super::compat::Variables;
use crate::client::greeting::with_surroundings;
use crate::config::Config;
use crate::protocol::hello::{Defaults, OnDisconnect, Policy, Replies};
use crate::protocol::{Greeting, Role, Scope};

/// The flags of `--serve`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// The scope. `None`: that of `BGPROC_SCOPE`, else a fresh one.
    pub scope: Option<String>,
    /// Allow only actions that change nothing.
    pub read_only: bool,
    /// Programs that may be started. `None`: any.
    pub allow: Option<Vec<String>>,
    /// Form of the replies.
    pub replies: Replies,
    /// What happens to the agent's sessions when it disconnects.
    pub on_disconnect: OnDisconnect,
    /// Maximum number of running sessions of its scope.
    pub max_sessions: Option<u32>,
    /// The hosts that it may reach. `None`: those that the configuration opens to agents.
    pub hosts: Option<Vec<String>>,
}

/// Builds the greeting of `--serve`. The error describes an invalid value.
pub fn greeting(
    flags: Flags,
    var: impl Fn(&str) -> Option<OsString>,
    config: &Config,
) -> Result<Greeting, String> {
    let scope = match flags.scope {
        Some(name) => Some(("--scope", name)),
        None => text(&var, "BGPROC_SCOPE")?.map(|name| ("BGPROC_SCOPE", name)),
    };
    let other = Variables::read(&var)?;
    let defaults = Defaults {
        yield_ms: other.yield_ms.or(config.yield_ms),
        max_chars: other.max_chars.or(config.max_output_chars),
        ttl_ms: other.ttl_ms.or(config.ttl_ms),
        timeout_ms: config
            .timeout_sec
            .map(|seconds| seconds.saturating_mul(1000)),
        shell: config.shell.clone(),
        pagers: config.pagers,
    };
    Ok(with_surroundings(Greeting {
        role: Role::Agent,
        scope: scope
            .map(|(from, name)| parse_scope(from, &name))
            .transpose()?,
        replies: flags.replies,
        defaults,
        policy: Policy {
            read_only: flags.read_only,
            allow: flags.allow.map(|names| {
                let names = names.iter().map(|name| name.trim().to_owned());
                names.filter(|name| !name.is_empty()).collect()
            }),
            on_disconnect: flags.on_disconnect,
            max_sessions: flags.max_sessions.or(config.max_sessions_per_scope),
            hosts: flags.hosts,
        },
        ..Greeting::default()
    }))
}

fn parse_scope(from: &str, name: &str) -> Result<Scope, String> {
    Scope::named(name).ok_or_else(|| {
        format!(
            "{from}: `{name}` is not a valid scope; use 1 to 64 letters, digits or ._:@/-, but not `human`"
        )
    })
}

/// The value of a variable; an empty one counts as unset.
fn text(var: &impl Fn(&str) -> Option<OsString>, name: &str) -> Result<Option<String>, String> {
    match var(name).map(OsString::into_string) {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some(value).filter(|value| !value.is_empty())),
        Some(Err(_)) => Err(format!("{name} is not UTF-8")),
    }
}

/// A variable's value as a number within `range`; unset and empty are the same.
pub(super) fn number(
    var: &impl Fn(&str) -> Option<OsString>,
    name: &str,
    range: std::ops::RangeInclusive<u64>,
) -> Result<Option<u64>, String> {
    let Some(value) = text(var, name)? else {
        return Ok(None);
    };
    match value.trim().parse() {
        Ok(number) if range.contains(&number) => Ok(Some(number)),
        _ => {
            let (least, most) = (range.start(), range.end());
            let bounds = if *most == u64::MAX {
                format!("an integer from {least}")
            } else {
                format!("an integer from {least} to {most}")
            };
            Err(format!("{name}=`{value}` is wrong; it needs {bounds}"))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn with(flags: Flags, vars: &[(&str, &str)], config: &Config) -> Result<Greeting, String> {
        let var = |name: &str| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        };
        greeting(flags, var, config)
    }

    #[test]
    fn the_environment_wins_over_the_file_and_a_flag_over_both() {
        let config = Config {
            yield_ms: Some(1),
            ttl_ms: Some(2),
            max_output_chars: Some(3),
            timeout_sec: Some(4),
            ..Config::default()
        };
        let vars = [
            ("PI_BASH_YIELD_MS", "10"),
            ("PI_BASH_MAX_OUTPUT_CHARS", "30"),
            ("OPENCLAW_BASH_PENDING_MAX_OUTPUT_CHARS", "31"),
            ("BGPROC_SCOPE", "from-env"),
        ];
        let greeting = with(Flags::default(), &vars, &config).unwrap();
        assert_eq!(greeting.role, Role::Agent);
        let expected = Defaults {
            yield_ms: Some(10),
            max_chars: Some(30),
            ttl_ms: Some(2),
            timeout_ms: Some(4000),
            ..Defaults::default()
        };
        assert_eq!(greeting.defaults, expected);
        assert_eq!(greeting.scope.unwrap().as_str(), "from-env");
        let flags = Flags {
            scope: Some("from-flag".to_owned()),
            ..Flags::default()
        };
        let greeting = with(flags, &vars[2..], &config).unwrap();
        assert_eq!(greeting.scope.unwrap().as_str(), "from-flag");
        assert_eq!(greeting.defaults.max_chars, Some(31));
    }

    #[test]
    fn a_wrong_value_is_named() {
        for (name, value) in [
            ("PI_BASH_YIELD_MS", "soon"),
            ("PI_BASH_YIELD_MS", "-1"),
            ("PI_BASH_YIELD_MS", "1800001"),
            ("PI_BASH_JOB_TTL_MS", "1e3"),
            ("PI_BASH_MAX_OUTPUT_CHARS", "0"),
            ("PI_BASH_MAX_OUTPUT_CHARS", "262145"),
            ("OPENCLAW_BASH_PENDING_MAX_OUTPUT_CHARS", "x"),
            ("BGPROC_SCOPE", "human"),
            ("BGPROC_SCOPE", "a b"),
        ] {
            let error = with(Flags::default(), &[(name, value)], &Config::default());
            assert!(error.unwrap_err().contains(name), "{name}={value}");
        }
    }

    #[test]
    fn empty_is_unset() {
        let vars = [("PI_BASH_YIELD_MS", ""), ("BGPROC_SCOPE", "")];
        let greeting = with(Flags::default(), &vars, &Config::default()).unwrap();
        assert_eq!((greeting.scope, greeting.defaults.yield_ms), (None, None));
    }
}
