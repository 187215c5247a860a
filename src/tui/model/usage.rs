//! What jobs use, and when to ask for that again.
//!
//! Processor, memory and ports are true only for the moment in which the daemon looked, and looking costs. So it
//! is asked while something goes on, and otherwise with the minute of the clock.

use super::job::Job;
use crate::protocol::Summary;
use crate::tui::units;

/// Between two questions while something goes on, in milliseconds.
const EVERY_MS: i64 = 2000;

/// For so long after anything has happened something is going on, in milliseconds.
const BUSY_MS: i64 = 10_000;

/// From so much of a processor on a job is at work, in percent.
pub const AT_WORK: f64 = 1.0;

/// When was asked, and when something happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// When it was asked for last, in milliseconds since the epoch.
    pub asked_at: i64,
    /// Whether the answer is on its way.
    pub on_its_way: bool,
    /// When something happened last.
    pub touched_at: i64,
}

impl Usage {
    /// When to ask again, were there anybody to look.
    pub fn due(&self, now: i64) -> i64 {
        if now.saturating_sub(self.touched_at) < BUSY_MS {
            self.asked_at.saturating_add(EVERY_MS)
        } else {
            (self.asked_at.div_euclid(60_000) + 1).saturating_mul(60_000)
        }
    }

    /// Something happens.
    pub fn touch(&mut self, now: i64) {
        self.touched_at = now;
    }
}

/// Takes what a job uses from a newer record of it, and nothing else. Whether anything that shows has changed.
pub fn merge(job: &mut Job, newer: Summary, processes: Option<u32>) -> bool {
    let shown = |summary: &Summary| {
        (
            percent(summary),
            summary.memory_bytes.map(units::bytes),
            summary.ports.clone(),
            summary.urls.clone(),
        )
    };
    let before = (shown(&job.record.summary), job.record.processes);
    let summary = &mut job.record.summary;
    summary.cpu_percent = newer.cpu_percent;
    summary.memory_bytes = newer.memory_bytes;
    summary.ports = newer.ports;
    summary.urls = newer.urls;
    job.record.processes = processes;
    before != (shown(&job.record.summary), job.record.processes)
}

/// Use of processors as it shows: `3%`, or `16x` for sixteen of them.
pub fn percent(summary: &Summary) -> Option<String> {
    let percent = summary.cpu_percent?;
    Some(if percent < 999.5 {
        format!("{percent:.0}%")
    } else {
        format!("{:.0}x", percent / 100.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::jobs::{NOW, job};

    #[test]
    fn it_is_asked_often_only_while_something_happens() {
        let mut usage = Usage {
            asked_at: NOW,
            on_its_way: false,
            touched_at: NOW,
        };
        assert_eq!(usage.due(NOW), NOW + 2000);
        assert_eq!(usage.due(NOW + 9999), NOW + 2000);
        assert_eq!(usage.due(NOW + 10_000), NOW + 60_000, "the next minute");
        usage.touch(NOW + 10_000);
        assert_eq!(usage.due(NOW + 10_000), NOW + 2000);
    }

    #[test]
    fn a_change_that_does_not_show_is_none() {
        let mut web = job("web");
        let mut newer = web.record.summary.clone();
        newer.cpu_percent = Some(2.6);
        newer.status = crate::protocol::Status::Done;
        assert!(merge(&mut web, newer.clone(), Some(4)));
        newer.cpu_percent = Some(3.4);
        assert!(!merge(&mut web, newer, Some(4)));
        assert!(web.is_alive(), "nothing else is taken");
        assert_eq!(percent(&web.record.summary).as_deref(), Some("3%"));
        web.record.summary.cpu_percent = Some(1580.0);
        assert_eq!(percent(&web.record.summary).as_deref(), Some("16x"));
    }
}
