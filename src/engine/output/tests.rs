//! Tests of the output: its screen, its failures, its checkpoints.

use super::*;
use crate::term::plain::marks::EVERY;

const FAULT: &str = "\x1b]bgproc-test-panic\x07";

fn fed(mode: Mode, text: &str) -> (Output, OutputChanges) {
    let mut output = Output::new(mode, Size::new(4, 20));
    let now = Now {
        boot: 0,
        wall: Timestamp(0),
    };
    let news = output.feed(text.as_bytes(), now);
    (output, news)
}

#[test]
fn a_program_with_the_keys_of_curses_draws_the_screen() {
    let draws = |text: &str| fed(Mode::Pty, text).0.draws_main_screen();
    assert!(draws("\x1b[?1h\x1b=\x1b[Htop"));
    assert!(!draws("\x1b[?1h\x1b[Htop\x1b[?1l\r\n"), "it has ended");
    assert!(!draws("\x1b[?1h\x1b[?2004h% "), "a line editor");
    assert!(!draws("\x1b[?1049h\x1b[?1h"), "the alternate screen");
}

#[test]
fn a_fault_of_the_emulator_is_told_and_its_screen_painted_without_it() {
    let before = "before\r\n".repeat(400);
    let text = format!("{before}{FAULT}{}$ after", "\r\nmore".repeat(400));
    let (mut output, news) = fed(Mode::Pty, &text);
    assert!(news.restarted && news.screen);
    assert_eq!(output.failed_at(), Some(text.len() as u64));
    let empty = output.screen().seq();
    let painted = output.painted(output.size(), 0, text.as_bytes());
    assert_eq!(painted.text(true), "more\nmore\nmore\nmore$ after");
    output.replace_screen(painted);
    assert!(
        output.screen().seq() > empty,
        "the sequence number must keep growing"
    );
    // Output before the failure is shown too, unless it has scrolled off.
    let near = format!("{before}{}{FAULT}", " \x08".repeat(1024));
    let painted = output.painted(output.size(), 0, near.as_bytes());
    assert_eq!(painted.text(true), "before\nbefore\nbefore");
}

#[test]
fn many_emulator_failures_leave_an_empty_screen_and_the_text() {
    let text = format!("{FAULT}{}line\n", " ".repeat(2000)).repeat(10);
    let (output, news) = fed(Mode::Pipe, &text);
    assert!(news.restarted);
    assert_eq!(output.total_lines(), 10);
    let painted = output.painted(output.size(), 0, text.as_bytes());
    assert_eq!(painted.text(true), "");
}

#[test]
fn the_cached_text_always_matches_the_screen() {
    let now = Now {
        boot: 0,
        wall: Timestamp(0),
    };
    let (mut output, _) = fed(Mode::Pty, "one\r\n");
    assert_eq!(output.text(true).ok(), Some("one"));
    assert_eq!(output.text(true).ok(), Some("one"));
    assert!(output.text(false).is_ok_and(|text| text.ends_with("  ")));
    output.feed(b"two", now);
    assert_eq!(output.text(true).ok(), Some("one\ntwo"));
    output.resize(Size::new(24, 60));
    assert_eq!(
        output.text(false).ok().map(|text| text.lines().count()),
        Some(24)
    );
}

#[test]
fn checkpoints_in_skipped_output_render_the_same_lines() {
    let now = Now {
        boot: 0,
        wall: Timestamp(0),
    };
    for (mode, end) in [(Mode::Pty, "\r\n"), (Mode::Pipe, "\n")] {
        let line = |n: usize| format!("\x1b[3{}m{}{end}", n % 8, "x".repeat(n * 7 % 50));
        let text: String = (0..4000).map(line).collect();
        let (mut output, _) = fed(mode, &format!("before{end}"));
        let progress = output.catch_up(text.as_bytes(), usize::MAX, now);
        assert_eq!(progress.taken, text.len());
        assert!(progress.painted < text.len() / 4, "{}", progress.painted);

        let whole = format!("before{end}{text}");
        let lines = |plain: &mut Plain| [plain.drain_final(), plain.live()].concat();
        let mut all = Plain::new(output.layout_at(0));
        all.feed(whole.as_bytes());
        let all = lines(&mut all);
        assert_eq!(output.total_lines(), all.len() as u64);
        assert!(output.checkpoints.iter().count() as u64 >= text.len() as u64 / EVERY);
        for at in output.checkpoints.iter() {
            let mut plain = Plain::resume(output.layout_at(0), *at);
            plain.feed(&whole.as_bytes()[at.offset as usize..]);
            assert_eq!(lines(&mut plain), all[at.line as usize - 1..], "{at:?}");
        }
    }
}
