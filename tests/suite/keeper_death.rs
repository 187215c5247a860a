//! The keeper is killed: the daemon has everything, and the next keeper goes on.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::numbers::{self, COUNT, COUNT_SLOWLY};
use crate::support::process::Held;
use crate::support::{DEADLINE, Hold, Home, Serve, Trap, daemon, rounds};

/// Waits until there is another keeper than this one, and it works.
#[track_caller]
fn wait_for_keeper(serve: &mut Serve, old: u32) {
    // Answered by a keeper or not at all.
    let brief = Job::start(serve, "exit 3");
    assert_eq!(brief.end(serve)["exitCode"], 3);
    brief.ask(serve, "remove", json!({}));
    let stats = serve.ok(json!({"action": "stats"}));
    assert_ne!(stats["keeperPid"], old, "{stats}");
    assert_eq!(stats["keeperVersion"], stats["version"], "{stats}");
}

#[test]
fn kills_of_the_keeper_lose_no_byte_at_full_speed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let flood = Job::start(&mut serve, COUNT);
    flood.wait_for(&mut serve, "^000000000100$");
    for _ in 0..rounds(20, 200) {
        let old = daemon::kill_keeper(&mut serve);
        let end = flood.ask(&mut serve, "status", json!({}))["outputBytes"].clone();
        let more = json!({"since": format!("c{end}"), "until": [{"pattern": "^\\d{12}$"}]});
        flood.wait_until(&mut serve, more);
        assert_ne!(serve.ok(json!({"action": "stats"}))["keeperPid"], old);
    }
    let end = flood.ask(&mut serve, "kill", json!({}));
    assert_eq!(end["status"], "killed", "{end}");
    let (first, end) = numbers::check(&home, &flood.id);
    let status = flood.ask(&mut serve, "status", json!({}));
    assert_eq!(status["outputBytes"], end, "{status}");
    assert_eq!(status["droppedBytes"], first, "{status}");
}

/// Daemon and keeper die, and the next daemon has received what the keeper hands over, but has not read it.
#[test]
fn a_keeper_that_dies_while_it_greets_a_daemon_takes_no_job_along() {
    let home = Home::new();
    let hold = Hold::new(&home, "takeover.before_greeting");
    let mut serve = hold.serve(&home);
    let jobs: Vec<Job> = (0..3)
        .map(|_| Job::start(&mut serve, "echo up; exec cat"))
        .collect();
    for job in &jobs {
        job.wait_for(&mut serve, "^up$");
    }
    let (_, keeper) = daemon::pids(&mut serve);
    hold.set();
    daemon::kill(&mut serve);
    hold.await_reached();
    daemon::kill_pid(keeper);
    hold.release();
    for job in &jobs {
        job.say(&mut serve, "on", "^on$");
    }
    wait_for_keeper(&mut serve, keeper);
}

#[test]
fn the_keeper_dies_as_often_as_the_daemon_and_no_job_notices() {
    if !have("python3") || !have("vim") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let python = Job::start(&mut serve, "exec python3 -i -q");
    python.wait_screen(&mut serve, "^>>>$");
    python.say(&mut serve, "n = 0; print('at', n)", "^at 0$");
    let args = json!(["-N", "-n", "-u", "NONE", "-i", "NONE"]);
    let vim = Job::request(&mut serve, json!({"command": "vim", "args": args}));
    vim.wait_screen(&mut serve, "^~$");
    vim.press(&mut serve, json!(["i", {"text": "half done"}]));
    vim.wait_screen(&mut serve, "^half done$");
    let pipes = json!({"command": "cat; echo bye >&2; exit 9", "mode": "pipe"});
    let pipes = Job::request(&mut serve, pipes);
    let flood = Job::start(&mut serve, COUNT_SLOWLY);
    flood.wait_for(&mut serve, "^000000000100$");
    let shown = vim.ask(&mut serve, "capture", json!({}));
    for round in 1..=rounds(6, 60) {
        // By turns, and now and then the daemon that has just handed over.
        match round % 3 {
            0 => {
                let old = daemon::kill_keeper(&mut serve);
                wait_for_keeper(&mut serve, old);
                daemon::kill(&mut serve);
            }
            1 => drop(daemon::kill_keeper(&mut serve)),
            _ => drop(daemon::kill(&mut serve)),
        }
        let at = format!("^at {round}$");
        python.say(&mut serve, "n += 1; print('at', n)", &at);
        let line = format!("piped {round}");
        pipes.say(&mut serve, &line, &format!("^{line}$"));
        let now = vim.ask(&mut serve, "capture", json!({}));
        assert_eq!(now["text"], shown["text"]);
    }
    pipes.ask(&mut serve, "write", json!({"data": "", "eof": true}));
    let end = pipes.end(&mut serve);
    assert_eq!(end["exitCode"], 9, "{end}");
    assert_eq!(end["stderr"], "bye\n", "{end}");
    flood.ask(&mut serve, "kill", json!({}));
    numbers::check(&home, &flood.id);
    vim.ask(&mut serve, "kill", json!({}));
    python.ask(&mut serve, "kill", json!({}));
}

#[test]
fn orphans_have_their_true_ends_and_new_jobs_start() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let lines = ["read x; exit 23", "read x; kill -SEGV $$", "read x; exit 0"];
    let jobs: Vec<Job> = lines
        .iter()
        .map(|line| Job::start(&mut serve, line))
        .collect();
    let old = daemon::kill_keeper(&mut serve);
    wait_for_keeper(&mut serve, old);
    for job in &jobs {
        job.ask(&mut serve, "write", json!({"data": "\n"}));
    }
    let ends: Vec<Value> = jobs.iter().map(|job| job.end(&mut serve)).collect();
    let told: Vec<_> = ends
        .iter()
        .map(|end| (&end["status"], &end["exitCode"], &end["signal"]))
        .collect();
    let null = Value::Null;
    assert_eq!(
        told,
        [
            (&json!("error"), &json!(23), &null),
            (&json!("error"), &null, &json!("SIGSEGV")),
            (&json!("done"), &json!(0), &null)
        ]
    );
}

#[test]
fn an_end_while_there_is_no_keeper_is_known() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gate = home.gate();
    let line = "echo before; read x < \"$GATE\"; echo after; exit 23";
    let job = Job::request(&mut serve, json!({"command": line, "env": {"GATE": gate}}));
    job.wait_for(&mut serve, "^before$");
    let (daemon, keeper) = daemon::pids(&mut serve);
    let (daemon, keeper) = (Held::new(daemon).unwrap(), Held::new(keeper).unwrap());
    let process = Held::new(job.pid.unwrap()).unwrap();
    // The daemon cannot start another keeper while it is stopped.
    daemon.signal(Signal::STOP);
    keeper.signal(Signal::KILL);
    assert!(keeper.ended(DEADLINE));
    std::fs::write(&gate, "\n").unwrap();
    assert!(process.ended(DEADLINE));
    daemon.signal(Signal::CONT);
    let end = job.end(&mut serve);
    assert_eq!(end["exitCode"], 23, "{end}");
    assert_eq!(job.output(&mut serve), "before\nafter\n");
}

#[test]
fn a_start_runs_once_wherever_its_keeper_dies() {
    for place in [
        "spawn.before_beginning",
        "spawn.before_fork",
        "spawn.before_telling",
    ] {
        let home = Home::new();
        let trap = Trap::new(&home, &[place]);
        let mut serve = trap.serve(&home);
        let before = Job::start(&mut serve, "exec cat");
        let runs = home.scratch("runs");
        for mode in ["pty", "pipe"] {
            trap.set();
            let line = format!("echo hello; echo x >> {}; exit 5", runs.display());
            let started = serve.ok(json!({"action": "start", "command": line, "mode": mode}));
            let told = (&started["exitCode"], &started["output"]);
            assert_eq!(told, (&json!(5), &json!("hello\n")), "{place}: {started}");
            trap.check();
        }
        assert_eq!(std::fs::read_to_string(&runs).unwrap(), "x\nx\n", "{place}");
        let list = serve.ok(json!({"action": "list"}));
        let count = list["sessions"].as_array().unwrap().len();
        assert_eq!(count, 3, "{place}: {list}");
        before.say(&mut serve, "still there", "^still there$");
    }
}

#[test]
fn a_restart_goes_on_wherever_its_keeper_dies() {
    for place in ["spawn.before_fork", "spawn.before_telling"] {
        let home = Home::new();
        let trap = Trap::new(&home, &[place]);
        let mut serve = trap.serve(&home);
        let job = Job::start(&mut serve, "stty -echo; echo up; read x; echo $x");
        job.wait_for(&mut serve, "^up$");
        let since = job.ask(&mut serve, "poll", json!({}))["cursor"].clone();
        trap.set();
        let again = job.ask(&mut serve, "restart", json!({}));
        assert_eq!(again["status"], "running", "{place}: {again}");
        trap.check();
        let up = json!({"since": since, "until": [{"pattern": "^up$"}]});
        job.wait_until(&mut serve, up);
        job.say(&mut serve, "typed", "^typed$");
        let end = job.end(&mut serve);
        assert_eq!(end["exitCode"], 0, "{place}: {end}");
        assert_eq!(job.output(&mut serve), "up\nup\ntyped\n", "{place}");
    }
}

#[test]
fn output_on_its_way_when_the_keeper_dies_arrives() {
    for places in [
        &["output.before_saving"][..],
        &["output.before_telling"],
        &["output.before_ringing"],
        &["output.before_saving", "takeover.before_emptying"],
    ] {
        let home = Home::new();
        let trap = Trap::new(&home, places);
        let mut serve = trap.serve(&home);
        let gate = home.gate();
        let line = "read x < \"$GATE\"; seq -f %012.0f 0 99999; read x";
        let job = Job::request(&mut serve, json!({"command": line, "env": {"GATE": gate}}));
        let other = Job::start(
            &mut serve,
            "stty -echo; echo up; while read x; do echo $x; done",
        );
        other.wait_for(&mut serve, "^up$");
        trap.set();
        std::fs::write(&gate, "\n").unwrap();
        other.ask(&mut serve, "write", json!({"data": "beside\n"}));
        job.wait_for(&mut serve, "^000000099999$");
        other.wait_for(&mut serve, "^beside$");
        trap.check();
        assert_eq!(numbers::check(&home, &job.id), (0, 1_400_000), "{places:?}");
        assert_eq!(other.output(&mut serve), "up\nbeside\n");
    }
}

#[test]
fn both_at_once_end_the_jobs_and_lose_no_record() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "echo kept; exec sleep 1000");
    job.wait_for(&mut serve, "^kept$");
    let process = Held::new(job.pid.unwrap()).unwrap();
    home.kill_both();
    assert!(process.ended(DEADLINE), "its terminal is gone");
    let status = job.ask(&mut serve, "status", json!({}));
    assert_eq!(status["status"], "lost", "{status}");
    assert_eq!(status["exitCode"], Value::Null);
    assert_eq!(job.output(&mut serve), "kept\n");
    let again = Job::start(&mut serve, "exit 4");
    assert_eq!(again.end(&mut serve)["exitCode"], 4);
}

#[test]
fn after_a_restart_of_the_machine_jobs_are_lost_and_their_logs_are_there() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "echo kept; exec sleep 1000");
    job.wait_for(&mut serve, "^kept$");
    home.restart_machine(&job.id);
    let status = job.ask(&mut serve, "status", json!({}));
    assert_eq!(status["status"], "lost", "{status}");
    assert_eq!(status["reason"], "the machine was restarted", "{status}");
    assert_eq!(status["runtimeMs"], 0, "{status}");
    assert_eq!(job.output(&mut serve), "kept\n");
}
