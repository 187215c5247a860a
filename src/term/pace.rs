//! How often frames are drawn: a few at once, then at a steady rate.

use std::time::Duration;

/// Frames that may follow each other immediately: as many as the keys of a short burst of typing.
const BURST: u32 = 6;

/// Part of a second whose frames may follow each other immediately, if those are fewer.
const PART: Duration = Duration::from_millis(200);

/// The times of frames: a token bucket of some frames, in the form of the generic cell rate algorithm (ITU-T
/// I.371): only the time at which the bucket will be full again is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pace {
    full_at: Duration,
}

impl Pace {
    /// How long to wait for the next frame, at one frame in each `interval` in the long run. `now` is the time
    /// since any moment.
    pub fn wait(&self, now: Duration, interval: Duration) -> Duration {
        let debt = self.full_at.saturating_sub(now);
        debt.saturating_sub(interval * (burst(interval) - 1))
    }

    /// Makes a burst available again, because somebody waits for what is drawn next.
    pub fn refill(&mut self) {
        self.full_at = Duration::ZERO;
    }

    /// Counts a frame that was drawn at `now`.
    pub fn drew(&mut self, now: Duration, interval: Duration) {
        self.full_at = self.full_at.max(now) + interval;
    }
}

/// How many frames may follow each other immediately: fewer, the fewer are wanted in a second.
fn burst(interval: Duration) -> u32 {
    let within = PART.as_nanos() / interval.as_nanos().max(1);
    u32::try_from(within).map_or(BURST, |within| within.clamp(1, BURST))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(33);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_burst_is_drawn_at_once_and_the_rest_at_the_rate() {
        let mut pace = Pace::default();
        let mut now = ms(1000);
        let mut drawn = Vec::new();
        while now < ms(2000) {
            if pace.wait(now, INTERVAL).is_zero() {
                pace.drew(now, INTERVAL);
                drawn.push(now);
            }
            now += ms(1);
        }
        let at_once = drawn.iter().filter(|at| **at < ms(1006)).count();
        assert_eq!(at_once, 6);
        assert!((35..=37).contains(&drawn.len()), "{}", drawn.len());
        assert!(drawn[6..].windows(2).all(|two| two[1] - two[0] >= ms(32)));
    }

    #[test]
    fn who_wants_few_frames_gets_few_at_once() {
        let at_once = |fps: u32| {
            let (mut pace, interval) = (Pace::default(), Duration::from_secs(1) / fps);
            let mut drawn = 0;
            while pace.wait(ms(5), interval).is_zero() {
                pace.drew(ms(5), interval);
                drawn += 1;
            }
            drawn
        };
        assert_eq!([1, 5, 10, 20, 30, 60].map(at_once), [1, 1, 2, 4, 6, 6]);
    }

    #[test]
    fn the_wait_is_as_long_as_it_takes() {
        let mut pace = Pace::default();
        for _ in 0..6 {
            assert_eq!(pace.wait(ms(5), INTERVAL), Duration::ZERO);
            pace.drew(ms(5), INTERVAL);
        }
        assert_eq!(pace.wait(ms(5), INTERVAL), ms(33));
        assert_eq!(pace.wait(ms(20), INTERVAL), ms(18));
        assert_eq!(pace.wait(ms(38), INTERVAL), Duration::ZERO);
        // After quiet, the burst is available again.
        assert_eq!(pace.wait(ms(600), INTERVAL), Duration::ZERO);
    }
}
