//! Who has a session's keyboard: a person who types holds it, and agents wait.
//!
//! A hold begins with a person's first key and ends [`HOLD_MS`] after the last
//! one, or once nobody holds it any more who has said so ([`Lease::pin`]). It is in memory only: a daemon that dies forgets it, which gives agents
//! the keyboard a few seconds early.

use super::Now;
use super::bus::ConnectionId;
use crate::protocol::Timestamp;

/// How long after a person's last key the session stays held, in milliseconds.
pub const HOLD_MS: u64 = 5000;

/// What a person has typed is told so long after the hold began, in milliseconds,
/// and the rest of it at the end: not for each key.
const TELL_MS: u64 = 1000;

/// What is to be told of a lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// A person has begun to type.
    Held,
    /// A person has typed so many bytes since that was last told.
    Typed(u64),
    /// Nobody types any more.
    Released,
}

/// The keyboard of one session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lease {
    hold: Option<Hold>,
    /// Connections of people that hold it until they let go.
    pins: Vec<ConnectionId>,
    /// Until when nothing more is told of agents that type, in boot-time milliseconds.
    agent_told: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Hold {
    /// When it ends, in boot-time milliseconds.
    ends: u64,
    /// The same for display.
    until: Timestamp,
    /// When what was typed is told, unless it has been.
    tell: Option<u64>,
    /// Bytes that were typed and not told of.
    untold: u64,
}

impl Lease {
    /// A person types, or is about to (`bytes` is 0 then). True if that begins a hold.
    pub fn typed(&mut self, bytes: usize, now: Now) -> bool {
        let is_new = self.until(now).is_none();
        let hold = self.hold.get_or_insert(Hold {
            ends: 0,
            until: Timestamp(0),
            tell: Some(now.boot + TELL_MS),
            untold: 0,
        });
        hold.ends = now.boot + HOLD_MS;
        hold.until = Timestamp(now.wall.millis() + HOLD_MS.cast_signed());
        hold.untold += bytes as u64;
        is_new
    }

    /// Until when a person holds it at least; `None`: agents may type.
    pub fn until(&self, now: Now) -> Option<Timestamp> {
        let hold = self.hold.as_ref().filter(|hold| now.boot < hold.ends);
        match self.pins.is_empty() {
            true => hold.map(|hold| hold.until),
            false => Some(Timestamp(now.wall.millis() + HOLD_MS.cast_signed())),
        }
    }

    /// A person's connection holds it from now on. True if that begins a hold.
    pub fn pin(&mut self, by: ConnectionId, now: Now) -> bool {
        let is_new = self.until(now).is_none();
        if !self.pins.contains(&by) {
            self.pins.push(by);
        }
        is_new
    }

    /// A connection lets go; one that has typed a moment ago holds it that much longer.
    pub fn unpin(&mut self, by: ConnectionId, now: Now) -> Vec<News> {
        if !self.is_pinned_by(by) {
            return Vec::new();
        }
        self.pins.retain(|pin| *pin != by);
        match (self.until(now), self.hold.is_some()) {
            (Some(_), _) => Vec::new(),
            (None, true) => self.release(),
            (None, false) => vec![News::Released],
        }
    }

    /// Whether a connection holds it until it lets go.
    pub fn is_pinned_by(&self, by: ConnectionId) -> bool {
        self.pins.contains(&by)
    }

    /// An agent has typed. True if that is to be told.
    pub fn agent_typed(&mut self, now: Now) -> bool {
        let tell = now.boot >= self.agent_told;
        if tell {
            self.agent_told = now.boot + TELL_MS;
        }
        tell
    }

    /// When something is due, in boot-time milliseconds.
    pub fn due(&self) -> Option<u64> {
        let hold = self.hold.as_ref()?;
        Some(hold.tell.map_or(hold.ends, |at| at.min(hold.ends)))
    }

    /// What is to be told by now.
    pub fn look(&mut self, now: Now) -> Vec<News> {
        let Some(hold) = &mut self.hold else {
            return Vec::new();
        };
        if now.boot >= hold.ends && self.pins.is_empty() {
            return self.release();
        }
        if now.boot >= hold.ends {
            let told = told(hold).into_iter().collect();
            self.hold = None;
            return told;
        }
        match hold.tell.take_if(|at| now.boot >= *at) {
            Some(_) => told(hold).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Ends the hold, because its time or its session is over.
    pub fn release(&mut self) -> Vec<News> {
        let was_pinned = !std::mem::take(&mut self.pins).is_empty();
        let hold = self.hold.take();
        let released = (was_pinned || hold.is_some()).then_some(News::Released);
        let typed = hold.and_then(|mut hold| told(&mut hold));
        typed.into_iter().chain(released).collect()
    }
}

fn told(hold: &mut Hold) -> Option<News> {
    let bytes = std::mem::take(&mut hold.untold);
    (bytes > 0).then_some(News::Typed(bytes))
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
        assert!(!lease.typed(1, at(3000)), "one hold, however many keys");
        assert_eq!(lease.until(at(7999)), Some(Timestamp(9000)));
        assert_eq!(lease.until(at(8000)), None);
        assert!(lease.typed(1, at(8000)), "the next one is another");
    }

    #[test]
    fn what_was_typed_is_told_after_a_second_and_at_the_end() {
        let mut lease = Lease::default();
        lease.typed(0, at(0));
        lease.typed(4, at(0));
        lease.typed(1, at(250));
        assert_eq!(lease.due(), Some(1000));
        assert_eq!(lease.look(at(999)), []);
        assert_eq!(lease.look(at(1000)), [News::Typed(5)]);
        for boot in [1100, 1200, 1300] {
            lease.typed(1, at(boot));
        }
        assert_eq!(lease.due(), Some(6300), "no timer for each key");
        assert_eq!(lease.look(at(6300)), [News::Typed(3), News::Released]);
        assert_eq!((lease.look(at(9000)), lease.due()), (Vec::new(), None));
    }

    #[test]
    fn the_end_of_the_session_ends_it() {
        let mut lease = Lease::default();
        lease.typed(2, at(0));
        assert_eq!(lease.release(), [News::Typed(2), News::Released]);
        assert_eq!(lease.release(), []);
    }

    #[test]
    fn who_takes_the_keyboard_has_it_until_it_is_given_back() {
        let (me, other) = (ConnectionId(1), ConnectionId(2));
        let mut lease = Lease::default();
        assert!(lease.pin(me, at(0)));
        assert!(!lease.pin(me, at(1)) && !lease.pin(other, at(2)));
        lease.typed(3, at(10));
        assert_eq!(lease.look(at(2000)), [News::Typed(3)]);
        assert_eq!(lease.look(at(9000)), [], "typed long ago, and still held");
        assert!(lease.until(at(3_600_000)).is_some());
        assert_eq!(lease.due(), None, "nothing is due while it is held");
        assert_eq!(lease.unpin(me, at(3_600_000)), []);
        assert_eq!(lease.unpin(me, at(3_600_000)), []);
        assert_eq!(lease.unpin(other, at(3_600_000)), [News::Released]);
        assert_eq!(lease.until(at(3_600_000)), None);
        // Somebody who has just typed keeps it for the usual time.
        lease.pin(me, at(4_000_000));
        lease.typed(1, at(4_000_000));
        assert_eq!(lease.unpin(me, at(4_000_001)), []);
        assert_eq!(lease.look(at(4_005_000)), [News::Typed(1), News::Released]);
        // The end of the run ends it for all.
        lease.pin(me, at(5_000_000));
        assert_eq!(lease.release(), [News::Released]);
        assert!(!lease.is_pinned_by(me));
    }

    #[test]
    fn agents_that_type_are_told_of_once_a_second() {
        let mut lease = Lease::default();
        let told = [0, 1, 999, 1000, 1001, 2500].map(|boot| lease.agent_typed(at(boot)));
        assert_eq!(told, [true, false, false, true, false, true]);
    }

    #[test]
    fn a_wall_clock_that_jumps_moves_nothing() {
        let mut lease = Lease::default();
        lease.typed(1, at(0));
        let jumped = Now {
            boot: 4999,
            wall: Timestamp(-1),
        };
        assert!(lease.until(jumped).is_some());
    }
}
