//! The time for which an incomplete screen is held back.
//!
//! A program that paints its screen in several writes puts them between the begin and the end of a synchronized
//! update (mode 2026). Nobody should see or capture the screen in between.

use super::Now;

/// How long an incomplete screen is held back, in milliseconds, as in the terminals that have mode 2026.
pub const HOLD_MS: u64 = 150;

/// The synchronized update that a program is painting, if it is painting one.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncUpdate {
    current: Option<Current>,
}

/// An update that has not ended. Times are in milliseconds since boot.
#[derive(Clone, Copy, Debug)]
struct Current {
    number: u64,
    /// When it began.
    began: u64,
    /// When the first of the updates began that have followed each other since the screen was last seen complete.
    incomplete_since: u64,
}

impl SyncUpdate {
    /// Takes note of the number of the update that the screen is in after output that was read at `now`.
    pub fn note(&mut self, number: Option<u64>, now: Now) {
        if number.is_some() && number == self.current.map(|current| current.number) {
            return;
        }
        let since = self.current.map(|current| current.incomplete_since);
        self.current = number.map(|number| Current {
            number,
            began: now.boot,
            incomplete_since: since.unwrap_or(now.boot),
        });
    }

    /// How long the screen is still incomplete, in milliseconds; 0 if it is complete. At most 150 ms for each
    /// update: a program that begins the next one before anybody looks may go on for ever.
    pub fn left(self, now: Now) -> u64 {
        let end = self.current.map_or(0, |current| current.began + HOLD_MS);
        end.saturating_sub(now.boot)
    }

    /// When the screen counts as complete, in milliseconds since boot: at most 150 ms after it was last seen
    /// complete. `None` if it counts as complete at `now`.
    pub fn ends_at(self, now: u64) -> Option<u64> {
        let end = self.current?.incomplete_since + HOLD_MS;
        (end > now).then_some(end)
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
        // For those who cannot wait for ever, all of them end together.
        assert_eq!(update.ends_at(1_100), Some(1_000 + HOLD_MS));
        assert_eq!(update.ends_at(1_000 + HOLD_MS), None);
    }

    fn at(boot: u64) -> Now {
        Now {
            boot,
            ..Now::default()
        }
    }
}
