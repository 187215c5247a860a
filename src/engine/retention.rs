//! Retention of finished sessions.
//!
//! An agent's session is removed when its TTL is over. A person's session stays until room is
//! needed: above `people_count` sessions, those that were not accessed for `people_ms` are removed,
//! and above ten times that number any of them. Successful sessions are removed before failed ones,
//! and the least recently accessed first. Those of agents that have just ended come last, whether they have failed or
//! not: whoever has started them is to learn how they ended.

use super::session::Session;
use crate::protocol::{SessionId, Timestamp};

/// Hard limit on a person's sessions, as a multiple of the usual number, whatever their age. Each
/// session costs a few kilobytes of the daemon's memory.
const BOUND: usize = 10;

/// A session of an agent that was accessed, or has ended, less than 10 minutes ago is young.
const YOUNG_MS: i64 = 10 * 60_000;

/// How long finished sessions are kept, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// A person's sessions are kept at least this long, in milliseconds.
    pub people_ms: u64,
    /// This many of a person's sessions are kept, however old they are.
    pub people_count: u32,
    /// An agent's sessions are kept this long, in milliseconds.
    pub agents_ms: u64,
    /// An agent's failed sessions are kept this long, in milliseconds.
    pub agents_failed_ms: u64,
    /// Maximum number of finished sessions kept per agent scope.
    pub agents_count: u32,
}

impl Default for Retention {
    fn default() -> Self {
        const MINUTE: u64 = 60_000;
        const DAY: u64 = 24 * 60 * MINUTE;
        Self {
            people_ms: 30 * DAY,
            people_count: 1000,
            agents_ms: 30 * MINUTE,
            agents_failed_ms: DAY,
            agents_count: 200,
        }
    }
}

/// The finished sessions of one scope that exceed the limits. All of `ended` must be removable. `newest` has just
/// ended.
pub(super) fn surplus(
    mut ended: Vec<&Session>,
    newest: &SessionId,
    retention: &Retention,
    now: Timestamp,
) -> Vec<SessionId> {
    let order = |session: &&Session| {
        let is_newest = session.id == *newest;
        let accessed = session.accessed().wall;
        let is_recent = now.millis() - accessed.millis() < YOUNG_MS;
        // Those of people are kept for longer in any case, unless they say otherwise.
        let is_young = is_recent && !session.stays_until_room();
        (
            is_newest,
            is_young,
            !is_young && session.has_failed(),
            accessed,
        )
    };
    ended.sort_by_key(order);
    let (people, agents): (Vec<_>, Vec<_>) = ended.into_iter().partition(|s| s.stays_until_room());
    let mut going = Vec::new();
    take_beyond(
        retention.agents_count as usize,
        agents.len(),
        &agents,
        &mut going,
    );

    let is_old = |session: &&Session| {
        let age = now.millis() - session.accessed().wall.millis();
        u64::try_from(age).is_ok_and(|age| age >= retention.people_ms)
    };
    let count = retention.people_count as usize;
    let total = people.len();
    let (old, young): (Vec<_>, Vec<_>) = people.into_iter().partition(is_old);
    let left = take_beyond(count, total, &old, &mut going);
    take_beyond(count.saturating_mul(BOUND), left, &young, &mut going);
    going
}

/// Takes from the front of `candidates` until at most `most` of `total` are left. Returns how many
/// are left.
fn take_beyond(
    most: usize,
    total: usize,
    candidates: &[&Session],
    going: &mut Vec<SessionId>,
) -> usize {
    let surplus = total.saturating_sub(most).min(candidates.len());
    going.extend(
        candidates[..surplus]
            .iter()
            .map(|session| session.id.clone()),
    );
    total - surplus
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::engine::Now;
    use crate::engine::meta::{Spec, TimeLimits};
    use crate::protocol::Scope;
    use crate::protocol::keeper::Exit;
    use crate::term::size::Size;

    const DAY: i64 = 86_400_000;

    /// A person's session that ended with `code` and was last accessed on `day`.
    fn session(until_room: bool, code: i32, day: i64) -> Session {
        let now = Now {
            boot: 1,
            wall: Timestamp(day * DAY),
        };
        let time_limits = TimeLimits {
            timeout_ms: 0,
            timeout_grace_ms: 0,
            ttl_ms: 1000,
            failed_ttl_ms: None,
            until_room: Some(until_room),
            keep: false,
        };
        let (id, scope) = (SessionId::fresh(), Scope::human());
        let mut session = Session::new(
            id,
            scope,
            Spec::default(),
            Size::default(),
            time_limits,
            now,
        );
        session.life.started(7, 0, now);
        let exit = Exit {
            pid: 7,
            exit_code: Some(code),
            signal: None,
            core_dumped: false,
            ended_at: now.wall,
            end_offset: 0,
            limit: None,
            out_of_memory: false,
        };
        session.life.ended(&exit, None, &[], now);
        session
    }

    fn gone(sessions: &[Session], retention: Retention, day: i64) -> Vec<usize> {
        let now = Timestamp(day * DAY);
        let newest = &sessions.last().unwrap().id;
        let going = surplus(sessions.iter().collect(), newest, &retention, now);
        let place = |id: SessionId| sessions.iter().position(|session| session.id == id);
        going.into_iter().filter_map(place).collect()
    }

    #[test]
    fn a_persons_old_sessions_go_when_room_is_needed_failed_ones_last() {
        let retention = Retention {
            people_count: 1,
            ..Retention::default()
        };
        let sessions = [
            session(true, 1, 0),
            session(true, 0, 2),
            session(true, 0, 1),
            session(true, 0, 20),
        ];
        assert!(gone(&sessions, retention, 29).is_empty());
        assert_eq!(gone(&sessions, retention, 33), [2, 1, 0]);
        let roomy = Retention::default();
        assert!(gone(&sessions, roomy, 1000).is_empty());
    }

    #[test]
    fn beyond_ten_times_the_number_recent_sessions_go_too() {
        let retention = Retention {
            people_count: 1,
            people_ms: u64::MAX,
            ..Retention::default()
        };
        let sessions: Vec<_> = (0..12).map(|day| session(true, 0, day)).collect();
        assert_eq!(gone(&sessions, retention, 12), [0, 1]);
    }

    #[test]
    fn what_has_just_ended_well_does_not_go_before_many_that_have_just_failed() {
        let retention = Retention {
            agents_count: 2,
            ..Retention::default()
        };
        let sessions = [
            session(false, 1, 9),
            session(false, 1, 9),
            session(false, 0, 9),
            session(false, 1, 9),
        ];
        assert_eq!(gone(&sessions, retention, 9), [0, 1]);
        // After a while, failures are kept longer.
        assert_eq!(gone(&sessions, retention, 10), [2, 0]);
    }

    #[test]
    fn an_agents_finished_sessions_are_limited() {
        let retention = Retention {
            agents_count: 2,
            ..Retention::default()
        };
        let sessions = [
            session(false, 1, 0),
            session(false, 0, 2),
            session(false, 0, 1),
            session(false, 1, 3),
        ];
        assert_eq!(gone(&sessions, retention, 3), [2, 1]);
    }

    #[test]
    fn the_session_that_has_just_ended_is_not_removed() {
        let retention = Retention {
            agents_count: 2,
            ..Retention::default()
        };
        let sessions = [
            session(false, 1, 0),
            session(false, 1, 2),
            session(false, 0, 1),
        ];
        assert_eq!(gone(&sessions, retention, 3), [0], "the others have failed");
    }
}
