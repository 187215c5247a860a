//! The daemon is killed at the worst moment of a change: the next one completes it.

use rustix::process::Signal;
use serde_json::json;

use crate::support::job::Job;
use crate::support::process::Held;
use crate::support::{DEADLINE, Hold, Home, Serve, Trap, daemon};

/// Its first process ends at TERM, and leaves one that does not, which has written its pid.
const LEAVES: &str = "sh -c 'trap \"\" TERM; echo $$; exec sleep 1000' & exec sleep 1000";

#[test]
fn what_the_first_process_has_left_is_ended_although_the_daemon_dies_after_the_signal() {
    let home = Home::new();
    let trap = Trap::new(&home, &["kill.asked"]);
    let hold = Hold::new(&home, "takeover.before_greeting");
    let mut command = home.command(&["--serve"]);
    command.env("BGPROC_FAILPOINT", &trap.variable);
    command.env("BGPROC_HOLD", hold.variable());
    let mut serve = Serve::spawn(command);
    let job = Job::request(&mut serve, json!({"command": LEAVES, "mode": "pipe"}));
    let found = job.wait_for(&mut serve, "^(\\d+)$");
    let left = found["matched"]["groups"][0].as_str().unwrap();
    let left = Held::new(left.parse().unwrap()).unwrap();
    let first = Held::new(job.pid.unwrap()).unwrap();
    trap.set();
    hold.set();
    serve.send(json!({"action": "kill", "sessionId": job.id}));
    hold.await_reached();
    trap.check();
    assert!(first.ended(DEADLINE), "it got TERM");
    hold.release();
    assert!(left.ended(DEADLINE), "it gets KILL");
    assert_eq!(job.end(&mut serve)["status"], "killed");
}

#[test]
fn a_start_into_a_queue_is_not_lost_although_the_daemon_dies_before_the_queue_is_saved() {
    let home = Home::new();
    let trap = Trap::new(&home, &["enqueue.recorded"]);
    let env = [("BGPROC_FAILPOINT", trap.variable.as_str())];
    home.run_with_env(&["ls"], &env).expect_code(0);
    home.ok(&["group", "builds", "--parallel", "1"]);
    home.start(&["-n", "first", "-g", "builds", "exec sleep 1000"]);
    trap.set();
    home.start(&["-n", "second", "-g", "builds", "echo ran"]);
    trap.check();
    let second = home.listed("second");
    assert_eq!(second["status"], "queued", "{second}");
    assert_eq!(second["waiting"]["queue"], "builds", "{second}");
    home.ok(&["stop", "first"]);
    home.run(&["wait", "second"]).expect_code(0);
    assert_eq!(home.ok(&["logs", "second"]), "ran\n");
}

#[test]
fn what_waits_for_others_goes_on_waiting_although_the_file_of_the_queues_is_damaged() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    home.start(&["-n", "first", "exec cat"]);
    home.start(&["-n", "second", "--after", "first:done", "echo ran"]);
    let (old, _) = daemon::pids(&mut serve);
    let old = Held::new(old).unwrap();
    old.signal(Signal::STOP);
    std::fs::write(home.path().join("projects/queues.json"), "{").unwrap();
    old.signal(Signal::KILL);
    assert!(old.ended(DEADLINE));
    let second = home.listed("second");
    assert_eq!(second["waiting"]["why"], "needs first done", "{second}");
    home.ok(&["stop", "first"]);
    home.run(&["wait", "second"]).expect_code(0);
    assert_eq!(home.ok(&["logs", "second"]), "ran\n");
}
