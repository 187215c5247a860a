//! What has come of the times at which a job runs.
//!
//! A schedule is a row of nominal times by one clock, which the caller computes. A [`Timetable`] remembers up to
//! which nominal time it has been followed. It only moves forward, so no nominal time comes twice: neither after the
//! death of a daemon, which reads it from the project's file, nor after the wall clock was set back.
//!
//! - Times that passed while nobody looked (the machine slept, the clock was set forward, no daemon ran) were missed.
//! - A jump of the wall clock of more than [`CORRECTION_MS`] is a correction of a wrong clock: nothing was missed, and
//!   times that come again do run.

use serde::{Deserialize, Serialize};

use crate::engine::Now;

/// A longer jump of the wall clock is a correction, not missed time: 3 hours. Vixie cron and its successors use the
/// same limit, cron(8).
pub const CORRECTION_MS: u64 = 3 * 60 * 60 * 1000;

/// A run that begins less than this after its time is on time: 1 minute, the resolution of cron.
const ON_TIME_MS: i64 = 60_000;

/// Maximum number of times that are counted as missed; a job that runs every second misses more in a night.
const MOST_MISSED: u32 = 10_000;

/// What has come of the times at which a job runs. All times are in milliseconds by one clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timetable {
    /// Nominal times up to this one have been dealt with.
    pub until: i64,
    /// How many were missed since the last run.
    #[serde(default)]
    pub missed: u32,
    /// At how many since the last run the run before had not ended.
    #[serde(default)]
    pub overlapped: u32,
}

/// The rules of one schedule.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Longest delay after a nominal time, in milliseconds.
    pub jitter_ms: u64,
    /// From what the delays are derived. The same seed gives the same delays.
    pub seed: u64,
    /// Whether missed times are made up for by one run.
    pub makes_up: bool,
}

impl Timetable {
    /// A timetable that begins now.
    pub fn starting(now: i64) -> Self {
        Self {
            until: now,
            missed: 0,
            overlapped: 0,
        }
    }

    /// When the next run is due. `next` returns the first nominal time after another time.
    pub fn next(&self, rules: &Rules, next: impl Fn(i64) -> Option<i64>) -> Option<i64> {
        due(next(self.until)?, rules, &next)
    }

    /// Deals with all times that are due. Returns whether the job is to run: then [`Self::ran`] or [`Self::overlap`]
    /// follows.
    pub fn take(&mut self, now: i64, rules: &Rules, next: impl Fn(i64) -> Option<i64>) -> bool {
        let mut last = None;
        let mut count = 0;
        while let Some(nominal) = next(self.until) {
            let Some(at) = due(nominal, rules, &next).filter(|at| *at <= now) else {
                break;
            };
            self.until = nominal;
            last = Some((nominal, at));
            count += 1;
            if count == MOST_MISSED {
                self.until = nominal.max(now);
                break;
            }
        }
        let Some((nominal, at)) = last else {
            return false;
        };
        // A job that runs every second is late after a second.
        let pause = next(nominal).map_or(ON_TIME_MS, |after| after - nominal);
        let is_on_time = now - at < ON_TIME_MS.min(pause);
        let runs = is_on_time || rules.makes_up;
        // One run makes up for all that were missed.
        let missed = if rules.makes_up {
            0
        } else {
            count - u32::from(is_on_time)
        };
        self.missed = self.missed.saturating_add(missed);
        runs
    }

    /// Notes that the job runs at a time that was due.
    pub fn ran(&mut self) {
        (self.missed, self.overlapped) = (0, 0);
    }

    /// Notes that the job did not run at a time that was due, because its last run had not ended.
    pub fn overlap(&mut self) {
        self.overlapped = self.overlapped.saturating_add(1);
    }

    /// Begins anew if the timetable is further ahead than the clock can have been set back by a person: it is from
    /// before a correction or, by the boot clock, from before a reboot.
    pub fn check(&mut self, now: i64, most_ahead: i64) {
        if self.until.saturating_sub(now) > most_ahead {
            *self = Self::starting(now);
        }
    }

    /// What people are told of the times without a run; `None` if there were none.
    pub fn note(&self) -> Option<String> {
        let missed = (self.missed > 0).then(|| format!("missed {}", self.missed));
        let overlapped = (self.overlapped > 0).then(|| {
            format!(
                "skipped {}, because the run before had not ended",
                self.overlapped
            )
        });
        match (missed, overlapped) {
            (Some(missed), Some(overlapped)) => Some(format!("{missed}, {overlapped}")),
            (missed, overlapped) => missed.or(overlapped),
        }
    }
}

/// When the run of a nominal time is due: after a delay that ends before the next nominal time.
fn due(nominal: i64, rules: &Rules, next: impl Fn(i64) -> Option<i64>) -> Option<i64> {
    let longest = match rules.jitter_ms {
        0 => 0,
        jitter => {
            let room = next(nominal).map_or(u64::MAX, |after| after.abs_diff(nominal) - 1);
            jitter.min(room)
        }
    };
    let delay = mix(rules.seed ^ nominal.unsigned_abs()) % (longest.saturating_add(1)).max(1);
    nominal.checked_add(i64::try_from(delay).ok()?)
}

/// Spreads the bits of a number (the finalizer of SplitMix64, Steele et al. 2014).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Notices corrections of the wall clock, by comparison with the boot clock, which never jumps.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock {
    last: Option<Now>,
}

impl WallClock {
    /// Whether the wall clock was corrected since the last call.
    pub fn was_corrected(&mut self, now: Now) -> bool {
        let before = self.last.replace(now);
        before.is_some_and(|before| {
            let passed = i64::try_from(now.boot.saturating_sub(before.boot)).unwrap_or(i64::MAX);
            let shown = now.wall.0.saturating_sub(before.wall.0);
            shown.abs_diff(passed) > CORRECTION_MS
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::Timestamp;

    const MINUTE: i64 = 60_000;
    const HOUR: i64 = 60 * MINUTE;
    const PLAIN: Rules = Rules {
        jitter_ms: 0,
        seed: 0,
        makes_up: false,
    };
    const MAKES_UP: Rules = Rules {
        makes_up: true,
        ..PLAIN
    };

    /// The full hours.
    fn hourly(after: i64) -> Option<i64> {
        Some((after.div_euclid(HOUR) + 1) * HOUR)
    }

    /// Once a day, at 2:00.
    fn at_two(after: i64) -> Option<i64> {
        let day = 24 * HOUR;
        let today = after.div_euclid(day) * day + 2 * HOUR;
        Some(if today > after { today } else { today + day })
    }

    #[test]
    fn a_time_comes_once() {
        let mut table = Timetable::starting(HOUR / 2);
        assert_eq!(table.next(&PLAIN, hourly), Some(HOUR));
        assert!(!table.take(HOUR - 1, &PLAIN, hourly));
        assert!(table.take(HOUR, &PLAIN, hourly));
        assert!(!table.take(HOUR, &PLAIN, hourly));
        assert!(!table.take(HOUR + 1, &PLAIN, hourly));
        assert_eq!(table.next(&PLAIN, hourly), Some(2 * HOUR));
    }

    #[test]
    fn a_clock_that_is_set_forward_misses_and_one_that_is_set_back_repeats_nothing() {
        let start = 24 * HOUR + HOUR;
        let mut table = Timetable::starting(start);
        // From 1:00 to 3:00.
        assert!(!table.take(start + 2 * HOUR, &PLAIN, at_two));
        assert_eq!(table.note().as_deref(), Some("missed 1"));
        // Back to 1:30, and 2:00 comes again.
        table.check(start + HOUR / 2, CORRECTION_MS as i64);
        assert!(!table.take(start + HOUR, &PLAIN, at_two));
        assert!(!table.take(start + HOUR + 5, &PLAIN, at_two));
        // The next day it runs.
        assert!(table.take(start + 25 * HOUR, &PLAIN, at_two));
        table.ran();
        assert_eq!(table.note(), None);

        let mut table = Timetable::starting(start);
        assert!(table.take(start + 2 * HOUR, &MAKES_UP, at_two));
        assert_eq!(table.note(), None);
        assert!(!table.take(start + 2 * HOUR + 1, &MAKES_UP, at_two));
    }

    #[test]
    fn many_missed_times_are_made_up_for_by_one_run() {
        let mut table = Timetable::starting(0);
        assert!(table.take(100 * HOUR + HOUR / 2, &MAKES_UP, hourly));
        assert!(!table.take(100 * HOUR + HOUR / 2, &MAKES_UP, hourly));
        let mut table = Timetable::starting(0);
        assert!(!table.take(100 * HOUR + HOUR / 2, &PLAIN, hourly));
        assert_eq!(table.missed, 100);
    }

    #[test]
    fn what_did_not_run_is_counted_until_a_run() {
        let mut table = Timetable::starting(0);
        assert!(!table.take(HOUR + HOUR / 2, &PLAIN, hourly));
        for hour in 2..4 {
            assert!(table.take(hour * HOUR, &PLAIN, hourly));
            table.overlap();
        }
        let note = "missed 1, skipped 2, because the run before had not ended";
        assert_eq!(table.note().as_deref(), Some(note));
        assert!(table.take(4 * HOUR, &PLAIN, hourly));
        table.ran();
        assert_eq!(table.note(), None);
    }

    #[test]
    fn a_short_delay_is_not_missed() {
        let mut table = Timetable::starting(0);
        assert!(table.take(HOUR + 59_999, &PLAIN, hourly));
        assert!(!table.take(2 * HOUR + 60_000, &PLAIN, hourly));
        // Every second: late after a second.
        let each = |after: i64| Some(after + 1000);
        let mut table = Timetable::starting(0);
        assert!(table.take(1999, &PLAIN, each));
        assert!(table.take(10_500, &PLAIN, each));
        assert_eq!(table.until, 10_000);
    }

    #[test]
    fn counting_ends() {
        let each = |after: i64| Some(after + 1000);
        let mut table = Timetable::starting(0);
        assert!(!table.take(1_000_000_000_500, &PLAIN, each));
        assert_eq!(table.missed, MOST_MISSED);
        assert_eq!(table.until, 1_000_000_000_500);
    }

    #[test]
    fn corrections_are_told_from_sleep() {
        let at = |boot: u64, wall: i64| Now {
            boot,
            wall: Timestamp(wall),
        };
        let hour = HOUR as u64;
        let mut clock = WallClock::default();
        assert!(!clock.was_corrected(at(0, 1000 * HOUR)));
        // Two hours on, by hand.
        assert!(!clock.was_corrected(at(1, 1002 * HOUR)));
        // Eight hours of sleep: both clocks go on.
        assert!(!clock.was_corrected(at(8 * hour, 1010 * HOUR)));
        assert!(clock.was_corrected(at(8 * hour + 1, 1014 * HOUR)));
        assert!(clock.was_corrected(at(8 * hour + 2, 10 * HOUR)));
        assert!(!clock.was_corrected(at(8 * hour + 3, 10 * HOUR)));
    }

    #[test]
    fn a_timetable_from_before_a_correction_begins_anew() {
        let mut table = Timetable::starting(100 * HOUR);
        table.check(98 * HOUR, CORRECTION_MS as i64);
        assert_eq!(table.until, 100 * HOUR);
        table.check(96 * HOUR, CORRECTION_MS as i64);
        assert_eq!(table.until, 96 * HOUR);
    }

    #[test]
    fn the_delay_stays_before_the_next_time_and_is_the_same_again() {
        let rules = Rules {
            jitter_ms: 10 * HOUR as u64,
            seed: 7,
            ..PLAIN
        };
        let mut seen = std::collections::BTreeSet::new();
        for hour in 0..100 {
            let table = Timetable::starting(hour * HOUR);
            let at = table.next(&rules, hourly).unwrap();
            assert!(((hour + 1) * HOUR..(hour + 2) * HOUR).contains(&at));
            assert_eq!(table.next(&rules, hourly), Some(at));
            seen.insert(at % HOUR);
        }
        assert!(seen.len() > 90, "{} delays differ", seen.len());
    }

    proptest! {
        /// Whatever the clock does within three hours, no nominal time runs twice, and looking late or often changes
        /// nothing about that.
        #[test]
        fn no_time_runs_twice(jumps in prop::collection::vec(-2 * HOUR..2 * HOUR, 1..60), makes_up: bool, jitter in 0_u64..HOUR as u64) {
            let rules = Rules { makes_up, jitter_ms: jitter, seed: 3 };
            let mut table = Timetable::starting(0);
            let (mut now, mut runs, mut furthest) = (0_i64, 0_i64, 0_i64);
            for jump in jumps {
                now = (now + jump).max(0);
                furthest = furthest.max(now);
                table.check(now, i64::MAX);
                runs += i64::from(table.take(now, &rules, hourly));
                prop_assert!(table.until <= furthest);
            }
            prop_assert!(runs <= furthest / HOUR, "{runs} runs in {furthest} ms");
        }
    }
}
