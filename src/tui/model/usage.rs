//! Resource usage of jobs, and when to request it again.
//!
//! CPU, memory and ports are only valid at the time of measurement, and measuring costs. The view
//! requests them frequently while something happens, and otherwise once a minute with the clock.

use super::job::Job;
use crate::protocol::Summary;
use crate::tui::units;

/// Shortest interval between requests while something happens, in milliseconds.
const EVERY_MS: i64 = 2000;

/// The interval is at least this long for each job, in milliseconds, because each record of the reply costs the daemon
/// and the view some of this time.
const EACH_JOB_MS: i64 = 1;

/// How long after the last activity something counts as happening, in milliseconds.
const BUSY_MS: i64 = 10_000;

/// CPU usage in percent from which a job counts as busy.
pub const AT_WORK: f64 = 1.0;

/// Times of the last request and of the last activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// When usage was last requested, in milliseconds since the epoch.
    pub asked_at: i64,
    /// Whether a request is pending.
    pub on_its_way: bool,
    /// When the last activity was, in milliseconds since the epoch.
    pub touched_at: i64,
}

impl Usage {
    /// When the next request about this number of jobs is due, provided that anything visible needs it.
    pub fn due(&self, now: i64, jobs: usize) -> i64 {
        if now.saturating_sub(self.touched_at) < BUSY_MS {
            let jobs = i64::try_from(jobs).unwrap_or(i64::MAX);
            let every = EVERY_MS.max(jobs.saturating_mul(EACH_JOB_MS));
            self.asked_at.saturating_add(every)
        } else {
            (self.asked_at.div_euclid(60_000) + 1).saturating_mul(60_000)
        }
    }

    /// Records activity.
    pub fn touch(&mut self, now: i64) {
        self.touched_at = now;
    }
}

/// Copies the resource usage from a newer record of the job, and what it waits for: no event tells that its place in a
/// queue has changed. Returns whether anything displayed has changed.
pub fn merge(job: &mut Job, newer: Summary, processes: Option<u32>) -> bool {
    let shown = |summary: &Summary| {
        (
            percent(summary),
            summary.memory_bytes.map(units::bytes),
            summary.ports.clone(),
            summary.urls.clone(),
            summary.waiting.clone(),
        )
    };
    let before = (shown(&job.record.summary), job.record.processes);
    let summary = &mut job.record.summary;
    summary.cpu_percent = newer.cpu_percent;
    summary.memory_bytes = newer.memory_bytes;
    summary.ports = newer.ports;
    summary.urls = newer.urls;
    if summary.status == newer.status {
        summary.waiting = newer.waiting;
    }
    job.record.processes = processes;
    before != (shown(&job.record.summary), job.record.processes)
}

/// CPU usage as displayed: `3%`, or `16x` for sixteen CPUs.
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
    use crate::protocol::Status;
    use crate::protocol::project::Waiting;
    use crate::tui::tests::jobs::{NOW, job};

    #[test]
    fn requests_usage_often_only_during_activity() {
        let mut usage = Usage {
            asked_at: NOW,
            on_its_way: false,
            touched_at: NOW,
        };
        assert_eq!(usage.due(NOW, 5), NOW + 2000);
        assert_eq!(usage.due(NOW + 9999, 5), NOW + 2000);
        assert_eq!(usage.due(NOW + 10_000, 5), NOW + 60_000, "the next minute");
        usage.touch(NOW + 10_000);
        assert_eq!(usage.due(NOW + 10_000, 5), NOW + 2000);
        assert_eq!(usage.due(NOW + 10_000, 9000), NOW + 9000, "long lists cost");
    }

    #[test]
    fn a_place_in_a_queue_changes_without_an_event() {
        let at = |place: u32| {
            let mut queued = job("next");
            queued.record.summary.status = Status::Queued;
            queued.record.summary.waiting = Some(Waiting {
                why: format!("{} before it in its queue", place - 1),
                until: None,
                needs: None,
                never: false,
                resumable: false,
                queue: Some("builds".to_owned()),
                place: Some(place),
            });
            queued
        };
        let mut queued = at(3);
        assert!(merge(&mut queued, at(2).record.summary, None));
        let place = |job: &Job| {
            job.record
                .summary
                .waiting
                .as_ref()
                .and_then(|waits| waits.place)
        };
        assert_eq!(place(&queued), Some(2));
        // An event tells that it runs.
        let mut running = at(1).record.summary;
        (running.status, running.waiting) = (Status::Running, None);
        assert!(!merge(&mut queued, running, None));
        assert_eq!(place(&queued), Some(2));
    }

    #[test]
    fn ignores_a_change_that_is_not_displayed() {
        let mut web = job("web");
        let mut newer = web.record.summary.clone();
        newer.cpu_percent = Some(2.6);
        newer.status = Status::Done;
        assert!(merge(&mut web, newer.clone(), Some(4)));
        newer.cpu_percent = Some(3.4);
        assert!(!merge(&mut web, newer, Some(4)));
        assert!(web.is_going(), "nothing else is taken");
        assert_eq!(percent(&web.record.summary).as_deref(), Some("3%"));
        web.record.summary.cpu_percent = Some(1580.0);
        assert_eq!(percent(&web.record.summary).as_deref(), Some("16x"));
    }
}
