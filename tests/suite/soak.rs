//! Everything at once, for as long as one likes: agents that start, type, stop and forget jobs, a
//! dashboard that looks at them, and between their requests the death of the daemon, of the keeper, and upgrades.
//!
//! `BGPROC_SOAK=1` runs it for an hour, or for `BGPROC_SOAK_SECS`; without it, it runs for
//! seconds, so that it is known to work. `BGPROC_SOAK_SEED` takes the same decisions again.

mod agent;
mod follower;
mod view;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{DEADLINE, Dice, Home, daemon, eventually, lasts, process};
use agent::Agent;

use follower::Follower;
use view::View;

/// The agents, each a scope of its own.
const SCOPES: [&str; 3] = ["one", "two", "three"];

/// What one process may need in the end, in KiB without its program, whose pages are many in a debug build: far less
/// than an hour's jobs would take if something of each was kept.
const MOST_MEMORY: [u64; 2] = [128 * 1024, 16 * 1024];

/// Descriptors more than in the beginning that may be open in the end: which of two processes
/// has started the other makes a difference of a few.
const MORE_FILES: usize = 8;

#[test]
fn soak() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let program = home.scratch("bgproc");
    daemon::install(&program);
    let mut dice = Dice::new();
    let mut agents = SCOPES.map(|scope| Agent::new(&home, &program, scope));
    let before = open_files(&mut agents[0]);
    for agent in &mut agents {
        agent.begin();
    }
    let mut follower = Follower::new(&home, &program, &agents[0].counting.as_ref().unwrap().id);
    let mut view = View::new(&home);
    let (began, length) = (Instant::now(), lasts(5, 3600));
    let mut count = [0; 5];
    let mut reported = began;
    while began.elapsed() < length {
        let which = dice.below(SCOPES.len() as u64) as usize;
        let agent = &mut agents[which];
        match dice.below(100) {
            0..6 => {
                agent.outlive(&mut dice, daemon::kill);
                count[0] += 1;
            }
            6..9 => {
                let old = daemon::kill_keeper(&mut agent.serve);
                wait_for_keeper(agent, old);
                count[1] += 1;
            }
            9..10 => {
                daemon::install(&program);
                let words = [program.to_str().unwrap(), "daemon", "upgrade"];
                Home::finish(home.command_through(&words), &words[1..]).expect_code(0);
                count[2] += 1;
            }
            10..13 => {
                let stranger = agents[(which + 1) % SCOPES.len()].any_job();
                agents[which].check_foreign(&stranger);
            }
            _ => {
                agent.act(&mut dice);
                count[3] += 1;
            }
        }
        agents[which].check(&home, &mut dice);
        count[4] = follower.check();
        view.act(&mut dice);
        if reported.elapsed() > Duration::from_secs(60) {
            reported = Instant::now();
            report(&mut agents[0], began.elapsed(), count);
        }
    }
    report(&mut agents[0], began.elapsed(), count);
    for agent in &mut agents {
        agent.finish(&home, &mut dice);
    }
    follower.end();
    view.end();
    check_bounds(&mut agents[0], before);
    let stop = ["daemon", "stop", "--kill"];
    home.run(&stop).expect_code(0);
    drop(agents);
    for process in process::of_home(home.path()) {
        assert!(process.ended(DEADLINE), "it was left behind");
    }
}

/// Deaths come one after the other: both at once would end the jobs.
fn wait_for_keeper(agent: &mut Agent, old: u32) {
    let brief = Job::start(&mut agent.serve, "exit 3");
    assert_eq!(brief.end(&mut agent.serve)["exitCode"], 3);
    agent.expect(&brief, json!(3), Value::Null, "error");
    let (_, new) = daemon::pids(&mut agent.serve);
    assert_ne!(new, old);
}

fn open_files(agent: &mut Agent) -> [usize; 2] {
    let (daemon, keeper) = daemon::pids(&mut agent.serve);
    [daemon, keeper].map(daemon::open_files)
}

fn memory(agent: &mut Agent) -> [u64; 2] {
    let (daemon, keeper) = daemon::pids(&mut agent.serve);
    [daemon, keeper].map(daemon::anonymous_kib)
}

fn report(agent: &mut Agent, elapsed: Duration, count: [u64; 5]) {
    let [daemons, keepers, upgrades, actions, lines] = count;
    let (memory, files) = (memory(agent), open_files(agent));
    eprintln!(
        "{:5} s: {actions} actions, {lines} lines followed; killed {daemons} daemons and {keepers} \
         keepers, {upgrades} upgrades; daemon and keeper have {memory:?} KiB and {files:?} files",
        elapsed.as_secs()
    );
}

/// Fails if nothing runs and daemon or keeper have more than that takes.
fn check_bounds(agent: &mut Agent, before: [usize; 2]) {
    let (_, keeper) = daemon::pids(&mut agent.serve);
    // Somebody may be on the way out: a request later is another look.
    eventually("the keeper has no zombies", || {
        agent.serve.ok(json!({"action": "stats"}));
        (daemon::zombies(keeper) == 0).then_some(())
    });
    let (memory, files) = (memory(agent), open_files(agent));
    for n in 0..2 {
        assert!(files[n] <= before[n] + MORE_FILES, "{before:?} {files:?}");
        assert!(memory[n] <= MOST_MEMORY[n], "{memory:?} KiB");
    }
}
