//! `ready` of `start`: how to detect that a job is ready.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Condition, bounds};

/// Default time limit of a probe, in milliseconds.
pub const READY_TIMEOUT_MS: u64 = 30_000;

/// A readiness probe: exactly one of `pattern` and `port`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "Fields")]
#[schemars(!try_from, deny_unknown_fields, extend("allOf" = bounds::of_probe()))]
pub struct Probe {
    /// A line of the run's clean text matches this regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// A process of the job's tree listens on this TCP port.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub port: Option<u16>,
    /// Time, in milliseconds of a run, after which the probe is reported as late (30,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = bounds::MAX_PROBE_MS))]
    pub timeout_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fields {
    pattern: Option<String>,
    port: Option<u16>,
    timeout_ms: Option<u64>,
}

impl TryFrom<Fields> for Probe {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        match (&fields.pattern, fields.port) {
            (Some(_), None) | (None, Some(1..)) => Ok(Self {
                pattern: fields.pattern,
                port: fields.port,
                timeout_ms: fields.timeout_ms,
            }),
            (None, Some(0)) => Err("a port is a number from 1 to 65535"),
            _ => Err("a probe is exactly one of `pattern` and `port`"),
        }
    }
}

impl Probe {
    /// The probe as a condition of `wait`.
    pub fn condition(&self) -> Condition {
        match (&self.pattern, self.port) {
            (Some(pattern), _) => Condition::Pattern(pattern.clone()),
            (None, port) => Condition::Port(port.unwrap_or_default()),
        }
    }

    /// Time, in milliseconds of a run, after which the probe is late.
    pub fn patience_ms(&self) -> u64 {
        self.timeout_ms.unwrap_or(READY_TIMEOUT_MS)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_has_exactly_one_condition() {
        let read = |text: &str| serde_json::from_str::<Probe>(text);
        let probe = read(r#"{"port":80,"pattern":null}"#).unwrap();
        assert_eq!(probe.condition(), Condition::Port(80));
        assert_eq!(probe.patience_ms(), READY_TIMEOUT_MS);
        let probe = read(r#"{"pattern":"up","timeoutMs":5}"#).unwrap();
        assert_eq!(probe.condition(), Condition::Pattern("up".to_owned()));
        assert_eq!(probe.patience_ms(), 5);
        for wrong in [
            "{}",
            r#"{"port":0}"#,
            r#"{"port":65536}"#,
            r#"{"port":1,"pattern":"x"}"#,
            r#"{"port":1,"url":"x"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
