//! The same jobs, run by bgproc and by other programs. The figures of these are multiples of those of bgproc.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::figure::{Figure, Figures};
use crate::peer::{self, Job, Peer};
use crate::running::{LINE, Place, Running};
use crate::scenes::{REST, SETTLE};
use crate::work::{processor, wake_ups};

/// How often the jobs of each file are started and ended.
const ROUNDS: usize = 3;

/// Changes of files, each of another directory.
const CHANGES: usize = 9;

/// How long after their start the memory is looked at.
const PAUSE: Duration = Duration::from_secs(5);

/// How long after the start of its jobs each peer sees changes: pitchfork looks for new watches every 10 s.
const ATTENTION: Duration = Duration::from_secs(15);

/// Jobs of a small and of a large file.
const SIZES: [usize; 2] = [100, 500];

/// Jobs of a file that goes on.
fn jobs(count: usize) -> Vec<Job> {
    let job = |n| Job {
        name: format!("j{n}"),
        line: LINE.to_owned(),
        watch: None,
        is_scheduled: false,
    };
    (0..count).map(job).collect()
}

/// 20 jobs that watch a directory each, and 20 with a schedule.
fn reacting() -> Vec<Job> {
    let mut jobs = jobs(20);
    for (n, job) in jobs.iter_mut().enumerate() {
        job.watch = Some(format!("src/{n}"));
    }
    jobs.extend((0..20).map(|n| Job {
        name: format!("s{n}"),
        line: "true".to_owned(),
        watch: None,
        is_scheduled: true,
    }));
    jobs
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Something measured of each peer: the first one is bgproc, and its value is shown in the unit.
fn compare(figures: &mut Figures, what: &str, unit: &'static str, of_each: &[(&str, f64)]) {
    let Some(&(_, ours)) = of_each.first() else {
        return;
    };
    for (place, (name, value)) in of_each.iter().enumerate() {
        let what = format!("{what}: {name}");
        match place {
            0 => figures.add(&what, *value, unit, f64::INFINITY),
            _ => figures.add(&what, value / ours, "×", f64::INFINITY),
        }
    }
}

/// What is measured of a peer with the jobs of one file.
#[derive(Default)]
struct Measured {
    /// Seconds until all jobs run, in each round.
    up: Vec<f64>,
    /// Seconds until all jobs have ended.
    down: Vec<f64>,
    /// KiB of the peer itself.
    memory: f64,
}

/// Runs the jobs of one file with each peer, in turns.
fn in_turns(peers: &[Box<dyn Peer>], count: usize, place: &Place) -> Vec<Measured> {
    let jobs = jobs(count);
    let mut all: Vec<Measured> = peers.iter().map(|_| Measured::default()).collect();
    for round in 0..ROUNDS {
        for (peer, measured) in peers.iter().zip(&mut all) {
            let mut running = Running::start(peer.as_ref(), &jobs, place);
            measured.up.push(running.until(count));
            running.settle();
            if round == 0 {
                sleep(PAUSE);
                measured.memory = running.memory();
            }
            measured.down.push(running.down());
        }
    }
    all
}

/// How soon many jobs run and have ended, and the memory for them.
pub(crate) fn many(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let (peers, place) = (peer::installed(), Place::new());
    let measured = SIZES.map(|count| in_turns(&peers, count, &place));
    let mut compare = |what: &str, unit, of: &dyn Fn(usize) -> f64| {
        let of_each = peers.iter().enumerate();
        let of_each: Vec<_> = of_each
            .map(|(place, peer)| (peer.name(), of(place)))
            .collect();
        compare(&mut figures, what, unit, &of_each);
    };
    for (count, all) in std::iter::zip(SIZES, &measured) {
        let millis = |seconds: &[f64]| median(seconds.to_vec()) * 1000.0;
        compare(&format!("until {count} jobs run"), "ms", &|place| {
            millis(&all[place].up)
        });
        compare(&format!("until {count} jobs have ended"), "ms", &|place| {
            millis(&all[place].down)
        });
        compare(&format!("memory with {count} jobs"), "MiB", &|place| {
            all[place].memory / 1024.0
        });
    }
    let ([small, large], [few, many]) = (SIZES, &measured);
    compare("memory of a further job", "KiB", &|place| {
        (many[place].memory - few[place].memory) / (large - small) as f64
    });
    figures.1
}

/// Those that have watches and schedules.
fn those_that_react() -> Vec<Box<dyn Peer>> {
    let mut peers = peer::installed();
    peers.retain(|peer| peer.reacts());
    peers
}

/// What watches and schedules cost at rest. All rest at the same time.
pub(crate) fn rest(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let (peers, place) = (those_that_react(), Place::new());
    let jobs = reacting();
    let mut all = Vec::new();
    let began = Instant::now();
    for peer in &peers {
        let mut running = Running::start(peer.as_ref(), &jobs, &place);
        running.until(20);
        running.settle();
        all.push(running);
    }
    // Since the first start, which is that of bgproc. One look at its jobs is in the minute: see `SETTLE`.
    sleep(SETTLE.saturating_sub(began.elapsed()));
    let pids: Vec<Vec<u32>> = all.iter().map(Running::own).collect();
    let used = |pids: &Vec<u32>| {
        let seconds: f64 = pids.iter().map(|&pid| processor(pid)).sum();
        let times: u64 = pids.iter().map(|&pid| wake_ups(pid)).sum();
        (seconds * 1000.0, times as f64)
    };
    let before: Vec<(f64, f64)> = pids.iter().map(used).collect();
    sleep(REST);
    for ((peer, pids), (time, times)) in peers.iter().zip(&pids).zip(before) {
        let after = used(pids);
        let what = |what: &str| format!("{what} in 60 s: {}", peer.name());
        figures.add(&what("processor"), after.0 - time, "ms", f64::INFINITY);
        figures.add(&what("wake-ups"), after.1 - times, "", f64::INFINITY);
    }
    figures.1
}

/// How soon a job runs anew when a file has changed.
pub(crate) fn change(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let (peers, place) = (those_that_react(), Place::new());
    let jobs = reacting();
    let mut of_each = Vec::new();
    for peer in &peers {
        let mut running = Running::start(peer.as_ref(), &jobs, &place);
        running.until(20);
        running.settle();
        sleep(ATTENTION);
        let times = (0..CHANGES).map(|n| {
            let took = running.change(&format!("src/{n}"), &format!("after {n}"));
            // Past what a peer waits after a restart.
            sleep(Duration::from_secs(2));
            took
        });
        of_each.push((peer.name(), median(times.collect()) * 1000.0));
    }
    compare(
        &mut figures,
        "from a change to the new process",
        "ms",
        &of_each,
    );
    figures.1
}
