//! The daemon is killed, again and again, under work: the next one goes on as if nothing had been.

use std::os::unix::fs::MetadataExt as _;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::numbers::{self, COUNT, COUNT_GENTLY, Reader};
use crate::support::process::Held;
use crate::support::{DEADLINE, Hold, Home, Serve, Trap, daemon, eventually, rounds};

/// What is kept of the flood each daemon reads again.
const CONFIG: &str = "log_bytes = 8388608\n";

#[test]
fn kills_of_the_daemon_lose_nothing_at_full_speed() {
    if !have("python3") || !have("vim") || !have("less") {
        return;
    }
    let home = Home::with_config(CONFIG);
    let mut serve = Serve::new(&home, &[]);
    let (_, keeper) = daemon::pids(&mut serve);
    let python = Job::start(&mut serve, "exec python3 -i -q");
    python.wait_screen(&mut serve, "^>>>$");
    python.say(&mut serve, "n = 0; print('at', n)", "^at 0$");
    let file = home.scratch("note.txt");
    let args = json!(["-N", "-n", "-u", "NONE", "-i", "NONE", file]);
    let vim = Job::request(&mut serve, json!({"command": "vim", "args": args}));
    vim.wait_screen(&mut serve, "^~$");
    vim.press(&mut serve, json!(["i", {"text": "half done"}]));
    vim.wait_screen(&mut serve, "^half done$");
    let less = Job::start(&mut serve, "seq 1000 | less");
    less.wait_screen(&mut serve, "^:");
    less.press(&mut serve, json!(["G"]));
    less.wait_screen(&mut serve, "^1000$");
    let (flood, gentle) = (
        Job::start(&mut serve, COUNT),
        Job::start(&mut serve, COUNT_GENTLY),
    );
    let mut readers = [(Reader::default(), &flood), (Reader::default(), &gentle)];
    let shown = screens(&mut serve, &[&vim, &less]);
    let pids = pids(&mut serve);
    assert_eq!(pids.len(), 5, "{pids:?}");
    let total = rounds(5, 1000);
    for round in 1..=total {
        let brief = Job::start(&mut serve, "read x; exit 7");
        let pending = json!({"action": "wait", "sessionId": brief.id, "timeoutMs": 600_000});
        let pending = serve.send(pending);
        brief.ask(&mut serve, "write", json!({"data": "go\n"}));
        let old = daemon::kill(&mut serve);
        // Answered before the daemon died, or asked again.
        let waited = serve.reply(pending);
        assert_eq!(waited["result"]["exitCode"], 7, "{waited}");
        // By itself, on the same connection, without another word.
        let after = daemon::pids(&mut serve);
        assert_ne!(after.0, old);
        assert_eq!(after.1, keeper);
        let end = brief.end(&mut serve);
        assert_eq!(
            (&end["status"], &end["exitCode"]),
            (&json!("error"), &json!(7))
        );
        brief.ask(&mut serve, "remove", json!({}));
        assert_eq!(self::pids(&mut serve), pids);
        assert_eq!(screens(&mut serve, &[&vim, &less]), shown, "round {round}");
        let at = format!("^at {round}$");
        python.say(&mut serve, "n += 1; print('at', n)", &at);
        for (reader, job) in &mut readers {
            reader.read(&mut serve, job);
            // It goes on while nobody and while another looks.
            let end = job.ask(&mut serve, "status", json!({}))["outputBytes"].clone();
            let news = json!({"since": format!("c{end}"), "until": [{"pattern": "^\\d{12}$"}]});
            job.wait_until(&mut serve, news);
        }
    }
    vim.press(&mut serve, json!(["Escape", {"text": ":wq"}, "Enter"]));
    assert_eq!(vim.end(&mut serve)["exitCode"], 0);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "half done\n");
    less.press(&mut serve, json!(["q"]));
    assert_eq!(less.end(&mut serve)["exitCode"], 0);
    for (reader, job) in &mut readers {
        assert_eq!(job.ask(&mut serve, "kill", json!({}))["status"], "killed");
        reader.read(&mut serve, job);
        let (first, end) = numbers::check(&home, &job.id);
        let status = job.ask(&mut serve, "status", json!({}));
        assert_eq!(status["outputBytes"], end, "{status}");
        assert_eq!(status["droppedBytes"], first, "{status}");
    }
    assert_eq!(readers[1].0.omitted, 0, "the gentle one was read whole");
    // Typed once, answered once, each time.
    let said = python.output(&mut serve);
    for round in 0..=total {
        let line = format!("at {round}");
        assert_eq!(
            said.lines().filter(|text| **text == line).count(),
            1,
            "{said}"
        );
    }
}

#[test]
fn what_a_daemon_had_asked_for_is_done_after_its_death() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "one"]);
    let (old, keeper) = daemon::pids(&mut serve);
    let mut client = Serve::new(&home, &["--scope", "one"]);
    client.ok(json!({"action": "stats"}));
    let keeper = Held::new(keeper).unwrap();
    // The request lies in the keeper's socket when the keeper hears of the death.
    keeper.signal(Signal::STOP);
    client.send(json!({"action": "start", "command": "cat", "label": "late"}));
    let late = |serve: &mut Serve| serve.call(json!({"action": "status", "sessionId": "late"}));
    eventually("the session is starting", || {
        (late(&mut serve)["result"]["status"] == "starting").then_some(())
    });
    // Nobody asks again.
    let client = Held::new(client.pid()).unwrap();
    client.signal(Signal::KILL);
    assert!(client.ended(DEADLINE));
    daemon::kill_pid(old);
    keeper.signal(Signal::CONT);
    let status = late(&mut serve);
    assert_eq!(status["result"]["status"], "running", "{status}");
}

#[test]
fn an_end_that_no_daemon_saw_is_known_with_its_code() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gate = home.gate();
    let line = "echo before; read x < \"$GATE\"; echo after; exit 23";
    let job = Job::request(&mut serve, json!({"command": line, "env": {"GATE": gate}}));
    job.wait_for(&mut serve, "^before$");
    let held = Held::new(job.pid.unwrap()).unwrap();
    let (old, keeper) = daemon::pids(&mut serve);
    let keeper = Held::new(keeper).unwrap();
    // While it stands still nobody starts the next daemon.
    keeper.signal(Signal::STOP);
    daemon::kill_pid(old);
    std::fs::write(&gate, "\n").unwrap();
    assert!(held.ended(DEADLINE), "it waits for the daemon");
    keeper.signal(Signal::CONT);
    let end = job.end(&mut serve);
    assert_eq!(
        (&end["status"], &end["exitCode"]),
        (&json!("error"), &json!(23))
    );
    assert_eq!(job.output(&mut serve), "before\nafter\n");
}

/// A start is saved when its reply is out, since the keeper knows the same.
#[test]
fn a_start_that_was_not_saved_is_known() {
    let home = Home::new();
    let trap = Trap::new(&home, &["start.before_saving"]);
    let mut serve = trap.serve(&home);
    let (old, _) = daemon::pids(&mut serve);
    trap.set();
    let begin = jiff::Timestamp::now();
    let line = "echo first; echo second; exec cat";
    serve.call(json!({"action": "start", "command": line, "label": "it", "background": true}));
    eventually("the daemon has died", || {
        (daemon::pids(&mut serve).0 != old).then_some(())
    });
    let end = jiff::Timestamp::now();
    trap.check();
    let status = serve.ok(json!({"action": "status", "sessionId": "it", "detail": true}));
    assert_eq!(status["status"], "running", "{status}");
    assert!(status["pid"].is_u64(), "{status}");
    let run = &status["detail"]["runs"][0];
    assert_eq!(run["firstLine"], 1, "{status}");
    let at: jiff::Timestamp = run["startedAt"].as_str().unwrap().parse().unwrap();
    // The kernel knows when a process has started to a hundredth of a second.
    let inexact = jiff::SignedDuration::from_millis(20);
    assert!(begin - inexact <= at && at <= end, "{begin} {status} {end}");
    let wait = json!({"action": "wait", "sessionId": "it", "since": "c0", "until": [{"pattern": "second"}]});
    assert_eq!(serve.ok(wait)["matched"]["line"], 2);
}

/// All that is shown of some jobs.
fn screens(serve: &mut Serve, jobs: &[&Job]) -> Vec<Value> {
    let mut shot = |job: &&Job| {
        let mut shot = job.ask(serve, "capture", json!({}));
        // Counted from the start of each daemon.
        shot["screenSeq"].take();
        shot["changed"].take();
        shot
    };
    jobs.iter().map(&mut shot).collect()
}

/// Sessions and their processes.
fn pids(serve: &mut Serve) -> Vec<(String, Value)> {
    let list = serve.ok(json!({"action": "list"}));
    let sessions = list["sessions"].as_array().unwrap();
    let mut pids: Vec<_> = sessions
        .iter()
        .map(|session| {
            assert_eq!(session["status"], "running", "{session}");
            (
                session["sessionId"].as_str().unwrap().to_owned(),
                session["pid"].clone(),
            )
        })
        .collect();
    pids.sort_by(|a, b| a.0.cmp(&b.0));
    pids
}

#[test]
fn a_job_that_ends_while_a_daemon_takes_over_has_no_open_terminal() {
    let home = Home::new();
    let gate = home.gate();
    for round in 0..8 {
        let name = format!("job{round}");
        home.start(&["-n", &name, &format!("cat {}", gate.display())]);
        home.kill_daemon();
        // It ends while the next one hears from the keeper what there is.
        std::fs::write(&gate, "").unwrap();
        home.run(&["wait", &name]).expect_code(0);
        eventually(&format!("{name} has no open terminal"), || {
            let record = home.run(&["--json", "status", &name]).stdout;
            record.contains("\"ttyOpen\":false").then_some(())
        });
    }
}

#[test]
fn an_end_that_the_next_daemon_reads_and_is_told_counts_once() {
    let home = Home::new();
    let hold = Hold::new(&home, "takeover.greeted");
    let mut serve = hold.serve(&home);
    let job = Job::start(
        &mut serve,
        "trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done",
    );
    job.wait_for(&mut serve, "up");
    let pid = serve.ok(json!({"action": "status", "sessionId": job.id}))["pid"].clone();
    hold.set();
    daemon::kill(&mut serve);
    hold.await_reached();
    let pid = i32::try_from(pid.as_i64().unwrap()).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), Signal::TERM)
        .unwrap();
    let exit = home.path().join("sessions").join(&job.id).join("exit.json");
    eventually("the keeper has recorded the end", || {
        exit.exists().then_some(())
    });
    hold.release();
    let end = job.end(&mut serve);
    assert_eq!(end["exitCode"], 7, "{end}");
    // The message of the keeper has come before the reply to this.
    serve.ok(json!({"action": "status", "sessionId": job.id}));
    let events = serve.ok(json!({"action": "events", "limit": 1000}));
    let ends = events["events"].as_array().unwrap();
    let ends = ends
        .iter()
        .filter(|event| event["event"] == "exited")
        .count();
    assert_eq!(ends, 1, "{events}");
}

#[test]
fn a_run_that_no_daemon_saw_is_known_and_not_repeated() {
    let home = Home::new();
    let hold = Hold::new(&home, "spawn.before_fork");
    let mut serve = hold.serve(&home);
    let notes = home.scratch("notes");
    let line = format!(
        "echo ran >> {notes}; exit $(wc -l < {notes})",
        notes = notes.display()
    );
    let job = Job::start(&mut serve, &line);
    assert_eq!(job.end(&mut serve)["exitCode"], 1);
    let (daemon, _) = daemon::pids(&mut serve);
    let daemon = Held::new(daemon).unwrap();
    hold.set();
    serve.send(json!({"action": "restart", "sessionId": job.id}));
    hold.await_reached();
    daemon.signal(Signal::STOP);
    hold.release();
    let exit = home.path().join("sessions").join(&job.id).join("exit.json");
    eventually("the keeper has recorded the end", || {
        exit.exists().then_some(())
    });
    daemon.signal(Signal::KILL);
    assert!(daemon.ended(DEADLINE));
    let status = serve.ok(json!({"action": "status", "sessionId": job.id}));
    assert_eq!(
        (&status["exitCode"], &status["restarts"]),
        (&json!(2), &json!(1)),
        "{status}"
    );
    let events = serve.ok(json!({"action": "events", "limit": 1000}));
    let kinds = events["events"].as_array().unwrap();
    let kinds: Vec<_> = kinds.iter().map(|event| &event["event"]).collect();
    assert_eq!(kinds, ["started", "exited", "restarted", "exited"]);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "ran\nran\n");
}

/// Somebody stops a job while there is no daemon.
#[test]
fn a_job_that_was_stopped_meanwhile_is_paused() {
    let home = Home::new();
    let hold = Hold::new(&home, "takeover.greeted");
    let mut serve = hold.serve(&home);
    let job = Job::start(&mut serve, "echo up; exec sleep 1000");
    job.wait_for(&mut serve, "up");
    let pid = serve.ok(json!({"action": "status", "sessionId": job.id}))["pid"].as_u64();
    let process = Held::new(u32::try_from(pid.unwrap()).unwrap()).unwrap();
    for (signal, status) in [(Signal::STOP, "paused"), (Signal::CONT, "running")] {
        hold.set();
        daemon::kill(&mut serve);
        hold.await_reached();
        process.signal(signal);
        hold.release();
        let is = serve.ok(json!({"action": "status", "sessionId": job.id}));
        assert_eq!(is["status"], status);
    }
}

/// There may be thousands, and each file that is replaced takes milliseconds.
#[test]
fn records_of_ended_jobs_are_not_written_again() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "echo over; exit 3");
    job.end(&mut serve);
    let record = home.path().join("sessions").join(&job.id).join("meta.json");
    // The last access is saved by the first daemon that takes over.
    daemon::kill(&mut serve);
    job.ask(&mut serve, "status", json!({}));
    let before = std::fs::metadata(&record).unwrap();
    daemon::kill(&mut serve);
    let status = job.ask(&mut serve, "status", json!({}));
    assert_eq!(status["exitCode"], 3, "{status}");
    assert_eq!(std::fs::metadata(&record).unwrap().ino(), before.ino());
}
