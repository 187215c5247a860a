//! Removed sessions that are still remembered.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::Now;
use crate::protocol::{Scope, SessionId, Status};

/// How long a removed session is remembered, in milliseconds.
const KEPT_MS: u64 = 24 * 3600 * 1000;

/// Maximum number of tombstones; the oldest are dropped first.
pub const MAX_TOMBSTONES: usize = 10_000;

/// A removed session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tombstone {
    /// Scope that owned it.
    pub scope: Scope,
    /// How it had ended.
    pub status: Status,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// When it was removed.
    pub removed: Now,
}

/// Sessions removed within the last day.
#[derive(Debug, Default)]
pub struct Tombstones {
    by_id: HashMap<SessionId, Tombstone>,
    /// Oldest first.
    order: VecDeque<SessionId>,
}

impl Tombstones {
    /// Adds a tombstone that is newer than all others, and drops old ones.
    pub fn add(&mut self, id: SessionId, tombstone: Tombstone, now: Now) {
        self.order.push_back(id.clone());
        self.by_id.insert(id, tombstone);
        while let Some(oldest) = self.order.front() {
            let over = self.order.len() > MAX_TOMBSTONES;
            let old = self
                .by_id
                .get(oldest)
                .is_none_or(|t| now.boot >= t.removed.boot.saturating_add(KEPT_MS));
            if !over && !old {
                break;
            }
            self.by_id.remove(oldest);
            self.order.pop_front();
        }
    }

    /// The tombstone of this session.
    pub fn get(&self, id: &SessionId) -> Option<&Tombstone> {
        self.by_id.get(id)
    }

    /// All tombstones, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &Tombstone)> {
        self.order
            .iter()
            .filter_map(|id| Some((id, self.by_id.get(id)?)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::Timestamp;

    fn at(boot: u64) -> Now {
        Now {
            boot,
            wall: Timestamp(boot.cast_signed()),
        }
    }

    fn add(tombstones: &mut Tombstones, boot: u64) -> SessionId {
        let id = SessionId::fresh();
        let tombstone = Tombstone {
            scope: Scope::named("a").unwrap(),
            status: Status::Done,
            exit_code: Some(0),
            removed: at(boot),
        };
        tombstones.add(id.clone(), tombstone, at(boot));
        id
    }

    #[test]
    fn tombstones_are_dropped_after_a_day_and_beyond_the_limit() {
        let mut tombstones = Tombstones::default();
        let old = add(&mut tombstones, 0);
        let first = add(&mut tombstones, KEPT_MS - 1);
        assert!(tombstones.get(&old).is_some());
        let second = add(&mut tombstones, KEPT_MS);
        assert!(tombstones.get(&old).is_none());
        for _ in 1..MAX_TOMBSTONES {
            add(&mut tombstones, KEPT_MS);
        }
        assert!(tombstones.get(&first).is_none());
        assert_eq!(tombstones.iter().count(), MAX_TOMBSTONES);
        assert_eq!(tombstones.iter().next().unwrap().0, &second);
    }
}
