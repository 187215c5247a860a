//! What is measured, and the bounds.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::figure::{Figure, Figures, Scene};
use crate::node;
use crate::server::Server;
use crate::work::{processor, wake_ups};

/// All of them.
pub(crate) const ALL: [Scene; 3] = [
    ("echo", echo),
    ("50 hosts, 100 jobs each", list),
    ("a node of a cluster", node::scene),
];

/// Samples of an echo.
const ECHOES: usize = 400;

const HOSTS: usize = 50;
const JOBS: usize = 100;

/// How long connected hosts rest, after the same time to settle.
const REST: Duration = Duration::from_secs(60);

/// The median, and the value that one of a hundred exceeds.
pub(crate) fn quantiles(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

/// Seconds from a line that is written until it is read again, through a command that runs `cat` elsewhere.
pub(crate) fn plain(mut command: Command) -> (f64, f64) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut cat = command.spawn().unwrap();
    let (mut stdin, stdout) = (cat.stdin.take().unwrap(), cat.stdout.take().unwrap());
    let mut lines = BufReader::new(stdout);
    let mut line = String::new();
    let mut one = |number: usize| {
        let began = Instant::now();
        writeln!(stdin, "{number}").unwrap();
        line.clear();
        lines.read_line(&mut line).unwrap();
        began.elapsed().as_secs_f64()
    };
    one(0);
    let times = (0..ECHOES).map(one).collect();
    drop(stdin);
    cat.wait().unwrap();
    quantiles(times)
}

/// The same through a session that runs `cat`: from the request that types until the reply with the echo. `place` has the
/// parameters of `start` that say where it runs.
pub(crate) fn typed(client: &mut Client, place: Value) -> (f64, f64) {
    let mut start = place;
    start["command"] = json!("stty -echo; echo ready; exec cat");
    start["background"] = json!(true);
    let started = client.ask("start", start);
    let id = started["sessionId"].clone();
    let ready = json!({"sessionId": id, "until": [{"pattern": "^ready$"}], "waitMs": 60_000});
    assert_eq!(client.ask("wait", ready)["outcome"], "matched");
    let mut one = |number: usize| {
        let until = json!([{"pattern": format!("^{number}$")}]);
        let write = json!({"sessionId": id, "data": format!("{number}\n"), "until": until, "waitMs": 10_000});
        client.time("write", write)
    };
    one(0);
    quantiles((1..=ECHOES).map(one).collect())
}

fn echo(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let server = Server::new();
    let far = Client::new("");
    let mut client = Client::new(&server.section("h1", far.home()));
    let mut cat = Command::new("ssh");
    cat.arg("-F")
        .arg(server.ssh_config())
        .args(["-T", "h1", "cat"]);
    let (ssh, ssh_99) = plain(cat);
    let (here, here_99) = typed(&mut client, json!({}));
    let (there, there_99) = typed(&mut client, json!({"host": "h1"}));
    figures.millis("plain ssh HOST cat", ssh, 1000.0);
    figures.millis("plain ssh HOST cat, p99", ssh_99, 1000.0);
    figures.millis("a session here", here, 1000.0);
    figures.millis("a session here, p99", here_99, 1000.0);
    figures.millis("a session on the host", there, 1000.0);
    figures.millis("a session on the host, p99", there_99, 1000.0);
    figures.millis("more than plain ssh", there - ssh, 1.0 + here * 1000.0);
    figures.add("times plain ssh", there / ssh, "", 15.0);
    figures.1
}

/// A host with finished jobs.
fn host() -> Client {
    let mut far = Client::new("");
    let start = json!({"command": "true", "background": true, "keep": true});
    for _ in 0..JOBS {
        far.ask("start", start.clone());
    }
    far
}

/// The connections of a process: its children with this name.
fn children(pid: u32, name: &str) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"))
        .unwrap()
        .flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let pids: Vec<u32> = lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect();
    let is_named = |pid: &u32| {
        let comm = std::fs::read_to_string(format!("/proc/{pid}/comm"));
        comm.is_ok_and(|comm| comm.trim() == name)
    };
    pids.into_iter().filter(is_named).collect()
}

/// Megabytes that a process has for itself, and its part of what it shares.
fn memory(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.unwrap().split_whitespace().next().unwrap();
    kib.parse::<f64>().unwrap() / 1024.0
}

fn median(client: &mut Client, list: &Value) -> f64 {
    let times = (0..21).map(|_| client.time_unread("list", list.clone()));
    quantiles(times.collect()).0
}

fn list(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let server = Server::new();
    let far: Vec<Client> = (0..HOSTS).map(|_| host()).collect();
    let sections = far
        .iter()
        .enumerate()
        .map(|(n, far)| server.section(&format!("h{n}"), far.home()));
    let mut client = Client::new(&sections.collect::<String>());
    let [daemon, _] = client.pids();
    let (used, had) = (processor(daemon), memory(daemon));
    let all = json!({"limit": 100_000, "hostWaitMs": 60_000});
    let opened = client.time("list", all.clone());
    let listed = client.ask("list", all);
    assert_eq!(listed["sessions"].as_array().unwrap().len(), HOSTS * JOBS);
    let links = children(daemon, "ssh");
    assert_eq!(links.len(), HOSTS);
    let hosts = HOSTS as f64;
    let of_ssh: f64 = links.iter().map(|pid| processor(*pid)).sum();
    figures.millis("all links are open", opened, 30_000.0);
    let each = (processor(daemon) - used + of_ssh) / hosts;
    figures.millis("processor for each link", each, 100.0);
    let of_ssh: f64 = links.iter().map(|pid| memory(*pid)).sum();
    let each = (memory(daemon) - had + of_ssh) / hosts;
    figures.add("memory of each link, with ssh", each, "MB", 9.0);
    let short = json!({"limit": 200, "hostWaitMs": 0});
    figures.millis(
        "200 rows of the list, last known",
        median(&mut client, &short),
        20.0,
    );
    let known = json!({"limit": 100_000, "hostWaitMs": 0});
    figures.millis("the list, last known", median(&mut client, &known), 20.0);
    let asked = json!({"limit": 100_000, "hostWaitMs": 300});
    figures.millis("the list, asked anew", median(&mut client, &asked), 300.0);
    let mut commands: Vec<f64> = (0..9).map(|_| client.command(&["ls"])).collect();
    commands.sort_by(f64::total_cmp);
    // All hosts look for the ports of their jobs, which is done by the processors of this one machine here.
    figures.millis("bgproc ls", commands[4], 1000.0);
    std::thread::sleep(REST);
    let before = wake_ups(daemon);
    std::thread::sleep(REST);
    let each = (wake_ups(daemon) - before) as f64 / hosts;
    figures.add(
        "wake-ups of the daemon in 60 s, for each host",
        each,
        "",
        2.0,
    );
    figures.1
}
