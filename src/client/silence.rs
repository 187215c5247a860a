//! Decides when to check why the daemon is silent.

use std::time::{Duration, Instant};

/// Delay before the first check: a running daemon has answered most requests by then.
const FIRST: Duration = Duration::from_millis(1500);

/// Longest pause between two checks during a long wait.
const LONGEST: Duration = Duration::from_secs(60);

/// The time of the next check, and the pause after it.
#[derive(Debug, Default)]
pub struct Silence {
    look_at: Option<Instant>,
    pause: Duration,
}

impl Silence {
    /// A request was sent.
    pub fn asked(&mut self, now: Instant) {
        self.pause = FIRST;
        let soon = now + FIRST;
        self.look_at = Some(self.look_at.map_or(soon, |at| at.min(soon)));
    }

    /// The daemon sent something. `waits`: whether answers are still pending.
    pub fn heard(&mut self, waits: bool, now: Instant) {
        self.pause = FIRST;
        self.look_at = waits.then(|| now + FIRST);
    }

    /// A check found nothing wrong.
    pub fn looked(&mut self, now: Instant) {
        self.pause = (self.pause * 2).min(LONGEST);
        self.look_at = Some(now + self.pause);
    }

    /// Time until the next check; `None` if no answer is pending.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        Some(self.look_at?.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_begin_soon_after_a_request_and_become_rarer() {
        let (began, mut silence) = (Instant::now(), Silence::default());
        assert_eq!(silence.left(began), None);
        silence.asked(began);
        assert_eq!(silence.left(began), Some(FIRST));
        // Another request a second later does not postpone the check.
        silence.asked(began + Duration::from_secs(1));
        assert_eq!(silence.left(began), Some(FIRST));
        for _ in 0..10 {
            silence.looked(began);
        }
        assert_eq!(silence.left(began), Some(LONGEST));
        silence.asked(began);
        assert_eq!(silence.left(began), Some(FIRST));
        silence.heard(true, began);
        assert_eq!(silence.left(began), Some(FIRST));
        silence.heard(false, began);
        assert_eq!(silence.left(began), None);
    }
}
