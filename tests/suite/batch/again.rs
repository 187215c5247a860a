//! Jobs that a cluster puts into its queue again.

use super::PATIENCE;
use crate::support::{Slurm, eventually_within};

/// Adds a launcher whose jobs run again.
fn configure(slurm: &Slurm) {
    let config =
        "[launchers.again]\npoll = \"1s\"\nrequeue = true\n[launchers.slurm]\npoll = \"1s\"\n";
    std::fs::write(slurm.home.path().join("config.toml"), config).unwrap();
}

/// Runs a job that takes all processors of its node.
fn run_on_all(slurm: &Slurm, launcher: &str, name: &str, line: &str) {
    let home = &slurm.home;
    home.ok(&["run", "--on", launcher, "-n", name, "--cpus", "8", line]);
}

#[test]
fn a_preempted_job_that_is_not_to_run_again_ends_with_the_reason() {
    let Some(slurm) = Slurm::with(1, "PreemptMode=CANCEL\n") else {
        return;
    };
    run_on_all(&slurm, "slurm", "low", "echo up; exec sleep 600");
    slurm.home.ok(&["wait", "low", "--for", "match:^up$"]);
    run_on_all(&slurm, "slurm:urgent", "high", "true");
    let record = slurm.until_ended("low");
    assert_eq!(record["status"], "killed", "{record}");
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.contains("it was preempted"), "{record}");
    slurm.home.run(&["wait", "high"]).expect_code(0);
}

#[test]
fn a_preempted_job_runs_again_with_its_log_if_its_launcher_says_so() {
    let Some(slurm) = Slurm::new(1) else { return };
    configure(&slurm);
    let home = &slurm.home;
    let line = "trap 'exit 9' TERM; echo run $SLURM_RESTART_COUNT.; while :; do sleep 0.05; done";
    run_on_all(&slurm, "again", "low", line);
    home.ok(&["wait", "low", "--for", "match:^run .$"]);
    let gate = home.gate();
    let line = format!("echo up; read x <{}", gate.display());
    run_on_all(&slurm, "slurm:urgent", "high", &line);
    home.ok(&["wait", "high", "--for", "match:^up$"]);
    slurm.until("low", "queued");
    std::fs::write(gate, "\n").unwrap();
    home.run(&["wait", "high"]).expect_code(0);
    home.ok(&["wait", "low", "--for", "match:^run 1.$"]);
    let record = slurm.until("low", "running");
    assert_eq!(record["engine"]["run"], 2, "{record}");
    let log = home.ok(&["logs", "low"]);
    assert!(
        log.starts_with("run .\n") && log.ends_with("run 1.\n"),
        "{log}"
    );
    home.ok(&["stop", "low"]);
    let told = home.ok(&["events"]);
    let again = told.lines().find(|line| line.contains("\tlow\trestarted"));
    assert!(
        again.is_some_and(|line| line.ends_with("\tSlurm")),
        "{told}"
    );
    let kinds = slurm.events("low");
    let expected = [
        "queued",
        "placed",
        "started",
        "requeued",
        "placed",
        "restarted",
        "exited",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn the_run_after_a_lost_node_owns_the_log_while_the_processes_there_go_on() {
    let Some(mut slurm) = Slurm::new(2) else {
        return;
    };
    configure(&slurm);
    let line = "case $SLURM_RESTART_COUNT in \
                '') n=0; while sleep 0.02; do n=$((n+1)); echo first $n; done;; \
                *) echo second; read x; echo $x; exit 3;; esac";
    slurm.home.ok(&["run", "--on", "again", "-n", "job", line]);
    slurm.home.ok(&["wait", "job", "--for", "match:^first 9$"]);
    let record = slurm.status("job");
    let node = record["engine"]["node"].as_str().unwrap();
    slurm.node_down(node[1..].parse().unwrap());
    let home = &slurm.home;
    let record = eventually_within(PATIENCE, "it runs again", || {
        let record = slurm.status("job");
        let is_again = record["engine"]["run"] == 2 && record["status"] == "running";
        is_again.then_some(record)
    });
    assert_ne!(record["engine"]["node"], node, "{record}");
    home.ok(&["wait", "job", "--for", "match:^second$"]);
    // The processes on the first node still write, to a place of their own.
    let id = record["sessionId"].as_str().unwrap();
    let first = format!("batch/{id}/{id}.1/sessions/{id}/output.log");
    let first = home.path().join(first);
    let written = || std::fs::metadata(&first).unwrap().len();
    let before = written();
    eventually_within(PATIENCE, "the first run still writes", || {
        (written() > before).then_some(())
    });
    home.ok(&["send", "job", "typed"]);
    home.run(&["wait", "job"]).expect_code(3);
    let log = home.ok(&["logs", "job"]);
    let lines: Vec<&str> = log.lines().collect();
    let firsts = lines.len() - 3;
    assert!(firsts >= 9, "{log}");
    for (line, number) in lines[..firsts].iter().zip(1..) {
        assert_eq!(*line, format!("first {number}"), "{log}");
    }
    assert_eq!(lines[firsts..], ["second", "typed", "typed"], "{log}");
    let own = home.ok(&["logs", "job", "--run", "2"]);
    assert_eq!(own, "second\ntyped\ntyped\n");
}
