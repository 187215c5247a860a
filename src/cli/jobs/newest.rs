//! Jobs without those whose name another job has meanwhile.

use crate::protocol::Record;

/// Those of `jobs` that are `wanted`, and whose name means them: no later job of the same scope and project has it.
pub(in crate::cli) fn newest(jobs: Vec<Record>, wanted: impl Fn(&Record) -> bool) -> Vec<Record> {
    let of = |job: &Record| {
        let project = job
            .summary
            .project
            .as_ref()
            .map(|of| of.project.dir.clone());
        (job.scope.clone(), job.summary.label.clone(), project)
    };
    let is_newest = |job: &Record| {
        let is_later = |other: &Record| {
            other.summary.created_at > job.summary.created_at && of(other) == of(job)
        };
        job.summary.label.is_none() || !jobs.iter().any(is_later)
    };
    let keep: Vec<bool> = jobs
        .iter()
        .map(|job| wanted(job) && is_newest(job))
        .collect();
    let kept = jobs.into_iter().zip(keep);
    kept.filter_map(|(job, keep)| keep.then_some(job)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::{Status, Timestamp};

    #[test]
    fn a_name_means_the_newest_job_that_has_it() {
        let mut jobs = vec![
            record("a", Some("web"), Status::Error),
            record("b", Some("web"), Status::Done),
            record("c", Some("api"), Status::Error),
            record("d", Some("api"), Status::Error),
            record("e", None, Status::Error),
            record("f", None, Status::Error),
        ];
        for (at, job) in (1..).zip(&mut jobs) {
            job.summary.created_at = Timestamp(at);
        }
        let failed = newest(jobs, |job| job.summary.status == Status::Error);
        let ids: String = failed
            .iter()
            .map(|job| job.summary.session_id.as_str().trim_end_matches('0'))
            .collect();
        assert_eq!(ids, "def");
    }
}
