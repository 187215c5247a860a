//! What watching files costs: nothing at rest, and little when thousands of files change.

use std::time::Duration;

use super::Project;
use crate::support::{eventually, eventually_within, lasts};

/// The daemon of a project's home.
fn daemon(shop: &Project) -> u32 {
    let status = shop.home.json(&["daemon", "status"]);
    u32::try_from(status["daemonPid"].as_u64().unwrap()).unwrap()
}

/// The processor time that a process has used, in milliseconds; the kernel counts in steps of ten.
fn processor_ms(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    // utime and stime, proc_pid_stat(5).
    let ticks: u64 = [fields[11], fields[12]]
        .iter()
        .map(|text| text.parse::<u64>().unwrap())
        .sum();
    ticks * 10
}

/// A number in `/proc/PID/status`.
fn number(pid: u32, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key))
        .unwrap();
    line.trim_start_matches(':').trim().parse().unwrap()
}

#[test]
fn twenty_watches_at_rest_wake_nobody() {
    let jobs: String = (0..20)
        .map(|n| {
            format!("[jobs.j{n}]\nrun = \"exec sleep 1000\"\nwatch = {{ paths = [\"src/{n}\"] }}\n")
        })
        .collect();
    let shop = Project::new(&format!("version = 1\n{jobs}"));
    for n in 0..20 {
        std::fs::create_dir_all(shop.dir.join(format!("src/{n}"))).unwrap();
        std::fs::write(shop.dir.join(format!("src/{n}/a")), "x").unwrap();
    }
    shop.ok(&["up"]);
    let pid = daemon(&shop);
    // Threads that have read files end after a while.
    eventually("one thread is left", || {
        (number(pid, "Threads") == 1).then_some(())
    });
    let woken = || number(pid, "voluntary_ctxt_switches");
    // What the starts have left to do takes a moment.
    eventually_within(Duration::from_secs(120), "nothing wakes it", || {
        let before = woken();
        std::thread::sleep(lasts(3, 60));
        (woken() == before).then_some(())
    });
}

#[test]
fn five_thousand_changed_files_cost_little() {
    let shop = Project::new(
        "version = 1\n[jobs.api]\nrun = \"echo >> ../runs; exec sleep 1000\"\nwatch = { paths = [\"src\"] }\n",
    );
    for dir in 0..50 {
        std::fs::create_dir_all(shop.dir.join(format!("src/{dir}"))).unwrap();
        for n in 0..100 {
            std::fs::write(shop.dir.join(format!("src/{dir}/{n}.rs")), "before").unwrap();
        }
    }
    let starts = || {
        let text = std::fs::read_to_string(shop.dir.join("../runs")).unwrap_or_default();
        text.lines().count()
    };
    shop.ok(&["up"]);
    eventually("it runs", || (starts() == 1).then_some(()));
    let pid = daemon(&shop);
    let before = processor_ms(pid);
    for dir in 0..50 {
        for n in 0..100 {
            std::fs::write(shop.dir.join(format!("src/{dir}/{n}.rs")), "after!").unwrap();
        }
    }
    eventually("it was restarted", || (starts() >= 2).then_some(()));
    let used = processor_ms(pid) - before;
    eprintln!("5,000 changed files, 15,000 events: {used} ms of processor time");
    // Ten times what a release build needs: this one is not optimised.
    assert!(used < 1000, "{used} ms of processor time");
}
