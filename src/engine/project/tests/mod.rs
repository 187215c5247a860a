//! A project beside sessions that start, become ready, fail, recover and die in any order.

use std::collections::{BTreeMap, BTreeSet};

mod cases;
mod changes;
mod delays;
mod queues;
mod random;

use super::*;

/// A job that needs others.
fn job(needs: &[(&str, Level)]) -> JobWish {
    JobWish {
        needs: needs
            .iter()
            .map(|(job, is)| Need {
                job: (*job).to_owned(),
                is: *is,
                restart: false,
            })
            .collect(),
        autostart: true,
        ..JobWish::default()
    }
}

fn task(needs: &[(&str, Level)]) -> JobWish {
    JobWish {
        is_task: true,
        ..job(needs)
    }
}

/// A wish and the sessions of its jobs.
#[derive(Clone)]
struct World {
    wish: Wish,
    seen: BTreeMap<String, Seen>,
    /// The steps that were taken, in order.
    steps: Vec<Step>,
    /// How many more jobs queues may start.
    room: usize,
}

impl Default for World {
    fn default() -> Self {
        Self {
            wish: Wish::default(),
            seen: BTreeMap::new(),
            steps: Vec::new(),
            room: usize::MAX,
        }
    }
}

impl World {
    fn new(jobs: &[(&str, JobWish)]) -> Self {
        let jobs = jobs.iter().cloned();
        let jobs = jobs.map(|(name, job)| (name.to_owned(), job)).collect();
        Self {
            wish: Wish {
                jobs,
                ..Wish::default()
            },
            ..Self::default()
        }
    }

    fn at(&self, name: &str) -> Seen {
        Seen::of(&self.seen, name)
    }

    fn set(&mut self, name: &str, state: SeenState) {
        let run = self.at(name).run;
        self.seen.insert(name.to_owned(), Seen { run, state });
        self.go();
    }

    fn up(&mut self, names: &[&str]) {
        let names = self.wish.with_needs(names.iter().copied(), true);
        let seen = self.seen.clone();
        self.wish.up(&names, |name| look(&seen, name));
        self.go();
    }

    fn all_up(&mut self) {
        let names: BTreeSet<String> = self.wish.jobs.keys().cloned().collect();
        let seen = self.seen.clone();
        self.wish.up(&names, |name| look(&seen, name));
        self.go();
    }

    fn down(&mut self) {
        let seen = self.seen.clone();
        self.wish.down(|name| look(&seen, name));
        self.go();
    }

    fn restart(&mut self, name: &str) {
        let seen = self.seen.clone();
        self.wish.restart(name, |name| look(&seen, name));
        self.go();
    }

    /// Takes all steps, as the daemon does, and checks each.
    fn go(&mut self) {
        loop {
            let seen = self.seen.clone();
            self.wish.settle(|name| look(&seen, name));
            let decision = self.decide();
            if decision.steps.is_empty() {
                return;
            }
            for step in decision.steps {
                self.take(&step);
                self.steps.push(step);
            }
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Start(name) => {
                let now = self.at(name);
                assert!(
                    !now.state.is_alive() || now.state == SeenState::Retrying,
                    "{name} is started twice: {now:?}"
                );
                let run = now.run + 1;
                let state = SeenState::Starting;
                self.seen.insert(name.clone(), Seen { run, state });
            }
            Step::Stop(name) => {
                let now = self.at(name);
                assert!(now.state.is_alive(), "{name} is stopped: {now:?}");
                let state = SeenState::Stopping;
                self.seen.insert(name.clone(), Seen { state, ..now });
            }
        }
    }

    fn decide(&self) -> Decision {
        decide(&self.wish, |name| self.at(name), self.room)
    }

    fn phase(&self, name: &str) -> Phase {
        self.decide().phases[name].clone()
    }

    fn words(&self) -> Vec<String> {
        let phases = self.decide().phases.into_iter();
        phases
            .map(|(name, phase)| format!("{name} {}", phase.as_str()))
            .collect()
    }
}

fn look(seen: &BTreeMap<String, Seen>, name: &str) -> Seen {
    Seen::of(seen, name)
}

const READY: SeenState = SeenState::Running { ready: true };
const BUSY: SeenState = SeenState::Running { ready: false };
const OK: SeenState = SeenState::Ended { ok: true };
const BAD: SeenState = SeenState::Ended { ok: false };
