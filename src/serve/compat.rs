//! Environment variables of other programs, which bgproc takes for its own settings, so that it can
//! be put in their place without another configuration.

use std::ffi::OsString;

use super::settings::number;
use crate::protocol::bounds::{MAX_CHARS, MAX_WAIT_MS};

/// What the variables of OpenClaw, and of pi (its agent), ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Variables {
    pub(super) yield_ms: Option<u64>,
    pub(super) max_chars: Option<usize>,
    pub(super) ttl_ms: Option<u64>,
}

impl Variables {
    /// Reads them. An invalid value is an error, also where another variable wins over it.
    pub(super) fn read(var: &impl Fn(&str) -> Option<OsString>) -> Result<Self, String> {
        let chars = 1..=MAX_CHARS as u64;
        let older = number(var, "OPENCLAW_BASH_PENDING_MAX_OUTPUT_CHARS", chars.clone())?;
        let chars = number(var, "PI_BASH_MAX_OUTPUT_CHARS", chars)?.or(older);
        Ok(Self {
            yield_ms: number(var, "PI_BASH_YIELD_MS", 0..=MAX_WAIT_MS)?,
            max_chars: chars.and_then(|chars| usize::try_from(chars).ok()),
            ttl_ms: number(var, "PI_BASH_JOB_TTL_MS", 0..=u64::MAX)?,
        })
    }
}
