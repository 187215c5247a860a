//! What is measured, and the bounds.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::client::Client;
use crate::figure::{Figure, Figures, Scene};
use crate::view::{View, bgproc};

/// All of them.
pub(crate) const ALL: [Scene; 7] = [
    ("the dashboard", dashboard),
    ("100 idle jobs", idle),
    ("beside a flood", flood),
    ("beside who does not read", deaf),
    ("beside a long reading", reading),
    ("a stopped daemon", stopped),
    ("at rest", rest),
];

/// The time between two frames of the dashboard: thirty a second.
const FRAME: Duration = Duration::from_millis(33);

/// Keys that are typed: fewer than a line of the view has columns.
const KEYS: u8 = 70;

/// Jobs of the client may have logs without bound.
const CONFIG: &str = "total_log_bytes = 20_000_000_000\nlog_bytes = 8_000_000_000\n";

/// The value that so many of a hundred do not exceed, in order.
fn percentile(values: &mut [f64], part: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() * part / 100).min(values.len() - 1)]
}

/// Seconds of the processor that all threads of a process have used.
fn processor(pid: u32) -> f64 {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let nanos = threads.flatten().map(|thread| {
        let times = std::fs::read_to_string(thread.path().join("schedstat")).unwrap();
        times.split(' ').next().unwrap().parse::<u64>().unwrap()
    });
    nanos.sum::<u64>() as f64 / 1e9
}

/// A job that has said "up", and goes on with the line.
fn job(client: &mut Client, line: &str) -> String {
    let job = client.start("pty", &format!("stty -echo; echo up; {line}"));
    wait_for(client, &job, "^up$");
    job
}

fn wait_for(client: &mut Client, job: &str, pattern: &str) {
    let wait = json!({ "sessionId": job, "since": "c0", "until": [{ "pattern": pattern }] });
    assert_eq!(client.ask("wait", wait)["outcome"], "matched");
}

fn dashboard(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    client.command(&["daemon", "stop", "--kill"]);
    let paint = |client: &Client, text: &str| {
        let began = Instant::now();
        let mut view = View::open(bgproc(client.home(), &[]));
        view.wait_for_text(text);
        began.elapsed().as_secs_f64()
    };
    let cold = paint(&client, "Nothing is running yet.");
    figures.millis("first paint, with a daemon to start", cold, 400.0);
    client.command(&["run", "-n", "web", "echo up; exec sleep 1000"]);
    let mut warm: Vec<f64> = (0..11).map(|_| paint(&client, "web ● running")).collect();
    let warm = percentile(&mut warm, 50);
    figures.millis("first paint", warm, 150.0);
    client.command(&["run", "-n", "cat", "stty -echo -icanon; echo up; exec cat"]);
    let mut view = View::open(bgproc(client.home(), &["attach", "cat"]));
    view.wait_for_text("up");
    view.wait_for_text("INSERT");
    let mut times: Vec<f64> = (0..KEYS).map(|n| echo(&mut view, n)).collect();
    figures.millis("a key shows", percentile(&mut times, 50), 5.0);
    figures.millis("a key shows, 95 %", percentile(&mut times, 95), 20.0);
    client.reconnect();
    figures.1
}

/// Seconds until a key shows in an attached `cat`.
fn echo(view: &mut View, number: u8) -> f64 {
    let key = char::from(b'A' + number % 26).to_string();
    // As a person types: not in the frame of the key before.
    view.watch(2 * FRAME);
    let began = Instant::now();
    view.send(&key);
    let drawn = view.wait_for(|screen| {
        let cursor = screen.cursor();
        let before = cursor.col.checked_sub(1);
        let cell = before.and_then(|col| screen.cell(cursor.row, col));
        cell.is_some_and(|cell| cell.text == key)
    });
    (drawn - began).as_secs_f64()
}

fn idle(scene: &'static str) -> Vec<Figure> {
    const LENGTH: Duration = Duration::from_secs(10);
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    for _ in 0..100 {
        client.start("pty", "exec sleep 1000");
    }
    let mut view = View::open(bgproc(client.home(), &[]));
    view.wait_for_text("100 running");
    // Past the looks that follow a start.
    view.watch(Duration::from_secs(5));
    let [daemon, keeper] = client.pids();
    let all = [
        ("dashboard", view.pid()),
        ("daemon", daemon),
        ("keeper", keeper),
    ];
    let before = all.map(|(_, pid)| processor(pid));
    view.watch(LENGTH);
    for ((name, pid), before) in std::iter::zip(all, before) {
        let share = (processor(pid) - before) / LENGTH.as_secs_f64() * 100.0;
        figures.add(&format!("processor of the {name}"), share, "%", 2.0);
    }
    figures.1
}

fn flood(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let flood = client.start("pty", "exec yes");
    let quiet = job(&mut client, "exec cat");
    let mut trip = |n| {
        let wait = json!({ "until": [{ "pattern": format!("^line {n}$") }] });
        let data = format!("line {n}\n");
        client.time(
            "write",
            json!({ "sessionId": quiet, "data": data, "wait": wait }),
        )
    };
    let mut trips: Vec<f64> = (0..100).map(&mut trip).collect();
    figures.millis("a line is answered", percentile(&mut trips, 50), 250.0);
    let slowest = percentile(&mut trips, 100);
    figures.millis("a line is answered, the slowest of 100", slowest, 1000.0);
    let until = json!([{ "pattern": "^no$" }]);
    let wait = json!({ "sessionId": flood, "until": until, "timeoutMs": 2000 });
    let late = client.time("wait", wait) - 2.0;
    figures.millis("a wait ends after its time", late, 4000.0);
    let killed = client.time("kill", json!({ "sessionId": flood }));
    figures.millis("the flood is killed", killed, 2000.0);
    let polled = client.time("poll", json!({ "sessionId": flood }));
    figures.millis("its end is read", polled, 1000.0);
    figures.1
}

/// Asks on a connection of its own.
fn say(stream: &mut UnixStream, mut request: Value) {
    request["id"] = json!(1);
    // In one piece: many small ones would fill the socket.
    stream.write_all(format!("{request}\n").as_bytes()).unwrap();
}

/// Seconds that a short request takes at worst, of many.
fn brief(client: &mut Client, job: &str) -> f64 {
    let mut times: Vec<f64> = (0..100)
        .map(|_| client.time("poll", json!({ "sessionId": job })))
        .collect();
    percentile(&mut times, 95)
}

fn deaf(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let quiet = job(&mut client, "exec sleep 1000");
    let line = "i=0; while :; do i=$((i+1)); printf '\\033[H%s\\033[5m%0100d\\n' \"$i\" $i; /bin/true; done";
    let painter = client.start("pty", line);
    let mut watcher = client.another();
    say(
        &mut watcher,
        json!({ "action": "watch", "sessionId": painter, "maxFps": 60 }),
    );
    std::thread::sleep(Duration::from_secs(1));
    let time = brief(&mut client, &quiet);
    figures.millis("a reply beside a watcher that stops reading", time, 500.0);
    client.ask("kill", json!({ "sessionId": painter, "force": true }));
    let long = job(&mut client, "seq 1 30000; exec sleep 1000");
    wait_for(&mut client, &long, "^30000$");
    let poll = json!({ "action": "poll", "sessionId": long, "maxChars": 262_144 });
    let mut greedy = client.another();
    for _ in 0..50 {
        say(&mut greedy, poll.clone());
    }
    let time = brief(&mut client, &quiet);
    figures.millis("a reply beside requests without end", time, 500.0);
    figures.1
}

fn reading(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let quiet = job(&mut client, "exec sleep 1000");
    let long = client.start(
        "pty",
        "yes 'a line of some length, as they are' | head -c 7000000",
    );
    client.await_end(&long);
    let mut reader = client.another();
    let mut replies = BufReader::new(reader.try_clone().unwrap());
    for (action, mut request) in [
        ("poll", json!({ "since": "c0" })),
        ("log", json!({ "grep": "none", "fromLine": 1 })),
        ("log", json!({ "fromLine": 1, "lines": 3 })),
        ("log", json!({ "tail": 3 })),
    ] {
        let what = format!("a reply beside {action} {request}");
        request["action"] = json!(action);
        request["sessionId"] = json!(long);
        let mut times = Vec::new();
        for _ in 0..20 {
            say(&mut reader, request.clone());
            times.push(client.time("poll", json!({ "sessionId": quiet })));
            let mut reply = String::new();
            replies.read_line(&mut reply).unwrap();
            assert!(reply.contains("\"ok\":true"), "{reply}");
        }
        figures.millis(&what, percentile(&mut times, 95), 400.0);
    }
    figures.1
}

fn stopped(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    client.start("pty", "exec sleep 1000");
    let [daemon, _] = client.pids();
    let daemon = Pid::from_raw(daemon.cast_signed()).unwrap();
    kill_process(daemon, Signal::STOP).unwrap();
    let named = client.failing_command(&["ls"], 69);
    kill_process(daemon, Signal::CONT).unwrap();
    figures.millis("is named", named, 2000.0);
    figures.1
}

fn rest(scene: &'static str) -> Vec<Figure> {
    const LENGTH: Duration = Duration::from_secs(3);
    const LISTS: usize = 200;
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let jobs: Vec<String> = (0..20)
        .map(|_| client.start("pty", "exec sleep 1000"))
        .collect();
    let [daemon, _] = client.pids();
    let before = processor(daemon);
    for _ in 0..LISTS {
        client.ask("list", json!({}));
    }
    let each = (processor(daemon) - before) / LISTS as f64;
    figures.millis("processor for a list of 20 jobs", each, 20.0);
    // A connection has 256 requests in flight at most.
    let mut others: Vec<UnixStream> = (0..8).map(|_| client.another()).collect();
    for other in &mut others {
        for count in 0..250 {
            let until = json!([{ "pattern": format!("never {count}") }, { "idleMs": 600_000 },
                { "exit": true }]);
            let wait = json!({ "id": count, "action": "wait", "sessionId": jobs[count % jobs.len()],
                "until": until, "timeoutMs": 600_000 });
            writeln!(other, "{wait}").unwrap();
        }
    }
    std::thread::sleep(LENGTH);
    let before = processor(daemon);
    std::thread::sleep(LENGTH);
    let share = (processor(daemon) - before) / LENGTH.as_secs_f64() * 100.0;
    figures.add("processor with 2,000 waits that wait", share, "%", 3.0);
    figures.1
}
