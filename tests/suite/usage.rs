//! What the processes of sessions use.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Serve};

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
    // The time passes in the daemon, which has something else to wait for.
    idle.ask(&mut agent, "wait", json!({"timeoutMs": 600}));
    let record = status(&mut agent, &busy);
    let percent = record["cpuPercent"].as_f64().unwrap();
    // A machine that does much else gives it less than all of a processor.
    assert!((5.0..=150.0).contains(&percent), "{record}");
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
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    for _ in 0..20 {
        Job::start(&mut agent, "exec sleep 1000");
    }
    let daemon = home.json(&["daemon", "status"])["daemonPid"].as_u64();
    let before = cpu_ticks(daemon.unwrap());
    for _ in 0..200 {
        agent.ok(json!({"action": "list"}));
    }
    let ticks = cpu_ticks(daemon.unwrap()) - before;
    // In ticks of 10 ms; mostly the writing of 4,000 records.
    assert!(ticks < 400, "{ticks}");
}

/// User and system time of a process.
fn cpu_ticks(pid: u64) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(") ").unwrap();
    let fields: Vec<&str> = rest.split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
