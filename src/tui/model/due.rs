//! When the display changes by itself as time passes.

use super::rows::Row;
use super::{Link, Model};

impl Model {
    /// When something on the screen changes next without an event, in milliseconds since the epoch.
    pub fn next_due(&self) -> Option<i64> {
        let now = self.now.ms;
        let clock = now + 60_000 - now.rem_euclid(60_000);
        let layout = self.layout();
        let shown = layout.list.map_or(0, |list| usize::from(list.height));
        let rows = self
            .list
            .rows
            .iter()
            .skip(self.list.top)
            .take(shown)
            .filter_map(|row| match row {
                Row::Job(index) => {
                    let job = self.jobs.get(*index)?;
                    let spark = self.sparks.get(job.id());
                    let moves = spark.and_then(|spark| spark.next_change(now));
                    job.next_change(now).into_iter().chain(moves).min()
                }
                Row::Group(_) => None,
            });
        let current = self.current().and_then(|job| job.next_change(now));
        // Running times of rows tick at different offsets; one wake-up per second serves them all.
        let second = rows.chain(current).min().map(|at| {
            if at - now < 1000 {
                now + 1000 - now.rem_euclid(1000)
            } else {
                at
            }
        });
        // A request due at the minute of the clock needs no wake-up of its own.
        let usage = self.usage_due().filter(|&at| at < clock);
        // Without a daemon no request can be sent, so an overdue deadline must not cause repeated
        // wake-ups.
        let is_up = self.daemon.link == Link::Up;
        let mode = self.mode().due().filter(|_| is_up);
        let play = self
            .pane
            .rewind
            .as_ref()
            .filter(|past| is_up && !past.loading);
        let play = play.and_then(|past| past.play).map(|play| play.due);
        let told = self.removed.as_ref().filter(|_| is_up);
        let removed = told.map(|removed| removed.until);
        let due = [
            second,
            usage,
            mode,
            play,
            removed,
            self.keyboards.next_due(),
            self.toasts.next_due(),
            self.flush_at,
            self.settling.next_due(),
            self.typing.answer.as_ref().map(|(_, due)| *due),
            Some(clock),
        ];
        due.into_iter().flatten().min()
    }

    /// When to request usage; `None` while it is not visible or nothing runs.
    pub fn usage_due(&self) -> Option<i64> {
        let wanted = self.daemon.link == Link::Up
            && self.daemon.listed
            && !self.usage.on_its_way
            && self.shows_usage()
            && self.jobs.iter().any(|job| job.is_going());
        wanted.then(|| self.usage.due(self.now.ms, self.jobs.len()))
    }

    /// Whether usage is visible: in rows, above tiles, in the status line, or on the details page.
    fn shows_usage(&self) -> bool {
        let below = self.is_normal() && self.layout().status.is_some();
        self.layout().list.is_some() || self.frame.grid || below || self.needs().usage
    }
}
