//! Jobs that were lost, and what continues them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Serve, Terminal, daemon, eventually};

/// The record of a job, whether it runs or not.
fn of(home: &Home, job: &str) -> Value {
    let ran = home.run(&["--json", "status", job]);
    serde_json::from_str(&ran.stdout).unwrap_or_default()
}

/// Kills daemon and keeper, as a reboot does, so that jobs are lost.
#[track_caller]
fn lose(home: &Home, jobs: &[&str]) {
    let status = home.json(&["daemon", "status"]);
    let pid = |name: &str| u32::try_from(status[name].as_u64().unwrap()).unwrap();
    let held: Vec<u32> = [pid("keeperPid"), pid("daemonPid")].into();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(held[1]).unwrap()).unwrap(),
        rustix::process::Signal::STOP,
    )
    .unwrap();
    daemon::kill_pid(held[0]);
    daemon::kill_pid(held[1]);
    for job in jobs {
        eventually(&format!("{job} is lost"), || {
            (of(home, job)["status"] == "lost").then_some(())
        });
    }
}

#[test]
fn what_was_lost_is_continued_with_its_command_or_its_policy() {
    let home = Home::new();
    let said = home.scratch("said");
    let line = format!(
        "echo \"resumed $FLAVOUR\" >> {}; exec sleep 1000",
        said.display()
    );
    home.start(&["-n", "agent", "--resume", &line, "exec sleep 1000"]);
    home.start(&["-n", "web", "--restart", "on-failure", "exec sleep 1000"]);
    home.start(&["-n", "plain", "exec sleep 1000"]);
    lose(&home, &["agent", "web", "plain"]);
    let why = home.ok(&["why", "agent"]);
    assert!(
        why.contains("bgproc resume agent starts it with: echo"),
        "{why}"
    );
    let ran = home
        .run_with_env(&["resume"], &[("FLAVOUR", "sweet")])
        .expect_code(0);
    assert!(ran.stderr.contains("agent is started with: echo"), "{ran}");
    assert!(
        ran.stderr.contains("web is started with: exec sleep"),
        "{ran}"
    );
    assert!(ran.stderr.contains("plain is not started"), "{ran}");
    assert!(ran.stdout.contains("agent  running"), "{ran}");
    let text = eventually("it has run", || {
        std::fs::read_to_string(&said)
            .ok()
            .filter(|text| text.ends_with('\n'))
    });
    assert_eq!(text, "resumed sweet\n", "the environment of the caller");
    let record = home.json(&["status", "agent"]);
    assert_eq!(record["command"], "exec sleep 1000", "{record}");
    assert_eq!(home.json(&["status", "web"])["status"], "running");
    assert_eq!(of(&home, "plain")["status"], "lost");
    home.run(&["resume", "plain"]).expect_code(3);
    assert_eq!(
        home.ok(&["resume"]),
        "",
        "only what is still lost is listed"
    );
    // A restart is the job's own command.
    home.ok(&["restart", "agent"]);
    let again = std::fs::read_to_string(&said).unwrap();
    assert_eq!(again, text);
    home.ok(&["start", "plain"]);
    assert_eq!(home.json(&["status", "plain"])["status"], "running");
}

#[test]
fn a_restore_starts_what_is_to_run_always_and_nothing_else() {
    let home = Home::new();
    for (name, policy) in [("web", "always"), ("off", "always"), ("once", "on-failure")] {
        home.start(&["-n", name, "--restart", policy, "exec sleep 1000"]);
    }
    home.start(&["-n", "plain", "exec sleep 1000"]);
    home.ok(&["stop", "off"]);
    lose(&home, &["web", "once", "plain"]);
    let ran = home.run(&["daemon", "start", "--restore"]).expect_code(0);
    assert!(ran.stderr.contains("web is started again"), "{ran}");
    let pid = of(&home, "web")["pid"].clone();
    for (name, status) in [
        ("web", "running"),
        ("off", "killed"),
        ("once", "lost"),
        ("plain", "lost"),
    ] {
        assert_eq!(of(&home, name)["status"], status, "{name}");
    }
    home.run(&["daemon", "start", "--restore"]).expect_code(0);
    assert_eq!(of(&home, "web")["pid"], pid, "it runs already");
}

#[test]
fn a_job_says_itself_what_continues_it_and_start_uses_it() {
    let home = Home::new();
    let said = home.scratch("said");
    let line = format!(
        "{} report --resume 'echo again >> {}; exec sleep 1000'; exec sleep 1000",
        env!("CARGO_BIN_EXE_bgproc"),
        said.display()
    );
    home.start(&["-n", "agent", &line]);
    eventually("it has said so", || {
        home.json(&["status", "agent"])["resume"]
            .as_str()
            .map(str::to_owned)
    });
    lose(&home, &["agent"]);
    home.ok(&["start", "agent"]);
    eventually("it goes on", || said.exists().then_some(()));
}

#[test]
fn paused_jobs_continue_and_others_are_told() {
    let home = Home::new();
    home.start(&["-n", "web", "exec sleep 1000"]);
    home.ok(&["pause", "web"]);
    let out = home.ok(&["resume", "web"]);
    assert!(out.starts_with("web  running"), "{out}");
    let none = home.run(&["resume"]).expect_code(0);
    assert!(none.stderr.contains("no job was lost"), "{none}");
    home.run(&["resume", "nosuch"]).expect_code(4);
    home.run(&["run", "-w", "-n", "done", "true"])
        .expect_code(0);
    home.run(&["resume", "done"]).expect_code(3);
}

#[test]
fn the_dashboard_offers_the_command() {
    let home = Home::new();
    home.start(&[
        "-n",
        "agent",
        "--resume",
        "echo here again; exec sleep 1000",
        "exec sleep 1000",
    ]);
    lose(&home, &["agent"]);
    let mut view = Terminal::dashboard(&home, (120, 40), "lost");
    view.wait_for_text("C start with echo here again");
    view.send(":start agent with");
    view.wait_for_text("start agent with echo here");
    view.send("\x1b");
    view.wait_mode("NORMAL");
    view.send("C");
    view.wait_for_text("here again");
    view.wait_for_text("agent ●");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn a_job_that_waited_for_its_next_run_is_lost_and_continued() {
    let home = Home::new();
    let told = home.scratch("told");
    let line = format!(
        "[ -e {0} ] && exec sleep 1000; touch {0}; exit 4",
        told.display()
    );
    let mut agent = Serve::new(&home, &[]);
    let restart = json!({"policy": "always", "backoffMs": 60_000});
    agent.ok(json!({
        "action": "start", "command": line, "label": "again", "background": true, "restart": restart,
    }));
    eventually("it waits for its next run", || {
        (of(&home, "again")["status"] == "retrying").then_some(())
    });
    drop(agent);
    lose(&home, &["again"]);
    let record = of(&home, "again");
    assert_eq!(record["exitCode"], 4, "{record}");
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.contains("bgproc ended before retry 1"), "{record}");
    let ran = home.run(&["resume"]).expect_code(0);
    assert!(ran.stderr.contains("again is started with: "), "{ran}");
    assert_eq!(home.json(&["status", "again"])["status"], "running");
}

#[test]
fn an_agent_with_a_list_of_programs_continues_with_these_only() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &["--allow", "sleep"]);
    let start =
        json!({"action": "start", "command": "sleep 1000", "background": true, "resume": "rm x"});
    agent.err(start, "permission_denied");
    let start = json!({"action": "start", "command": "sleep 1000", "background": true, "resume": "sleep 999"});
    let id = agent.ok(start)["sessionId"].clone();
    let report = json!({"action": "report", "sessionId": id, "resume": "rm x"});
    agent.err(report, "permission_denied");
    let status = agent.ok(json!({"action": "status", "sessionId": id}));
    assert_eq!(status["resume"], "sleep 999");
    assert_eq!(status["report"], Value::Null);
}

#[test]
fn what_was_lost_and_still_runs_ends_before_the_next_run() {
    let home = Home::new();
    home.start(&["--no-pty", "-n", "server", "exec sleep 1000"]);
    let pid = u32::try_from(of(&home, "server")["pid"].as_u64().unwrap()).unwrap();
    let process = Held::new(pid).unwrap();
    lose(&home, &["server"]);
    assert!(!process.ended(Duration::ZERO), "its pipes do not end it");
    home.ok(&["restart", "server"]);
    assert!(process.ended(DEADLINE));
    assert_eq!(of(&home, "server")["status"], "running");
}
