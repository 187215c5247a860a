//! How much of a processor a session uses, from what it has used by when.

use super::Now;

/// Between two looks at the same session that are compared, in milliseconds: the
/// kernel counts time in ticks of 10, and less than 20 of them say little.
pub const INTERVAL_MS: u64 = 200;

/// What a session had used at some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sample {
    /// In boot-time milliseconds.
    at: u64,
    /// Processor time, in milliseconds of one processor.
    cpu_ms: u64,
}

/// The looks at one session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meter {
    /// What the last one is compared with.
    before: Sample,
    last: Sample,
}

impl Meter {
    /// A session whose run began then: the first look at it gives the average since. What it had used by then
    /// (`cpu_ms`) is that of processes which an earlier run has left.
    pub fn new(started_boot: u64, cpu_ms: u64) -> Self {
        let begin = Sample {
            at: started_boot,
            cpu_ms,
        };
        Self {
            before: begin,
            last: begin,
        }
    }

    /// Whether it is that of a run which began then, or later.
    pub fn is_of_run(&self, started_boot: u64) -> bool {
        self.before.at >= started_boot
    }

    /// A session has used so much by now; 100 is one whole processor since the
    /// look before, with one place after the point. `None` so soon after its begin that a single tick of the
    /// kernel's clock would be several processors.
    pub fn look(&mut self, cpu_ms: u64, now: Now) -> Option<f64> {
        if now.boot.saturating_sub(self.last.at) >= INTERVAL_MS {
            self.before = self.last;
        }
        self.last = Sample {
            at: now.boot,
            cpu_ms,
        };
        let used = cpu_ms.saturating_sub(self.before.cpu_ms);
        let passed = now.boot.saturating_sub(self.before.at);
        if passed < INTERVAL_MS {
            return None;
        }
        let permille = used.saturating_mul(1000) / passed;
        // Small enough to be exact.
        Some(f64::from(u32::try_from(permille).unwrap_or(u32::MAX)) / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Timestamp;

    fn at(boot: u64) -> Now {
        Now {
            boot,
            wall: Timestamp(0),
        }
    }

    #[test]
    fn the_first_look_gives_the_average_and_the_next_ones_what_came_since() {
        let mut meter = Meter::new(1000, 0);
        assert_eq!(meter.look(500, at(2000)), Some(50.0));
        assert_eq!(meter.look(1500, at(2500)), Some(200.0));
        assert_eq!(meter.look(1500, at(9000)), Some(0.0));
    }

    #[test]
    fn a_look_right_after_the_begin_says_nothing() {
        let mut meter = Meter::new(1000, 0);
        // Three ticks in four milliseconds are no 750 % of a processor.
        assert_eq!(meter.look(30, at(1004)), None);
        assert_eq!(meter.look(110, at(1110)), None);
        assert_eq!(meter.look(200, at(1200)), Some(100.0));
    }

    #[test]
    fn what_an_earlier_run_has_left_does_not_count_for_this_one() {
        let mut meter = Meter::new(1000, 60_000);
        assert_eq!(meter.look(60_250, at(1500)), Some(50.0));
    }

    #[test]
    fn looks_in_a_row_are_compared_with_one_that_is_long_enough_ago() {
        let mut meter = Meter::new(0, 0);
        meter.look(0, at(1000));
        assert_eq!(meter.look(100, at(1200)), Some(50.0));
        assert_eq!(meter.look(110, at(1210)), Some(52.3));
        assert_eq!(meter.look(200, at(1400)), Some(50.0));
    }

    #[test]
    fn what_the_dead_took_with_them_is_no_less_than_nothing() {
        let mut meter = Meter::new(0, 0);
        meter.look(900, at(1000));
        assert_eq!(meter.look(100, at(2000)), Some(0.0));
        assert!(meter.is_of_run(0) && !meter.is_of_run(1500));
    }
}
