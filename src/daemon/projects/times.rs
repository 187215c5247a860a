//! The schedules of a project's jobs: which clock each goes by, and what has come of its times.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::engine::Now;
use crate::engine::project::timetable::CORRECTION_MS;
use crate::engine::project::{Rules, Timetable};
use crate::project::schedule::{Missed, Schedule, When};
use crate::protocol::Timestamp as Time;

/// What has come of the schedule of one job.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobTimes {
    /// The schedule that it was made for.
    pub(crate) schedule: Schedule,
    pub(crate) table: Timetable,
    /// From what its delays are derived.
    seed: u64,
    /// When it has to be looked at next, by its clock. Unknown until the first look.
    #[serde(skip)]
    next: Option<i64>,
}

/// When the next alarms are to ring, in milliseconds of their clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct NextAlarms {
    pub(crate) wall: Option<i64>,
    pub(crate) boot: Option<i64>,
}

impl NextAlarms {
    /// The earlier ones of both.
    pub(crate) fn with(self, other: Self) -> Self {
        let earlier = |one: Option<i64>, other: Option<i64>| one.into_iter().chain(other).min();
        Self {
            wall: earlier(self.wall, other.wall),
            boot: earlier(self.boot, other.boot),
        }
    }
}

impl JobTimes {
    /// Follows a schedule from now on. `seed` differs between jobs, so that their delays differ.
    pub(crate) fn starting(schedule: &Schedule, seed: u64, now: Now) -> Self {
        let mut times = Self {
            table: Timetable::starting(at(&schedule.when, now)),
            schedule: schedule.clone(),
            seed,
            next: None,
        };
        times.look_ahead();
        times
    }

    /// Deals with all times that are due. Returns whether the job is to run.
    pub(crate) fn take(&mut self, now: Now, was_corrected: bool) -> bool {
        let time = at(&self.schedule.when, now);
        match self.schedule.when {
            When::Cron(_) if was_corrected => self.table = Timetable::starting(time),
            When::Cron(_) => {
                let most_ahead = i64::try_from(CORRECTION_MS).unwrap_or(i64::MAX);
                self.table.check(time, most_ahead);
            }
            // The machine has been started again since.
            When::Every(_) => self.table.check(time, 0),
        }
        let (rules, schedule, zone) = (self.rules(), &self.schedule, TimeZone::system());
        let runs = self
            .table
            .take(time, &rules, |after| first_after(schedule, &zone, after));
        self.look_ahead();
        runs
    }

    fn look_ahead(&mut self) {
        let (rules, schedule, zone) = (self.rules(), &self.schedule, TimeZone::system());
        self.next = self
            .table
            .next(&rules, |after| first_after(schedule, &zone, after));
    }

    /// When it has to be looked at next.
    pub(crate) fn next(&self) -> NextAlarms {
        let mut next = NextAlarms::default();
        match self.schedule.when {
            When::Cron(_) => next.wall = self.next,
            When::Every(_) => next.boot = self.next,
        }
        next
    }

    /// When it runs next, for people.
    pub(crate) fn next_run(&self, now: Now) -> Option<Time> {
        let shift = now.wall.0 - at(&self.schedule.when, now);
        let next = self.next?.saturating_add(shift);
        Some(Time(next))
    }

    fn rules(&self) -> Rules {
        Rules {
            jitter_ms: self.schedule.jitter_ms,
            seed: self.seed,
            makes_up: self.schedule.missed == Missed::Once,
        }
    }
}

/// The time of the clock that a schedule goes by.
fn at(when: &When, now: Now) -> i64 {
    match when {
        When::Cron(_) => now.wall.0,
        When::Every(_) => i64::try_from(now.boot).unwrap_or(i64::MAX),
    }
}

fn first_after(schedule: &Schedule, zone: &TimeZone, after: i64) -> Option<i64> {
    let after = Timestamp::from_millisecond(after).ok()?;
    let next = schedule.first_after(zone, after)?;
    Some(next.as_millisecond())
}
