//! CPU usage of a session, computed from its CPU time at two moments.

use super::Now;

/// Minimum time between two samples that are compared, in milliseconds. The kernel counts time in
/// ticks of 10 ms, and fewer than 20 ticks say little.
pub const INTERVAL_MS: u64 = 200;

/// CPU time of a session at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sample {
    /// In boot-time milliseconds.
    at: u64,
    /// CPU time, in milliseconds of one processor.
    cpu_ms: u64,
}

/// The samples of one session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meter {
    /// The sample that new ones are compared with.
    before: Sample,
    /// Takes its place once a sample comes [`INTERVAL_MS`] later, or more.
    last: Sample,
}

impl Meter {
    /// Creates the meter of a run. The first sample gives the average since the run began. `cpu_ms`
    /// is the CPU time used before that, by processes that an earlier run left.
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

    /// Whether the meter belongs to the run that began at `started_boot`, or to a later one.
    pub fn is_of_run(&self, started_boot: u64) -> bool {
        self.before.at >= started_boot
    }

    /// Adds a sample and returns the usage since one at least [`INTERVAL_MS`] ago in percent of one processor, with
    /// one decimal place. `None` so soon after the beginning that a single tick of the kernel's
    /// clock would count as several processors.
    pub fn look(&mut self, cpu_ms: u64, now: Now) -> Option<f64> {
        if now.boot.saturating_sub(self.last.at) >= INTERVAL_MS {
            self.before = self.last;
            self.last = Sample {
                at: now.boot,
                cpu_ms,
            };
        }
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
    fn the_first_sample_gives_the_average_and_later_ones_the_recent_usage() {
        let mut meter = Meter::new(1000, 0);
        assert_eq!(meter.look(500, at(2000)), Some(50.0));
        assert_eq!(meter.look(1500, at(2500)), Some(200.0));
        assert_eq!(meter.look(1500, at(9000)), Some(0.0));
    }

    #[test]
    fn a_sample_right_after_the_beginning_gives_nothing() {
        let mut meter = Meter::new(1000, 0);
        // Three ticks in four milliseconds must not be reported as 750 %.
        assert_eq!(meter.look(30, at(1004)), None);
        assert_eq!(meter.look(110, at(1110)), None);
        assert_eq!(meter.look(200, at(1200)), Some(100.0));
    }

    #[test]
    fn cpu_time_of_an_earlier_run_is_not_counted() {
        let mut meter = Meter::new(1000, 60_000);
        assert_eq!(meter.look(60_250, at(1500)), Some(50.0));
    }

    #[test]
    fn frequent_samples_are_compared_with_one_that_is_old_enough() {
        let mut meter = Meter::new(0, 0);
        meter.look(0, at(1000));
        assert_eq!(meter.look(100, at(1200)), Some(50.0));
        assert_eq!(meter.look(110, at(1210)), Some(52.3));
        assert_eq!(meter.look(200, at(1400)), Some(50.0));
    }

    #[test]
    fn samples_that_always_come_too_soon_tell_of_the_recent_usage_all_the_same() {
        let mut meter = Meter::new(0, 0);
        meter.look(10_000, at(10_000));
        let looks = (1..=40).map(|look| meter.look(10_000, at(10_000 + look * 50)));
        assert_eq!(looks.last(), Some(Some(0.0)));
    }

    #[test]
    fn usage_is_never_negative_after_processes_have_ended() {
        let mut meter = Meter::new(0, 0);
        meter.look(900, at(1000));
        assert_eq!(meter.look(100, at(2000)), Some(0.0));
        assert!(meter.is_of_run(0) && !meter.is_of_run(1500));
    }
}
