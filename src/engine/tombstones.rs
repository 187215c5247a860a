//! Removed sessions that are still remembered.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::Now;
use crate::protocol::{Error, Scope, SessionId, Status};

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
    /// Name of the signal that it died of. Absent in tombstones of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// When it was removed.
    pub removed: Now,
    /// Its label. Absent in tombstones of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Sessions removed within the last day.
#[derive(Debug, Default)]
pub struct Tombstones {
    by_id: HashMap<SessionId, Tombstone>,
    /// Oldest first.
    order: VecDeque<SessionId>,
}

impl Tombstone {
    /// The error for the session of this tombstone, which the client has named like this.
    pub fn error(&self, name: impl std::fmt::Display) -> Error {
        let signal = self.signal.as_deref();
        Error::session_removed(name, self.status, self.exit_code, signal, self.removed.wall)
    }
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

    /// The session of this scope with this label that was removed last.
    pub fn labelled(&self, scope: &Scope, label: &str) -> Option<(&SessionId, &Tombstone)> {
        let is_meant = |tombstone: &Tombstone| {
            tombstone.scope == *scope && tombstone.label.as_deref() == Some(label)
        };
        let newest_first = self.order.iter().rev();
        let mut all = newest_first.filter_map(|id| Some((id, self.by_id.get(id)?)));
        all.find(|(_, tombstone)| is_meant(tombstone))
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
        add_labelled(tombstones, boot, None)
    }

    fn add_labelled(tombstones: &mut Tombstones, boot: u64, label: Option<&str>) -> SessionId {
        let id = SessionId::fresh();
        let tombstone = Tombstone {
            scope: Scope::named("a").unwrap(),
            status: Status::Done,
            exit_code: Some(0),
            signal: None,
            removed: at(boot),
            label: label.map(str::to_owned),
        };
        tombstones.add(id.clone(), tombstone, at(boot));
        id
    }

    #[test]
    fn a_label_means_the_session_that_was_removed_last() {
        let mut tombstones = Tombstones::default();
        add_labelled(&mut tombstones, 0, Some("web"));
        let last = add_labelled(&mut tombstones, 1, Some("web"));
        add(&mut tombstones, 2);
        let scope = Scope::named("a").unwrap();
        assert_eq!(tombstones.labelled(&scope, "web").unwrap().0, &last);
        assert!(tombstones.labelled(&scope, "we").is_none());
        let other = Scope::named("b").unwrap();
        assert!(tombstones.labelled(&other, "web").is_none());
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
