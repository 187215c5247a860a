//! The time by which it is decided what is old.

use super::Now;
use crate::protocol::Timestamp;

/// A wall clock that does not jump ahead: a wrong time that is set for a moment must not make everything old, because
/// what is forgotten then does not come back. It goes on from the first time that it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct AgeClock {
    begun: Option<Now>,
}

impl AgeClock {
    /// The wall time, but not later than the time since the first call allows.
    pub(super) fn wall(&mut self, now: Now) -> Timestamp {
        let begun = *self.begun.get_or_insert(now);
        let passed = now.boot.saturating_sub(begun.boot);
        let passed = i64::try_from(passed).unwrap_or(i64::MAX);
        let steady = begun.wall.millis().saturating_add(passed);
        Timestamp(now.wall.millis().min(steady))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_ahead_makes_nothing_old_and_a_jump_back_makes_it_young() {
        let mut clock = AgeClock::default();
        let mut wall = |boot, wall| {
            let wall = Timestamp(wall);
            clock.wall(Now { boot, wall }).millis()
        };
        assert_eq!(wall(100, 5000), 5000);
        assert_eq!(wall(150, 5050), 5050);
        assert_eq!(wall(200, 9_000_000), 5100);
        assert_eq!(wall(250, 5150), 5150);
        assert_eq!(wall(300, 10), 10);
    }
}
