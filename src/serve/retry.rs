//! When to look for a daemon again that could not be reached.

use std::time::{Duration, Instant};

/// Shortest and longest pause. Each is twice as long as the one before.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));

/// The next attempt, if one is due.
#[derive(Debug, Default)]
pub struct Retry {
    next: Option<(Instant, Duration)>,
}

impl Retry {
    /// An attempt has failed at `now`, and another one is worth while.
    pub fn failed(&mut self, now: Instant) {
        let pause = match self.next {
            Some((_, pause)) => PAUSES.1.min(pause * 2),
            None => PAUSES.0,
        };
        self.next = Some((now + pause, pause));
    }

    /// No further attempt is needed.
    pub fn over(&mut self) {
        self.next = None;
    }

    /// The time until the next attempt; zero if it is due.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        let (at, _) = self.next?;
        Some(at.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_grow_up_to_a_limit() {
        let now = Instant::now();
        let mut retry = Retry::default();
        assert_eq!(retry.left(now), None);
        retry.failed(now);
        assert_eq!(retry.left(now), Some(PAUSES.0));
        retry.failed(now);
        assert_eq!(retry.left(now), Some(PAUSES.0 * 2));
        (0..20).for_each(|_| retry.failed(now));
        assert_eq!(retry.left(now), Some(PAUSES.1));
        assert_eq!(retry.left(now + PAUSES.1), Some(Duration::ZERO));
        retry.over();
        assert_eq!(retry.left(now), None);
    }
}
