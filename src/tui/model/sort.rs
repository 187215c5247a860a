//! The order of the jobs within their groups.

use std::cmp::Reverse;

use super::job::Job;
use crate::tui::state::State;

/// The sort key. Ties are resolved by age, oldest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sort {
    /// Jobs that wait for a person first, then by age; the jobs of a project in order of need.
    #[default]
    Attention,
    /// By name.
    Name,
    /// Youngest first.
    Age,
    /// Highest CPU usage first.
    Cpu,
    /// By state: waiting, failed, alive, ended.
    State,
}

impl Sort {
    /// The next sort key, wrapping around.
    pub fn next(self) -> Self {
        match self {
            Self::Attention => Self::Name,
            Self::Name => Self::Age,
            Self::Age => Self::Cpu,
            Self::Cpu => Self::State,
            Self::State => Self::Attention,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attention => "attention",
            Self::Name => "name",
            Self::Age => "age",
            Self::Cpu => "cpu",
            Self::State => "state",
        }
    }

    /// Sorts `places`, which are indexes into `jobs`.
    pub fn sort(self, places: &mut [usize], jobs: &[Job]) {
        let born = |job: &Job| (job.record.summary.created_at, job.id().clone());
        match self {
            Self::Attention => places.sort_by_cached_key(|&at| {
                let job = &jobs[at];
                let place = job.role().map(|role| role.place);
                let waits = place.is_none() && job.state().needs_input();
                (place, !waits, born(job))
            }),
            Self::Name => places.sort_by_cached_key(|&at| {
                let job = &jobs[at];
                (job.name.to_lowercase(), born(job))
            }),
            Self::Age => places.sort_by_cached_key(|&at| Reverse(born(&jobs[at]))),
            Self::Cpu => places.sort_by_cached_key(|&at| {
                let job = &jobs[at];
                (Reverse(whole_percent(job)), born(job))
            }),
            Self::State => places.sort_by_cached_key(|&at| {
                let job = &jobs[at];
                (rank(&job.state()), born(job))
            }),
        }
    }
}

/// CPU usage rounded as displayed, so that a fraction of a percent does not move a row.
fn whole_percent(job: &Job) -> i64 {
    #[allow(clippy::cast_possible_truncation, reason = "a percentage is small")]
    let percent = job.record.summary.cpu_percent.unwrap_or(0.0).round() as i64;
    percent
}

fn rank(state: &State) -> u8 {
    match state {
        _ if state.needs_input() => 0,
        _ if state.failed() || *state == State::Skipped => 1,
        State::Retrying(_) => 2,
        State::Queued | State::Starting => 3,
        State::Running | State::Ready => 4,
        State::Stopping => 5,
        State::Paused => 6,
        State::Scheduled => 7,
        State::Killed(_) => 8,
        _ => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::jobs::shop;

    fn order(sort: Sort) -> Vec<String> {
        let mut jobs = shop();
        jobs[4].record.summary.cpu_percent = Some(98.0);
        jobs[2].record.summary.cpu_percent = Some(0.4);
        let mut places: Vec<usize> = (0..jobs.len()).collect();
        sort.sort(&mut places, &jobs);
        places.iter().map(|&at| jobs[at].name.clone()).collect()
    }

    #[test]
    fn each_sort_key_puts_its_own_job_first() {
        assert_eq!(order(Sort::Attention)[..2], ["migrate", "web"]);
        assert_eq!(order(Sort::Name)[..3], ["agent", "api", "build"]);
        assert_eq!(order(Sort::Age)[..2], ["migrate", "tests"]);
        assert_eq!(order(Sort::Cpu)[..2], ["tests", "web"]);
        let by_state = order(Sort::State);
        assert_eq!(by_state[..3], ["migrate", "lint", "web"]);
        assert_eq!(by_state.last().map(String::as_str), Some("build"));
    }

    #[test]
    fn sort_keys_wrap_around() {
        let mut sort = Sort::default();
        for _ in 0..5 {
            sort = sort.next();
        }
        assert_eq!(sort, Sort::Attention);
    }
}
