//! `restart` of `start`: whether a job is run again after its end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Error, Probe};

/// A restart policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestartPolicy {
    /// The ends after which it is restarted.
    #[serde(default)]
    pub policy: RestartWhen,
    /// Maximum number of restarts in a row (5); 4294967295: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// Pause before the first restart, in milliseconds (1,000). It doubles with each further one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
    /// Longest pause, in milliseconds (60,000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_backoff_ms: Option<u64>,
    /// A run that lasted this long, in milliseconds, resets the count of restarts in a row (60,000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset_ms: Option<u64>,
    /// A run that was ready and has not been for this long, in milliseconds, is ended, which counts as a failure. Needs
    /// `ready` with something that can be lost: `port`, `tcp`, `http`, `command` or `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub unready_ms: Option<u64>,
}

/// The ends after which a job is restarted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RestartWhen {
    /// None.
    #[default]
    Never,
    /// A nonzero exit code, a signal, or a time limit.
    OnFailure,
    /// Any end that was not requested.
    Always,
}

impl RestartPolicy {
    /// `maxRetries` without a limit. The default is 5, so that no agent's job runs for ever unless
    /// requested.
    pub const FOREVER: u32 = u32::MAX;

    /// How many times in a row a job is run again by its policy until it counts as one that does not work, whatever the
    /// limit of the policy is: as many as the usual limit.
    pub const KEEPS_ENDING: u32 = 5;

    /// Parses a policy as people write it: `no`, `on-failure`, `on-failure:3`, `always`,
    /// `always:3`.
    pub fn parse(text: &str) -> Option<Self> {
        let (word, count) = match text.split_once(':') {
            Some((word, count)) => (word, Some(count.parse().ok()?)),
            None => (text, None),
        };
        let (policy, max_retries) = match (word, count) {
            ("no", None) => (RestartWhen::Never, None),
            ("on-failure", count) => (RestartWhen::OnFailure, count),
            ("always", count) => (RestartWhen::Always, count.or(Some(Self::FOREVER))),
            _ => return None,
        };
        Some(Self {
            policy,
            max_retries,
            ..Self::default()
        })
    }

    /// The policy in the form that people write.
    pub fn word(&self) -> String {
        match (self.policy, self.max_retries) {
            (RestartWhen::Never, _) => "no".to_owned(),
            (RestartWhen::Always, Some(Self::FOREVER)) => "always".to_owned(),
            (RestartWhen::Always, _) => format!("always:{}", self.max_retries()),
            (RestartWhen::OnFailure, None) => "on-failure".to_owned(),
            (RestartWhen::OnFailure, Some(n)) => format!("on-failure:{n}"),
        }
    }

    /// Checks that the policy can take effect on a session with this probe.
    ///
    /// # Errors
    ///
    /// `invalid_params` if `unreadyMs` is 0, or cannot have an effect.
    pub fn check(&self, ready: Option<&Probe>) -> Result<(), Error> {
        let Some(ms) = self.unready_ms else {
            return Ok(());
        };
        let needs = if ms == 0 {
            "is at least 1, not 0"
        } else if self.policy == RestartWhen::Never {
            "needs the `policy` on-failure or always"
        } else if !ready.is_some_and(Probe::can_fail_later) {
            "needs `ready` with something that can be lost: `port`, `tcp`, `http`, `command` or `file`"
        } else {
            return Ok(());
        };
        Err(Error::invalid(format!("`restart.unreadyMs` {needs}")))
    }

    /// Maximum number of restarts in a row.
    pub fn max_retries(&self) -> u32 {
        self.max_retries.unwrap_or(5)
    }

    /// Pause before the first restart, in milliseconds.
    pub fn backoff_ms(&self) -> u64 {
        self.backoff_ms.unwrap_or(1000)
    }

    /// Longest pause, in milliseconds, unless the first pause is longer.
    pub fn longest_backoff_ms(&self) -> u64 {
        self.longest_backoff_ms.unwrap_or(60_000)
    }

    /// A run that lasted this long, in milliseconds, counts as a success. Docker uses 10 s, but a server may
    /// well take that long to fail.
    pub fn reset_ms(&self) -> u64 {
        self.reset_ms.unwrap_or(60_000)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_without_readiness_needs_a_policy_and_a_probe_that_can_fail() {
        let policy = |policy, unready_ms| RestartPolicy {
            policy,
            unready_ms: Some(unready_ms),
            ..RestartPolicy::default()
        };
        let port = Probe {
            port: Some(80),
            ..Probe::default()
        };
        let line = Probe {
            pattern: Some("up".to_owned()),
            ..Probe::default()
        };
        for (when, ms, ready, is_valid) in [
            (RestartWhen::OnFailure, 1, Some(&port), true),
            (RestartWhen::Always, 1, Some(&port), true),
            (RestartWhen::Always, 0, Some(&port), false),
            (RestartWhen::Never, 1, Some(&port), false),
            (RestartWhen::Always, 1, Some(&line), false),
            (RestartWhen::Always, 1, None, false),
        ] {
            assert_eq!(policy(when, ms).check(ready).is_ok(), is_valid, "{when:?}");
        }
        RestartPolicy::default().check(None).unwrap();
    }

    #[test]
    fn policies_are_parsed_and_printed_in_the_same_form() {
        for text in ["no", "on-failure", "on-failure:3", "always", "always:3"] {
            assert_eq!(RestartPolicy::parse(text).unwrap().word(), text);
        }
        let always = RestartPolicy::parse("always").unwrap();
        assert_eq!(always.max_retries(), RestartPolicy::FOREVER);
        assert_eq!(RestartPolicy::parse("on-failure").unwrap().max_retries(), 5);
        for text in [
            "",
            "never",
            "always:",
            "on-failure:",
            "on-failure:x",
            "no:1",
        ] {
            assert_eq!(RestartPolicy::parse(text), None, "{text}");
        }
        // The form that agents use: five retries by default.
        let policy = RestartWhen::Always;
        let asked = RestartPolicy {
            policy,
            ..RestartPolicy::default()
        };
        assert_eq!(asked.word(), "always:5");
    }
}
