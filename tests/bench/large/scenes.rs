//! What is played, and the bounds.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Client;
use crate::figure::{Figure, Figures, Scene};

/// All of them.
pub(crate) const ALL: [Scene; 5] = [
    ("11,000 jobs", crowd),
    ("a log of 5 GB", long_log),
    ("a line of 200 MB", long_line),
    ("a byte a millisecond", drip),
    ("1,000,000 lines", lines),
];

const RUNNING: u64 = 1000;
const ENDED: u64 = 10_000;

/// Bytes of the long log: lines of thirteen digits, written through pipes.
const LOG: u64 = 5_000_000_000;

/// Bytes of the long line.
const LINE: u64 = 200_000_000;

/// How long bytes drip.
const DRIP: Duration = Duration::from_secs(60);

/// Large enough for all that is played.
const CONFIG: &str = "max_sessions = 12000\ntotal_log_bytes = 20_000_000_000\nlog_bytes = 8_000_000_000\n\
     [retention]\npeople_jobs = 20000\n";

fn memory(figures: &mut Figures, client: &mut Client, bounds: [f64; 2]) {
    let [daemon, keeper] = client.memory();
    figures.add("memory of the daemon", daemon, "MB", bounds[0]);
    figures.add("memory of the keeper", keeper, "MB", bounds[1]);
}

fn crowd(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let mut start_many = |count: u64, line: &str| {
        let began = Instant::now();
        let start = json!({ "command": line, "background": true });
        // A hundred under way at a time: a connection may have 256.
        for _ in 0..count / 100 {
            let ids: Vec<u64> = (0..100)
                .map(|_| client.send("start", start.clone()))
                .collect();
            ids.into_iter().for_each(|id| drop(client.reply(id)));
        }
        began.elapsed().as_secs_f64() * 1000.0 / count as f64
    };
    let running = start_many(RUNNING, "exec sleep 100000");
    let ended = start_many(ENDED, "echo hello");
    figures.add("start, each of 1,000 that run on", running, "ms", 20.0);
    figures.add("start, each of 10,000 that end", ended, "ms", 20.0);
    // Until the last of them have ended, and their screens rest.
    std::thread::sleep(Duration::from_secs(5));
    memory(&mut figures, &mut client, [250.0, 60.0]);
    let list = client.time("list", json!({ "limit": 20_000 }));
    figures.millis("list of all", list, 2000.0);
    let page = client.time("list", json!({ "limit": 100, "status": "running" }));
    figures.millis("list of the first 100 that run", page, 200.0);
    let ls = client.command(&["ls"]);
    figures.millis("bgproc ls", ls, 1500.0);
    let began = client.command(&["run", "-q", "true"]);
    figures.millis("bgproc run", began, 500.0);
    let up = client.restart_daemon();
    figures.millis("the next daemon answers after a kill", up, 15_000.0);
    memory(&mut figures, &mut client, [250.0, 60.0]);
    figures.1
}

fn long_log(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let count = LOG / 14;
    let job = client.start("pipe", &format!("seq -f '%013.0f' 1 {count} | cat"));
    let seconds = client.await_end(&job);
    eprintln!("{:.0} MB/s", LOG as f64 / 1e6 / seconds);
    let target = |line: u64| json!({ "sessionId": job, "fromLine": line, "lines": 100 });
    let middle = client.time("log", target(count / 2));
    figures.millis("100 lines in the middle", middle, 1000.0);
    let first = client.time("log", target(1));
    figures.millis("the first 100 lines", first, 500.0);
    let poll = client.time("poll", json!({ "sessionId": job }));
    figures.millis("the end", poll, 100.0);
    let screen = client.time("capture", json!({ "sessionId": job }));
    figures.millis("the screen", screen, 100.0);
    let grep = json!({ "sessionId": job, "grep": "no line has this [0-9]+" });
    let grep = client.time("log", grep);
    figures.add("search for what is nowhere", grep, "s", 60.0);
    memory(&mut figures, &mut client, [80.0, 20.0]);
    let up = client.restart_daemon();
    figures.millis("the next daemon answers after a kill", up, 2000.0);
    let poll = client.time("poll", json!({ "sessionId": job }));
    // It has counted all lines again.
    figures.add("the end, from that one", poll, "s", 30.0);
    figures.1
}

fn long_line(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let line = format!("head -c {LINE} /dev/zero | tr '\\0' x; echo; echo behind it");
    let job = client.start("pty", &line);
    let until = json!([{ "pattern": "^behind it$" }]);
    let wait = json!({ "sessionId": job, "until": until, "timeoutMs": 600_000 });
    let met = client.time("wait", wait);
    figures.add("wait for the line behind it", met, "s", 60.0);
    figures.millis(
        "the end",
        client.time("poll", json!({ "sessionId": job })),
        200.0,
    );
    let lines = client.time("log", json!({ "sessionId": job, "tail": 2 }));
    figures.millis("both lines", lines, 5000.0);
    let grep = json!({ "sessionId": job, "grep": "xxxy" });
    figures.add("search in it", client.time("log", grep), "s", 30.0);
    memory(&mut figures, &mut client, [80.0, 20.0]);
    figures.1
}

fn drip(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let program = "import os, time
while True:
    os.write(1, b'x')
    time.sleep(0.001)";
    let job = client.start("pty", &format!("exec python3 -c \"{program}\""));
    client.ask(
        "wait",
        json!({ "sessionId": job, "until": [{ "pattern": "x" }] }),
    );
    let before = client.processor();
    std::thread::sleep(DRIP);
    let used = client.processor() - before;
    let share = used / DRIP.as_secs_f64() * 100.0;
    figures.add("processor of daemon and keeper", share, "%", 40.0);
    let index = std::fs::metadata(client.session_dir(&job).join("output.idx")).unwrap();
    let bytes = client.ask("status", json!({ "sessionId": job }))["outputBytes"].clone();
    let per_byte = index.len() as f64 / bytes.as_f64().unwrap();
    figures.add("index, for each byte of the log", per_byte, "B", 2.0);
    figures.millis(
        "the end",
        client.time("poll", json!({ "sessionId": job })),
        100.0,
    );
    memory(&mut figures, &mut client, [40.0, 20.0]);
    figures.1
}

fn lines(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    let mut client = Client::new(CONFIG);
    let job = client.start(
        "pty",
        "seq -f 'line %.0f of a log that is searched' 1 1000000 | cat",
    );
    client.await_end(&job);
    let grep = |pattern: &str| json!({ "sessionId": job, "grep": pattern, "maxMatches": 100 });
    let rare = client.time("log", grep("line 777777 of"));
    figures.millis("search for one line", rare, 2000.0);
    let none = client.time("log", grep("error|warning|fatal"));
    figures.millis("search for three words that are nowhere", none, 3000.0);
    let often = client.time("log", grep("searched"));
    figures.millis("search for what each line has, the last 100", often, 3000.0);
    let case = json!({ "sessionId": job, "grep": "LINE 7{6} OF", "ignoreCase": true });
    let case = client.time("log", case);
    figures.millis("search in any case", case, 5000.0);
    memory(&mut figures, &mut client, [60.0, 20.0]);
    figures.1
}
