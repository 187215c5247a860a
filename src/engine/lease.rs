//! The keyboard lease of a session: while a person types, the person holds it, and agents wait.
//!
//! A hold begins with a person's first key and ends [`HOLD_MS`] after the last one. A connection
//! that pinned the lease ([`Lease::pin`]) also keeps the hold until it releases it. The lease
//! exists in memory only: if the daemon dies, the hold is lost, and agents get the keyboard a few
//! seconds early.

use super::Now;
use super::bus::ConnectionId;
use crate::protocol::Timestamp;

/// How long a session stays held after a person's last key, in milliseconds.
pub const HOLD_MS: u64 = 5000;

/// Delay, in milliseconds, between the start of a hold and the first report of typed bytes. The
/// rest is reported at the end of the hold, so that there is no report for each key.
const REPORT_MS: u64 = 1000;

/// A change of a lease that must be reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaseReport {
    /// A person began to type.
    Held,
    /// A person typed this many bytes since the last report.
    Typed(u64),
    /// No person types any more.
    Released,
}

/// The keyboard lease of one session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lease {
    hold: Option<Hold>,
    /// Connections of people that hold the keyboard until they release it.
    pins: Vec<ConnectionId>,
    /// Until when further typing by agents is not reported, in boot-time milliseconds.
    agent_report_at: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Hold {
    /// End of the hold, in boot-time milliseconds.
    ends: u64,
    /// End of the hold as wall-clock time, for display.
    until: Timestamp,
    /// When the typed bytes are reported; `None` after that report.
    report_at: Option<u64>,
    /// Bytes typed since the last report.
    unreported: u64,
}

impl Lease {
    /// A person types, or is about to (`bytes` is 0 then). Returns true if that begins a hold.
    pub fn typed(&mut self, bytes: usize, now: Now) -> bool {
        let is_new = self.until(now).is_none();
        let hold = self.hold.get_or_insert(Hold {
            ends: 0,
            until: Timestamp(0),
            report_at: None,
            unreported: 0,
        });
        // One that is over may not have been ended yet.
        if now.boot >= hold.ends {
            hold.report_at = Some(now.boot + REPORT_MS);
        }
        hold.ends = now.boot + HOLD_MS;
        hold.until = Timestamp(now.wall.millis() + HOLD_MS.cast_signed());
        hold.unreported += bytes as u64;
        is_new
    }

    /// Earliest end of a person's hold; `None` if agents may type.
    pub fn until(&self, now: Now) -> Option<Timestamp> {
        let hold = self.hold.as_ref().filter(|hold| now.boot < hold.ends);
        if self.pins.is_empty() {
            hold.map(|hold| hold.until)
        } else {
            Some(Timestamp(now.wall.millis() + HOLD_MS.cast_signed()))
        }
    }

    /// A person's connection pins the keyboard. Returns true if that begins a hold.
    pub fn pin(&mut self, by: ConnectionId, now: Now) -> bool {
        let is_new = self.until(now).is_none();
        if !self.pins.contains(&by) {
            self.pins.push(by);
        }
        is_new
    }

    /// A person gives the keyboard back: the hold after the last key ends, too, unless others have pinned the keyboard.
    pub fn give_back(&mut self, by: ConnectionId) -> Vec<LeaseReport> {
        if !self.is_pinned_by(by) {
            return Vec::new();
        }
        if self.pins.len() > 1 {
            self.pins.retain(|pin| *pin != by);
            return Vec::new();
        }
        self.release()
    }

    /// A connection that has pinned the keyboard is closed. If it typed a moment ago, the usual hold after the last key
    /// remains.
    pub fn unpin(&mut self, by: ConnectionId, now: Now) -> Vec<LeaseReport> {
        if !self.is_pinned_by(by) {
            return Vec::new();
        }
        self.pins.retain(|pin| *pin != by);
        match (self.until(now), self.hold.is_some()) {
            (Some(_), _) => Vec::new(),
            (None, true) => self.release(),
            (None, false) => vec![LeaseReport::Released],
        }
    }

    /// Whether a connection has pinned the keyboard.
    pub fn is_pinned_by(&self, by: ConnectionId) -> bool {
        self.pins.contains(&by)
    }

    /// An agent typed. Returns true if that must be reported.
    pub fn agent_typed(&mut self, now: Now) -> bool {
        let is_due = now.boot >= self.agent_report_at;
        if is_due {
            self.agent_report_at = now.boot + REPORT_MS;
        }
        is_due
    }

    /// The next deadline, in boot-time milliseconds.
    pub fn due(&self) -> Option<u64> {
        let hold = self.hold.as_ref()?;
        Some(hold.report_at.map_or(hold.ends, |at| at.min(hold.ends)))
    }

    /// Returns the reports that are due now, and ends an expired hold.
    pub fn reports_due(&mut self, now: Now) -> Vec<LeaseReport> {
        let Some(hold) = &mut self.hold else {
            return Vec::new();
        };
        if now.boot >= hold.ends && self.pins.is_empty() {
            return self.release();
        }
        if now.boot >= hold.ends {
            let typed = typed_since_report(hold).into_iter().collect();
            self.hold = None;
            return typed;
        }
        match hold.report_at.take_if(|at| now.boot >= *at) {
            Some(_) => typed_since_report(hold).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Ends the hold, because it expired or the session ended.
    pub fn release(&mut self) -> Vec<LeaseReport> {
        let was_pinned = !std::mem::take(&mut self.pins).is_empty();
        let hold = self.hold.take();
        let released = (was_pinned || hold.is_some()).then_some(LeaseReport::Released);
        let typed = hold.and_then(|mut hold| typed_since_report(&mut hold));
        typed.into_iter().chain(released).collect()
    }
}

fn typed_since_report(hold: &mut Hold) -> Option<LeaseReport> {
    let bytes = std::mem::take(&mut hold.unreported);
    (bytes > 0).then_some(LeaseReport::Typed(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(boot: u64) -> Now {
        Now {
            boot,
            wall: Timestamp(1000 + boot.cast_signed()),
        }
    }

    #[test]
    fn a_hold_lasts_from_the_first_key_until_five_seconds_after_the_last() {
        let mut lease = Lease::default();
        assert_eq!((lease.until(at(0)), lease.due()), (None, None));
        assert!(lease.typed(1, at(0)));
        assert!(
            !lease.typed(1, at(3000)),
            "further keys belong to the same hold"
        );
        assert_eq!(lease.until(at(7999)), Some(Timestamp(9000)));
        assert_eq!(lease.until(at(8000)), None);
        assert!(lease.typed(1, at(8000)), "the next key begins another hold");
        assert_eq!(lease.due(), Some(9000), "which is reported as well");
    }

    #[test]
    fn who_gives_the_keyboard_back_does_not_hold_it_for_what_was_typed() {
        let (one, other) = (ConnectionId(1), ConnectionId(2));
        let mut lease = Lease::default();
        lease.pin(one, at(0));
        lease.pin(other, at(0));
        lease.typed(3, at(100));
        assert_eq!(lease.give_back(one), []);
        assert!(lease.until(at(200)).is_some(), "another one holds it");
        assert_eq!(
            lease.give_back(other),
            [LeaseReport::Typed(3), LeaseReport::Released]
        );
        assert_eq!(lease.until(at(200)), None);
    }

    #[test]
    fn typed_bytes_are_reported_after_a_second_and_at_the_end() {
        let mut lease = Lease::default();
        lease.typed(0, at(0));
        lease.typed(4, at(0));
        lease.typed(1, at(250));
        assert_eq!(lease.due(), Some(1000));
        assert_eq!(lease.reports_due(at(999)), []);
        assert_eq!(lease.reports_due(at(1000)), [LeaseReport::Typed(5)]);
        for boot in [1100, 1200, 1300] {
            lease.typed(1, at(boot));
        }
        assert_eq!(lease.due(), Some(6300), "no timer for each key");
        assert_eq!(
            lease.reports_due(at(6300)),
            [LeaseReport::Typed(3), LeaseReport::Released]
        );
        assert_eq!(
            (lease.reports_due(at(9000)), lease.due()),
            (Vec::new(), None)
        );
    }

    #[test]
    fn the_end_of_the_session_ends_the_hold() {
        let mut lease = Lease::default();
        lease.typed(2, at(0));
        assert_eq!(
            lease.release(),
            [LeaseReport::Typed(2), LeaseReport::Released]
        );
        assert_eq!(lease.release(), []);
    }

    #[test]
    fn a_pinned_keyboard_is_held_until_it_is_released() {
        let (me, other) = (ConnectionId(1), ConnectionId(2));
        let mut lease = Lease::default();
        assert!(lease.pin(me, at(0)));
        assert!(!lease.pin(me, at(1)) && !lease.pin(other, at(2)));
        lease.typed(3, at(10));
        assert_eq!(lease.reports_due(at(2000)), [LeaseReport::Typed(3)]);
        assert_eq!(
            lease.reports_due(at(9000)),
            [],
            "typed long ago, but still pinned"
        );
        assert!(lease.until(at(3_600_000)).is_some());
        assert_eq!(lease.due(), None, "a pinned lease has no deadline");
        assert_eq!(lease.unpin(me, at(3_600_000)), []);
        assert_eq!(lease.unpin(me, at(3_600_000)), []);
        assert_eq!(lease.unpin(other, at(3_600_000)), [LeaseReport::Released]);
        assert_eq!(lease.until(at(3_600_000)), None);
        // A connection that has just typed keeps the keyboard for the usual time.
        lease.pin(me, at(4_000_000));
        lease.typed(1, at(4_000_000));
        assert_eq!(lease.unpin(me, at(4_000_001)), []);
        assert_eq!(
            lease.reports_due(at(4_005_000)),
            [LeaseReport::Typed(1), LeaseReport::Released]
        );
        // The end of the run releases all pins.
        lease.pin(me, at(5_000_000));
        assert_eq!(lease.release(), [LeaseReport::Released]);
        assert!(!lease.is_pinned_by(me));
    }

    #[test]
    fn typing_by_agents_is_reported_once_a_second() {
        let mut lease = Lease::default();
        let reported = [0, 1, 999, 1000, 1001, 2500].map(|boot| lease.agent_typed(at(boot)));
        assert_eq!(reported, [true, false, false, true, false, true]);
    }

    #[test]
    fn a_wall_clock_jump_does_not_move_a_hold() {
        let mut lease = Lease::default();
        lease.typed(1, at(0));
        let jumped = Now {
            boot: 4999,
            wall: Timestamp(-1),
        };
        assert!(lease.until(jumped).is_some());
    }
}
