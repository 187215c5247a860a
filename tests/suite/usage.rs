//! What the processes of sessions use.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::Io;
use crate::support::{Hold, Home, Serve, daemon, eventually};

fn status(agent: &mut Serve, job: &Job) -> Value {
    job.ask(agent, "status", json!({}))
}

#[test]
fn a_busy_tree_is_told_as_busy_with_all_its_processes() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let busy = Job::start(
        &mut agent,
        "echo up; setsid sh -c 'while :; do :; done' & exec sleep 1000",
    );
    let idle = Job::start(&mut agent, "echo up; exec sleep 1000");
    busy.wait_for(&mut agent, "^up$");
    idle.wait_for(&mut agent, "^up$");
    status(&mut agent, &busy);
    // A machine that does much else gives it less than all of a processor, and sometimes nearly none.
    let record = eventually("it is busy", || {
        // The time passes in the daemon, which has something else to wait for.
        idle.ask(&mut agent, "wait", json!({"timeoutMs": 600}));
        let record = status(&mut agent, &busy);
        // After a slow look at all processes the next one is later.
        let percent = record["cpuPercent"].as_f64()?;
        assert!(percent <= 150.0, "{record}");
        (percent >= 5.0).then_some(record)
    });
    assert_eq!(record["processes"], 2, "{record}");
    assert!(
        record["memoryBytes"].as_u64().unwrap() > 100_000,
        "{record}"
    );
    let record = status(&mut agent, &idle);
    assert!(record["cpuPercent"].as_f64().unwrap() < 5.0, "{record}");
    assert_eq!(record["processes"], 1, "{record}");
    let listed = agent.ok(json!({"action": "list"}));
    for session in listed["sessions"].as_array().unwrap() {
        assert!(session["cpuPercent"].is_number(), "{session}");
        assert!(session["memoryBytes"].is_number(), "{session}");
    }
    busy.ask(&mut agent, "kill", json!({"force": true}));
    let record = status(&mut agent, &busy);
    let nothing = [&record["cpuPercent"], &record["memoryBytes"]];
    assert_eq!(nothing, [&Value::Null, &Value::Null], "{record}");
    assert_eq!(record["processes"], 0, "{record}");
}

#[test]
fn the_first_value_is_never_more_than_the_processors_there_are() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let most = 100.0 * std::thread::available_parallelism().unwrap().get() as f64 * 1.5;
    for _ in 0..20 {
        let job = Job::start(&mut agent, "while :; do :; done");
        for _ in 0..5 {
            let record = status(&mut agent, &job);
            let percent = record["cpuPercent"].as_f64();
            assert!(percent.is_none_or(|percent| percent <= most), "{record}");
        }
        job.ask(&mut agent, "kill", json!({"force": true}));
    }
}

#[test]
fn asking_often_costs_little() {
    const JOBS: usize = 20;
    const LISTS: usize = 200;
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    for _ in 0..JOBS {
        Job::start(&mut agent, "exec sleep 1000");
    }
    let (daemon, _) = daemon::pids(&mut agent);
    let before = Io::of(daemon);
    for _ in 0..LISTS {
        agent.ok(json!({"action": "list"}));
    }
    let reads = Io::of(daemon).since(before).reads;
    // What they use is looked at a few times a second, not for each list: that would be two files of each.
    assert!(reads < (LISTS * JOBS) as u64, "{reads}");
}

#[test]
fn a_long_look_at_all_processes_holds_nobody_else_up() {
    let home = Home::new();
    let hold = Hold::new(&home, "usage.walk");
    let mut agent = hold.serve(&home);
    let job = Job::start(&mut agent, "exec cat");
    hold.set();
    let asked = [json!({}), json!({"includePorts": true}), json!({})].map(|mut list| {
        list["action"] = json!("list");
        agent.send(list)
    });
    hold.await_reached();
    job.say(&mut agent, "hello", "^hello$");
    assert!(asked.iter().all(|id| agent.told_reply(*id).is_none()));
    hold.release();
    for id in asked {
        let reply = agent.reply(id);
        let session = &reply["result"]["sessions"][0];
        assert!(session["memoryBytes"].is_number(), "{reply}");
    }
}
