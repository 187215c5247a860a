//! Delays: runs that are owed, but not before a time.
//!
//! The time is part of the wish, so it is known whoever looks next. It is by the wall clock, because people mean that:
//! `at 18:00`, also if the machine has slept or was started again. It is removed when it has come, so that
//! [`decide`](mod@super::decide) reads no clock.

use super::wish::{JobWish, Wish};
use crate::protocol::Timestamp;

impl Wish {
    /// The run that a job is owed does not start before this time.
    pub fn delay(&mut self, name: &str, until: Timestamp) {
        let job = self.jobs.get_mut(name);
        if let Some(owed) = job.and_then(|job| job.owed.as_mut()) {
            owed.not_before = Some(until);
        }
    }

    /// The next time before which a run does not start.
    pub fn next_time(&self) -> Option<Timestamp> {
        self.jobs.values().filter_map(JobWish::not_before).min()
    }

    /// The runs whose time has come wait for it no more. Returns whether there are any.
    pub fn time_passes(&mut self, now: Timestamp) -> bool {
        let mut came = false;
        for job in self.jobs.values_mut() {
            if job.not_before().is_some_and(|at| at <= now)
                && let Some(owed) = &mut job.owed
            {
                owed.not_before = None;
                came = true;
            }
        }
        came
    }
}

impl JobWish {
    /// The time before which the run that it is owed does not start.
    pub fn not_before(&self) -> Option<Timestamp> {
        self.owed.and_then(|owed| owed.not_before)
    }
}
