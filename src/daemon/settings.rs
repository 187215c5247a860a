//! The settings of the daemon, from the configuration file.

use crate::config::Config;
use crate::engine::registry::Caps;
use crate::engine::retention::Retention;
use crate::protocol::bounds::USUAL_SESSIONS;

/// Milliseconds between the signal at a time limit and SIGKILL, unless the client gives another value.
pub(super) const TIMEOUT_GRACE_MS: u64 = 5000;

/// Settings in force; values that are not configured have their defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// Maximum number of running sessions of one scope.
    pub(super) scope_sessions: u32,
    /// Maximum number of running sessions in total, and how many finished ones are kept for how long.
    pub(super) caps: Caps,
    /// Bytes of log kept per session.
    pub(super) log_bytes: u64,
    /// Bytes of log kept for all sessions together.
    pub(super) total_log_bytes: u64,
    /// The shell line by which people are notified.
    pub(super) notify_command: Option<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            scope_sessions: 50,
            caps: Caps {
                total: USUAL_SESSIONS,
                retention: Retention::default(),
            },
            log_bytes: 64 << 20,
            total_log_bytes: 2 << 30,
            notify_command: None,
        }
    }
}

impl Settings {
    /// Takes the values of a configuration, and defaults for those it does not set.
    pub(super) fn new(config: &Config) -> Self {
        let usual = Self::default();
        Self {
            scope_sessions: config
                .max_sessions_per_scope
                .unwrap_or(usual.scope_sessions),
            caps: Caps {
                total: config.max_sessions.unwrap_or(usual.caps.total),
                retention: retention(config, usual.caps.retention),
            },
            log_bytes: config.log_bytes.unwrap_or(usual.log_bytes),
            total_log_bytes: config.total_log_bytes.unwrap_or(usual.total_log_bytes),
            // The settings are read once.
            notify_command: config.notify_command.clone().map(|line| &*line.leak()),
        }
    }
}

fn retention(config: &Config, usual: Retention) -> Retention {
    let said = config.retention;
    Retention {
        people_ms: said.people_ms.unwrap_or(usual.people_ms),
        people_count: said.people_jobs.unwrap_or(usual.people_count),
        agents_ms: said.agents_ms.unwrap_or(usual.agents_ms),
        agents_failed_ms: said.agents_failed_ms.unwrap_or(usual.agents_failed_ms),
        agents_count: usual.agents_count,
    }
}
