//! What is measured, and the bounds.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Client;
use crate::figure::{Figure, Figures, Scene};
use crate::rivals;
use crate::serve::Serve;
use crate::work::{processor, wake_ups};

/// All of them.
pub(crate) const ALL: [Scene; 6] = [
    // First, as the others remove many files: see `Place`.
    ("jobs beside others", rivals::many),
    ("500 jobs", many),
    ("20 watches, 20 schedules", rest),
    ("5,000 changed files", changes),
    ("rest beside others", rivals::rest),
    ("a change beside others", rivals::change),
];

/// Jobs of the large project.
const JOBS: u64 = 500;

/// What each of them runs.
const LINE: &str = "exec sleep 100000";

/// How long a project rests.
pub(crate) const REST: Duration = Duration::from_secs(60);

/// How long it takes until it rests. Looks at whether a program waits for input come at pauses that double: the last
/// ones in this time are 50 and 100 s apart, the next ones 200 s.
pub(crate) const SETTLE: Duration = Duration::from_secs(130);

const CONFIG: &str = "max_sessions = 3000\nmax_sessions_per_scope = 3000\n";

/// Writes a project file in a directory of its own in the home; returns the directory.
fn project(client: &Client, name: &str, file: &str) -> PathBuf {
    let dir = client.home().join(name);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("bgproc.toml"), file).unwrap();
    dir
}

/// Seconds of `bgproc VERB` for the project in a directory.
fn verb(client: &Client, dir: &Path, args: &[&str]) -> f64 {
    let file = dir.join("bgproc.toml");
    let args = [args, &["--file", file.to_str().unwrap()]].concat();
    client.command(&args)
}

fn many(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let jobs: String = (0..JOBS)
        .map(|n| format!("[jobs.j{n}]\nrun = \"{LINE}\"\n"))
        .collect();
    let file = format!("version = 1\n{jobs}");
    let alone = {
        let client = Client::new(CONFIG);
        let mut serve = Serve::new(client.home());
        let began = Instant::now();
        // A connection may have 256 requests under way.
        for _ in 0..JOBS / 250 {
            serve.start(LINE, 250);
        }
        began.elapsed().as_secs_f64()
    };
    let mut client = Client::new(CONFIG);
    let dir = project(&client, "large", &file);
    let mut plans: Vec<f64> = (0..9)
        .map(|_| client.time("project", json!({ "op": "plan", "dir": dir })))
        .collect();
    plans.sort_by(f64::total_cmp);
    figures.millis("the file is read and the plan made", plans[4], 20.0);
    let first = verb(&client, &dir, &["up"]);
    eprintln!("{JOBS} starts through --serve: {alone:.2} s, up: {first:.2} s");
    figures.millis("starts through --serve", alone, 20_000.0);
    figures.millis("up", first, 20_000.0);
    figures.millis("up, longer than the starts", first - alone, 2000.0);
    let second = verb(&client, &dir, &["up"]);
    figures.millis("a second up", second, 1000.0);
    let reload = verb(&client, &dir, &["reload"]);
    figures.millis("a reload without changes", reload, 1000.0);
    let down = verb(&client, &dir, &["down"]);
    figures.millis("down", down, 10_000.0);
    figures.1
}

fn rest(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let mut file = "version = 1\n".to_owned();
    for n in 0..20 {
        file += &format!("[jobs.w{n}]\nrun = \"{LINE}\"\nwatch = {{ paths = [\"src/{n}\"] }}\n");
        let when = match n % 2 {
            0 => "cron = \"0 3 1 1 *\"",
            _ => "every = \"20h\"",
        };
        file += &format!("[jobs.s{n}]\nrun = \"true\"\nschedule = {{ {when} }}\n");
    }
    let dir = project(&client, "rest", &file);
    for n in 0..20 {
        std::fs::create_dir_all(dir.join(format!("src/{n}"))).unwrap();
        std::fs::write(dir.join(format!("src/{n}/a.rs")), "before").unwrap();
    }
    verb(&client, &dir, &["up"]);
    let pids = client.pids();
    std::thread::sleep(SETTLE);
    let before = pids.map(wake_ups);
    std::thread::sleep(REST);
    let after = pids.map(wake_ups);
    for (name, place) in [("daemon", 0), ("keeper", 1)] {
        let count = (after[place] - before[place]) as f64;
        figures.add(&format!("wake-ups of the {name} in 60 s"), count, "", 0.0);
    }
    figures.1
}

fn changes(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let file = "version = 1\n[jobs.api]\nrun = \"echo >> ../runs; exec sleep 100000\"\nwatch = { paths = [\"src\"] }\n";
    let dir = project(&client, "shop", file);
    let write = |text: &str| {
        for number in 0..5000 {
            let place = dir.join(format!("src/{}/{number}.rs", number / 100));
            std::fs::write(place, text).unwrap();
        }
    };
    for number in 0..50 {
        std::fs::create_dir_all(dir.join(format!("src/{number}"))).unwrap();
    }
    write("before");
    verb(&client, &dir, &["up"]);
    let runs = || {
        std::fs::read_to_string(dir.join("../runs"))
            .unwrap_or_default()
            .lines()
            .count()
    };
    let pids = client.pids();
    let before: f64 = pids.map(processor).iter().sum();
    write("after!");
    let began = Instant::now();
    while runs() < 2 {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it is not restarted"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    figures.millis("until the restart", began.elapsed().as_secs_f64(), 3000.0);
    let used = pids.map(processor).iter().sum::<f64>() - before;
    // Each file is truncated, written and closed: three events.
    figures.millis("processor, for 15,000 events", used, 300.0);
    figures.millis("processor, for 5,000 of them", used / 3.0, 100.0);
    figures.add("restarts", (runs() - 1) as f64, "", 1.0);
    figures.1
}
