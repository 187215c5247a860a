//! What is told about a project that was brought up, down or reloaded.

use crate::protocol::Ending;
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{ChangeKind, PlannedChange, ProjectJob, ProjectState};
use crate::term::sanitize::clean;

/// Number of names in a sentence; the rest is counted.
const NAMED: usize = 4;

/// What has just begun: `Bringing up shop: db, api.`; `None` if there was nothing to do.
pub fn begun(state: &ProjectState) -> Option<String> {
    let starts = |one: &&PlannedChange| one.change == ChangeKind::Start;
    let names: Vec<String> = state
        .plan
        .iter()
        .filter(starts)
        .map(|one| clean(&one.job))
        .collect();
    let name = clean(&state.project.name);
    (!names.is_empty()).then(|| format!("Bringing up {name}: {}.", listed(&names)))
}

/// The jobs whose changed definition an `up` has left alone.
pub fn left_alone(state: &ProjectState) -> Vec<String> {
    let changed = |one: &&PlannedChange| one.change == ChangeKind::Restart && !one.ended;
    let changed = state.plan.iter().filter(changed);
    changed.map(|one| clean(&one.job)).collect()
}

/// What is wrong with a job that was brought up: `web not started: port 3000 is used by blog/web (pid 4)`.
pub fn wrong(job: &ProjectJob) -> Option<String> {
    let name = clean(&job.job);
    let why = job.why.as_deref().map(clean);
    let how = Ending::from(job).known();
    match (job.phase, why) {
        (PhaseName::Failed, why) => Some(match (how, why) {
            (Some(how), _) => format!("{name} failed ({})", clean(&how)),
            (None, Some(why)) => format!("{name} not started: {why}"),
            (None, None) => format!("{name} failed"),
        }),
        (PhaseName::Skipped, Some(why)) => Some(format!("{name} skipped: {why}")),
        (PhaseName::Skipped, None) => Some(format!("{name} skipped")),
        _ if job.late => Some(format!("{name} is not ready in time")),
        _ => None,
    }
}

/// How jobs are that have settled well: `4 ready, 2 done, 1 scheduled`.
pub fn well(jobs: &[&ProjectJob]) -> String {
    use PhaseName::{Done, Ready, Running, Scheduled, Stopped};
    let counted = [Ready, Running, Done, Scheduled, Stopped].map(|phase| {
        let count = jobs.iter().filter(|job| job.phase == phase).count();
        (count > 0).then(|| format!("{count} {}", phase.as_str()))
    });
    counted.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Names in a sentence: `db, api, web, docs and 3 more`.
pub fn listed(names: &[String]) -> String {
    match names.len() {
        ..=NAMED => names.join(", "),
        all => format!("{} and {} more", names[..NAMED].join(", "), all - NAMED),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job(phase: &str, more: serde_json::Value) -> ProjectJob {
        let mut job = json!({"job": "web", "phase": phase, "wanted": true});
        let all = job.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        serde_json::from_value(job).unwrap()
    }

    #[test]
    fn says_what_is_wrong_with_a_job() {
        let cases = [
            (
                "failed",
                json!({"exitCode": 1}),
                Some("web failed (exit 1)"),
            ),
            (
                "failed",
                json!({"why": "port 3000 is used by blog/web (pid 4)"}),
                Some("web not started: port 3000 is used by blog/web (pid 4)"),
            ),
            (
                "skipped",
                json!({"why": "needs migrate ok"}),
                Some("web skipped: needs migrate ok"),
            ),
            (
                "starting",
                json!({"late": true}),
                Some("web is not ready in time"),
            ),
            ("ready", json!({}), None),
        ];
        for (phase, more, words) in cases {
            assert_eq!(wrong(&job(phase, more)).as_deref(), words);
        }
        let (ready, done) = (job("ready", json!({})), job("done", json!({})));
        assert_eq!(well(&[&ready, &done, &ready]), "2 ready, 1 done");
        let names = ["a", "b", "c", "d", "e", "f"].map(str::to_owned);
        assert_eq!(listed(&names), "a, b, c, d and 2 more");
    }
}
