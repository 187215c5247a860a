//! All sessions: access control and retention.

use std::collections::{BTreeMap, HashMap};

use super::Now;
use super::age_clock::AgeClock;
use super::life::Actor;
use super::retention::{self, Retention};
use super::session::Session;
use super::timers::{Due, Timers};
use super::tombstones::{Tombstone, Tombstones};
use crate::protocol::glob::Glob;
use crate::protocol::record::Share;
use crate::protocol::{Error, Role, Scope, SessionId, Status, Timestamp, signal};

/// How far the newest session may lie ahead of the clock, in milliseconds: as many sessions as may be created in one.
const NEAR_MS: i64 = 100_000;

/// The client on whose behalf an action is performed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Principal {
    /// Whether it is a person or an agent.
    pub role: Role,
    /// Its scope.
    pub scope: Scope,
}

/// Kind of access to a session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Access {
    /// Read it.
    Read,
    /// Type into it.
    Type,
    /// Control it: end, change or remove it.
    Own,
}

impl Principal {
    /// Whoever has this scope.
    pub fn of(scope: Scope) -> Self {
        Self {
            role: scope.role(),
            scope,
        }
    }

    /// The actor that a session's life remembers.
    pub fn actor(&self) -> Actor {
        match self.role {
            Role::Human => Actor::Human,
            Role::Agent => Actor::Agent(self.scope.clone()),
        }
    }

    /// Whether it owns sessions of this scope. A person owns every session, an agent those of its
    /// own scope.
    pub fn owns(&self, scope: &Scope) -> bool {
        self.role == Role::Human || self.scope == *scope
    }

    /// Whether it has this access to a session. To sessions of other scopes, an agent has the
    /// access that a person has shared, and never [`Access::Own`].
    pub fn may(&self, access: Access, session: &Session) -> bool {
        self.owns(&session.scope)
            || match session.share {
                Share::None => false,
                Share::Read => access <= Access::Read,
                Share::Write => access <= Access::Type,
            }
    }

    /// Whether it may know that a session exists.
    pub fn sees(&self, session: &Session) -> bool {
        self.may(Access::Read, session)
    }
}

/// Limits on the number of sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    /// Maximum number of running sessions in all scopes.
    pub total: u32,
    /// How many finished sessions are kept, and for how long.
    pub retention: Retention,
}

/// All sessions.
pub struct Registry {
    /// Sorted by order of creation, so that `list` iterates without a look-up per session. Boxed,
    /// because the tree reserves room for more entries than it holds.
    sessions: BTreeMap<u64, Box<Session>>,
    places: HashMap<SessionId, u64>,
    keys: HashMap<(Scope, String), SessionId>,
    /// Removed sessions.
    pub tombstones: Tombstones,
    next_place: u64,
    /// The limits.
    pub(super) caps: Caps,
    /// By which sessions get old.
    ages: AgeClock,
}

impl Registry {
    /// Creates an empty registry.
    pub fn new(caps: Caps) -> Self {
        Self {
            sessions: BTreeMap::new(),
            places: HashMap::new(),
            keys: HashMap::new(),
            tombstones: Tombstones::default(),
            next_place: 0,
            caps,
            ages: AgeClock::default(),
        }
    }

    /// Adds a session.
    pub fn insert(&mut self, session: Session) {
        let place = self.next_place;
        self.next_place += 1;
        self.places.insert(session.id.clone(), place);
        if let Some(key) = &session.key {
            self.keys
                .insert((session.scope.clone(), key.clone()), session.id.clone());
        }
        self.sessions.insert(place, Box::new(session));
    }

    /// `now`, or a moment later if the newest session was created in the same millisecond: the order in which sessions
    /// were created is known from their records only.
    pub fn after_newest(&self, now: Now) -> Now {
        let newest = self.sessions.values().next_back();
        let newest = newest.map_or(0, |newest| newest.life.created_at().millis());
        // Unless the clock was set back.
        let is_near = newest.saturating_sub(now.wall.millis()) < NEAR_MS;
        if newest >= now.wall.millis() && is_near {
            Now {
                wall: Timestamp(newest + 1),
                ..now
            }
        } else {
            now
        }
    }

    /// The session that was started with this idempotency key in this scope.
    pub fn by_key(&self, scope: &Scope, key: &str) -> Option<&Session> {
        self.get(self.keys.get(&(scope.clone(), key.to_owned()))?)
    }

    /// Removes a session and remembers how it ended.
    pub fn remove(&mut self, id: &SessionId, now: Now) -> Option<Box<Session>> {
        let session = self.discard(id)?;
        let tombstone = Tombstone {
            scope: session.scope.clone(),
            status: session.life.status(),
            exit_code: session.life.exit_code(),
            signal: session.life.signal().map(signal::name),
            removed: now,
            label: session.spec.label.clone(),
        };
        self.tombstones.add(id.clone(), tombstone, now);
        Some(session)
    }

    /// Removes a session without a trace.
    pub fn discard(&mut self, id: &SessionId) -> Option<Box<Session>> {
        let session = self.sessions.remove(&self.places.remove(id)?)?;
        if let Some(key) = &session.key {
            self.keys.remove(&(session.scope.clone(), key.clone()));
        }
        Some(session)
    }

    /// The session with this id, if `viewer` may see it.
    pub fn find(&mut self, viewer: &Principal, name: &str) -> Result<&mut Session, Error> {
        let not_found = || Error::session_not_found(&crate::term::sanitize::clean(name));
        let id = match SessionId::parse(name) {
            Some(id) if self.places.contains_key(&id) || self.tombstones.get(&id).is_some() => id,
            _ => self.by_label(viewer, name)?.ok_or_else(not_found)?,
        };
        if let Some(tombstone) = self.tombstones.get(&id).filter(|t| viewer.owns(&t.scope)) {
            return Err(tombstone.error(&id));
        }
        match self.get_mut(&id) {
            Some(session) if viewer.sees(session) => Ok(session),
            _ => Err(not_found()),
        }
    }

    /// The session of the viewer's scope with this label.
    fn by_label(&self, viewer: &Principal, label: &str) -> Result<Option<SessionId>, Error> {
        meant(label, &self.labelled(viewer, label))
    }

    /// The sessions of the viewer's scope with this label, oldest first.
    fn labelled(&self, viewer: &Principal, label: &str) -> Vec<&Session> {
        let named = self.iter().filter(|session| {
            session.scope == viewer.scope && session.spec.label.as_deref() == Some(label)
        });
        named.collect()
    }

    /// Refuses a label of several sessions of the viewer's scope that have all ended: what is removed cannot be had
    /// back.
    pub fn check_unambiguous(&self, viewer: &Principal, label: &str) -> Result<(), Error> {
        let is_id = SessionId::parse(label).is_some_and(|id| self.places.contains_key(&id));
        let named = self.labelled(viewer, label);
        let all_ended = named
            .iter()
            .all(|session| session.life.status().is_finished());
        if !is_id && all_ended && named.len() > 1 {
            Err(ambiguous(label, &named))
        } else {
            Ok(())
        }
    }

    /// A session, without access control.
    pub fn get(&self, id: &SessionId) -> Option<&Session> {
        Some(self.sessions.get(self.places.get(id)?)?)
    }

    /// A session, without access control.
    pub fn get_mut(&mut self, id: &SessionId) -> Option<&mut Session> {
        Some(self.sessions.get_mut(self.places.get(id)?)?)
    }

    /// The session in `scope` that has not ended, or runs again, and uses `label`, other than `except`. Jobs of
    /// projects do not count: their names belong to their projects.
    pub fn going_by_label(
        &self,
        scope: &Scope,
        label: &str,
        except: Option<&SessionId>,
    ) -> Option<&Session> {
        self.iter().find(|session| {
            session.scope == *scope
                && session.spec.label.as_deref() == Some(label)
                && session.spec.project.is_none()
                && session.life.is_going()
                && Some(&session.id) != except
        })
    }

    /// All sessions, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.sessions.values().map(|session| &**session)
    }

    /// Number of sessions.
    pub fn count(&self) -> usize {
        self.sessions.len()
    }

    /// All sessions, oldest first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        self.sessions.values_mut().map(Box::as_mut)
    }

    /// Ids of the finished sessions that exceed the retention limits of a scope, now that `newest`, which is one of
    /// them, has ended.
    pub fn surplus(&mut self, scope: &Scope, newest: &SessionId, now: Now) -> Vec<SessionId> {
        let now = self.ages.wall(now);
        let ended = self.iter().filter(|s| s.scope == *scope && s.may_go());
        retention::surplus(ended.collect(), newest, &self.caps.retention, now)
    }

    /// Number of sessions by status.
    pub fn counts<'a>(sessions: impl Iterator<Item = &'a Session>) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for session in sessions {
            *counts.entry(session.life.status().as_str()).or_default() += 1;
        }
        let counts = counts.into_iter();
        counts
            .map(|(name, count)| (name.to_owned(), count))
            .collect()
    }

    /// Sets the timers of a session.
    pub fn arm(&self, id: &SessionId, timers: &mut Timers) {
        let session = self.get(id);
        timers.set(
            Due::Timeout(id.clone()),
            session.and_then(Session::timeout_at),
        );
        timers.set(
            Due::Expiry(id.clone()),
            session.and_then(Session::expires_at),
        );
        timers.set(Due::Late(id.clone()), session.and_then(Session::late_at));
        timers.set(
            Due::Retry(id.clone()),
            session.and_then(|session| session.life.retry_at()),
        );
        timers.set(
            Due::Lease(id.clone()),
            session.and_then(|session| session.lease.due()),
        );
    }

    /// Whether any session has a process, or will be restarted by its policy.
    pub fn any_alive(&self) -> bool {
        self.sessions
            .values()
            .any(|session| !session.life.status().is_finished())
    }
}

/// The session that a label means of those that have it, oldest first: the only one that has not ended, or the newest
/// if all have. If several go on, the error names them.
pub fn meant(label: &str, named: &[&Session]) -> Result<Option<SessionId>, Error> {
    let running = |session: &&&Session| !session.life.status().is_finished();
    let mut going = named.iter().filter(running);
    match (named, going.next(), going.next()) {
        ([], ..) => Ok(None),
        (_, Some(one), None) => Ok(Some(one.id.clone())),
        ([.., newest], None, _) => Ok(Some(newest.id.clone())),
        (several, ..) => Err(ambiguous(label, several)),
    }
}

/// The error for a label that may mean any of these sessions.
fn ambiguous(label: &str, several: &[&Session]) -> Error {
    let label = crate::term::sanitize::clean(label);
    let ids = several.iter().rev().take(5).map(|session| {
        let of = session.spec.project.as_ref();
        // Their commands and directories tell them apart.
        let of = of.map_or_else(String::new, |_| format!(" in {}", session.spec.cwd));
        format!("{}{of}", session.id)
    });
    let ids: Vec<String> = ids.collect();
    let message = format!("{} sessions have the label {label}", several.len());
    Error::invalid(message).hint(format!("use an id: {}", ids.join(", ")))
}

/// Whether `session` matches the filters of `list`.
pub fn is_listed(
    session: &Session,
    status: Option<Status>,
    group: Option<&str>,
    tag: Option<&str>,
    label: Option<&Glob>,
) -> bool {
    status.is_none_or(|status| session.life.status() == status)
        && group.is_none_or(|group| session.spec.group.as_deref() == Some(group))
        && tag.is_none_or(|tag| session.spec.tags.iter().any(|own| own == tag))
        && label.is_none_or(|glob| glob.fits(session.spec.label.as_deref().unwrap_or("")))
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
