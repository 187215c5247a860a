//! When it is time to look why the daemon says nothing.

use std::time::{Duration, Instant};

/// A daemon that runs has answered most requests by then.
const FIRST: Duration = Duration::from_millis(1500);

/// A long wait is looked after this often at least.
const LONGEST: Duration = Duration::from_secs(60);

/// Since when, and how often, a daemon is silent to somebody who has asked.
#[derive(Debug, Default)]
pub struct Silence {
    look_at: Option<Instant>,
    pause: Duration,
}

impl Silence {
    /// Something was asked.
    pub fn asked(&mut self, now: Instant) {
        self.pause = FIRST;
        let soon = now + FIRST;
        self.look_at = Some(self.look_at.map_or(soon, |at| at.min(soon)));
    }

    /// The daemon has said something, and answers are still to come or not.
    pub fn heard(&mut self, waits: bool, now: Instant) {
        self.pause = FIRST;
        self.look_at = waits.then(|| now + FIRST);
    }

    /// It was looked, and nothing is wrong.
    pub fn looked(&mut self, now: Instant) {
        self.pause = (self.pause * 2).min(LONGEST);
        self.look_at = Some(now + self.pause);
    }

    /// How long until it is to be looked; `None`: nobody waits.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        Some(self.look_at?.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_looked_soon_after_a_question_and_then_more_and_more_rarely() {
        let (began, mut silence) = (Instant::now(), Silence::default());
        assert_eq!(silence.left(began), None);
        silence.asked(began);
        assert_eq!(silence.left(began), Some(FIRST));
        // Another question a second later does not put it off.
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
