//! `onExit`: what is run once, when a job has ended for good.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::is_alive;
use crate::support::{Home, Serve, daemon, eventually};

/// Waits until a file has a last line, and returns all of it.
#[track_caller]
fn written(path: &Path) -> String {
    eventually(&format!("{} is complete", path.display()), || {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.ends_with("end\n").then_some(text)
    })
}

/// Waits until a job's record says something.
#[track_caller]
fn until(serve: &mut Serve, job: &Job, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    eventually(&format!("the job is {what}"), || {
        let record = job.ask(serve, "status", json!({}));
        holds(&record).then_some(record)
    })
}

#[test]
fn it_is_told_how_the_job_ended() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let file = home.scratch("told");
    let line = format!(
        "{{ pwd; env | grep ^BGPROC_ | sort; echo $VALUE; cat $BGPROC_LOG; tty; echo end; }} > {}",
        file.display()
    );
    let job = Job::request(
        &mut serve,
        json!({"command": "seq 3000; kill -USR1 $$", "label": "web",
        "onExit": line, "cwd": "/tmp", "env": {"VALUE": "mine"}}),
    );
    job.end(&mut serve);
    let told = written(&file);
    let log = job.ask(&mut serve, "status", json!({}))["outputFile"].clone();
    for part in [
        "/tmp\n",
        &format!("BGPROC_SESSION_ID={}\n", job.id),
        "BGPROC_LABEL=web\n",
        "BGPROC_STATUS=error\n",
        "BGPROC_EXIT_CODE=\n",
        "BGPROC_SIGNAL=SIGUSR1\n",
        "BGPROC_RESTARTS=0\n",
        &format!("BGPROC_LOG={}\n", log.as_str().unwrap()),
        "mine\n",
        "\n3000\r\n",
        "not a tty\n",
    ] {
        assert!(told.contains(part), "{part:?} is not in {told}");
    }
    assert!(
        !told.contains("BGPROC_SESSION="),
        "it is none of the job's processes"
    );
    let list = serve.ok(json!({"action": "list"}));
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn it_runs_once_after_the_last_run_and_not_for_what_is_removed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let file = home.scratch("ends");
    let line = format!(
        "echo $BGPROC_EXIT_CODE $BGPROC_RESTARTS >> {0}; echo end >> {0}",
        file.display()
    );
    let policy = json!({"policy": "on-failure", "maxRetries": 2, "backoffMs": 1});
    let job = Job::request(
        &mut serve,
        json!({"command": "exit 4", "onExit": line, "restart": policy}),
    );
    job.end(&mut serve);
    assert_eq!(written(&file), "4 2\nend\n");
    // The next daemon does not run it again, nor one that meets a new keeper.
    daemon::kill(&mut serve);
    job.ask(&mut serve, "status", json!({}));
    daemon::kill_keeper(&mut serve);
    daemon::kill(&mut serve);
    // A restart by hand ends a run, but not for good.
    let other = home.scratch("other");
    let line = format!(
        "echo $BGPROC_STATUS >> {0}; echo end >> {0}",
        other.display()
    );
    let job = Job::request(&mut serve, json!({"command": "exec cat", "onExit": line}));
    job.ask(&mut serve, "restart", json!({}));
    job.ask(&mut serve, "kill", json!({}));
    assert_eq!(written(&other), "killed\nend\n");
    let gone = home.scratch("gone");
    let touch = format!("echo end > {}", gone.display());
    let start = json!({"command": "exec cat", "onExit": touch});
    for end in [
        json!({"action": "remove"}),
        json!({"action": "kill", "remove": true}),
    ] {
        let job = Job::request(&mut serve, start.clone());
        let mut end = end;
        end["sessionId"] = json!(job.id);
        serve.ok(end);
    }
    // Later ones come after them: the keeper runs them in order.
    let last = home.scratch("last");
    let touch = format!("echo end > {}", last.display());
    Job::request(&mut serve, json!({"command": "true", "onExit": touch}));
    written(&last);
    assert!(!gone.exists(), "who removes a job wants nothing more of it");
    assert_eq!(written(&file), "4 2\nend\n", "once");
}

#[test]
fn what_goes_wrong_is_said_and_nothing_of_it_is_left() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::request(&mut serve, json!({"command": "true", "onExit": "exit 3"}));
    job.end(&mut serve);
    let failed = |record: &Value| {
        record["reason"]
            .as_str()
            .unwrap_or("")
            .contains("onExit failed")
    };
    let record = until(&mut serve, &job, "failed", failed);
    assert!(record["reason"].as_str().unwrap().contains('3'), "{record}");
    assert_eq!(
        (&record["status"], &record["exitCode"]),
        (&json!("done"), &json!(0))
    );
    // One that still runs goes with the keeper.
    let file = home.scratch("pid");
    let line = format!(
        "echo $$ > {0}; echo end >> {0}; exec sleep 50",
        file.display()
    );
    let job = Job::request(&mut serve, json!({"command": "true", "onExit": line}));
    job.end(&mut serve);
    let pid = written(&file).lines().next().unwrap().parse().unwrap();
    assert!(is_alive(pid));
    home.ok(&["daemon", "stop", "--kill"]);
    eventually("the command has ended", || (!is_alive(pid)).then_some(()));
}

#[test]
fn it_is_a_shell_line_also_for_an_allow_list() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--allow", "true"]);
    let start = json!({"action": "start", "command": "true", "args": [], "onExit": "echo x"});
    serve.err(start.clone(), "permission_denied");
    let mut serve = Serve::new(&home, &["--allow", "true,sh"]);
    serve.ok(start);
}

#[test]
fn a_refused_remove_leaves_it_and_many_wait_for_one_another() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let file = home.scratch("after");
    let gate = home.gate();
    let command = format!("cat {}", gate.display());
    let line = format!("echo end >> {}", file.display());
    let job = Job::request(&mut serve, json!({"command": command, "onExit": line}));
    let refused = json!({"action": "remove", "sessionId": job.id, "kill": false});
    serve.err(refused, "invalid_request");
    std::fs::write(&gate, "").unwrap();
    assert_eq!(written(&file), "end\n");
    // More than run at once: all of them run in the end.
    let file = home.scratch("many");
    let line = format!("sleep 0.05; echo x >> {}", file.display());
    let jobs: Vec<Job> = (0..40)
        .map(|_| Job::request(&mut serve, json!({"command": "true", "onExit": line})))
        .collect();
    eventually("all of them have run", || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        (text.len() == 2 * jobs.len()).then_some(())
    });
}

#[test]
fn a_removal_that_a_crash_of_the_daemon_has_cut_short_takes_it_from_nobody() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let file = home.scratch("after");
    let command = "trap '' TERM; echo up; while :; do sleep 0.05; done";
    let line = format!("echo end >> {}", file.display());
    let job = Job::request(&mut serve, json!({"command": command, "onExit": line}));
    job.wait_for(&mut serve, "^up$");
    // So long that it does not end by itself before the daemon is killed.
    let kill = json!({"action": "kill", "sessionId": job.id, "remove": true, "graceMs": 60_000});
    serve.send(kill);
    until(&mut serve, &job, "being ended", |record| {
        record["status"] == "stopping"
    });
    daemon::kill(&mut serve);
    job.ask(&mut serve, "kill", json!({"force": true}));
    assert_eq!(written(&file), "end\n");
    // Its record still has the line, so the next run has it, too.
    job.ask(&mut serve, "restart", json!({}));
    job.ask(&mut serve, "kill", json!({"force": true}));
    eventually("the line has run again", || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        (text == "end\nend\n").then_some(())
    });
}

#[test]
fn one_that_cannot_start_holds_up_no_other() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let begun = home.scratch("begun");
    let first = home.gate();
    // As many as run at once. The first one ends when it is told to, the others do not end.
    for number in 0..16 {
        let rest = match number {
            0 => format!("cat {}", first.display()),
            _ => "exec sleep 1000".to_owned(),
        };
        let line = format!("echo x >> {}; {rest}", begun.display());
        let start = json!({"command": "true", "onExit": line});
        Job::request(&mut serve, start).end(&mut serve);
    }
    eventually("sixteen run", || {
        let text = std::fs::read_to_string(&begun).unwrap_or_default();
        (text.len() == 32).then_some(())
    });
    let gone = home.scratch("gone");
    std::fs::create_dir(&gone).unwrap();
    let start = json!({"command": "true", "onExit": "true", "cwd": gone});
    Job::request(&mut serve, start).end(&mut serve);
    std::fs::remove_dir(&gone).unwrap();
    let last = home.scratch("last");
    let line = format!("echo end > {}", last.display());
    let start = json!({"command": "true", "onExit": line});
    Job::request(&mut serve, start).end(&mut serve);
    std::fs::write(&first, "").unwrap();
    assert_eq!(written(&last), "end\n");
}

#[test]
fn one_that_runs_ends_although_the_daemon_is_stopped() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let (file, gate) = (home.scratch("backup"), home.gate());
    let line = format!(
        "echo begun > {0}; cat {1}; echo end >> {0}",
        file.display(),
        gate.display()
    );
    let job = Job::request(&mut serve, json!({"command": "true", "onExit": line}));
    job.end(&mut serve);
    eventually("the command runs", || {
        std::fs::read_to_string(&file)
            .ok()
            .filter(|text| text == "begun\n")
    });
    let keeper = serve.ok(json!({"action": "stats"}))["keeperPid"]
        .as_u64()
        .unwrap() as u32;
    home.ok(&["daemon", "stop"]);
    assert!(is_alive(keeper), "it waits for the command");
    std::fs::write(gate, "").unwrap();
    assert_eq!(written(&file), "begun\nend\n");
    eventually("the keeper ends", || (!is_alive(keeper)).then_some(()));
}

#[test]
fn one_that_runs_holds_up_no_upgrade_and_its_end_is_known() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let (begun, gate) = (home.scratch("begun"), home.gate());
    let line = format!(
        "echo end > {}; cat {}; exit 3",
        begun.display(),
        gate.display()
    );
    let job = Job::request(&mut serve, json!({"command": "true", "onExit": line}));
    job.end(&mut serve);
    written(&begun);
    let said = home.ok(&["daemon", "upgrade"]);
    assert!(said.contains("jobs continued"), "{said}");
    std::fs::write(gate, "").unwrap();
    until(&mut serve, &job, "told of the failure", |record| {
        let reason = record["reason"].as_str().unwrap_or_default();
        reason.contains("onExit failed")
    });
}

#[test]
fn one_that_fails_late_is_not_that_of_the_next_run() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let (begun, ended, gate) = (home.scratch("begun"), home.scratch("ended"), home.gate());
    let line = format!(
        "echo end > {}; cat {}; echo end > {}; exit 3",
        begun.display(),
        gate.display(),
        ended.display()
    );
    let command = format!("test -e {}.again && exec cat", begun.display());
    let job = Job::request(&mut serve, json!({"command": command, "onExit": line}));
    job.end(&mut serve);
    written(&begun);
    std::fs::write(format!("{}.again", begun.display()), "").unwrap();
    job.ask(&mut serve, "restart", json!({}));
    std::fs::write(gate, "").unwrap();
    written(&ended);
    // The keeper reaps its children in order, and this one ends later.
    let other = Job::start(&mut serve, "true");
    other.end(&mut serve);
    let record = job.ask(&mut serve, "status", json!({}));
    assert_eq!(record["reason"], Value::Null, "{record}");
}

#[test]
fn one_that_waits_is_not_that_of_the_next_run() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let (file, gate) = (home.scratch("codes"), home.gate());
    // As many as run at once.
    let blocker = format!("cat {}", gate.display());
    let begun = home.scratch("begun");
    for _ in 0..16 {
        let line = format!("echo x >> {}; {blocker}", begun.display());
        Job::request(&mut serve, json!({"command": "true", "onExit": line})).end(&mut serve);
    }
    eventually("all of them run", || {
        let text = std::fs::read_to_string(&begun).unwrap_or_default();
        (text.len() == 2 * 16).then_some(())
    });
    let line = format!("echo $BGPROC_EXIT_CODE >> {}", file.display());
    let job = Job::request(
        &mut serve,
        json!({"command": "read code; exit $code", "onExit": line}),
    );
    job.ask(&mut serve, "write", json!({"data": "1\n"}));
    job.end(&mut serve);
    job.ask(&mut serve, "restart", json!({}));
    // Each reader of the gate gets its end once there is a writer.
    drop(std::fs::File::options().write(true).open(&gate).unwrap());
    job.ask(&mut serve, "write", json!({"data": "2\n"}));
    job.end(&mut serve);
    eventually("the command of the second run has run", || {
        let text = std::fs::read_to_string(&file).ok()?;
        assert!(!text.contains('1'), "{text:?}");
        (text == "2\n").then_some(())
    });
}
