//! The inputs kept for the fuzz targets, and changes of them, against the same checks.

use std::path::Path;
use std::time::Duration;

use bgproc::term::plain::{Layout, LayoutKind, Plain};
use bgproc::term::screen::Screen;
use bgproc::term::size::Size;
use proptest::prelude::*;
use proptest::sample::select;

#[path = "../check/request.rs"]
mod request_check;
#[path = "../check/screen.rs"]
mod screen_check;

/// The kept inputs of a target.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let files = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let kept: Vec<_> = files.map(|file| std::fs::read(file).unwrap()).collect();
    assert!(
        kept.len() >= 12,
        "{} has {} files",
        dir.display(),
        kept.len()
    );
    kept
}

/// Inputs that were cut, joined, and had bytes changed, as a fuzzer does it.
fn mutated(target: &str) -> impl Strategy<Value = Vec<u8>> {
    let kept = corpus(target);
    let place = any::<prop::sample::Index>();
    let change = (place.clone(), any::<u8>());
    let changes = prop::collection::vec(change, 0..6);
    (
        select(kept.clone()),
        select(kept),
        place.clone(),
        place,
        changes,
    )
        .prop_map(|(first, second, cut, from, changes)| {
            let mut input = first[..cut.index(first.len() + 1)].to_vec();
            input.extend(&second[from.index(second.len() + 1)..]);
            input.truncate(2048);
            for (place, byte) in changes {
                if !input.is_empty() {
                    let at = place.index(input.len());
                    input[at] = byte;
                }
            }
            input
        })
}

#[test]
fn what_was_kept_for_the_screen_holds() {
    for input in corpus("screen") {
        screen_check::screen(&input);
    }
}

#[test]
fn what_was_kept_for_requests_holds() {
    for input in corpus("request") {
        request_check::request(&input);
    }
}

/// Cases of a property: seconds as a rule; `BGPROC_CASES` makes it as many as wanted.
fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("BGPROC_CASES").ok();
    let cases = wanted.and_then(|cases| cases.parse().ok()).unwrap_or(usual);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

#[test]
fn changed_output_holds_too() {
    proptest!(cases(100), |(input in mutated("screen"))| screen_check::screen(&input));
}

#[test]
fn changed_requests_hold_too() {
    proptest!(cases(2000), |(input in mutated("request"))| request_check::request(&input));
}

/// Time of the processor that this thread has used: the time of others does not count.
fn processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}

/// What it takes to draw this on a screen and to read it as text, and the lines that there are then.
fn work(bytes: &[u8]) -> (Duration, usize) {
    let size = Size::default();
    let layout = Layout {
        size,
        kind: LayoutKind::Terminal,
    };
    let before = processor();
    Screen::new(size).feed(bytes);
    let mut plain = Plain::new(layout);
    plain.feed(bytes);
    let lines = plain.drain_final().len() + plain.live().len();
    (processor() - before, lines)
}

/// Sixteen kilobytes that ask for as much work as they can: no sequence takes more than to write the whole screen
/// some times over.
#[test]
fn bombs_take_bounded_time() {
    /// How often the screen may be written for one sequence.
    const OVER: f64 = 5.0;
    const SCREENS: usize = 16;
    let size = Size::default();
    let cells = usize::from(size.rows()) * usize::from(size.cols());
    // Measured again and again, as other programs slow this one by sharing its caches.
    let text = "x".repeat(cells * SCREENS);
    let screen = || work(text.as_bytes()).0.as_secs_f64() / SCREENS as f64;
    screen();
    let mut bombs: Vec<String> = ["b", "@", "L", "M", "P", "X", "S", "T", "I", "Z", "C", "B"]
        .iter()
        .map(|last| format!("x\x1b[65535{last}"))
        .collect();
    bombs.extend(
        [
            "\x1b[2J",
            "\x1b#8",
            "\x1bc",
            "\t",
            "e\u{301}\u{301}\u{301}",
            "漢\x1b[D",
            "\x1b[4hx\r",
            "\x1b[?1049h\x1b[?1049l",
            "\x1b[?3h",
            "\x1b[c",
            "\x1b]2;t\x07",
            "\x1b[1;1H\x1bM",
            "\n",
        ]
        .map(str::to_owned),
    );
    bombs.extend(["\x1b]2;", "\x1bP", "\x1b["].map(|lead| format!("{lead}{}", "1".repeat(16_384))));
    for bomb in bombs {
        let count = 16_384 / bomb.len() + 1;
        let before = screen();
        let (took, lines) = work(bomb.repeat(count).as_bytes());
        let over = took.as_secs_f64() / (before.max(screen()) * count as f64);
        let shown = bomb.chars().take(12).collect::<String>();
        assert!(
            over < OVER,
            "{shown:?}: {took:?}, {over} screens for each, {lines} lines"
        );
    }
}
