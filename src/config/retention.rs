//! `[retention]`: how long ended jobs and their logs are kept.

use serde::Deserialize;

use super::value::{U32, time, whole};

/// What the table says; `None`: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// How long a person's ended job is kept at least, in milliseconds; the largest number is for ever.
    #[serde(rename = "people", deserialize_with = "time")]
    pub people_ms: Option<u64>,
    /// A person's ended jobs beyond which those that are older than that go.
    #[serde(deserialize_with = "whole::<0, U32, _, _>")]
    pub people_jobs: Option<u32>,
    /// How long an agent's ended job is kept, in milliseconds.
    #[serde(rename = "agents", deserialize_with = "time")]
    pub agents_ms: Option<u64>,
    /// The same of one that failed.
    #[serde(rename = "agents_failed", deserialize_with = "time")]
    pub agents_failed_ms: Option<u64>,
}
