//! Jobs that the batch system of a cluster runs.

use super::harness::Dash;
use super::jobs::{NOW, record};
use crate::protocol::batch_job::{BatchJob, LauncherKind, LauncherName};
use crate::protocol::project::Waiting;
use crate::protocol::{Record, Status, Timestamp};

fn on_cluster(name: &str, engine: BatchJob) -> Record {
    let mut job = record(name);
    job.summary.pid = None;
    job.summary.launcher = Some(LauncherName {
        kind: LauncherKind::Slurm,
        name: "gpu".to_owned(),
    });
    job.summary.engine = Some(BatchJob {
        job_id: Some("8123".to_owned()),
        time_limit_sec: Some(4 * 3600),
        run: 1,
        ..engine
    });
    job
}

fn waits() -> Record {
    let mut job = on_cluster(
        "train",
        BatchJob {
            estimated_start_at: Some(Timestamp(NOW + 300_000)),
            ..BatchJob::default()
        },
    );
    let summary = &mut job.summary;
    (summary.status, summary.runtime_ms, summary.output_bytes) = (Status::Queued, 0, 0);
    summary.waiting = Some(Waiting {
        why: "Resources".to_owned(),
        until: None,
        needs: None,
        never: false,
        resumable: false,
        queue: None,
        place: None,
    });
    job
}

#[test]
fn one_that_waits_says_why_and_when_it_may_start() {
    for (width, height) in [(120, 40), (80, 24)] {
        let dash = Dash::new(width, height, vec![waits()]);
        let text = dash.text();
        assert!(text.contains("queued: Resources"), "{text}");
        assert!(text.contains("Slurm job 8123 of launcher gpu"), "{text}");
        assert!(text.contains("expected to start at"), "{text}");
    }
}

#[test]
fn nothing_is_typed_into_one_that_waits_again() {
    let mut dash = Dash::new(100, 30, vec![on_cluster("train", BatchJob::default())]);
    dash.press("i").press("make ");
    assert_eq!(dash.typed("train"), "make ");
    // The cluster has put it into its queue again.
    dash.record(&waits());
    dash.press("test");
    assert_eq!(dash.typed("train"), "");
    assert!(
        dash.text().contains("does not run yet (Resources)"),
        "{}",
        dash.text()
    );
}

#[test]
fn one_that_runs_says_where() {
    let job = on_cluster(
        "train",
        BatchJob {
            node: Some("n17".to_owned()),
            ..BatchJob::default()
        },
    );
    let dash = Dash::new(120, 40, vec![job]);
    let text = dash.text();
    assert!(text.contains("on n17"), "{text}");
}

#[test]
fn one_is_not_copied_onto_this_machine() {
    let mut dash = Dash::new(120, 40, vec![on_cluster("train", BatchJob::default())]);
    dash.press("c");
    assert!(dash.model.is_normal());
    assert!(dash.text().contains("run --on gpu"), "{}", dash.text());
    dash.press(":duplicate");
    assert!(
        dash.text().contains("bgproc run --on gpu -n train"),
        "{}",
        dash.text()
    );
    // The command for a job of another host names that.
    let mut far = record("eval");
    far.summary.session_id = far.summary.session_id.at("gpu1").unwrap();
    let mut dash = Dash::new(120, 40, vec![far]);
    dash.press(":duplicate");
    assert!(
        dash.text().contains("bgproc -H gpu1 run -n eval"),
        "{}",
        dash.text()
    );
}
