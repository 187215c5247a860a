//! What has to hold for any output of a program, whatever it is.
//!
//! Shared by the fuzz target `screen` and the test that replays its corpus. The
//! first four bytes of an input are rows, columns, the size of the pieces in which
//! it comes, and how often the window changes its size meanwhile; the rest is what
//! the program writes.

use bgproc::term::plain::{Checkpoint, Layout, LayoutKind, Plain, render};
use bgproc::term::redraw::abridge;
use bgproc::term::screen::Screen;
use bgproc::term::size::Size;
use bgproc::term::skim::skim;

pub(crate) fn screen(input: &[u8]) {
    let [rows, cols, piece, resizes, bytes @ ..] = input else {
        return;
    };
    // Larger ones are slower and nothing else.
    let size = Size::new(u16::from(*rows) % 64, u16::from(*cols) % 160);
    let piece = usize::from(*piece).max(1);
    splits_do_not_show(size, piece, usize::from(resizes % 4), bytes);
    for kind in [LayoutKind::Terminal, LayoutKind::Pipe] {
        splits_do_not_change_the_text(Layout { size, kind }, piece, bytes);
    }
    what_is_passed_over_would_not_have_been_seen(size, bytes);
    what_is_painted_over_would_not_have_been_seen(size, bytes);
}

/// The screen is the same however the bytes were cut, also when it is resized in
/// between, and repainting it shows it again.
fn splits_do_not_show(size: Size, piece: usize, resizes: usize, bytes: &[u8]) {
    let mut whole = Screen::new(size);
    let mut split = Screen::new(size);
    let part = bytes.len() / (resizes + 1) + 1;
    for (turn, part) in bytes.chunks(part).enumerate() {
        if turn > 0 {
            let other = Size::new(size.cols() / 2, size.rows() * turn as u16);
            whole.resize(other);
            split.resize(other);
        }
        assert!(!whole.feed(part).restarted, "the emulator failed");
        for piece in part.chunks(piece) {
            assert!(!split.feed(piece).restarted, "the emulator failed");
        }
        assert_eq!(seen(&whole), seen(&split));
    }
    assert_eq!(whole.take_replies(), split.take_replies());
    let mut again = Screen::new(whole.size());
    again.feed(&whole.ansi());
    assert_eq!(seen(&whole), seen(&again), "a repaint shows something else");
}

/// All that can be seen of a screen.
fn seen(screen: &Screen) -> (Vec<String>, String) {
    let rest = format!("{:?} {:?}", screen.cursor(), screen.modes());
    (screen.rows_ansi(false), rest)
}

/// The text is the same however the bytes were cut, and rendered at once.
fn splits_do_not_change_the_text(layout: Layout, piece: usize, bytes: &[u8]) {
    let text = |piece: usize| {
        let mut plain = Plain::new(layout);
        let mut lines = Vec::new();
        for part in bytes.chunks(piece) {
            plain.feed(part);
            lines.extend(plain.drain_final());
        }
        lines.extend(plain.live());
        assert_eq!(plain.total_lines(), lines.len() as u64);
        let numbers = lines.iter().map(|line| line.n);
        assert!(numbers.eq(1..=lines.len() as u64), "a number is missing");
        (lines, plain.clean_offset(), plain.alt_screen())
    };
    assert_eq!(text(bytes.len().max(1)), text(piece));
    let rendered = render(bytes, layout, false);
    assert!(rendered.consumed <= bytes.len());
}

/// Painting only what still shows leaves the same screen and lines.
fn what_is_painted_over_would_not_have_been_seen(size: Size, bytes: &[u8]) {
    let kind = LayoutKind::Terminal;
    let (mut painted, mut short) = (Screen::new(size), Screen::new(size));
    let mut all = Plain::new(Layout { size, kind });
    let mut from = Plain::new(Layout { size, kind });
    let start = short.start().expect("an empty screen is ordinary");
    let abridged = abridge(bytes, &start, 100);
    painted.feed(bytes);
    all.feed(bytes);
    short.feed(&abridged.bytes);
    short.feed(&bytes[abridged.taken..]);
    from.feed_abridged(&abridged);
    from.feed(&bytes[abridged.taken..]);
    assert_eq!(painted.rows_ansi(true), short.rows_ansi(true));
    assert_eq!(painted.cursor(), short.cursor());
    assert_eq!(all.total_lines(), from.total_lines());
}

/// Passing over what nobody can have seen leaves the same screen and lines.
fn what_is_passed_over_would_not_have_been_seen(size: Size, bytes: &[u8]) {
    let Some(stretch) = skim(bytes, usize::from(size.rows()), false, 100) else {
        return;
    };
    let (lead, rest) = bytes.split_at(stretch.lead);
    let rest = &rest[stretch.hidden..];
    let mut painted = Screen::new(size);
    painted.feed(bytes);
    let mut skimmed = Screen::new(size);
    for part in [lead, &stretch.attributes, b"\r", rest] {
        skimmed.feed(part);
    }
    assert_eq!(painted.rows_ansi(true), skimmed.rows_ansi(true));
    assert_eq!(painted.cursor(), skimmed.cursor());

    let kind = LayoutKind::Terminal;
    let mut all = Plain::new(Layout { size, kind });
    all.feed(bytes);
    let mut first = Plain::new(Layout { size, kind });
    first.feed(lead);
    let at = Checkpoint {
        offset: (lead.len() + stretch.hidden) as u64,
        line: first.total_lines() + 1 + stretch.newlines,
        row: size.rows() - 1,
        alt: false,
        exact: true,
    };
    let mut from = Plain::resume(Layout { size, kind }, at);
    from.feed(rest);
    assert_eq!(all.total_lines(), from.total_lines());
}
