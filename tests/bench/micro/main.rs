//! Micro-benchmarks of what every byte and every request passes through.
//!
//! `cargo bench --bench micro`, or with a part of a name behind it.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../data.rs"]
mod data;

use std::time::Duration;

use bgproc::protocol::reply::Listed;
use bgproc::protocol::{Request, Summary};
use bgproc::term::compat::Compat;
use bgproc::term::keyparse;
use bgproc::term::keys;
use bgproc::term::plain::reader::Reader;
use bgproc::term::plain::{Checkpoint, Layout, LayoutKind, Plain};
use bgproc::term::screen::{Picture, Screen};
use bgproc::term::size::Size;
use bgproc::term::skim::skim;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

const SETS: [usize; 4] = [0, 1, 2, 3];

/// Time for each line at most.
const MAX_TIME: Duration = Duration::from_secs(1);

fn main() {
    let divan = divan::Divan::default().max_time(MAX_TIME);
    divan.config_with_args().main();
}

/// Bytes of each data set: as much as a flood brings in one turn.
const SIZE: usize = 1 << 20;

fn size() -> Size {
    Size::new(24, 80)
}

/// A data set as a terminal passes it on.
fn set(number: usize) -> Vec<u8> {
    let bytes = (data::SETS[number].1)(SIZE);
    String::from_utf8(bytes)
        .unwrap()
        .replace('\n', "\r\n")
        .into_bytes()
}

fn layout() -> Layout {
    Layout {
        size: size(),
        kind: LayoutKind::Terminal,
    }
}

fn start() -> Checkpoint {
    Checkpoint {
        exact: true,
        ..Checkpoint::at(0)
    }
}

#[divan::bench(args = SETS)]
fn compat_layer(bencher: Bencher, number: usize) {
    let bytes = set(number);
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| {
            let mut parser = vt100::Parser::default();
            Compat::new(size()).feed(&mut parser, &bytes)
        });
}

#[divan::bench(args = SETS)]
fn screen_feed(bencher: Bencher, number: usize) {
    let bytes = set(number);
    let mut screen = Screen::new(size());
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| screen.feed(&bytes));
}

#[divan::bench(args = SETS)]
fn screen_text(bencher: Bencher, number: usize) {
    let mut screen = Screen::new(size());
    screen.feed(&set(number));
    bencher.bench_local(|| screen.text(true));
}

#[divan::bench(args = SETS)]
fn screen_ansi(bencher: Bencher, number: usize) {
    let mut screen = Screen::new(size());
    screen.feed(&set(number));
    bencher.bench_local(|| screen.ansi());
}

#[divan::bench(args = SETS)]
fn screen_difference(bencher: Bencher, number: usize) {
    let bytes = set(number);
    let mut screen = Screen::new(size());
    screen.feed(&bytes[..SIZE / 2]);
    let before = screen.picture();
    screen.feed(&bytes[SIZE / 2..SIZE / 2 + 2000]);
    bencher.bench_local(|| screen.changes(&before));
}

/// What a watcher costs a frame: rows and columns.
const WINDOWS: [(u16, u16); 2] = [(40, 120), (60, 200)];

/// A screen full of coloured text, and what it was a few lines ago.
fn watched((rows, cols): (u16, u16)) -> (Screen, Picture) {
    let bytes = set(1);
    let mut screen = Screen::new(Size::new(rows, cols));
    screen.feed(&bytes[..SIZE / 2]);
    let before = screen.picture();
    screen.feed(&bytes[SIZE / 2..SIZE / 2 + 200]);
    screen.feed(HOME);
    (screen, before)
}

/// Output that has to be compared: what it does depends on more than is shown.
const HOME: &[u8] = b"\x1b[H";

#[divan::bench(args = WINDOWS)]
fn frame_picture(bencher: Bencher, window: (u16, u16)) {
    let (mut screen, _) = watched(window);
    bencher.bench_local(|| {
        screen.feed(HOME);
        screen.picture()
    });
}

#[divan::bench(args = WINDOWS)]
fn frame_of_a_key(bencher: Bencher, window: (u16, u16)) {
    let (mut screen, _) = watched(window);
    bencher.bench_local(|| {
        let before = screen.picture();
        screen.feed(b"\x08x");
        screen.changes(&before)
    });
}

#[divan::bench(args = WINDOWS)]
fn frame_difference(bencher: Bencher, window: (u16, u16)) {
    let (screen, before) = watched(window);
    bencher.bench_local(|| screen.changes(&before));
}

#[divan::bench(args = SETS)]
fn skimming(bencher: Bencher, number: usize) {
    let bytes = set(number);
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| skim(&bytes, 24, false, 16 * 1024));
}

#[divan::bench(args = SETS)]
fn plain_lines_drawn(bencher: Bencher, number: usize) {
    let bytes = set(number);
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| {
            let mut plain = Plain::new(layout());
            plain.set_track_touched(false);
            plain.feed(&bytes);
            plain.drain_final().len()
        });
}

#[divan::bench(args = SETS)]
fn grep(bencher: Bencher, number: usize) {
    let bytes = set(number);
    let regex = regex::Regex::new("needle [0-9]+").unwrap();
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| {
            let mut found = 0;
            let mut reader = Reader::new(layout(), start());
            let mut take = |line: bgproc::term::plain::reader::Shown<'_>| {
                found += usize::from(regex.is_match(line.text));
                true
            };
            for chunk in bytes.chunks(256 * 1024) {
                reader.feed(chunk, &mut take);
            }
            reader.finish(&mut take);
            found
        });
}

#[divan::bench]
fn key_encoding(bencher: Bencher) {
    let modes = Screen::new(size()).modes();
    let names: Vec<&str> = keys::names().collect();
    bencher.bench_local(|| {
        let lengths = names
            .iter()
            .map(|name| keys::encode(name, modes).unwrap().len());
        lengths.sum::<usize>()
    });
}

#[divan::bench]
fn key_decoding(bencher: Bencher) {
    let bytes = b"text\x1b[A\x1b[1;5C\x1b[<0;10;20M\x1b[200~paste\x1b[201~\x03\xc3\xa9";
    bencher
        .counter(BytesCount::of_slice(bytes))
        .bench_local(|| keyparse::KeyReader::new().feed(black_box(bytes)));
}

#[divan::bench]
fn request_line(bencher: Bencher) {
    let line =
        br#"{"id":7,"action":"poll","sessionId":"abcdefghijkl","since":"c1234","maxChars":500}"#;
    bencher.bench_local(|| Request::parse(black_box(line)).unwrap());
}

#[divan::bench(args = [1, 1000])]
fn list_reply(bencher: Bencher, sessions: usize) {
    let listed = Listed {
        sessions: vec![record(); sessions],
        counts: [("running".to_owned(), sessions as u64)].into(),
        hosts: Vec::new(),
    };
    bencher.bench_local(|| serde_json::value::to_raw_value(&listed).unwrap());
}

/// A record as one of 1,000 sleeping jobs has it.
fn record() -> Summary {
    serde_json::from_value(serde_json::json!({
        "sessionId": "abcdefghijkl", "label": null, "group": null, "command": "sleep", "args": ["3000"],
        "cwd": "/home/user/project", "mode": "pty", "rows": 24, "cols": 80, "pid": 12345, "status": "running",
        "exitCode": null, "signal": null, "createdAt": "2026-11-21T20:00:00.123Z", "endedAt": null,
        "runtimeMs": 123_456, "lastAccessedAt": "2026-11-21T20:00:00.123Z", "lastOutputAt": null,
        "idleMs": 123_456, "inputState": "none", "ready": null, "title": null, "outputBytes": 0,
        "outputLines": 0, "offloaded": false, "outputFile": null, "cpuPercent": 0.0, "memoryBytes": 1_000_000,
        "restarts": 0, "heldBy": null, "share": "none", "keep": false,
    }))
    .unwrap()
}
