//! The last known records of the sessions of a host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::engine::Now;
use crate::engine::registry::Principal;
use crate::protocol::glob::Glob;
use crate::protocol::params::List;
use crate::protocol::record::Share;
use crate::protocol::{Role, Scope, SessionId, Status, Timestamp};

/// The records of a host, by id.
#[derive(Debug, Default)]
pub(crate) struct Mirror {
    records: BTreeMap<SessionId, Known>,
    /// Whether something has changed since it was saved.
    is_unsaved: bool,
}

/// What is known of a session.
#[derive(Debug)]
pub(crate) struct Known {
    facts: Facts,
    /// When the record was made.
    at: Now,
    /// The record, without its closing brace and without the fields that are appended (see [`Known::write`]).
    json: String,
    /// Number of this machine's last event that its scope has been told by a reply.
    told: u64,
}

/// The fields of a record that decide who sees it and which lists have it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    session_id: SessionId,
    scope: Scope,
    status: Status,
    #[serde(default)]
    share: Share,
    label: Option<String>,
    group: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    created_at: Timestamp,
    #[serde(default)]
    runtime_ms: u64,
    idle_ms: Option<u64>,
}

/// The file of a mirror.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Saved {
    seen_at: Timestamp,
    records: Vec<Value>,
}

/// Fields that only records for people have, and not those for agents.
const FOR_PEOPLE: [&str; 16] = [
    "scope",
    "reason",
    "endedBy",
    "unreadInputBytes",
    "altScreen",
    "foreground",
    "processes",
    "viewers",
    "ttyOpen",
    "logDegraded",
    "outputFiles",
    "restart",
    "retryAt",
    "retry",
    "asked",
    "detail",
];

impl Known {
    /// Reads a record, whose ids are `ID@HOST` already.
    fn of(mut record: Map<String, Value>, now: Now) -> Option<Self> {
        let facts = Facts::deserialize(&Value::Object(record.clone())).ok()?;
        for name in ["runtimeMs", "idleMs", "seenAt"] {
            record.remove(name);
        }
        let mut json = serde_json::to_string(&record).ok()?;
        json.pop();
        Some(Self {
            facts,
            at: now,
            json,
            told: 0,
        })
    }

    /// The record as JSON: as it is now if the host is connected, else as it was at `seen`.
    fn write(&self, seen: Option<Timestamp>, now: Now) -> String {
        // Times go on while the host is connected, and not longer.
        let more = match seen {
            None => now.boot.saturating_sub(self.at.boot),
            Some(seen) => u64::try_from(seen.millis() - self.at.wall.millis()).unwrap_or(0),
        };
        let runs = self.facts.status.has_process();
        let runtime = self.facts.runtime_ms + if runs { more } else { 0 };
        let idle = self
            .facts
            .idle_ms
            .map(|idle| idle + if runs { more } else { 0 });
        let (idle, seen) = (json!(idle), json!(seen));
        format!(
            "{},\"runtimeMs\":{runtime},\"idleMs\":{idle},\"seenAt\":{seen}}}",
            self.json
        )
    }

    fn is_seen_by(&self, viewer: &Principal) -> bool {
        viewer.owns(&self.facts.scope) || !self.facts.share.is_none()
    }

    fn is_listed(&self, list: &List, label: Option<&Glob>) -> bool {
        let facts = &self.facts;
        list.status.is_none_or(|status| facts.status == status)
            && (list.group.is_none() || facts.group == list.group)
            && list.tag.as_ref().is_none_or(|tag| facts.tags.contains(tag))
            && label.is_none_or(|glob| facts.label.as_ref().is_some_and(|label| glob.fits(label)))
    }
}

/// A session in a list.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) created: Timestamp,
    pub(crate) status: Status,
    pub(crate) json: String,
}

impl Mirror {
    /// Takes over all records of the host.
    pub(crate) fn replace(&mut self, records: Vec<Value>, now: Now) {
        let before = std::mem::take(&mut self.records);
        for record in records {
            self.take(record, now);
        }
        for (id, known) in &mut self.records {
            known.told = before.get(id).map_or(0, |before| before.told);
        }
        self.is_unsaved = true;
    }

    /// Takes over one record. Returns its id and whether agents of other scopes may see it.
    pub(crate) fn take(&mut self, record: Value, now: Now) -> Option<(SessionId, bool)> {
        let Value::Object(record) = record else {
            return None;
        };
        let mut known = Known::of(record, now)?;
        let (id, is_shared) = (known.facts.session_id.clone(), !known.facts.share.is_none());
        known.told = self.records.get(&id).map_or(0, |before| before.told);
        self.records.insert(id.clone(), known);
        self.is_unsaved = true;
        Some((id, is_shared))
    }

    /// Forgets a session that the host has removed.
    pub(crate) fn forget(&mut self, id: &SessionId) {
        self.records.remove(id);
        self.is_unsaved = true;
    }

    /// The scope of a session.
    pub(crate) fn scope(&self, id: &SessionId) -> Option<&Scope> {
        self.records.get(id).map(|known| &known.facts.scope)
    }

    /// The status of a session, and up to which event its scope has been told about it.
    pub(crate) fn news(&self, id: &SessionId) -> Option<(Status, u64)> {
        let known = self.records.get(id)?;
        Some((known.facts.status, known.told))
    }

    /// Notes that the scope of a session was told everything up to an event.
    pub(crate) fn tell(&mut self, id: &SessionId, seq: u64) {
        if let Some(known) = self.records.get_mut(id) {
            known.told = known.told.max(seq);
        }
    }

    /// The sessions of a scope that have not ended.
    pub(crate) fn going(&self, scope: &Scope) -> Vec<SessionId> {
        let own = self
            .records
            .iter()
            .filter(|(_, known)| known.facts.scope == *scope && !known.facts.status.is_finished());
        own.map(|(id, _)| id.clone()).collect()
    }

    /// The ids of all sessions.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &SessionId> {
        self.records.keys()
    }

    /// Number of sessions that a client sees.
    pub(crate) fn count(&self, viewer: &Principal) -> u64 {
        let seen = self
            .records
            .values()
            .filter(|known| known.is_seen_by(viewer));
        seen.count() as u64
    }

    /// The sessions that a list has, for this client. `seen`: when the host was last connected, if it is not now.
    pub(crate) fn list(
        &self,
        viewer: &Principal,
        list: &List,
        seen: Option<Timestamp>,
        now: Now,
    ) -> Vec<Listed> {
        let label = list.label.as_deref().map(Glob::new);
        let wanted = self
            .records
            .values()
            .filter(|known| known.is_seen_by(viewer) && known.is_listed(list, label.as_ref()));
        let mut listed: Vec<Listed> = wanted
            .map(|known| Listed {
                created: known.facts.created_at,
                status: known.facts.status,
                json: match viewer.role {
                    Role::Human => known.write(seen, now),
                    Role::Agent => without(&known.write(seen, now), &FOR_PEOPLE),
                },
            })
            .collect();
        listed.sort_by_key(|session| session.created);
        listed
    }

    /// The session with this id or label on the host, if the client sees it.
    pub(crate) fn find(&self, name: &str, viewer: &Principal) -> Option<&SessionId> {
        self.named(name, viewer).map(|(id, _)| id)
    }

    /// The record of such a session.
    pub(crate) fn record(
        &self,
        name: &str,
        viewer: &Principal,
        seen: Option<Timestamp>,
        now: Now,
    ) -> Option<String> {
        let (_, known) = self.named(name, viewer)?;
        let record = known.write(seen, now);
        Some(match viewer.role {
            Role::Human => record,
            Role::Agent => without(&record, &FOR_PEOPLE),
        })
    }

    fn named(&self, name: &str, viewer: &Principal) -> Option<(&SessionId, &Known)> {
        let seen = || {
            let records = self.records.iter();
            records.filter(|(_, known)| known.is_seen_by(viewer))
        };
        let by_id = seen().find(|(id, _)| id.bare() == name);
        // Of several with a label, the host means the one that goes on, or else the newest.
        let labelled = seen().filter(|(_, known)| known.facts.label.as_deref() == Some(name));
        by_id.or_else(|| {
            labelled.max_by_key(|(_, known)| {
                let facts = &known.facts;
                let is_own = viewer.owns(&facts.scope);
                (is_own, !facts.status.is_finished(), facts.created_at)
            })
        })
    }

    /// The content of its file, if something has changed since [`Self::saved`].
    pub(crate) fn unsaved(&self, now: Now) -> Option<Vec<u8>> {
        if !self.is_unsaved {
            return None;
        }
        let records = self.records.values();
        let records =
            records.filter_map(|known| serde_json::from_str(&known.write(None, now)).ok());
        let saved = Saved {
            seen_at: now.wall,
            records: records.collect(),
        };
        serde_json::to_vec(&saved).ok()
    }

    /// Its file has what [`Self::unsaved`] returned.
    pub(crate) fn saved(&mut self) {
        self.is_unsaved = false;
    }

    /// Reads its file. Returns when the host was seen.
    pub(crate) fn load(bytes: &[u8], now: Now) -> Option<(Self, Timestamp)> {
        let saved: Saved = serde_json::from_slice(bytes).ok()?;
        let mut mirror = Self::default();
        mirror.replace(saved.records, now);
        mirror.is_unsaved = false;
        Some((mirror, saved.seen_at))
    }
}

/// A JSON object without some of its fields.
fn without(json: &str, names: &[&str]) -> String {
    let mut fields: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    fields.retain(|name, _| !names.contains(&name.as_str()));
    Value::Object(fields).to_string()
}
