//! What jobs of a cluster survive: the daemon, the controller, and being forgotten.

use serde_json::json;

use super::PATIENCE;
use crate::support::process::{Held, write_script};
use crate::support::{DEADLINE, Home, Slurm, Trap, eventually_within};

#[test]
fn a_job_goes_on_while_the_daemon_is_killed() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    let gate = home.gate();
    let line = format!("echo up; read x <{}; echo $x; exit 5", gate.display());
    slurm.run("job", &line);
    home.kill_daemon();
    home.ok(&["wait", "job", "--for", "match:^up$"]);
    home.kill_daemon();
    std::fs::write(gate, "on\n").unwrap();
    home.run(&["wait", "job"]).expect_code(5);
    assert_eq!(home.ok(&["logs", "job"]), "up\non\n");
    assert_eq!(
        slurm.events("job"),
        ["queued", "placed", "started", "adopted", "exited"]
    );
}

#[test]
fn a_daemon_that_dies_before_sbatch_has_answered_finds_the_job() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    let trap = Trap::new(home, &["batch.submitted"]);
    home.run_with_env(&["ls"], &[("BGPROC_FAILPOINT", &trap.variable)])
        .expect_code(0);
    trap.set();
    slurm.run("job", "echo up; exec sleep 600");
    trap.check();
    let record = slurm.until("job", "running");
    let jobs = slurm.jobs();
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    assert_eq!(record["engine"]["jobId"], jobs[0].0.as_str());
    home.ok(&["stop", "job"]);
}

#[test]
fn a_controller_that_is_down_is_told_and_holds_nothing_up() {
    let Some(mut slurm) = Slurm::new(1) else {
        return;
    };
    slurm.run("job", "echo up; exec sleep 600");
    slurm.home.ok(&["wait", "job", "--for", "match:^up$"]);
    let gate = slurm.home.gate();
    let line = format!("echo up; read x <{}; exit 5", gate.display());
    slurm.run("ends", &line);
    slurm.home.ok(&["wait", "ends", "--for", "match:^up$"]);
    slurm.controller_down();
    let silent = eventually_within(PATIENCE, "the silence is noticed", || {
        let record = slurm.status("job");
        (!record["engine"]["silentSince"].is_null()).then_some(record)
    });
    assert_eq!(silent["status"], "running");
    let told = slurm.home.ok(&["status", "job"]);
    assert!(told.contains("no answer from Slurm since"), "{told}");
    assert!(slurm.home.ok(&["logs", "job"]).contains("up"));
    // Other jobs know nothing of it.
    let began = std::time::Instant::now();
    slurm.home.ok(&["run", "-n", "here", "true"]);
    slurm.home.ok(&["wait", "here"]);
    assert!(began.elapsed() < DEADLINE / 2);
    // The node says how its job has ended.
    std::fs::write(gate, "\n").unwrap();
    let ended = slurm.until_ended("ends");
    assert_eq!(ended["exitCode"], 5, "{ended}");
    assert!(!ended["engine"]["silentSince"].is_null(), "{ended}");
    slurm.controller_up();
    eventually_within(PATIENCE, "it answers again", || {
        slurm.status("job")["engine"]["silentSince"]
            .is_null()
            .then_some(())
    });
    slurm.home.ok(&["stop", "job"]);
}

#[test]
fn a_job_that_the_controller_has_forgotten_has_its_code_all_the_same() {
    let Some(slurm) = Slurm::with(1, "MinJobAge=2\n") else {
        return;
    };
    let home = &slurm.home;
    slurm.run("job", "exit 6");
    // Nobody asks while it runs, ends and is forgotten.
    let daemon = home.json(&["daemon", "status"])["daemonPid"]
        .as_u64()
        .unwrap();
    let stopped = Held::new(u32::try_from(daemon).unwrap()).unwrap();
    stopped.signal(rustix::process::Signal::STOP);
    eventually_within(PATIENCE, "it is forgotten", || {
        slurm.jobs().is_empty().then_some(())
    });
    stopped.signal(rustix::process::Signal::CONT);
    home.run(&["wait", "job"]).expect_code(6);
    let record = slurm.status_of_ended("job");
    assert_eq!(record["exitCode"], json!(6), "{record}");
}

#[test]
fn the_next_daemon_reaches_the_cluster_as_the_one_before() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    // Keeper and daemon were started by somebody who does not know the cluster.
    home.run_with_env(&["ls"], &[("SLURM_CONF", "/nowhere/slurm.conf")])
        .expect_code(0);
    for replace in ["upgrade", "kill"] {
        slurm.run(replace, "echo up; exec sleep 600");
        home.ok(&["wait", replace, "--for", "match:^up$"]);
        if replace == "kill" {
            home.kill_daemon();
        } else {
            home.ok(&["daemon", "upgrade"]);
        }
        home.ok(&["stop", replace]);
        let ended = slurm.status_of_ended(replace);
        assert_eq!(ended["status"], "killed", "{ended}");
    }
}

/// A `PATH` whose `squeue` is this script.
fn path_with_squeue(home: &Home, script: &str) -> String {
    let (path, programs) = (std::env::var("PATH").unwrap(), home.scratch("bin"));
    std::fs::create_dir_all(&programs).unwrap();
    let script = format!("#!/bin/sh\nPATH={path}\n{script}");
    write_script(&programs.join("squeue"), &script);
    format!("{}:{path}", programs.display())
}

#[test]
fn a_node_tells_itself_that_it_has_begun_a_job() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    // No list ever says that it runs.
    let path = path_with_squeue(home, "echo busy >&2; exit 1\n");
    let line = "echo up; read x; echo got $x; exec sleep 600";
    home.run_with_env(
        &["run", "--on", "slurm", "-n", "job", line],
        &[("PATH", &path)],
    )
    .expect_code(0);
    home.ok(&["wait", "job", "--for", "match:^up$"]);
    let record = slurm.status("job");
    let told = (&record["status"], &record["engine"]["node"]);
    assert_eq!(told, (&json!("running"), &json!("n1")), "{record}");
    assert!(record["engine"]["state"].is_null(), "{record}");
    home.ok(&["send", "job", "this"]);
    home.ok(&["wait", "job", "--for", "match:^got this$"]);
    let stopped = home.ok(&["stop", "job"]);
    assert!(stopped.starts_with("job  stopped ("), "{stopped}");
    let kinds = slurm.events("job");
    assert_eq!(kinds[..3], ["queued", "placed", "started"], "{kinds:?}");
}

#[test]
fn a_job_that_a_list_of_the_cluster_lacks_is_not_lost() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    let (blind, asked) = (home.scratch("blind"), home.scratch("asked"));
    let path = path_with_squeue(
        home,
        &format!(
            "[ ! -e {blind} ] || {{ echo once >> {asked}; exit 0; }}\nexec squeue \"$@\"\n",
            blind = blind.display(),
            asked = asked.display(),
        ),
    );
    let line = "echo up; exec sleep 600";
    home.run_with_env(
        &["run", "--on", "slurm", "-n", "job", line],
        &[("PATH", &path)],
    )
    .expect_code(0);
    home.ok(&["wait", "job", "--for", "match:^up$"]);
    std::fs::write(&blind, "").unwrap();
    // What follows from the first list is over when the next one is asked for.
    eventually_within(PATIENCE, "two lists lack it", || {
        slurm.status("job");
        let times = std::fs::read_to_string(&asked).unwrap_or_default();
        (times.lines().count() > 1).then_some(())
    });
    assert_eq!(slurm.status("job")["status"], "running");
    std::fs::remove_file(&blind).unwrap();
    home.ok(&["stop", "job"]);
}
