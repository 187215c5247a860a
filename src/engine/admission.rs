//! Whether one more session may run. Nothing is ever ended to make room: a
//! refusal says which limit it was, and what somebody may want to end.

use serde::Serialize;
use serde_json::json;

use super::Now;
use super::registry::{Principal, Registry};
use super::session::Session;
use crate::protocol::{Error, Scope, SessionId};

/// Sessions that a refusal names.
const NAMED: usize = 5;

/// A running session that may not be needed any more.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reclaimable<'a> {
    session_id: &'a SessionId,
    label: Option<&'a str>,
    /// How long it has written nothing.
    idle_ms: u64,
}

impl Registry {
    /// Whether `viewer` may run one more; `scope_cap` is the limit of its scope.
    pub fn check_room(&self, viewer: &Principal, scope_cap: u32, now: Now) -> Result<(), Error> {
        let here = self.running(Some(&viewer.scope)).count() as u64;
        if here >= u64::from(scope_cap) {
            let message = format!("{here} sessions of this scope are running; {scope_cap} may");
            let hint = "`kill` one that is not needed; nothing is ended to make room";
            let error = Error::limit(message, "maxSessions", scope_cap.into(), here).hint(hint);
            return Err(self.with_idlest(error, viewer, Some(&viewer.scope), now));
        }
        let (all, total) = (self.running(None).count() as u64, self.caps.total);
        if all >= u64::from(total) {
            let message = format!("{all} sessions are running; {total} may");
            let hint =
                "`kill` one that is not needed; `max_sessions` in config.toml sets the limit";
            let error = Error::limit(message, "maxSessionsTotal", total.into(), all).hint(hint);
            return Err(self.with_idlest(error, viewer, None, now));
        }
        Ok(())
    }

    /// Sessions that are not over, of one scope or of all.
    fn running(&self, scope: Option<&Scope>) -> impl Iterator<Item = &Session> {
        self.iter()
            .filter(move |s| scope.is_none_or(|scope| s.scope == *scope))
            .filter(|s| !s.life.status().is_finished())
    }

    /// Adds the sessions that have been idle for the longest, as far as `viewer`
    /// may know of them.
    fn with_idlest(
        &self,
        error: Error,
        viewer: &Principal,
        scope: Option<&Scope>,
        now: Now,
    ) -> Error {
        let seen = self.running(scope).filter(|s| viewer.sees(s));
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
