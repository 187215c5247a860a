//! What is measured, and how.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::bgproc::Bgproc;
use crate::peer::Peer;
use crate::table::Row;
use crate::tmux::Tmux;
use crate::{data, emit, limit, viewer};

/// Bytes of a flood.
const FLOOD: usize = 32 << 20;

/// Jobs that sleep, for memory and wake-ups.
const IDLE: usize = 100;

/// The middle one.
pub(crate) fn median(values: Vec<f64>) -> f64 {
    percentile(values, 50)
}

/// The value that so many of a hundred are below.
fn percentile(mut values: Vec<f64>, part: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() * part / 100]
}

/// Looks until there is something.
pub(crate) fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(found) = look() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

type Peers = Vec<Box<dyn Peer>>;

fn peers() -> Peers {
    let mut peers: Peers = vec![Box::new(Bgproc::open())];
    match Tmux::open() {
        Some(tmux) => peers.push(Box::new(tmux)),
        None => eprintln!("tmux is not installed, and left out"),
    }
    peers
}

/// A line: its values of each round, of the peers in order and the limit.
struct Line {
    name: String,
    unit: &'static str,
    more_is_better: bool,
    values: [Vec<f64>; 2],
    limit: Vec<f64>,
}

/// Seconds that something takes.
type Measure = fn(&mut dyn Peer) -> f64;

/// A line's name and unit, what is measured, and what of the limit.
type Latency = (&'static str, &'static str, Measure, fn() -> f64);

const LATENCIES: [Latency; 7] = [
    (
        "read the screen",
        "µs",
        |peer| {
            repeated(peer, &["cat"], 500, |peer, job, _| {
                peer.read(job);
            })
        },
        || limit::socket_echo(2048),
    ),
    ("start a job, until acknowledged", "µs", start, || {
        median((0..20).map(|_| limit::start()).collect())
    }),
    (
        "key to echo",
        "µs",
        |peer| {
            // The terminal's own echo is not what a program answers.
            let quiet = ["sh", "-c", "stty -echo; exec cat"];
            repeated(peer, &quiet, 100, |peer, job, n| {
                peer.echo(job, &format!("k{n:03}k"))
            })
        },
        limit::key_echo,
    ),
    (
        "key to view",
        "µs",
        |peer| median(viewer::keys(peer)),
        limit::key_echo,
    ),
    (
        "key to view, 99 %",
        "µs",
        |peer| percentile(viewer::keys(peer), 99),
        limit::key_echo,
    ),
    (
        "first job, cold",
        "µs",
        |peer| peer.cold_start(),
        || median((0..20).map(|_| limit::nothing()).collect()),
    ),
    (
        "list from a shell",
        "µs",
        |peer| {
            median(
                (0..20)
                    .map(|_| limit::command(peer.list_command()))
                    .collect(),
            )
        },
        || median((0..20).map(|_| limit::nothing()).collect()),
    ),
];

/// All lines whose name has one of `only` in it; all if that is empty.
pub(crate) fn all(dir: &Path, rounds: usize, only: &[String]) -> Vec<Row> {
    let wanted =
        |name: &str| only.is_empty() || only.iter().any(|part| name.contains(part.as_str()));
    let mut lines: Vec<Line> = Vec::new();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        for (set, bytes) in data::SETS {
            let (job, reader) = (
                format!("the job's side, {set}"),
                format!("until readable, {set}"),
            );
            if wanted(&job) || wanted(&reader) {
                let file = dir.join("data");
                std::fs::write(&file, bytes(1 << 20)).unwrap();
                flood(&mut lines, dir, &file, &job, &reader);
            }
        }
        for (name, unit, measure, limit) in LATENCIES {
            if wanted(name) {
                let mut peers = peers();
                let values: Vec<f64> = peers
                    .iter_mut()
                    .map(|peer| measure(&mut **peer) * 1e6)
                    .collect();
                note(&mut lines, name, unit, false, &values, Some(limit() * 1e6));
            }
        }
        if wanted("idle") {
            idle(&mut lines);
        }
        if wanted("list of 1,000") {
            let mut peers = peers();
            let values: Vec<f64> = peers
                .iter_mut()
                .map(|peer| list(&mut **peer) * 1e6)
                .collect();
            note(
                &mut lines,
                "list of 1,000",
                "µs",
                false,
                &values,
                Some(limit::socket_echo(2048) * 1e6),
            );
        }
        if wanted("log of 64 MB") {
            log(&mut lines, dir);
        }
    }
    lines.into_iter().map(row).collect()
}

fn row(line: Line) -> Row {
    let middle = |values: Vec<f64>| (!values.is_empty()).then(|| median(values));
    Row {
        name: line.name,
        values: line.values.map(middle),
        limit: middle(line.limit),
        unit: line.unit,
        more_is_better: line.more_is_better,
    }
}

fn note(
    lines: &mut Vec<Line>,
    name: &str,
    unit: &'static str,
    more_is_better: bool,
    values: &[f64],
    limit: Option<f64>,
) {
    let place = lines
        .iter()
        .position(|line| line.name == name)
        .unwrap_or_else(|| {
            lines.push(Line {
                name: name.to_owned(),
                unit,
                more_is_better,
                values: Default::default(),
                limit: Vec::new(),
            });
            lines.len() - 1
        });
    let line = &mut lines[place];
    line.limit.extend(limit);
    for (all, value) in line.values.iter_mut().zip(values) {
        all.push(*value);
    }
}

/// One flood through each.
fn flood(lines: &mut Vec<Line>, dir: &Path, file: &Path, job: &str, reader: &str) {
    let times = FLOOD >> 20;
    let rate = |seconds: f64| FLOOD as f64 / 1e6 / seconds;
    let fresh = |name: &str| {
        let path = dir.join(name);
        let _ = std::fs::remove_file(&path);
        path
    };
    let bare = fresh("bare");
    let (ended, readable) = limit::drain(&emit::command(file, times, &bare), &bare);
    let limits = (rate(ended), rate(readable));
    let (mut jobs, mut readers) = (Vec::new(), Vec::new());
    for mut peer in peers() {
        let path = fresh(peer.name());
        let id = peer.start(&emit::command(file, times, &path));
        peer.wait_for(&id, emit::LAST);
        let readable = emit::now();
        let (began, ended) = until(|| emit::times(&path));
        jobs.push(rate((ended - began) as f64 / 1e9));
        readers.push(rate((readable - began) as f64 / 1e9));
    }
    note(lines, job, "MB/s", true, &jobs, Some(limits.0));
    note(lines, reader, "MB/s", true, &readers, Some(limits.1));
}

/// Median seconds of something done with one job.
fn repeated(
    peer: &mut dyn Peer,
    argv: &[&str],
    times: usize,
    act: fn(&mut dyn Peer, &str, usize),
) -> f64 {
    let argv: Vec<String> = argv.iter().map(|&arg| arg.to_owned()).collect();
    let job = peer.start(&argv);
    let times = (0..times).map(|n| {
        let begin = Instant::now();
        act(peer, &job, n);
        begin.elapsed().as_secs_f64()
    });
    median(times.collect())
}

fn sleep() -> Vec<String> {
    vec!["sleep".to_owned(), "1000".to_owned()]
}

fn start(peer: &mut dyn Peer) -> f64 {
    let times = (0..30).map(|_| {
        let begin = Instant::now();
        peer.start(&sleep());
        begin.elapsed().as_secs_f64()
    });
    median(times.collect())
}

fn list(peer: &mut dyn Peer) -> f64 {
    for _ in 0..1000 {
        peer.start(&sleep());
    }
    let times = (0..50).map(|_| {
        let begin = Instant::now();
        assert!(peer.list().len() > 1000);
        begin.elapsed().as_secs_f64()
    });
    median(times.collect())
}

/// Memory and wake-ups of sessions in which nothing happens.
fn idle(lines: &mut Vec<Line>) {
    let (mut memory, mut wakes) = (Vec::new(), Vec::new());
    for mut peer in peers() {
        let pids = peer.pids();
        let before: u64 = pids.iter().map(|&pid| proportional(pid)).sum();
        for _ in 0..IDLE {
            peer.start(&sleep());
        }
        // Past the looks that follow a start.
        std::thread::sleep(Duration::from_secs(5));
        let after: u64 = pids.iter().map(|&pid| proportional(pid)).sum();
        memory.push(after.saturating_sub(before) as f64 / IDLE as f64);
        let switches = |pids: &[u32]| pids.iter().map(|&pid| switches(pid)).sum::<u64>();
        let begin = switches(&pids);
        std::thread::sleep(Duration::from_secs(5));
        wakes.push((switches(&pids) - begin) as f64 / 5.0);
    }
    note(
        lines,
        "memory of an idle session",
        "KiB",
        false,
        &memory,
        None,
    );
    note(
        lines,
        "wake-ups with 100 idle sessions",
        "a second",
        false,
        &wakes,
        None,
    );
}

/// A field of `/proc/PID/FILE`, in its unit.
fn field(pid: u32, file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

/// Memory that is its own, and its part of what is shared, in KiB.
fn proportional(pid: u32) -> u64 {
    field(pid, "smaps_rollup", "Pss:")
}

fn switches(pid: u32) -> u64 {
    field(pid, "status", "voluntary_ctxt_switches:")
}

/// Reading and searching a large log.
fn log(lines: &mut Vec<Line>, dir: &Path) {
    let (file, path) = (dir.join("data"), dir.join("log"));
    std::fs::write(&file, data::coloured(1 << 20)).unwrap();
    let _ = std::fs::remove_file(&path);
    let mut peer = Bgproc::open();
    let job = peer.start(&emit::command(&file, 64, &path));
    peer.wait_for(&job, emit::LAST);
    let times = (0..100).map(|_| {
        let begin = Instant::now();
        peer.poll(&job);
        begin.elapsed().as_secs_f64() * 1e6
    });
    let poll = median(times.collect());
    let begin = Instant::now();
    let searched = peer.grep(&job).unwrap() as f64 / 1e6;
    let rate = searched / begin.elapsed().as_secs_f64();
    let echo = limit::socket_echo(2048) * 1e6;
    note(
        lines,
        "poll after a log of 64 MB",
        "µs",
        false,
        &[poll],
        Some(echo),
    );
    note(lines, "grep in a log of 64 MB", "MB/s", true, &[rate], None);
}
