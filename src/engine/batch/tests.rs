use std::collections::BTreeSet;

use super::*;
use crate::engine::batch::slurm::{self, Found};
use crate::protocol::batch_job::{LauncherKind, Reach};

fn batch() -> Batch {
    Batch {
        launcher: launcher(),
        resources: Resources::default(),
        dir: "/s/abc".to_owned(),
        job: BatchJob::default(),
        next_run_at: 0,
        ended: None,
        suspended: false,
        is_ahead: false,
        stopped_on_node: false,
        typed_on_node: None,
        cancelled_by: None,
        cancel_again_at: None,
    }
}

fn launcher() -> LauncherSpec {
    LauncherSpec {
        state: "/s".to_owned(),
        ..LauncherSpec::of_kind(LauncherKind::Slurm)
    }
}

/// A row as squeue prints it, from its fields.
fn printed(fields: &[&str]) -> Row {
    let mut rows = slurm::rows(&format!("{}\u{1f}\n", fields.join("\u{1f}")));
    assert_eq!(rows.len(), 1, "{fields:?}");
    rows.remove(0)
}

fn row(state: &str, requeues: &str) -> Row {
    printed(&[
        "7",
        state,
        "Resources",
        "n1",
        "1795614848",
        "1:00:00",
        requeues,
        "0",
        "bgproc:abc:1",
    ])
}

#[test]
fn a_job_waits_runs_is_put_back_and_ends() {
    let mut batch = batch();
    for (state, requeues, status, expected) in [
        ("PENDING", "0", Status::Queued, Change::Queued),
        ("PENDING", "0", Status::Queued, Change::None),
        ("CONFIGURING", "0", Status::Queued, Change::None),
        ("COMPLETING", "0", Status::Queued, Change::Placed),
        ("RUNNING", "0", Status::Queued, Change::Placed),
        ("RUNNING", "0", Status::Running, Change::None),
        ("SUSPENDED", "0", Status::Running, Change::Paused(true)),
        ("RUNNING", "0", Status::Paused, Change::Paused(false)),
        ("COMPLETING", "0", Status::Running, Change::None),
        ("COMPLETING", "1", Status::Running, Change::None),
        ("PENDING", "1", Status::Running, Change::Requeued),
        ("PENDING", "1", Status::Queued, Change::None),
        ("COMPLETING", "2", Status::Queued, Change::None),
        ("RUNNING", "1", Status::Queued, Change::Placed),
        ("SUSPENDED", "1", Status::Queued, Change::Placed),
        // It was in the queue between two questions.
        ("RUNNING", "2", Status::Running, Change::Requeued),
        (
            "NODE_FAIL",
            "2",
            Status::Running,
            Change::Ended(Ending::NodeFailed),
        ),
    ] {
        assert_eq!(
            batch.take(&row(state, requeues), status),
            expected,
            "{state}"
        );
    }
    assert_eq!(batch.job.run, 3);
    assert_eq!(batch.job.job_id.as_deref(), Some("7"));
    assert_eq!(batch.job.time_limit_sec, Some(3600));
}

#[test]
fn a_list_that_is_older_than_the_word_of_the_node_is_no_news() {
    let mut batch = batch();
    batch.take(&row("PENDING", "0"), Status::Queued);
    batch.begun("n2");
    assert_eq!(
        batch.take(&row("PENDING", "0"), Status::Running),
        Change::None
    );
    let job = &batch.job;
    let known = (&job.state, &job.reason, job.estimated_start_at);
    assert_eq!(known, (&None, &None, None));
    assert_eq!(job.node.as_deref(), Some("n2"));
    // It was in the queue again meanwhile.
    assert_eq!(
        batch.take(&row("PENDING", "1"), Status::Running),
        Change::Requeued
    );
    batch.begun("n2");
    assert_eq!(
        batch.take(&row("RUNNING", "1"), Status::Running),
        Change::None
    );
    assert!(!batch.is_ahead);
}

#[test]
fn what_waits_says_why_and_when_it_may_start() {
    let mut batch = batch();
    batch.take(&row("PENDING", "0"), Status::Queued);
    assert_eq!(batch.why(), "Resources");
    assert_eq!(
        batch.job.estimated_start_at,
        Some(Timestamp(1_795_614_848_000))
    );
    batch.take(&row("RUNNING", "0"), Status::Queued);
    assert_eq!(batch.job.estimated_start_at, None);
    assert_eq!(batch.job.node.as_deref(), Some("n1"));
}

#[test]
fn rows_of_slurm_are_read() {
    let row = printed(&[
        "12",
        "CANCELLED",
        "None",
        "n[1-2]",
        "N/A",
        "1-02:00:05",
        "3",
        "15",
        "(null)",
    ]);
    assert_eq!(row.state, JobState::Ended(Ending::Cancelled));
    assert_eq!((row.reason, row.start, row.session), (None, None, None));
    assert_eq!(row.time_limit_sec, Some(86_400 + 7_205));
    assert_eq!((row.requeues, row.exit), (3, Some(ExitStatus::died(15))));
    let failed = printed(&[
        "1",
        "FAILED",
        "NonZeroExitCode",
        "n1",
        "1",
        "UNLIMITED",
        "0",
        "768",
        "",
    ]);
    assert_eq!(failed.exit, Some(ExitStatus::exited(3)));
    assert_eq!(failed.time_limit_sec, None);
    assert!(slurm::rows("slurm_load_jobs error: x\n\n").is_empty());
}

#[test]
fn the_number_of_a_submission_is_read() {
    assert_eq!(slurm::submitted("123\n").as_deref(), Some("123"));
    assert_eq!(slurm::submitted("123;west\n").as_deref(), Some("123"));
    for text in ["", "\n", "Submitted batch job 5"] {
        assert_eq!(slurm::submitted(text), None, "{text}");
    }
}

#[test]
fn a_submission_asks_for_what_is_wanted_and_the_request_wins() {
    let id = SessionId::fresh();
    let launcher = LauncherSpec {
        partition: Some("main".to_owned()),
        time_sec: Some(3600),
        options: vec!["--account=x".to_owned()],
        ..launcher()
    };
    let resources = Resources {
        partition: Some("gpu".to_owned()),
        time_sec: Some(90),
        cpus: Some(8),
        memory_bytes: Some(1 << 30),
        gpus: Some(1),
        extra: vec!["--constraint=a100".to_owned()],
        ..Resources::default()
    };
    let words = slurm::submit(&id, "train", &launcher, &resources);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(words[..3], ["sbatch", "--parsable", "--open-mode=append"]);
    let given: BTreeSet<&str> = words[3..].iter().copied().collect();
    let mark = format!("--comment=bgproc:{id}:1");
    let (output, chdir) = (
        format!("--output=/s/{id}/engine.log"),
        format!("--chdir=/s/{id}"),
    );
    let expected = [
        "--no-requeue",
        &mark,
        "--job-name=train",
        &output,
        &chdir,
        "--partition=gpu",
        "--time=1:30",
        "--cpus-per-task=8",
        "--mem=1048576K",
        "--gpus=1",
        "--account=x",
        "--constraint=a100",
    ];
    assert_eq!(given, expected.into_iter().collect());
}

#[test]
fn a_forgotten_job_is_found_by_either_command() {
    let scontrol =
        "JobId=1 JobName=b.sh JobState=TIMEOUT Reason=TimeLimit ExitCode=0:15 RunTime=1\n";
    assert_eq!(
        slurm::found(scontrol),
        Found::Ended(Ending::TimedOut, ExitStatus::died(15))
    );
    assert_eq!(
        slurm::found("CANCELLED by 1000|3:0|n1\n"),
        Found::Ended(Ending::Cancelled, ExitStatus::exited(3))
    );
    for text in [
        "RUNNING|0:0|n1",
        "JobState=RUNNING ExitCode=0:0",
        "JobState=PENDING Reason=Priority ExitCode=0:0",
        "JobState=COMPLETING ExitCode=0:0",
    ] {
        assert_eq!(slurm::found(text), Found::Alive, "{text}");
    }
    for text in ["", "\n", "slurm_load_jobs error"] {
        assert_eq!(slurm::found(text), Found::Unknown, "{text}");
    }
    let refused = "slurm_load_jobs error: Invalid job id specified\n";
    assert!(slurm::is_unknown_job(refused));
    let timeout = "slurm_load_jobs error: Socket timed out on send/recv operation\n";
    assert!(!slurm::is_unknown_job(timeout));
}

#[test]
fn variables_of_another_job_do_not_reach_a_submission() {
    assert!(slurm::is_scrubbed("SLURM_JOB_ID") && slurm::is_scrubbed("SBATCH_PARTITION"));
    assert!(!slurm::is_scrubbed("SLURM_CONF") && !slurm::is_scrubbed("PATH"));
}

#[test]
fn a_job_is_reached_as_its_launcher_says() {
    let words = |reach| {
        let launcher = LauncherSpec {
            reach,
            ..launcher()
        };
        slurm::reach(&launcher, "7", Some("n1")).map(|words| words.join(" "))
    };
    assert!(
        words(Reach::Srun)
            .unwrap()
            .starts_with("srun --jobid 7 --overlap")
    );
    assert!(words(Reach::Ssh).unwrap().ends_with("n1 exec sh"));
    assert_eq!(words(Reach::None), None);
}

#[test]
fn marks_name_sessions() {
    let id = SessionId::fresh();
    assert_eq!(Batch::marked(&Batch::mark(&id)), Some(id.as_str()));
    for other in ["", "mine", "bgproc:", "(null)"] {
        assert_eq!(Batch::marked(other), None);
    }
}
