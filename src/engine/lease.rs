//! Who has a session's keyboard: a person who types holds it, and agents wait.
//!
//! A hold begins with a person's first key and ends [`HOLD_MS`] after the last
//! one. It is in memory only: a daemon that dies forgets it, which gives agents
//! the keyboard a few seconds early.

use super::Now;
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

    /// Until when a person holds it; `None`: agents may type.
    pub fn until(&self, now: Now) -> Option<Timestamp> {
        let hold = self.hold.as_ref().filter(|hold| now.boot < hold.ends)?;
        Some(hold.until)
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
        if now.boot >= hold.ends {
            return self.release();
        }
        match hold.tell.take_if(|at| now.boot >= *at) {
            Some(_) => told(hold).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Ends the hold, because its time or its session is over.
    pub fn release(&mut self) -> Vec<News> {
        let Some(mut hold) = self.hold.take() else {
            return Vec::new();
        };
        told(&mut hold)
            .into_iter()
            .chain([News::Released])
            .collect()
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
