//! Stops that ask a person, and readiness that is guessed.

use serde_json::json;

use super::{Project, has};
use crate::support::needs::have;
use crate::support::{Hold, Person, Serve, Terminal, eventually, process};

const GUARDED: &str = "version = 1\nagents = \"write\"\n[jobs.db]\nrun = \"exec sleep 1000\"\nconfirm = true\n\
                       [jobs.web]\nrun = \"exec sleep 1000\"\n";

#[test]
fn a_job_with_confirm_asks_before_it_is_stopped() {
    let shop = Project::new(GUARDED);
    shop.ok(&["up"]);
    let pid = shop.pid("db");
    for args in [
        &["stop", "db", "web"][..],
        &["kill", "db"],
        &["restart", "db"],
        &["rm", "-f", "db"],
        &["down"],
    ] {
        let refused = shop.run(args).expect_code(1);
        assert!(
            refused
                .stderr
                .contains("db is not stopped: its project file has confirm = true")
                && refused.stderr.contains("--yes"),
            "{refused}"
        );
    }
    assert_eq!(shop.pid("db"), pid);
    let mut asked = Terminal::new(&shop.home, &["stop", "db"], (80, 24));
    asked.wait_for_text("stop db? [y/N]");
    asked.send("n\r");
    assert_eq!(asked.exit_code(), 1);
    assert_eq!(shop.pid("db"), pid);
    let mut asked = Terminal::new(&shop.home, &["stop", "db"], (80, 24));
    asked.wait_for_text("stop db? [y/N]");
    asked.send("y\r");
    assert_eq!(asked.exit_code(), 0);
    shop.until("db", "stopped");
    // Others are stopped at once, and nobody asks about what does not run.
    shop.ok(&["stop", "db", "web"]);
    shop.ok(&["up"]);
    shop.ok(&["down", "--yes"]);
    assert_eq!(shop.pid("db"), 0);
}

#[test]
fn a_job_that_is_stopped_while_it_starts_has_one_end() {
    let shop = Project::new("version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n");
    let hold = Hold::new(&shop.home, "spawn.before_fork");
    let mut serve = hold.serve(&shop.home);
    serve.ok(json!({"action": "list"}));
    let mut person = Person::new(&shop.home);
    hold.set();
    std::thread::scope(|scope| {
        let up = scope.spawn(|| shop.run(&["up"]));
        hold.await_reached();
        let id = shop.job("web")["sessionId"].clone();
        person.send(&json!({"id": "kill", "action": "kill", "sessionId": id}));
        // The kill has begun before this is answered.
        person.call(json!({"action": "stats"}));
        hold.release();
        let killed = person.next(|line| line["id"] == "kill");
        assert_eq!(killed["ok"], true, "{killed}");
        up.join().unwrap();
    });
    shop.until("web", "stopped");
    let events = person.call(json!({"action": "events", "limit": 1000}));
    let events = events["result"]["events"].as_array().unwrap();
    let ends = events.iter().filter(|event| event["event"] == "exited");
    assert_eq!(ends.count(), 1, "{events:?}");
    assert_eq!(shop.job("web")["signal"], "SIGTERM");
}

#[test]
fn a_person_is_asked_about_jobs_that_left_the_file() {
    let web = "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n";
    let shop = Project::new(&format!("{web}[jobs.e]\nrun = \"exec sleep 1000\"\n"));
    shop.ok(&["up"]);
    let pid = shop.pid("e");
    shop.write(web);
    // Nobody is asked without a terminal.
    has(
        &shop.ok(&["reload"]),
        "? e is not in the file (--prune stops it)",
    );
    for (verb, answer) in [("up", "\r"), ("reload", "n\r")] {
        let mut asked = Terminal::in_dir(&shop.home, &shop.dir, &[verb], (80, 24));
        asked.wait_for_text("? e is not in the file");
        asked.wait_for_text("stop e, which is not in the file? [y/N]");
        asked.send(answer);
        assert_eq!(asked.exit_code(), 0);
        assert_eq!(shop.pid("e"), pid);
    }
    let mut asked = Terminal::in_dir(&shop.home, &shop.dir, &["reload"], (80, 24));
    asked.wait_for_text("stop e, which is not in the file? [y/N]");
    asked.send("y\r");
    assert_eq!(asked.exit_code(), 0);
    shop.until("e", "stopped");
    assert_eq!(shop.phase("web"), "running");
}

#[test]
fn a_changed_file_asks_before_it_stops_a_job_with_confirm() {
    let shop = Project::new(GUARDED);
    shop.ok(&["up"]);
    let pid = shop.pid("db");
    shop.write(&GUARDED.replacen("1000", "1001", 1));
    let asks = "db is not stopped: its project file has confirm = true";
    for args in [&["reload"][..], &["up", "--apply"]] {
        shop.run(args).expect_code(1).expect_said(asks);
    }
    // A person sees the plan first.
    let file = shop.dir.join("bgproc.toml").display().to_string();
    let mut asked = Terminal::new(&shop.home, &["reload", "--file", &file], (80, 24));
    asked.wait_for_text("~ db");
    asked.wait_for_text("restart db? [y/N]");
    asked.send("n\r");
    asked.wait_for_text("nothing was changed");
    assert_eq!(asked.exit_code(), 1);
    assert_eq!(shop.pid("db"), pid);
    shop.write("version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n");
    shop.run(&["reload", "--prune"])
        .expect_code(1)
        .expect_said(asks);
    shop.ok(&["reload"]);
    assert_eq!(shop.pid("db"), pid);
    shop.ok(&["reload", "--prune", "--yes"]);
    shop.until("db", "stopped");
}

#[test]
fn an_agent_may_not_stop_a_job_with_confirm() {
    let shop = Project::new(GUARDED);
    shop.ok(&["up"]);
    let id = shop.job("db")["sessionId"].clone();
    let mut agent = Serve::new(&shop.home, &["--scope", "agent"]);
    agent.err(
        json!({"action": "project", "op": "down", "dir": shop.dir}),
        "permission_denied",
    );
    let state = agent.ok(json!({"action": "project", "dir": shop.dir}));
    assert_eq!(state["jobs"][0]["confirm"], true, "{state}");
    assert_eq!(shop.job("db")["sessionId"], id);
    assert_eq!(shop.phase("db"), "running");
}

#[test]
fn a_stop_line_that_fails_is_told() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\nstop = { run = \"exit 3\", grace = \"100ms\" }\n",
    );
    shop.ok(&["up"]);
    let failed = "its stop line failed: exit code 3";
    let ran = shop.run(&["down"]).expect_code(1);
    assert!(ran.stderr.contains(&format!("db: {failed}")), "{ran}");
    let why = shop.ok(&["why", "db"]);
    assert!(why[0].contains(failed), "{why:?}");
    let status = shop.run(&["status", "db"]).expect_code(3);
    assert!(status.stdout.contains(failed), "{status}");
    let events = shop.ok(&["events", "--since", "1"]).join("\n");
    assert!(events.contains(failed), "{events}");
    // Nothing runs, so nothing is said again.
    let ran = shop.run(&["down"]).expect_code(0);
    assert!(!ran.stderr.contains(failed), "{ran}");
}

#[test]
fn a_service_without_a_probe_is_ready_by_its_port() {
    if !have("python3") {
        return;
    }
    let shop = Project::new("version = 1\n[jobs.web]\nrun = \"exec python3 server.py\"\n");
    let server = "import socket, time\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\n\
                  print(s.getsockname()[1], flush=True)\ntime.sleep(1000)\n";
    std::fs::write(shop.dir.join("server.py"), server).unwrap();
    shop.ok(&["up"]);
    shop.home
        .ok(&["wait", "web", "--for", "match:^[0-9]+$", "--timeout", "20s"]);
    let port = shop.home.ok(&["logs", "web"]);
    let job = shop.job("web");
    assert_eq!(job["project"]["phase"], "ready", "{job}");
    assert_eq!(job["project"]["why"], format!("guessed :{}", port.trim()));
    has(
        &shop.ok(&["up"]),
        &format!("web ready (guessed :{})", port.trim()),
    );
}

#[test]
fn nothing_stays_for_jobs_that_have_never_run() {
    let shop = Project::new(
        "version = 1\n[jobs.nightly]\nrun = \"true\"\nschedule = { cron = \"0 2 1 1 *\" }\n[jobs.web]\nrun = \"sleep 1000\"\n",
    );
    shop.ok(&["up"]);
    shop.ok(&["daemon", "stop", "--kill"]);
    // Both stay stopped, as after `stop`.
    for name in ["nightly", "web"] {
        let job = shop.job(name);
        assert_eq!(job["project"]["phase"], "stopped", "{job}");
        assert_eq!(job["status"], "killed", "{job}");
    }
    shop.ok(&["daemon", "stop", "--kill"]);
    eventually("daemon and keeper have ended", || {
        process::of_home(shop.home.path()).is_empty().then_some(())
    });
}

#[test]
fn a_new_daemon_leaves_a_job_its_time_to_end() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\n\
         run = \"trap 'echo TERM > how; exit' TERM; echo up; while [ ! -e go ]; do sleep 0.05; done; echo itself > how\"\n\
         ready = { log = \"up\" }\nstop = { run = \"touch asked\", grace = \"18s\" }\n",
    );
    shop.ok(&["up"]);
    shop.run(&["down", "--timeout", "100ms"]).expect_code(124);
    eventually("it is asked to end", || {
        shop.dir.join("asked").exists().then_some(())
    });
    shop.home.kill_daemon();
    // More than the new daemon needs to send a signal.
    for _ in 0..3 {
        assert_eq!(shop.phase("db"), "stopping");
    }
    std::fs::write(shop.dir.join("go"), "").unwrap();
    shop.until("db", "stopped");
    let how = std::fs::read_to_string(shop.dir.join("how")).unwrap();
    assert_eq!(how, "itself\n");
}

#[test]
fn a_stop_is_known_to_the_project_before_it_is_answered() {
    // A decision about so many jobs takes time, and is followed by a pause.
    let many: String = (0..300)
        .map(|n| format!("[jobs.idle{n}]\nrun = \"true\"\nautostart = false\n"))
        .collect();
    let shop = Project::new(&format!("{GUARDED}{many}"));
    shop.ok(&["up", "-n"]);
    let mut person = Person::new(&shop.home);
    for _ in 0..5 {
        shop.ok(&["up", "web"]);
        let id = shop.job("web")["sessionId"].clone();
        person.ok(json!({"action": "kill", "sessionId": id}));
        let status = person.ok(json!({"action": "status", "sessionId": id}));
        assert_eq!(status["project"]["phase"], "stopped", "{status}");
    }
}

#[test]
fn lines_beside_a_job_run_with_the_shell_of_the_file() {
    let shop = Project::new(
        "version = 1\nshell = [\"bash\", \"-c\"]\n[jobs.web]\nrun = \"exec sleep 1000\"\n\
         ready = { exec = \"[[ 1 == 1 ]]\", timeout = \"20s\" }\n\
         on = { ready = \"echo ${BASH_VERSION:+bash} > ready\", exit = \"echo ${BASH_VERSION:+bash} > exit\" }\n\
         stop = { run = \"echo ${BASH_VERSION:+bash} > stop; [[ 1 == 1 ]]\", grace = \"200ms\" }\n",
    );
    shop.ok(&["up"]);
    shop.until("web", "ready");
    shop.ok(&["down"]);
    for name in ["ready", "stop", "exit"] {
        let path = shop.dir.join(name);
        let said = eventually(&format!("the line {name} has run"), || {
            let said = std::fs::read_to_string(&path).ok();
            said.filter(|said| said.ends_with('\n'))
        });
        assert_eq!(said, "bash\n", "{name}");
    }
}

#[test]
fn a_project_whose_directory_is_gone_is_brought_down_by_its_path() {
    let shop = Project::new("version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n");
    shop.ok(&["up"]);
    let beside = shop.home.scratch("beside");
    std::fs::create_dir(&beside).unwrap();
    std::fs::remove_dir_all(&shop.dir).unwrap();
    let ran = shop.run_in(&beside, &["down", "-f", "../shop/bgproc.toml"]);
    ran.expect_code(0);
    eventually("web has ended", || (shop.pid("web") == 0).then_some(()));
}

#[test]
fn who_is_interrupted_is_told_commands_that_mean_the_same_jobs() {
    let deaf = "version = 1\n[jobs.web]\nready = { log = \"up\" }\n\
                run = \"trap '' TERM; echo up; while :; do sleep 0.1; done\"\n";
    let shop = Project::new(deaf);
    shop.ok(&["up"]);
    let depot = Project::in_home(shop.home, "depot", deaf);
    depot.ok(&["up"]);
    let stop = ["stop", "-t", "60s", "shop/web"];
    let mut view = Terminal::in_dir(&depot.home, &depot.dir, &stop, (120, 10));
    eventually("it is being stopped", || {
        let jobs = depot.home.json(&["ls"])["sessions"].clone();
        let mut jobs = jobs.as_array().unwrap().iter();
        jobs.any(|job| job["status"] == "stopping").then_some(())
    });
    view.send("\x03");
    view.wait_for_text("to kill now: bgproc kill shop/web");
    depot.ok(&["kill", "shop/web"]);
    // The name alone means the job of the project here.
    let run = ["run", "-f", "-n", "web", "echo begun; exec sleep 1000"];
    let mut view = Terminal::in_dir(&depot.home, &depot.dir, &run, (120, 10));
    view.wait_for_text("begun");
    let jobs = depot.home.json(&["ls"])["sessions"].clone();
    let mut jobs = jobs.as_array().unwrap().iter();
    let own = jobs.find(|job| job["project"].is_null()).unwrap();
    let id = own["sessionId"].as_str().unwrap();
    view.send("\x03");
    view.wait_for_text(&format!("to end it: bgproc stop {id}"));
    depot.ok(&["kill", "web"]);
}

#[test]
fn a_restart_may_say_how_long_the_job_has_to_end() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nready = { log = \"up\" }\nstop = { grace = \"10m\" }\n\
         run = \"trap '' TERM; echo up; while :; do sleep 0.1; done\"\n",
    );
    shop.ok(&["up"]);
    let pid = shop.pid("web");
    shop.ok(&["restart", "-t", "100ms", "web"]);
    eventually("web runs again", || {
        let new = shop.pid("web");
        (new != 0 && new != pid).then_some(())
    });
    shop.ok(&["kill", "web"]);
}
