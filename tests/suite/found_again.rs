//! Jobs are found again whatever was removed meanwhile: sockets, their directory, the program's file; and from
//! every environment that means the same home.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Person, Ran, Serve, Terminal, daemon, eventually};

/// A job that says where it is and goes on.
const JOB: &[&str] = &["-n", "job", "echo here; exec sleep 1000"];

fn start(home: &Home) -> String {
    home.start(JOB)
}

#[track_caller]
fn pids(home: &Home) -> (u32, u32) {
    let status = home.json(&["daemon", "status"]);
    let pid = |name: &str| u32::try_from(status[name].as_u64().unwrap()).unwrap();
    (pid("keeperPid"), pid("daemonPid"))
}

/// Waits until there is a file.
#[track_caller]
fn await_file(path: &Path) {
    eventually(&format!("{} exists", path.display()), || {
        path.exists().then_some(())
    });
}

#[test]
fn a_removed_socket_is_there_again_at_once_without_anybody_asking() {
    let home = Home::new();
    start(&home);
    let before = pids(&home);
    for name in ["daemon.sock", "keeper.sock"] {
        let socket = home.path().join(name);
        std::fs::remove_file(&socket).unwrap();
        await_file(&socket);
    }
    assert_eq!(pids(&home), before);
    assert_eq!(home.json(&["status", "job"])["status"], "running");
    // The daemon that follows takes clients from the new one as well.
    daemon::kill_pid(before.1);
    assert_eq!(home.json(&["status", "job"])["status"], "running");
    assert_eq!(pids(&home).0, before.0);
}

#[test]
fn with_all_sockets_and_locks_removed_there_is_still_one_keeper() {
    let home = Home::new();
    start(&home);
    let before = pids(&home);
    for round in 0..10 {
        for name in [
            "daemon.sock",
            "keeper.sock",
            "keeper.lock",
            "sessions.lock",
            "start.lock",
        ] {
            let _ = std::fs::remove_file(home.path().join(name));
        }
        // At once, while the keeper may not have noticed yet.
        let ran = home.run(&["logs", "job"]).expect_code(0);
        assert_eq!(ran.stdout, "here\n", "round {round}");
        assert_eq!(pids(&home), before, "round {round}");
    }
    home.ok(&["daemon", "stop", "--kill"]);
    assert!(Held::new(before.0).is_none_or(|keeper| keeper.ended(DEADLINE)));
}

#[test]
fn a_keeper_that_follows_a_killed_one_watches_over_the_sockets_too() {
    let home = Home::new();
    start(&home);
    let (keeper, daemon) = pids(&home);
    daemon::kill_pid(keeper);
    let (next, same) = pids(&home);
    assert_ne!(next, keeper);
    assert_eq!(same, daemon);
    std::fs::remove_file(home.path().join("daemon.sock")).unwrap();
    await_file(&home.path().join("daemon.sock"));
    assert_eq!(home.json(&["status", "job"])["status"], "running");
}

#[test]
fn a_socket_that_was_removed_while_no_keeper_lived_leads_to_the_daemon_again() {
    let home = Home::new();
    start(&home);
    let (keeper, daemon) = pids(&home);
    let stopped = Held::new(daemon).unwrap();
    stopped.signal(Signal::STOP);
    daemon::kill_pid(keeper);
    std::fs::remove_file(home.path().join("daemon.sock")).unwrap();
    stopped.signal(Signal::CONT);
    await_file(&home.path().join("daemon.sock"));
    assert_eq!(home.json(&["status", "job"])["status"], "running");
    assert_eq!(pids(&home).1, daemon);
}

/// `bgproc ARGS` of a person whose directories are the usual ones, with this runtime directory.
fn person(home: &Home, runtime: Option<&Path>, args: &[&str]) -> Ran {
    let mut command = home.command(args);
    command.env_remove("BGPROC_HOME");
    command.env_remove("XDG_RUNTIME_DIR");
    command.env("XDG_STATE_HOME", home.path().join("state"));
    command.env("XDG_CONFIG_HOME", home.path().join("config"));
    if let Some(runtime) = runtime {
        command.env("XDG_RUNTIME_DIR", runtime);
    }
    Home::finish(command, args)
}

fn runtime_dir(home: &Home, name: &str) -> PathBuf {
    let dir = home.path().join(name);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn a_job_is_found_without_the_runtime_directory_it_was_started_with() {
    let home = Home::new();
    let (one, two) = (runtime_dir(&home, "one"), runtime_dir(&home, "two"));
    person(&home, Some(&one), &["run", "-n", "job", "exec sleep 1000"]).expect_code(0);
    for runtime in [Some(two.as_path()), None] {
        let ran = person(&home, runtime, &["--json", "status", "job"]).expect_code(0);
        let job: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(job["status"], "running");
    }
    assert!(!two.join("bgproc").exists(), "one home has one keeper");
    person(&home, None, &["daemon", "stop", "--kill"]).expect_code(0);
}

#[test]
fn a_removed_runtime_directory_is_made_again_or_done_without() {
    let home = Home::new();
    let runtime = runtime_dir(&home, "run");
    person(
        &home,
        Some(&runtime),
        &["run", "-n", "job", "exec sleep 1000"],
    )
    .expect_code(0);
    let look = |runtime: Option<&Path>| {
        let ran = person(&home, runtime, &["--json", "status", "job"]).expect_code(0);
        let job: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(job["status"], "running");
    };
    // What logind leaves of it at the last logout, and what it makes at the next login.
    std::fs::rename(runtime.join("bgproc"), home.path().join("removed")).unwrap();
    look(Some(&runtime));
    // By another name and then gone, so that nobody can put anything back into it meanwhile.
    std::fs::rename(&runtime, home.path().join("old")).unwrap();
    std::fs::write(&runtime, "no directory").unwrap();
    look(None);
    std::fs::remove_file(&runtime).unwrap();
    std::fs::create_dir(&runtime).unwrap();
    look(Some(&runtime));
    let doctor = person(&home, Some(&runtime), &["doctor"]);
    assert!(doctor.stdout.contains("listens at"), "{doctor}");
    person(&home, Some(&runtime), &["daemon", "stop", "--kill"]).expect_code(0);
}

/// `path ARGS` in this home.
fn run_as(home: &Home, path: &Path, args: &[&str]) -> Ran {
    let words = [&[path.to_str().unwrap()], args].concat();
    Home::finish(home.command_through(&words), args)
}

#[test]
fn a_deleted_program_goes_on_and_can_be_upgraded_from_elsewhere() {
    let home = Home::new();
    let program = home.scratch("bgproc");
    daemon::install(&program);
    run_as(&home, &program, &[&["run"], JOB].concat()).expect_code(0);
    let (keeper, first) = pids(&home);
    std::fs::remove_file(&program).unwrap();
    daemon::kill_pid(first);
    assert_eq!(home.json(&["status", "job"])["status"], "running");
    // At the first attempt: each that failed would be a line of its own.
    let log = std::fs::read_to_string(home.path().join("keeper.log")).unwrap();
    assert_eq!(log.matches("the daemon ended").count(), 1, "{log}");
    let doctor = home.run(&["doctor"]);
    assert!(
        doctor.stdout.contains("was deleted or replaced"),
        "{doctor}"
    );
    let (same, second) = pids(&home);
    assert_eq!(same, keeper);
    assert_ne!(second, first);
    // The keeper as well, from the daemon that has no file any more either.
    daemon::kill_pid(keeper);
    assert_eq!(home.json(&["status", "job"])["status"], "running");
    let ran = home.run(&["daemon", "upgrade"]).expect_code(0);
    let own = std::fs::canonicalize(env!("CARGO_BIN_EXE_bgproc")).unwrap();
    let said = format!("{} (was", own.display());
    assert!(ran.stdout.contains(&said), "{ran}");
    assert!(ran.stdout.contains("scratch/bgproc (deleted)"), "{ran}");
    for pid in [pids(&home).0, pids(&home).1] {
        let runs = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap();
        assert_eq!(runs, own);
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap();
        assert_eq!(name, "bgproc\n");
    }
}

#[test]
fn an_upgrade_to_a_program_that_fails_as_a_daemon_is_given_up() {
    // Or its end of the channel is gone before the keeper has written to it.
    give_up_upgrade("exit 9", "failed 3 times: ");
}

#[test]
fn an_upgrade_to_a_program_that_hangs_as_a_daemon_is_given_up() {
    give_up_upgrade("exec sleep 1000", "not up in time");
}

#[test]
fn an_upgrade_to_a_program_that_cannot_read_what_is_stored_is_given_up() {
    let home = Home::new();
    let fault = home.scratch("fault");
    let as_daemon = format!(
        "touch {fault}\nBGPROC_PANIC=takeover.restore:{fault} exec {program} \"$@\"",
        fault = fault.display(),
        program = env!("CARGO_BIN_EXE_bgproc"),
    );
    give_up_upgrade_in(&home, &as_daemon, "failed 3 times: ");
}

/// An upgrade to a program that does this as a daemon.
fn give_up_upgrade(as_daemon: &str, reason: &str) {
    give_up_upgrade_in(&Home::new(), as_daemon, reason);
}

fn give_up_upgrade_in(home: &Home, as_daemon: &str, reason: &str) {
    start(home);
    let (keeper, first) = pids(home);
    let old = Held::new(first).unwrap();
    let broken = home.scratch("broken");
    let script = format!("#!/bin/sh\n[ \"$1\" = daemon ] || exec echo bgproc 9.9\n{as_daemon}\n");
    std::fs::write(&broken, script).unwrap();
    assert!(
        Command::new("chmod")
            .arg("+x")
            .arg(&broken)
            .status()
            .unwrap()
            .success()
    );
    let mut person = Person::new(home);
    person.send(&json!({"id": 1, "action": "shutdown", "upgrade": true, "program": broken}));
    person.next(|line| line["ok"] == true);
    assert!(old.ended(DEADLINE));
    home.ok(&["ls"]);
    let status = home.json(&["daemon", "status"]);
    assert_eq!(status["keeperPid"], keeper);
    // The one that serves can be replaced as before.
    daemon::kill_pid(pids(home).1);
    home.ok(&["ls"]);
    let why = status["upgradeError"].as_str().unwrap();
    assert!(why.contains("broken failed 3 times"), "{why}");
    assert!(why.contains(reason), "{why}");
    assert_eq!(home.json(&["status", "job"])["status"], "running");
}

/// Lets a process have no further descriptor.
fn take_descriptors(pid: u32) {
    let used = |number: &u32| {
        Path::new(&format!("/proc/{pid}/fd/{number}"))
            .symlink_metadata()
            .is_ok()
    };
    let free = (0..).find(|number| !used(number)).unwrap();
    let limit = format!("--nofile={free}:");
    let done = Command::new("prlimit")
        .args(["--pid", &pid.to_string(), &limit])
        .status();
    assert!(done.unwrap().success());
}

#[test]
fn a_daemon_that_cannot_be_started_is_said_soon_and_not_tried_without_end() {
    let home = Home::new();
    start(&home);
    let (keeper, first) = pids(&home);
    take_descriptors(keeper);
    daemon::kill_pid(first);
    // The keeper says it as soon as it knows: by itself, the command would only know that nobody answers.
    let ran = home.run(&["ls"]).expect_code(69);
    let ran = ran.expect_said("the daemon cannot be started: Too many open files");
    ran.expect_said("1 running job continues");
    let doctor = home.run(&["doctor"]).expect_code(1);
    assert!(doctor.stdout.contains("cannot be started"), "{doctor}");
    let log = std::fs::read_to_string(home.path().join("keeper.log")).unwrap();
    assert!(log.lines().count() < 40, "{log}");
    // No daemon answers, and its jobs can be ended all the same.
    let ran = home.run(&["daemon", "stop", "--kill"]).expect_code(0);
    assert!(ran.stdout.contains("1 job was ended"), "{ran}");
    assert!(Held::new(keeper).is_none_or(|keeper| keeper.ended(DEADLINE)));
}

#[test]
fn who_is_stopped_is_named() {
    let home = Home::new();
    start(&home);
    let (keeper, daemon) = pids(&home);
    let stopped = Held::new(daemon).unwrap();
    stopped.signal(Signal::STOP);
    for verb in [&["ls"][..], &["daemon", "status"]] {
        let ran = home.run(verb).expect_code(69);
        let ran = ran.expect_said(&format!("the daemon (pid {daemon}) is stopped"));
        ran.expect_said(&format!("kill -CONT {daemon}"));
    }
    let doctor = home.run(&["doctor"]).expect_code(1);
    assert!(doctor.stdout.contains("is stopped"), "{doctor}");
    // With the keeper stopped as well, it is the keeper that is named: it would not answer either.
    let parent = Held::new(keeper).unwrap();
    parent.signal(Signal::STOP);
    let ran = home.run(&["ls"]).expect_code(69);
    ran.expect_said(&format!("the keeper (pid {keeper}) is stopped"));
    let ran = home.run(&["daemon", "stop", "--kill"]).expect_code(0);
    assert!(ran.stdout.contains("all jobs were ended"), "{ran}");
    assert!(stopped.ended(DEADLINE) && parent.ended(DEADLINE));
}

#[test]
fn a_stopped_daemon_without_a_keeper_is_named_and_not_to_be_killed() {
    let home = Home::new();
    start(&home);
    let (keeper, daemon) = pids(&home);
    let stopped = Held::new(daemon).unwrap();
    stopped.signal(Signal::STOP);
    let parent = Held::new(keeper).unwrap();
    parent.signal(Signal::KILL);
    assert!(parent.ended(DEADLINE));
    let ran = home.run(&["ls"]).expect_code(69);
    ran.expect_said(&format!("the daemon (pid {daemon}) is stopped"))
        .expect_said(&format!(
            "resume it with kill -CONT {daemon}. Do not kill it"
        ));
    let doctor = home.run(&["doctor"]).expect_code(1);
    assert!(doctor.stdout.contains("Do not kill it"), "{doctor}");
    assert!(!doctor.stdout.contains("kill -9"), "{doctor}");
    stopped.signal(Signal::CONT);
    home.run(&["stop", "job"]).expect_code(0);
}

#[test]
fn verbs_that_need_the_keeper_say_that_it_is_stopped() {
    let home = Home::new();
    start(&home);
    let (keeper, _) = pids(&home);
    let stopped = Held::new(keeper).unwrap();
    stopped.signal(Signal::STOP);
    let verbs = [
        &["run", "true"][..],
        &["run", "-w", "true"],
        &["clear", "job"],
        &["stop", "job"],
    ];
    for verb in verbs {
        let ran = home.run(verb).expect_code(69);
        ran.expect_said(&format!("the keeper (pid {keeper}) is stopped"));
    }
    stopped.signal(Signal::CONT);
    home.run(&["wait", "job"]).expect_code(143);
}

#[test]
fn status_and_stop_start_nothing() {
    let home = Home::new();
    home.run(&["daemon", "status"]).expect_code(3);
    home.run(&["daemon", "stop"])
        .expect_code(0)
        .expect_said("no daemon is running");
    assert!(daemon::find(home.path()).is_none());
    start(&home);
    home.ok(&["daemon", "stop"]);
    for verb in ["status", "stop"] {
        let code = if verb == "status" { 3 } else { 0 };
        let ran = home.run(&["daemon", verb]).expect_code(code);
        ran.expect_said("holds 1 running job");
        assert!(daemon::find(home.path()).is_none(), "{verb}");
    }
    let ran = home.run(&["daemon", "stop", "--kill"]).expect_code(0);
    assert!(ran.stdout.contains("all jobs were ended"), "{ran}");
    assert!(daemon::find(home.path()).is_none());
}

#[test]
fn a_dashboard_says_that_the_daemon_is_stopped_and_goes_on_with_it() {
    let home = Home::new();
    start(&home);
    let (_, daemon) = pids(&home);
    let mut dashboard = Terminal::dashboard(&home, (120, 40), "job");
    let stopped = Held::new(daemon).unwrap();
    stopped.signal(Signal::STOP);
    dashboard.send("I");
    dashboard.wait_for_text(&format!("the daemon (pid {daemon}) is stopped"));
    stopped.signal(Signal::CONT);
    dashboard.wait_for_text("exec sleep 1000");
    dashboard.send("\x1bq");
    assert_eq!(dashboard.exit_code(), 0);
}

#[test]
fn an_agent_that_is_connected_is_told_that_the_daemon_is_stopped() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "exec cat");
    let (daemon, _) = daemon::pids(&mut serve);
    let stopped = Held::new(daemon).unwrap();
    // One that waits since before, and one that comes after.
    let waits = json!({"action": "wait", "sessionId": job.id, "timeoutMs": 60_000});
    let waits = serve.send(waits);
    serve.ok(json!({"action": "stats"}));
    stopped.signal(Signal::STOP);
    let writes = serve.send(json!({"action": "write", "sessionId": job.id, "data": "typed\n"}));
    for (request, may_have_happened) in [(waits, false), (writes, true)] {
        let error = serve.reply(request)["error"].clone();
        assert_eq!(error["code"], "daemon_unavailable", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(&format!("pid {daemon}) is stopped")),
            "{error}"
        );
        assert_eq!(
            error["data"]["mayHaveHappened"], may_have_happened,
            "{error}"
        );
    }
    stopped.signal(Signal::CONT);
    // What comes for those now is not shown a second time.
    job.wait_for(&mut serve, "^typed$");
    for request in [waits, writes] {
        assert!(serve.told_reply(request).is_none(), "answered twice");
    }
}

#[test]
fn records_and_logs_that_were_removed_are_written_again() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &["--scope", "agent"]);
    let go = home.gate();
    let line = format!("read go < {}; seq 30000; exec sleep 1000", go.display());
    let start = json!({"action": "start", "command": line, "label": "quiet", "background": true});
    let id = agent.ok(start)["sessionId"].as_str().unwrap().to_owned();
    let sessions = home.path().join("sessions");
    let remove = || {
        // The daemon may write a record meanwhile.
        eventually("the sessions are removed", || {
            std::fs::remove_dir_all(&sessions).ok()
        });
        let socket = home.path().join("daemon.sock");
        await_file(&socket);
        std::fs::remove_file(socket).unwrap();
    };
    remove();
    await_file(&sessions.join(&id).join("meta.json"));
    remove();
    std::fs::write(go, "go\n").unwrap();
    let wait = json!({"action": "wait", "sessionId": id, "until": [{"pattern": "^30000$"}]});
    assert_eq!(agent.ok(wait)["outcome"], "matched");
    // More than is kept in memory is in the file.
    eventually("the log is saved again", || {
        let status = agent.ok(json!({"action": "status", "sessionId": id}));
        let saved = status["logDegraded"].is_null() && status["outputFile"].is_string();
        saved.then_some(())
    });
    await_file(&sessions.join(&id).join("meta.json"));
    daemon::kill(&mut agent);
    let status = agent.ok(json!({"action": "status", "sessionId": "quiet"}));
    assert_eq!(status["sessionId"], id.as_str(), "{status}");
    std::fs::remove_dir_all(&sessions).unwrap();
    agent.ok(json!({"action": "start", "command": "true", "wait": true}));
}
