//! A node of a cluster as a host, for as long as a job holds it.

use serde_json::json;

use super::PATIENCE;
use crate::support::{Person, Slurm, Sshd, eventually_within};

#[test]
fn a_node_is_a_host_until_it_is_given_back() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    // All of the node is taken.
    home.ok(&[
        "run",
        "--on",
        "slurm",
        "-n",
        "first",
        "--cpus",
        "8",
        "sleep 600",
    ]);
    slurm.until("first", "running");
    let add = [
        "hosts", "add", "box", "--on", "slurm", "--time", "10m", "--cpus", "4",
    ];
    let told = home.run_with_env(&add, &[("WHOSE", "the caller's")]);
    told.expect_said("will hold box");
    slurm.until("box", "queued");
    home.run(&["-H", "box", "ls"])
        .expect_code(69)
        .expect_said("pending");
    home.ok(&["stop", "first"]);
    slurm.until("box", "running");
    home.until_connected("box");
    // The daemon has started srun, which takes its environment along.
    let mut person = Person::new(home);
    let started = person.ok(json!({"action": "start", "command": "echo $WHOSE in $PWD",
        "host": "box", "label": "whose", "background": true}));
    home.ok(&["wait", "whose@box"]);
    let log = home.ok(&["logs", "whose@box"]);
    assert_eq!(log, format!("the caller's in {}\n", home.path().display()));
    person.ok(json!({"action": "remove", "sessionId": started["sessionId"]}));
    // The job that holds the node is listed once.
    let listed = home.ok(&["ls", "-q"]);
    assert_eq!(listed.lines().count(), 2, "{listed}");
    home.ok(&[
        "-H",
        "box",
        "run",
        "-n",
        "one",
        "echo in job $SLURM_JOB_ID; read x; echo got $x",
    ]);
    home.ok(&["run", "-H", "box", "-n", "two", "sleep 600"]);
    home.ok(&["send", "one@box", "this"]);
    home.ok(&["wait", "one@box"]);
    let job = slurm.status("box")["engine"]["jobId"].clone();
    let log = home.ok(&["logs", "one@box"]);
    assert!(
        log.starts_with(&format!("in job {}\n", job.as_str().unwrap())),
        "{log}"
    );
    assert!(log.ends_with("got this\n"), "{log}");
    let two = home.json(&["status", "two@box"])["pid"].clone();
    let two = two.as_u64().unwrap();
    // Nobody can answer a question here.
    home.run(&["hosts", "rm", "box"])
        .expect_said("held by a job");
    home.ok(&["stop", "box"]);
    // The node is gone, and the jobs there with it; the host stays in the configuration.
    assert!(!home.ok(&["ls", "-a"]).contains("@box"));
    let refused = person.call(json!({"action": "connect", "host": "box"}));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("the job that held host box has ended"),
        "{refused}"
    );
    for verb in [&["-H", "box", "ls"][..], &["-H", "box", "daemon", "status"]] {
        let refused = home.run(verb).expect_code(69);
        let refused = refused.expect_said("the job that held host box has ended");
        refused.expect_said("bgproc hosts rm box");
    }
    let report = home.run(&["hosts", "doctor", "box"]).expect_code(1);
    assert!(
        report
            .stdout
            .contains("the job that held host box has ended"),
        "{report}"
    );
    home.ok(&["hosts", "rm", "box", "--yes"]);
    assert_eq!(slurm.until_ended("box")["status"], "killed");
    assert!(!home.ok(&["ls"]).contains("@box"));
    eventually_within(PATIENCE, "the jobs there have ended", || {
        let stat = std::fs::read_to_string(format!("/proc/{two}/stat")).unwrap_or_default();
        (stat.is_empty() || stat.contains(") Z ")).then_some(())
    });
}

#[test]
fn a_node_behind_a_login_node_is_a_host() {
    let Some(slurm) = Slurm::new(1) else { return };
    let Some(mut login) = Sshd::new(1) else {
        return;
    };
    login.gives("SLURM_CONF", &slurm.conf());
    let home = &login.home;
    let path = home.path().join("config.toml");
    let hosts = std::fs::read_to_string(&path).unwrap();
    let state = slurm.home.path().join("batch");
    let launcher = format!(
        "[launchers.gpu]\nhost = \"h1\"\npoll = \"1s\"\nstate = \"{}\"\n",
        state.display()
    );
    std::fs::write(&path, hosts + &launcher).unwrap();
    home.ok(&["hosts", "add", "box", "--on", "gpu", "--time", "10m"]);
    home.until_connected("box");
    let line = "echo in job $SLURM_JOB_ID; read x; echo got $x; exit 3";
    home.ok(&["run", "-H", "box", "-n", "one", line]);
    home.ok(&["send", "one@box", "this"]);
    home.run(&["wait", "one@box"]).expect_code(3);
    let (number, _) = slurm.jobs()[0].clone();
    let log = home.ok(&["logs", "one@box"]);
    assert!(log.starts_with(&format!("in job {number}\n")), "{log}");
    assert!(log.ends_with("got this\n"), "{log}");
    home.ok(&["hosts", "rm", "box", "--yes"]);
    assert!(!home.ok(&["ls"]).contains("@box"));
    eventually_within(PATIENCE, "the node is given back", || {
        slurm
            .jobs()
            .iter()
            .all(|(_, state)| state == "CANCELLED")
            .then_some(())
    });
}
