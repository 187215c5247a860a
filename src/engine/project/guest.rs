//! Guests: sessions that are part of a wish although no project file defines them.
//!
//! A session that was started into a queue, or after others, is a guest that is owed its first run. The sessions
//! after which it is to run are guests, too: they are only looked at. A guest is never stopped by what is wished, and
//! it leaves when it has run and nobody waits for it any more.

use std::collections::BTreeSet;

use super::seen::{Seen, holds};
use super::wish::{JobWish, Member, Need, Wish};

impl JobWish {
    /// Whether this is a session that waits here for its run. One that somebody holds does not wait, whatever it is
    /// owed: it is in no queue, and starts only after a new request.
    pub fn waits_as_guest(&self) -> bool {
        self.member == Member::Guest && self.owed.is_some() && self.hold.is_none()
    }
}

impl Wish {
    /// A session waits here for the run after run `last`: in a queue, after others, or both.
    pub fn invite(&mut self, name: &str, queue: Option<String>, needs: Vec<Need>, last: u32) {
        for need in &needs {
            let job = self.jobs.entry(need.job.clone());
            job.or_insert_with(|| JobWish {
                member: Member::Guest,
                ..JobWish::default()
            });
        }
        let guest = JobWish {
            needs,
            queue,
            is_task: true,
            member: Member::Guest,
            ..JobWish::default()
        };
        self.jobs.insert(name.to_owned(), guest);
        self.owe(name, last);
    }

    /// A guest does not wait here any more, because it waits elsewhere. Others may still wait for it.
    pub fn dismiss(&mut self, name: &str) {
        let mut needs = self.jobs.values().flat_map(|job| &job.needs);
        if needs.any(|need| need.job == name) {
            let looked_at = JobWish {
                member: Member::Guest,
                ..JobWish::default()
            };
            self.jobs.insert(name.to_owned(), looked_at);
        } else {
            self.jobs.remove(name);
        }
    }

    /// What has come of the needs of guests: one that has been met stays met, also if the session is removed then. A
    /// guest leaves when its run has ended, or it was stopped before, and nobody needs it. Returns whether anything
    /// has changed.
    pub(super) fn take_leave(&mut self, seen: &impl Fn(&str) -> Seen) -> bool {
        if !self.jobs.values().any(|job| job.member == Member::Guest) {
            return false;
        }
        let mut changed = false;
        let met = |need: &Need| {
            let other = self.jobs.get(&need.job);
            other.is_some_and(|other| holds(need.is, other, seen(&need.job)))
        };
        let met: Vec<(String, Vec<Need>)> = self
            .jobs
            .iter()
            .filter(|(_, job)| job.member == Member::Guest && job.needs.iter().any(met))
            .map(|(name, job)| {
                let left = job.needs.iter().filter(|need| !met(need)).cloned();
                (name.clone(), left.collect())
            })
            .collect();
        for (name, left) in met {
            if let Some(job) = self.jobs.get_mut(&name) {
                job.needs = left;
                changed = true;
            }
        }
        loop {
            let needed: BTreeSet<&str> = self
                .jobs
                .values()
                .filter(|job| job.hold.is_none())
                .flat_map(|job| job.needs.iter().map(|need| need.job.as_str()))
                .collect();
            let is_over = |(name, job): &(&String, &JobWish)| {
                job.member == Member::Guest
                    && !job.waits_as_guest()
                    && job.turn.is_none()
                    && !needed.contains(name.as_str())
            };
            let over: Vec<String> = self
                .jobs
                .iter()
                .filter(is_over)
                .map(|(name, _)| name.clone())
                .collect();
            if over.is_empty() {
                return changed;
            }
            for name in over {
                self.jobs.remove(&name);
                changed = true;
            }
        }
    }
}
