//! How jobs of a cluster end, and what is said of it.

use serde_json::json;

use crate::support::Slurm;

#[test]
fn a_job_waits_runs_on_a_node_and_ends_with_its_own_code() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    let gate = home.gate();
    let line = format!(
        "echo on $SLURM_JOB_ID; [ \"$SLURM_SUBMIT_DIR\" -ef . ] && echo here; read x <{}; echo got $x; exit 3",
        gate.display()
    );
    let started = home.ok(&[
        "run", "--on", "slurm", "-n", "train", "--cpus", "2", "--time", "5m", &line,
    ]);
    assert!(started.starts_with("train  queued"), "{started}");
    let record = slurm.until("train", "running");
    let number = slurm.number("train");
    assert_eq!(
        record["launcher"],
        json!({"kind": "slurm", "name": "slurm"})
    );
    assert_eq!(record["engine"]["node"], "n1");
    assert_eq!(record["engine"]["timeLimitSec"], 300);
    home.ok(&["wait", "train", "--for", &format!("match:on {number}")]);
    home.ok(&["wait", "train", "--for", "match:^here$"]);
    let listed = home.ok(&["ls", "-o", "tsv"]);
    assert!(listed.contains("\trunning on n1\t"), "{listed}");
    std::fs::write(gate, "through\n").unwrap();
    home.run(&["wait", "train"]).expect_code(3);
    assert_eq!(
        home.ok(&["logs", "train"]),
        format!("on {number}\nhere\ngot through\n")
    );
    let record = slurm.status_of_ended("train");
    assert_eq!(
        (&record["status"], &record["exitCode"]),
        (&json!("error"), &json!(3))
    );
    // The batch job ends with that code, so that others may depend on it.
    let told = slurm.said("scontrol", &["show", "job", &number, "--oneliner"]);
    assert!(told.contains("ExitCode=3:0"), "{told}");
    let kinds = slurm.events("train");
    assert_eq!(kinds, ["queued", "placed", "started", "exited"]);
    let again = home.run(&["restart", "train"]);
    assert_ne!(again.code, Some(0));
    again.expect_said("cannot be restarted: it is a job of Slurm");
    home.ok(&["rm", "train"]);
    let left: Vec<_> = std::fs::read_dir(home.path().join("batch"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_person_stops_one_that_runs_and_one_that_waits() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    let line = "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done";
    home.ok(&["run", "--on", "slurm", "-n", "runs", "--cpus", "8", line]);
    home.ok(&["wait", "runs", "--for", "match:^up$"]);
    home.ok(&[
        "run",
        "--on",
        "slurm",
        "-n",
        "waits",
        "--cpus",
        "8",
        "sleep 600",
    ]);
    home.ok(&["stop", "waits"]);
    let waits = slurm.status_of_ended("waits");
    assert_eq!(waits["status"], "killed", "{waits}");
    assert_eq!(waits["endedBy"]["kind"], "human");
    home.ok(&["stop", "runs"]);
    let runs = slurm.status_of_ended("runs");
    assert_eq!(
        (&runs["status"], &runs["exitCode"]),
        (&json!("killed"), &json!(7)),
        "{runs}"
    );
    assert!(home.ok(&["logs", "runs"]).ends_with("bye\n"));
    let open: Vec<_> = slurm
        .jobs()
        .into_iter()
        .filter(|(_, state)| state != "CANCELLED")
        .collect();
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn what_ends_a_job_is_told() {
    let Some(mut slurm) = Slurm::new(2) else {
        return;
    };
    // The first node has 8 processors, so the third job is on the second one.
    for (name, time, cpus) in [
        ("late", "1m", "4"),
        ("cancelled", "1h", "4"),
        ("orphaned", "1h", "5"),
    ] {
        let line = "echo up; exec sleep 600";
        let home = &slurm.home;
        home.ok(&[
            "run", "--on", "slurm", "-n", name, "--time", time, "--cpus", cpus, line,
        ]);
        home.ok(&["wait", name, "--for", "match:^up$"]);
    }
    slurm.said("scancel", &[&slurm.number("cancelled")]);
    let record = slurm.until_ended("cancelled");
    let ended = (&record["status"], &record["signal"]);
    assert_eq!(ended, (&json!("killed"), &json!("SIGTERM")), "{record}");
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.contains("it was cancelled (Slurm)"), "{record}");
    let told = slurm.home.ok(&["events"]);
    let ended = told.lines().find(|line| line.contains("ended, SIGTERM"));
    assert!(ended.is_some_and(|line| line.contains("Slurm")), "{told}");
    // The cluster gives the node up, on which the processes go on.
    slurm.node_down(2);
    let record = slurm.until_ended("orphaned");
    let ended = (
        &record["status"],
        &record["exitCode"],
        &record["engine"]["node"],
    );
    assert_eq!(
        ended,
        (&json!("lost"), &json!(null), &json!("n2")),
        "{record}"
    );
    let record = slurm.until_ended("late");
    assert_eq!(record["status"], "timed_out", "{record}");
    assert_eq!(record["endedBy"]["kind"], "timeout", "{record}");
    let reason = record["reason"].as_str().unwrap();
    assert!(
        reason.contains("reached the time limit of its job (Slurm)"),
        "{record}"
    );
}
