//! What the daemon is told by its configuration.

use crate::engine::registry::Caps;

/// Settings in force, defaults where nothing was configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// Running sessions of a scope.
    pub(super) scope_sessions: u32,
    /// Running sessions in all, and finished ones kept per scope.
    pub(super) caps: Caps,
    /// Bytes of log kept per session.
    pub(super) log_bytes: u64,
    /// Bytes of log kept in all.
    pub(super) total_log_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            scope_sessions: 50,
            caps: Caps {
                total: 200,
                finished: 200,
            },
            log_bytes: 64 << 20,
            total_log_bytes: 2 << 30,
        }
    }
}
