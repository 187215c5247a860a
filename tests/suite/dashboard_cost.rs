//! What the dashboard costs: frames, bytes, wake-ups and memory. How soon it paints and how soon a key shows is
//! what the bench `latency` measures.
//!
//! The figures are printed (`--nocapture`). `BGPROC_SOAK=1` measures for longer.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::daemon::{memory_kib, pids};
use crate::support::process::{Io, sleeps};
use crate::support::{Home, Serve, Terminal, rounds};

/// Frames of the dashboard, at most.
const FRAMES_A_SECOND: f64 = 30.0;

#[test]
fn a_key_costs_no_more_than_it_changes() {
    let home = Home::new();
    home.start(&["-n", "cat", "stty -echo -icanon; echo up; exec cat"]);
    let mut view = Terminal::new(&home, &["attach", "cat"], (80, 24));
    view.wait_for_text("up");
    view.wait_for_text("INSERT");
    let mut bytes = Vec::new();
    // Fewer than a line of the view has columns.
    for n in 0..rounds(30, 70) {
        let key = char::from(b'A' + u8::try_from(n % 26).unwrap());
        let before = view.written;
        view.send(key.to_string());
        view.wait_for("the key", |screen| {
            let cursor = screen.cursor();
            let cell = cursor
                .col
                .checked_sub(1)
                .and_then(|col| screen.cell(cursor.row, col));
            cell.is_some_and(|cell| cell.text == key.to_string())
        });
        bytes.push(view.written - before);
    }
    bytes.sort_unstable();
    eprintln!("bytes for a key: {bytes:?}");
    // The cell and the cursor, not the screen again. Something else may change beside one key or another.
    assert!(bytes[bytes.len() / 2] < 200, "{bytes:?}");
}

#[test]
fn a_hundred_idle_jobs_cost_nothing() {
    let home = Home::with_config("max_sessions_per_scope = 200\n");
    let mut agent = Serve::new(&home, &["--scope", "many"]);
    for n in 0..100 {
        let start = json!({"action": "start", "command": "sleep", "args": ["1000"], "background": true,
            "label": format!("idle{n:03}"), "timeoutSec": 0});
        agent.ok(start);
    }
    let mut view = Terminal::new(&home, &[], (120, 40));
    view.wait_for_text("100 running");
    view.wait_for_text("idle000");
    // What still has to come, comes: jobs at rest are told without seconds.
    view.wait_for("rest", |screen| {
        screen.text(true).matches("<1m").count() > 30
    });
    let length = Duration::from_secs(rounds(5, 300).into());
    let (daemon, keeper) = pids(&mut agent);
    let all = [view.pid(), daemon, keeper];
    let (before, began) = (all.map(sleeps), Instant::now());
    let paints = view.watch(length);
    let woken: Vec<u64> = std::iter::zip(all, before)
        .map(|(pid, before)| sleeps(pid) - before)
        .collect();
    let length = began.elapsed();
    eprintln!(
        "100 idle jobs in {length:?}: woken {woken:?} times (dashboard, daemon, keeper), {paints} writes"
    );
    // The minute of the clock, with which the dashboard asks what all jobs use, and a look
    // at all of them at doubling distances; nothing else happens.
    let minutes = length.as_secs() / 60 + 1;
    for woken in woken {
        assert!(woken <= 16 * minutes, "{woken} in {length:?}");
    }
}

#[test]
fn a_flood_costs_no_more_than_its_frames() {
    let home = Home::new();
    home.start(&["-n", "flood", "n=0; while :; do echo $((n+=1)); done"]);
    home.start(&["-n", "cat", "stty -echo -icanon; echo up; exec cat"]);
    let mut view = Terminal::new(&home, &[], (80, 24));
    view.wait_for_text("2 running");
    view.send("/flood\r");
    view.wait_for_text("flood ● running");
    view.watch(Duration::from_secs(1));
    let length = Duration::from_secs(rounds(3, 60).into());
    // What it has written itself, however late we read it; and no more time than was there for it.
    let (began, before) = (Instant::now(), Io::of(view.pid()));
    view.watch(length);
    let used = Io::of(view.pid()).since(before);
    let seconds = began.elapsed().as_secs_f64();
    let (frames, bytes) = (
        used.writes as f64 / seconds,
        used.written_bytes as f64 / seconds,
    );
    eprintln!("a flood: {frames:.1} frames and {bytes:.0} bytes a second");
    // One more that was due when it began.
    assert!(frames <= FRAMES_A_SECOND + 1.0, "{frames}");
    // A frame in which every cell of the pane has changed has some 2 kB here.
    assert!(bytes < FRAMES_A_SECOND * 4096.0, "{bytes}");
    // Keys get through: to the view, and to another job.
    view.send("/\x15cat\r");
    view.wait_for_text("cat ● running");
    view.wait_for_text("│ up");
    view.send("iTYPED");
    view.wait_for_text("TYPED");
}

#[test]
fn memory_stays_flat() {
    let home = Home::new();
    let gate = home.gate();
    let megabytes = rounds(20, 1000);
    let line = format!(
        "echo up; read x < {}; yes 'a line of some length' | head -c {megabytes}M; echo; echo all; exec sleep 1000",
        gate.display()
    );
    home.start(&["-n", "flood", &line]);
    let mut view = Terminal::new(&home, &[], (80, 24));
    view.wait_for_text("│ up");
    // Once to and fro, so that what is needed once is there.
    view.send("s");
    view.wait_for_text("SCROLL");
    view.send("G");
    view.wait_for_text("NORMAL");
    let before = memory_kib(view.pid());
    std::fs::write(gate, "go\n").unwrap();
    view.wait_for_text("│ all");
    let after = memory_kib(view.pid());
    eprintln!("memory: {before} KiB before a flood of {megabytes} MB, {after} KiB after it");
    assert!(after < before + 16 * 1024, "{before} KiB, then {after} KiB");
}
