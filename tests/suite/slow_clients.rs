//! Clients that do not read, ask too much, or die: nobody else notices.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::resident_bytes;
use crate::support::{DEADLINE, Home, Serve, eventually};

/// A connection to the daemon's socket, with nothing of ours in between.
struct Raw {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
}

impl Raw {
    fn new(home: &Home, scope: &str) -> Self {
        let mut raw = Self::silent(home);
        raw.say(&json!({"action": "hello", "protocol": 1, "version": "test", "role": "agent", "scope": scope}));
        assert_eq!(raw.line()["event"], "hello");
        raw
    }

    fn silent(home: &Home) -> Self {
        let stream = UnixStream::connect(home.path().join("daemon.sock")).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        let lines = BufReader::with_capacity(4096, stream.try_clone().unwrap());
        Self { stream, lines }
    }

    fn say(&mut self, request: &Value) {
        self.stream
            .write_all(format!("{request}\n").as_bytes())
            .unwrap();
    }

    #[track_caller]
    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The next line that is a reply.
    #[track_caller]
    fn reply(&mut self) -> Value {
        loop {
            let line = self.line();
            if line.get("event").is_none() {
                return line;
            }
        }
    }

    #[track_caller]
    fn ask(&mut self, request: &Value) -> Value {
        self.say(request);
        self.reply()
    }

    /// Writes `bytes` again and again until the other side takes no more for a
    /// while; says how many it took.
    fn stuff(&mut self, bytes: &[u8], most: usize) -> usize {
        self.stream
            .set_write_timeout(Some(Duration::from_millis(500)))
            .unwrap();
        let mut taken = 0;
        while taken < most {
            match self.stream.write(&bytes[taken % bytes.len()..]) {
                Ok(written) => taken += written,
                Err(_) => break,
            }
        }
        taken
    }
}

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &["--scope", "s"]);
    (home, serve)
}

fn daemon(serve: &Serve) -> u32 {
    u32::try_from(serve.hello["pid"].as_u64().unwrap()).unwrap()
}

/// Asks something short again and again: each is answered before the deadline of `Serve`. A daemon that waits for
/// somebody else would not answer at all; how soon it does is what the bench `latency` measures.
#[track_caller]
fn is_served(serve: &mut Serve, job: &Job) {
    for _ in 0..20 {
        job.ask(serve, "poll", json!({}));
    }
}

#[test]
fn a_frame_is_made_once_for_all_who_watch() {
    const WATCHERS: u64 = 40;
    const FRAMES: u64 = 12;
    let home = Home::with_config("log_level = \"debug\"\n");
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let line = "read x; i=0; while :; do i=$((i+1)); printf '\\033[H%s\\033[5m%0100d\\n' \"$i\" $i; /bin/true; done";
    let flood = Job::start(&mut serve, line);
    let watch = json!({"id": 1, "action": "watch", "sessionId": flood.id, "maxFps": 10});
    let join = |_| {
        let mut watcher = Raw::new(&home, "s");
        assert_eq!(watcher.ask(&watch)["ok"], true);
        watcher
    };
    let mut watchers: Vec<Raw> = (0..WATCHERS).map(join).collect();
    flood.ask(&mut serve, "write", json!({"data": "\n"}));
    for watcher in &mut watchers {
        for _ in 0..FRAMES {
            while watcher.line()["event"] != "screen" {}
        }
    }
    drop(watchers);
    eventually("no viewer is counted any more", || {
        let viewers = &flood.ask(&mut serve, "status", json!({}))["viewers"];
        (*viewers == 0).then_some(())
    });
    let said = home.ok(&["daemon", "logs"]);
    let number = |name: &str| -> u64 {
        let (_, rest) = said
            .split_once("the last watcher left")
            .and_then(|(_, rest)| rest.split_once(name))
            .unwrap_or_else(|| panic!("no {name}: {said}"));
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse().unwrap()
    };
    let (made, sent) = (number("made="), number("sent="));
    assert!(sent >= WATCHERS * FRAMES, "{sent}");
    assert!(made * 4 <= sent, "{made} were made, {sent} sent");
}

#[test]
fn a_watcher_that_stops_reading_gets_newer_frames_and_slows_nobody() {
    let (home, mut serve) = serve();
    let quiet = Job::start(&mut serve, "echo up; exec sleep 1000");
    quiet.wait_for(&mut serve, "^up$");
    let line = "i=0; while :; do i=$((i+1)); printf '\\033[H%s\\033[5m%0100d\\n' \"$i\" $i; /bin/true; done";
    let flood = Job::start(&mut serve, line);
    let mut watcher = Raw::new(&home, "s");
    let watch = json!({"id": 1, "action": "watch", "sessionId": flood.id, "maxFps": 60});
    assert_eq!(watcher.ask(&watch)["ok"], true);
    let subscribe = json!({"id": 2, "action": "subscribe", "events": ["output", "title", "bell"]});
    assert_eq!(watcher.ask(&subscribe)["ok"], true);
    // Nobody reads from here on. Its log grows as it did, and others are answered.
    let size = |serve: &mut Serve| {
        let status = flood.ask(serve, "status", json!({}));
        status["outputBytes"].as_u64().unwrap()
    };
    for _ in 0..3 {
        let before = size(&mut serve);
        let wait = json!({"until": [{"pattern": "no such"}], "timeoutMs": 300});
        quiet.ask(&mut serve, "wait", wait);
        assert!(size(&mut serve) > before, "the job stands still");
    }
    is_served(&mut serve, &quiet);
    let memory = resident_bytes(daemon(&serve));
    assert!(memory < 64 << 20, "{memory} bytes");
    let killed = flood.ask(&mut serve, "kill", json!({"force": true}));
    assert_eq!(killed["status"], "killed");
    let last = flood.ask(&mut serve, "capture", json!({}))["screenSeq"].clone();
    // What waits for it is little, and its end is what the screen is now.
    let mut frames = 0;
    loop {
        let event = watcher.line();
        if event["event"] != "screen" {
            continue;
        }
        frames += 1;
        if event["data"]["screenSeq"] == last {
            break;
        }
    }
    assert!(frames < 3000, "{frames} frames had been kept");
}

#[test]
fn requests_without_end_are_held_up_and_not_kept() {
    let (home, mut serve) = serve();
    let job = Job::start(&mut serve, "seq 1 12000; exec sleep 1000");
    job.wait_for(&mut serve, "^12000$");
    let mut greedy = Raw::new(&home, "s");
    let request = json!({"id": 1, "action": "poll", "sessionId": job.id, "maxChars": 50_000});
    // Blanks, so that what the kernel keeps is few requests.
    let line = format!("{request}{}\n", " ".repeat(4000));
    let all = line.len() * 100_000;
    let taken = greedy.stuff(line.repeat(100).as_bytes(), all);
    assert!(taken < all / 100, "{taken} bytes of requests were taken");
    is_served(&mut serve, &job);
    let memory = resident_bytes(daemon(&serve));
    assert!(memory < 100 << 20, "{memory} bytes");
    // Who reads again is answered, all that was taken and nothing twice.
    greedy.stream.shutdown(Shutdown::Write).unwrap();
    let mut answered = 0;
    let mut rest = String::new();
    while greedy.lines.read_line(&mut rest).unwrap() > 0 {
        answered += usize::from(rest.contains(r#""ok":true"#));
        rest.clear();
    }
    // A line that was cut among its blanks is one, too.
    let whole = taken.div_ceil(line.len());
    assert!(
        (whole.saturating_sub(256)..=whole).contains(&answered),
        "{answered} of {whole}"
    );
}

#[test]
fn ids_that_are_used_twice_count_twice() {
    let (home, mut serve) = serve();
    let job = Job::start(&mut serve, "exec sleep 1000");
    let mut client = Raw::new(&home, "s");
    let wait = json!({"id": "same", "action": "wait", "sessionId": job.id, "timeoutMs": 600_000});
    for _ in 0..257 {
        client.say(&wait);
    }
    let refused = client.reply();
    assert_eq!(refused["error"]["code"], "limit_exceeded", "{refused}");
    let cancel = json!({"id": 2, "action": "cancel", "requestId": "same"});
    client.say(&cancel);
    assert_eq!(client.reply()["error"]["code"], "cancelled");
    assert_eq!(client.reply()["id"], 2);
    // The others are cancelled with the end of its input, each for itself.
    client.stream.shutdown(Shutdown::Write).unwrap();
    for _ in 0..255 {
        assert_eq!(client.reply()["error"]["code"], "cancelled");
    }
    assert_eq!(client.lines.read(&mut [0; 1]).unwrap(), 0);
}

#[test]
fn clients_that_die_half_way_leave_the_rest_alone() {
    let (home, mut serve) = serve();
    let job = Job::start(&mut serve, "seq 1 12000; exec sleep 1000");
    job.wait_for(&mut serve, "^12000$");
    for _ in 0..20 {
        let mut torn = Raw::new(&home, "s");
        torn.stream.write_all(b"{\"id\":1,\"action\":\"li").unwrap();
        drop(torn);
        // Gone before a long answer is out.
        let mut gone = Raw::new(&home, "s");
        gone.say(&json!({"id": 1, "action": "poll", "sessionId": job.id, "maxChars": 262_144}));
        drop(gone);
        drop(Raw::silent(&home));
    }
    assert_eq!(
        job.ask(&mut serve, "status", json!({}))["status"],
        "running"
    );
    // The last of them may not have been seen to go yet.
    eventually("one connection is left", || {
        let left = &serve.ok(json!({"action": "stats"}))["connections"];
        (*left == 1).then_some(())
    });
}

#[test]
fn who_reads_a_byte_at_a_time_holds_up_only_itself() {
    let (home, mut serve) = serve();
    let job = Job::start(&mut serve, "seq 1 30000; exec sleep 1000");
    job.wait_for(&mut serve, "^30000$");
    let mut slow = Raw::new(&home, "s");
    let request = json!({"id": 1, "action": "poll", "sessionId": job.id, "maxChars": 262_144});
    for _ in 0..5 {
        slow.say(&request);
    }
    for _ in 0..3 {
        // A byte now and then, as from a line of 300 baud.
        assert_eq!(slow.stream.read(&mut [0; 1]).unwrap(), 1);
        is_served(&mut serve, &job);
    }
}

#[test]
fn two_hundred_clients_at_once_are_all_served() {
    let (home, mut serve) = serve();
    let job = Job::start(&mut serve, "echo up; exec sleep 1000");
    job.wait_for(&mut serve, "^up$");
    let mut clients: Vec<Raw> = (0..200).map(|_| Raw::silent(&home)).collect();
    let hello =
        json!({"action": "hello", "protocol": 1, "version": "test", "role": "agent", "scope": "s"});
    for client in &mut clients {
        client.say(&hello);
        client.say(&json!({"id": 1, "action": "poll", "sessionId": job.id}));
    }
    for client in &mut clients {
        assert_eq!(client.line()["event"], "hello");
        assert_eq!(client.reply()["result"]["output"], "up\n");
    }
    assert_eq!(serve.ok(json!({"action": "stats"}))["connections"], 201);
}

#[test]
fn the_socket_takes_no_nonsense_either() {
    let (home, _serve) = serve();
    let mut client = Raw::silent(&home);
    let nested = "[".repeat(100_000);
    for (line, code) in [
        (&b"\xff\xfe\n"[..], "parse_error"),
        (b"{\"id\":1,\"action\":\"list\"\0}\n", "parse_error"),
        (b"[]\n", "invalid_request"),
        (format!("{nested}\n").as_bytes(), "parse_error"),
        (
            b"{\"id\":1,\"id\":2,\"action\":\"list\"}\n",
            "invalid_request",
        ),
        (b"{\"action\":\"list\",\"bogus\":null}\n", "invalid_params"),
        (
            b"{\"action\":\"list\",\"limit\":18446744073709551616}\n",
            "invalid_params",
        ),
        (b"{\"action\":\"list\",\"limit\":1e400}\n", "parse_error"),
        (
            b"{\"action\":\"start\",\"command\":\"x\",\"timeoutSec\":1,\"timeoutMs\":1}\n",
            "invalid_params",
        ),
    ] {
        client.stream.write_all(line).unwrap();
        let reply = client.reply();
        assert_eq!(reply["error"]["code"], code, "{reply}");
    }
    // Blank lines and CRLF are no reason to complain, and the last line needs no end.
    client
        .stream
        .write_all(
            b"\n \r\n{\"id\":\"x\",\"action\":\"list\"}\r\n{\"id\":\"y\",\"action\":\"list\"}",
        )
        .unwrap();
    client.stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(client.reply()["id"], "x");
    assert_eq!(client.reply()["id"], "y");
    assert_eq!(client.lines.read(&mut [0; 1]).unwrap(), 0);
}

#[test]
fn a_hundred_megabytes_in_a_line_are_skipped_and_not_kept() {
    let (home, serve) = serve();
    let mut client = Raw::new(&home, "s");
    let megabyte = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        client.stream.write_all(&megabyte).unwrap();
    }
    client.stream.write_all(b"\n").unwrap();
    assert_eq!(client.reply()["error"]["code"], "too_large");
    assert_eq!(client.ask(&json!({"id": 1, "action": "list"}))["ok"], true);
    let memory = resident_bytes(daemon(&serve));
    assert!(memory < 32 << 20, "{memory} bytes");
}
