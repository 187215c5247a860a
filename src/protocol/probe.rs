//! `ready` of `start`: how to detect that a job is ready.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Condition, bounds};

/// Default time limit of a probe, in milliseconds.
pub const READY_TIMEOUT_MS: u64 = 30_000;

/// Default time between two attempts, in milliseconds.
pub const EVERY_MS: u64 = 500;

/// A readiness probe: exactly one of `pattern`, `port`, `tcp`, `http`, `command`, `file` and `quietMs`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "Unchecked")]
#[schemars(!try_from, deny_unknown_fields, extend("allOf" = bounds::of_probe()))]
pub struct Probe {
    /// A line of the run's clean text matches this regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// A process of the job's tree listens on this TCP port.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub port: Option<u16>,
    /// Something accepts a TCP connection here, as `HOST:PORT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<String>,
    /// A request to this `http:` URL is answered with one of `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
    /// The answers that count (200).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Vec<u16>>,
    /// This shell line ends with exit code 0, in the job's directory and environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// This file exists; a relative path starts at the job's directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Nothing was written for this long, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = bounds::MAX_PROBE_MS))]
    pub quiet_ms: Option<u64>,
    /// Time between two attempts of `tcp`, `http`, `command` and `file`, in milliseconds (500).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = bounds::LEAST_EVERY_MS, max = bounds::MAX_PROBE_MS))]
    pub every_ms: Option<u64>,
    /// Time, in milliseconds of a run, after which the probe is reported as late (30,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = bounds::MAX_PROBE_MS))]
    pub timeout_ms: Option<u64>,
}

/// What a probe looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check<'a> {
    /// The output: this pattern.
    Pattern(&'a str),
    /// The ports of the job's tree: this one.
    Port(u16),
    /// A connection to this `HOST:PORT`.
    Tcp(&'a str),
    /// A request to this URL, and the answers that count.
    Http(&'a str, &'a [u16]),
    /// The exit code of this shell line.
    Command(&'a str),
    /// Whether this file exists.
    File(&'a str),
    /// The time without output, in milliseconds.
    Quiet(u64),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Unchecked {
    pattern: Option<String>,
    port: Option<u16>,
    tcp: Option<String>,
    http: Option<String>,
    status: Option<Vec<u16>>,
    command: Option<String>,
    file: Option<String>,
    quiet_ms: Option<u64>,
    every_ms: Option<u64>,
    timeout_ms: Option<u64>,
}

impl TryFrom<Unchecked> for Probe {
    type Error = String;

    fn try_from(fields: Unchecked) -> Result<Self, String> {
        let probe = Self {
            pattern: fields.pattern,
            port: fields.port,
            tcp: fields.tcp,
            http: fields.http,
            status: fields.status,
            command: fields.command,
            file: fields.file,
            quiet_ms: fields.quiet_ms,
            every_ms: fields.every_ms,
            timeout_ms: fields.timeout_ms,
        };
        match (probe.count(), probe.port) {
            (_, Some(0)) => Err("a port is a number from 1 to 65535".to_owned()),
            (1, _) if probe.status.is_some() && probe.http.is_none() => {
                Err("`status` needs `http`".to_owned())
            }
            (1, _)
                if probe
                    .http
                    .as_ref()
                    .is_some_and(|url| !url.starts_with("http://")) =>
            {
                Err(
                    "`http` is a URL that begins with http://; use `command` with curl for others"
                        .to_owned(),
                )
            }
            (1, _) => Ok(probe),
            _ => Err(format!(
                "a probe is exactly one of {}",
                bounds::PROBES.map(|name| format!("`{name}`")).join(", ")
            )),
        }
    }
}

impl Probe {
    fn count(&self) -> usize {
        let given = [
            self.pattern.is_some(),
            self.port.is_some(),
            self.tcp.is_some(),
            self.http.is_some(),
            self.command.is_some(),
            self.file.is_some(),
            self.quiet_ms.is_some(),
        ];
        given.into_iter().filter(|given| *given).count()
    }

    /// What it looks at. A probe without anything, which cannot be read from JSON, looks for a line.
    pub fn check(&self) -> Check<'_> {
        if let Some(pattern) = &self.pattern {
            Check::Pattern(pattern)
        } else if let Some(port) = self.port {
            Check::Port(port)
        } else if let Some(place) = &self.tcp {
            Check::Tcp(place)
        } else if let Some(url) = &self.http {
            Check::Http(url, self.status.as_deref().unwrap_or(&[200]))
        } else if let Some(line) = &self.command {
            Check::Command(line)
        } else if let Some(path) = &self.file {
            Check::File(path)
        } else if let Some(ms) = self.quiet_ms {
            Check::Quiet(ms)
        } else {
            Check::Pattern("")
        }
    }

    /// The probe as a condition of `wait`, if it is about what the job itself writes and listens on.
    pub fn condition(&self) -> Option<Condition> {
        match self.check() {
            Check::Pattern(pattern) => Some(Condition::Pattern(pattern.to_owned())),
            Check::Port(port) => Some(Condition::Port(port)),
            _ => None,
        }
    }

    /// Whether what it looks at can be lost again. A line stays written, and a job that was quiet is not less ready when
    /// it writes.
    pub fn can_fail_later(&self) -> bool {
        !matches!(self.check(), Check::Pattern(_) | Check::Quiet(_))
    }

    /// Time between two attempts, in milliseconds.
    pub fn every_ms(&self) -> u64 {
        self.every_ms.unwrap_or(EVERY_MS)
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
        assert_eq!(probe.condition(), Some(Condition::Port(80)));
        assert_eq!(probe.patience_ms(), READY_TIMEOUT_MS);
        let probe = read(r#"{"pattern":"up","timeoutMs":5}"#).unwrap();
        assert_eq!(probe.condition(), Some(Condition::Pattern("up".to_owned())));
        assert_eq!(probe.patience_ms(), 5);
        let probe = read(r#"{"http":"http://localhost:3000/","status":[200,204]}"#).unwrap();
        assert_eq!(
            probe.check(),
            Check::Http("http://localhost:3000/", &[200, 204])
        );
        assert_eq!(probe.condition(), None);
        for wrong in [
            "{}",
            r#"{"port":0}"#,
            r#"{"port":65536}"#,
            r#"{"port":1,"pattern":"x"}"#,
            r#"{"port":1,"url":"x"}"#,
            r#"{"port":1,"status":[200]}"#,
            r#"{"http":"https://localhost/"}"#,
            r#"{"everyMs":500}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
