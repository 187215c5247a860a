//! Decides whether another session may run, or wait in a queue. No session is ever ended to make room; a refusal names
//! the limit and the sessions that the client may want to end.
//!
//! Those that wait in a queue do not count as running: the queue says how many of them run at once.

use serde::Serialize;
use serde_json::json;

use super::Now;
use super::registry::{Principal, Registry};
use super::session::Session;
use crate::protocol::{Error, Role, Scope, SessionId};

/// Number of idle sessions listed in a refusal.
const NAMED: usize = 5;

/// How many sessions may wait in queues, as a multiple of those that may run.
const QUEUE_FACTOR: u32 = 10;

/// A running session that may no longer be needed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reclaimable<'a> {
    session_id: &'a SessionId,
    label: Option<&'a str>,
    /// Time since its last output, in milliseconds.
    idle_ms: u64,
}

impl Registry {
    /// Checks whether `viewer` may start another session. `scope_cap` is the limit of its scope. `waits` tells which
    /// sessions wait in a queue.
    pub fn check_room(
        &self,
        viewer: &Principal,
        scope_cap: u32,
        now: Now,
        waits: impl Fn(&Session) -> bool,
    ) -> Result<(), Error> {
        let here = self.running(Some(&viewer.scope), &waits).count() as u64;
        if here >= u64::from(scope_cap) {
            let (message, hint) = match viewer.role {
                Role::Agent => (
                    format!("{here} sessions of this scope are running; the limit is {scope_cap}"),
                    "`kill` one that is not needed; no session is ended to make room",
                ),
                Role::Human => (
                    format!("{here} jobs are running; the limit is {scope_cap}"),
                    "stop one that is not needed; `max_sessions` and `max_sessions_per_scope` in config.toml set the limit",
                ),
            };
            let error = Error::limit(message, "maxSessions", scope_cap.into(), here).hint(hint);
            return Err(self.with_idlest(error, viewer, Some(&viewer.scope), now, waits));
        }
        let (all, total) = (self.running(None, &waits).count() as u64, self.caps.total);
        if all >= u64::from(total) {
            let message = format!("{all} sessions are running; the limit is {total}");
            let hint =
                "`kill` one that is not needed; `max_sessions` in config.toml sets the limit";
            let error = Error::limit(message, "maxSessionsTotal", total.into(), all).hint(hint);
            return Err(self.with_idlest(error, viewer, None, now, waits));
        }
        Ok(())
    }

    /// Checks whether another session of `viewer` may wait in a queue.
    pub fn check_queue_room(
        &self,
        viewer: &Principal,
        scope_cap: u32,
        waits: impl Fn(&Session) -> bool,
    ) -> Result<(), Error> {
        let own = |session: &&Session| session.scope == viewer.scope && waits(session);
        let waiting = self.iter().filter(own).count() as u64;
        let limit = u64::from(scope_cap.saturating_mul(QUEUE_FACTOR));
        if waiting < limit {
            return Ok(());
        }
        let message = format!(
            "{waiting} sessions of this scope wait in queues; the limit is {limit}, {QUEUE_FACTOR} times those that may run"
        );
        let hint = "wait until some have run; `max_sessions` in config.toml sets the limit";
        Err(Error::limit(message, "maxQueued", limit, waiting).hint(hint))
    }

    /// Checks whether `more` sessions of people fit. `waits` tells which sessions wait in a queue.
    pub fn check_room_for(
        &self,
        more: usize,
        waits: impl Fn(&Session) -> bool,
    ) -> Result<(), Error> {
        let (all, total) = (self.running(None, &waits).count(), self.caps.total);
        if more == 0 || all.saturating_add(more) <= total as usize {
            return Ok(());
        }
        let message =
            format!("{more} more jobs are needed, and {all} are running; the limit is {total}");
        let error = Error::limit(
            message,
            "maxSessionsTotal",
            total.into(),
            (all + more) as u64,
        );
        Err(error.hint("`max_sessions` in config.toml sets the limit; nothing was started"))
    }

    /// How many more sessions may run. `waits` tells which wait in a queue.
    pub fn room(&self, waits: impl Fn(&Session) -> bool) -> usize {
        let all = self.running(None, &waits).count();
        (self.caps.total as usize).saturating_sub(all)
    }

    /// Unfinished sessions of one scope, or of all scopes, without those for which `waits` holds. One that was ended
    /// only to run again keeps its place.
    fn running(
        &self,
        scope: Option<&Scope>,
        waits: &impl Fn(&Session) -> bool,
    ) -> impl Iterator<Item = &Session> {
        self.iter()
            .filter(move |s| scope.is_none_or(|scope| s.scope == *scope))
            .filter(|s| s.life.is_going() && !waits(s))
    }

    /// Adds the longest-idle sessions that `viewer` may see to the error.
    fn with_idlest(
        &self,
        error: Error,
        viewer: &Principal,
        scope: Option<&Scope>,
        now: Now,
        waits: impl Fn(&Session) -> bool,
    ) -> Error {
        let seen = self.running(scope, &waits).filter(|s| viewer.sees(s));
        let mut idle: Vec<Reclaimable<'_>> = seen
            .map(|session| Reclaimable {
                session_id: &session.id,
                label: session.spec.label.as_deref(),
                idle_ms: session.idle_ms(now),
            })
            .collect();
        idle.sort_by_key(|session| std::cmp::Reverse(session.idle_ms));
        idle.truncate(NAMED);
        error.add_data("reclaimable", json!(idle))
    }
}
