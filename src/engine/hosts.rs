//! The link to a host: when it is opened, when it is tried again after a failure, and when it is closed.
//!
//! Times are boot-time milliseconds. A driver asks [`HostLink::is_due`], opens the link, and says what became of it.

use crate::protocol::reply::{HostConnect, HostState};
use crate::protocol::{Error, ErrorCode, Timestamp};

use super::Now;

/// Shortest and longest time between two attempts, in milliseconds.
const PAUSE: (u64, u64) = (500, 60_000);

/// A request that names the host need not wait longer than this for the next attempt, in milliseconds.
const NAMED_PAUSE: u64 = 5_000;

/// A link that held for so long was no chance: the pauses begin anew when it ends. In milliseconds.
const STEADY: u64 = 10_000;

/// A link on demand is closed when nobody has used it for so long, in milliseconds.
const IDLE: u64 = 10 * 60_000;

/// How much somebody needs a host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Need {
    /// A list includes it.
    Listed,
    /// A request names it, or one of its sessions.
    Named,
    /// A person wants it connected now.
    Asked,
}

/// The link to one host.
#[derive(Debug)]
pub struct HostLink {
    phase: Phase,
    /// Since when it is in this phase; of a link that fails again and again, since the first failure.
    since: Timestamp,
    /// Why the last attempt failed, or the link ended. `None` if it is open, or was closed on purpose.
    fault: Option<Error>,
    need: Option<Need>,
    used: u64,
    /// Pause before the next attempt after a failure.
    pause: u64,
    last_seen: Option<Timestamp>,
    /// Number of attempts that have ended, and of closures on purpose.
    attempts: u64,
    /// After which time without use the link is closed, in milliseconds.
    idle: u64,
}

#[derive(Debug)]
enum Phase {
    Idle,
    Opening,
    Up {
        since: u64,
    },
    Down {
        at: u64,
        /// `None` if no patience mends it.
        retry_at: Option<u64>,
    },
    Disconnected,
}

impl HostLink {
    /// A link that was not opened yet.
    pub fn new(now: Now) -> Self {
        Self {
            phase: Phase::Idle,
            since: now.wall,
            fault: None,
            need: None,
            used: now.boot,
            pause: 0,
            last_seen: None,
            attempts: 0,
            idle: IDLE,
        }
    }

    /// Sets after which time without use the link is closed, in milliseconds.
    #[must_use]
    pub fn closing_after(mut self, idle: u64) -> Self {
        self.idle = idle;
        self
    }

    /// Notes that somebody needs the host now.
    pub fn need(&mut self, need: Need, now: Now) {
        self.used = now.boot;
        if !matches!(self.phase, Phase::Up { .. }) {
            self.need = self.need.max(Some(need));
        }
    }

    /// Whether somebody needs the host now.
    pub fn is_needed(&self) -> bool {
        self.need.is_some()
    }

    /// Whether to open the link now. `watched`: somebody goes on looking at what happens on the host.
    pub fn is_due(&self, connect: HostConnect, watched: bool, now: u64) -> bool {
        self.due(connect, watched).is_some_and(|at| at <= now)
    }

    /// When to look at this link again, if nothing else happens before.
    pub fn next(&self, connect: HostConnect, watched: bool) -> Option<u64> {
        match self.phase {
            Phase::Up { .. } if connect == HostConnect::Demand && !watched => {
                Some(self.used.saturating_add(self.idle))
            }
            Phase::Up { .. } => None,
            _ => self.due(connect, watched),
        }
    }

    /// Whether to close the link, because nobody has used it for long.
    pub fn is_unused(&self, connect: HostConnect, watched: bool, now: u64) -> bool {
        let is_up = matches!(self.phase, Phase::Up { .. });
        is_up && self.next(connect, watched).is_some_and(|at| at <= now)
    }

    fn due(&self, connect: HostConnect, watched: bool) -> Option<u64> {
        if self.need == Some(Need::Asked) && self.is_closed() {
            return Some(0);
        }
        let named = self.need == Some(Need::Named);
        let kept = match connect {
            HostConnect::Manual => return None,
            HostConnect::Always => true,
            HostConnect::Demand => watched || self.need.is_some(),
        };
        match &self.phase {
            Phase::Opening | Phase::Up { .. } => None,
            Phase::Idle => kept.then_some(0),
            Phase::Disconnected => named.then_some(0),
            Phase::Down { at, retry_at, .. } => match retry_at {
                Some(retry) if named => Some((*retry).min(at + NAMED_PAUSE)),
                Some(retry) if kept => Some(*retry),
                // Somebody may have mended it.
                None if named => Some(at + NAMED_PAUSE),
                _ => None,
            },
        }
    }

    fn is_closed(&self) -> bool {
        !matches!(self.phase, Phase::Opening | Phase::Up { .. })
    }

    /// Notes that the link is being opened.
    pub fn opening(&mut self, now: Now) {
        self.phase = Phase::Opening;
        if self.fault.is_none() {
            self.since = now.wall;
        }
    }

    /// Notes that the link is open.
    pub fn opened(&mut self, now: Now) {
        self.need = None;
        self.attempts += 1;
        self.used = now.boot;
        self.last_seen = None;
        self.fault = None;
        self.phase = Phase::Up { since: now.boot };
        self.since = now.wall;
    }

    /// Notes that the link could not be opened, or has ended. `chance` is a random number that spreads the attempts
    /// of several machines. Returns whether this is news.
    pub fn failed(&mut self, error: Error, now: Now, chance: u64) -> bool {
        self.need = None;
        if self.is_opening() {
            self.attempts += 1;
        }
        if let Phase::Up { since } = self.phase {
            self.last_seen = Some(now.wall);
            if now.boot.saturating_sub(since) >= STEADY {
                self.pause = 0;
            }
        }
        let before = self.fault.as_ref().map(|fault| fault.code);
        let is_news = before != Some(error.code);
        if before.is_none() {
            self.since = now.wall;
        }
        self.pause = (self.pause * 2).clamp(PAUSE.0, PAUSE.1);
        let spread = self.pause / 2;
        let pause = self.pause - spread / 2 + chance % spread;
        self.phase = Phase::Down {
            at: now.boot,
            retry_at: passes(error.code).then_some(now.boot + pause),
        };
        self.fault = Some(error);
        is_news
    }

    /// Closes the link. It is not opened before somebody names the host again.
    pub fn disconnect(&mut self, now: Now) {
        self.close(Phase::Disconnected, now);
    }

    /// Closes the link, because nobody uses it.
    pub fn rest(&mut self, now: Now) {
        self.close(Phase::Idle, now);
    }

    fn close(&mut self, phase: Phase, now: Now) {
        if let Phase::Up { .. } = self.phase {
            self.last_seen = Some(now.wall);
        }
        self.need = None;
        self.pause = 0;
        self.attempts += 1;
        self.fault = None;
        self.phase = phase;
        self.since = now.wall;
    }

    /// Notes that this machine has slept, or its network has changed: the next attempt need not wait.
    pub fn woke(&mut self, now: Now) {
        self.pause = 0;
        if let Phase::Down {
            retry_at: Some(at), ..
        } = &mut self.phase
        {
            *at = now.boot;
        }
    }

    /// Notes that the host was used.
    pub fn used(&mut self, now: Now) {
        self.used = now.boot;
    }

    /// Whether the link is open.
    pub fn is_up(&self) -> bool {
        matches!(self.phase, Phase::Up { .. })
    }

    /// Whether the link is being opened.
    pub fn is_opening(&self) -> bool {
        matches!(self.phase, Phase::Opening)
    }

    /// Number of attempts that have ended, and of closures on purpose.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Its state on the wire.
    pub fn state(&self) -> HostState {
        match self.phase {
            Phase::Idle => HostState::Idle,
            Phase::Opening => HostState::Connecting,
            Phase::Up { .. } => HostState::Up,
            Phase::Down { .. } => HostState::Down,
            Phase::Disconnected => HostState::Disconnected,
        }
    }

    /// Since when it is in this state.
    pub fn since(&self) -> Timestamp {
        self.since
    }

    /// When it was last open; `None` if it is now, and if it never was.
    pub fn last_seen(&self) -> Option<Timestamp> {
        self.last_seen
    }

    /// Sets when an earlier process has last seen the host.
    pub fn seen_before(&mut self, at: Timestamp) {
        self.last_seen = self.last_seen.or(Some(at));
    }

    /// Why it is not open.
    pub fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// When the next attempt is made, in boot-time milliseconds.
    pub fn retry_at(&self) -> Option<u64> {
        match &self.phase {
            Phase::Down { retry_at, .. } => *retry_at,
            _ => None,
        }
    }
}

/// Whether what an error says may be over by itself: a way that is interrupted, or a daemon there that is just started.
fn passes(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::HostUnreachable | ErrorCode::DaemonUnavailable
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const DEMAND: HostConnect = HostConnect::Demand;

    fn at(ms: u64) -> Now {
        Now {
            boot: ms,
            wall: Timestamp(ms.cast_signed()),
        }
    }

    fn unreachable() -> Error {
        Error::new(ErrorCode::HostUnreachable, "no route")
    }

    fn login() -> Error {
        Error::new(ErrorCode::AuthRequired, "a password")
    }

    #[test]
    fn a_host_is_connected_when_it_is_needed() {
        let mut link = HostLink::new(at(0));
        assert!(link.is_due(HostConnect::Always, false, 0));
        assert!(!link.is_due(DEMAND, false, 0));
        assert!(link.is_due(DEMAND, true, 0));
        assert!(!link.is_due(HostConnect::Manual, true, 0));
        link.need(Need::Listed, at(1));
        assert!(link.is_due(DEMAND, false, 1));
        assert!(!link.is_due(HostConnect::Manual, false, 1));
        link.need(Need::Asked, at(2));
        assert!(link.is_due(HostConnect::Manual, false, 2));
        link.opening(at(3));
        assert_eq!(link.state(), HostState::Connecting);
        assert!(!link.is_due(HostConnect::Always, true, 3));
        link.opened(at(4));
        assert!(link.is_up());
        assert!(!link.is_due(HostConnect::Always, true, 4));
    }

    #[test]
    fn pauses_grow_up_to_a_minute_and_begin_anew_after_a_link_that_held() {
        let mut link = HostLink::new(at(0));
        let mut now = 0;
        for expected in [
            500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
        ] {
            link.opening(at(now));
            link.failed(unreachable(), at(now), 1 << 40);
            let pause = link.retry_at().unwrap() - now;
            assert!(
                pause * 4 >= expected * 3 && pause * 4 <= expected * 5,
                "{pause}"
            );
            assert!(!link.is_due(DEMAND, true, now + pause - 1));
            assert!(link.is_due(DEMAND, true, now + pause));
            assert!(!link.is_due(DEMAND, false, now + pause), "nobody looks");
            now += pause;
        }
        link.opening(at(now));
        link.opened(at(now));
        link.failed(unreachable(), at(now + 100), 0);
        assert!(link.retry_at().unwrap() > now + 40_000, "it did not hold");
        link.opened(at(now));
        link.failed(unreachable(), at(now + STEADY), 0);
        assert!(link.retry_at().unwrap() <= now + STEADY + 500);
    }

    #[test]
    fn a_failure_is_news_once_for_each_reason() {
        let mut link = HostLink::new(at(0));
        let mut fail = |ms, error| {
            link.opening(at(ms));
            (link.failed(error, at(ms), 0), link.since().millis())
        };
        assert_eq!(fail(1, unreachable()), (true, 1));
        assert_eq!(fail(2, unreachable()), (false, 1));
        assert_eq!(fail(3, login()), (true, 1));
        link.opened(at(4));
        assert!(link.failed(unreachable(), at(5), 0));
        assert_eq!(link.last_seen(), Some(Timestamp(5)));
    }

    #[test]
    fn a_login_that_is_due_is_not_tried_blindly() {
        let mut link = HostLink::new(at(0));
        link.opening(at(0));
        link.failed(login(), at(0), 0);
        assert!(!link.is_due(HostConnect::Always, true, 1 << 40));
        link.need(Need::Listed, at(1));
        assert!(!link.is_due(DEMAND, true, 1 << 40));
        link.need(Need::Named, at(1));
        assert!(!link.is_due(DEMAND, false, NAMED_PAUSE - 1));
        assert!(link.is_due(DEMAND, false, NAMED_PAUSE));
        link.need(Need::Asked, at(2));
        assert!(link.is_due(DEMAND, false, 2));
    }

    #[test]
    fn who_names_a_host_need_not_wait_out_a_long_pause() {
        let mut link = HostLink::new(at(0));
        for _ in 0..9 {
            link.opening(at(0));
            link.failed(unreachable(), at(0), 0);
        }
        link.need(Need::Named, at(10));
        assert_eq!(link.next(DEMAND, false), Some(NAMED_PAUSE));
        link.woke(at(20));
        assert!(link.is_due(DEMAND, true, 20));
    }

    #[test]
    fn a_link_that_nobody_uses_is_closed_and_one_that_a_person_closed_stays_closed() {
        let mut link = HostLink::new(at(0));
        link.opened(at(0));
        assert_eq!(link.next(DEMAND, true), None);
        assert_eq!(link.next(HostConnect::Always, false), None);
        assert!(!link.is_unused(DEMAND, false, IDLE - 1));
        link.used(at(5));
        assert!(!link.is_unused(DEMAND, false, IDLE));
        assert!(link.is_unused(DEMAND, false, IDLE + 5));
        link.rest(at(IDLE + 5));
        assert_eq!(link.state(), HostState::Idle);
        link.disconnect(at(IDLE + 6));
        assert!(!link.is_due(HostConnect::Always, true, 1 << 40));
        link.need(Need::Listed, at(IDLE + 7));
        assert!(!link.is_due(HostConnect::Always, true, 1 << 40));
        link.need(Need::Named, at(IDLE + 7));
        assert!(link.is_due(DEMAND, false, IDLE + 7));
    }
}
