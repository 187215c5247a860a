//! Jobs whose commands are being copied.

use std::collections::HashMap;

use crate::protocol::{Record, SessionId};

/// The details of several jobs whose commands are copied, as they arrive.
pub struct Commands {
    /// The jobs, in the order of their lines.
    pub ids: Vec<SessionId>,
    /// The details that have arrived.
    pub records: HashMap<SessionId, Record>,
}

impl Commands {
    /// The commands of these jobs.
    pub fn of(ids: Vec<SessionId>) -> Self {
        Self {
            ids,
            records: HashMap::new(),
        }
    }
}
