//! The time for which an incomplete screen is held back.
//!
//! A program that paints its screen in several writes puts them between the begin and the end of a synchronized
//! update (mode 2026). Nobody should see or capture the screen in between.

use super::Now;

/// How long an incomplete screen is held back, in milliseconds, as in the terminals that have mode 2026.
const HOLD_MS: u64 = 150;

/// The synchronized update that a program is painting, if it is painting one.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncUpdate {
    /// Its number, and when it began, in milliseconds since boot.
    current: Option<(u64, u64)>,
}

impl SyncUpdate {
    /// Takes note of the number of the update that the screen is in after output that was read at `now`.
    pub fn note(&mut self, number: Option<u64>, now: Now) {
        self.current = match (number, self.current) {
            (Some(number), Some((known, _))) if number == known => return,
            (Some(number), _) => Some((number, now.boot)),
            (None, _) => None,
        };
    }

    /// How long the screen is still incomplete, in milliseconds; 0 if it is complete. A program that does not end
    /// its update is not waited for longer than 150 ms.
    pub fn left(self, now: Now) -> u64 {
        let end = self.ends_at(now.boot);
        end.map_or(0, |end| end - now.boot)
    }

    /// When the screen counts as complete, in milliseconds since boot; `None` if it is complete at `now`.
    pub fn ends_at(self, now: u64) -> Option<u64> {
        let end = self.current.map(|(_, began)| began + HOLD_MS);
        end.filter(|end| *end > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_is_held_back_from_its_begin_and_no_longer_than_its_end() {
        let mut update = SyncUpdate::default();
        assert_eq!(update.left(at(1_000)), 0);
        update.note(Some(1), at(1_000));
        update.note(Some(1), at(1_040));
        assert_eq!(update.left(at(1_040)), HOLD_MS - 40);
        update.note(None, at(1_050));
        assert_eq!(update.left(at(1_050)), 0);
    }

    #[test]
    fn each_update_has_its_own_time() {
        let mut update = SyncUpdate::default();
        update.note(Some(1), at(1_000));
        assert_eq!(update.left(at(1_000 + HOLD_MS)), 0);
        update.note(Some(2), at(1_100));
        assert_eq!(update.left(at(1_100)), HOLD_MS);
    }

    fn at(boot: u64) -> Now {
        Now {
            boot,
            ..Now::default()
        }
    }
}
