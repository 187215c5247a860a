//! Tests that abridged output gives the same screen as all of the output.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Abridged, abridge};
use crate::term::plain::{Layout, LayoutKind, Line, Plain};
use crate::term::screen::Screen;
use crate::term::size::Size;

/// The emulator and the plain renderer, fed with the same bytes.
struct Readers {
    screen: Screen,
    lines: Plain,
}

impl Readers {
    fn new(size: Size) -> Self {
        let kind = LayoutKind::Terminal;
        Self {
            screen: Screen::new(size),
            lines: Plain::new(Layout { size, kind }),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.screen.feed(bytes);
        self.lines.feed(bytes);
    }

    /// Feeds the abridged form where there is one. Returns the number of bytes that were abridged.
    fn feed_abridged(&mut self, bytes: &[u8]) -> usize {
        let (mut at, mut saved) = (0, 0);
        while at < bytes.len() {
            let start = self.screen.start().filter(|start| {
                let clean = self.lines.clean_offset() == self.lines.offset();
                clean && self.lines.follows(start.row, start.col)
            });
            let abridged = start.map(|start| abridge(&bytes[at..], &start, 100));
            match abridged.filter(|abridged| abridged.taken > 0) {
                Some(abridged) => {
                    self.screen.feed(&abridged.bytes);
                    self.lines.feed_abridged(&abridged);
                    at += abridged.taken;
                    saved += abridged.taken;
                }
                None => {
                    self.feed(&bytes[at..=at]);
                    at += 1;
                }
            }
        }
        saved
    }

    /// All observable state. The start offsets of lines are excluded, because they are not known
    /// for abridged output.
    fn shown(&self) -> String {
        let Self { screen, lines } = self;
        let text = |line: &Line| (line.n, line.text.clone());
        let live: Vec<_> = lines.live().iter().map(text).collect();
        let wrapped: Vec<_> = (0..screen.size().rows())
            .map(|row| screen.row_wrapped(row))
            .collect();
        format!(
            "{:?} {:?} {:?} {:?}\n{:#?}\n{wrapped:?}\n{:?}\n{live:#?}\n{} {} {} {}",
            screen.cursor(),
            screen.pen(),
            screen.modes(),
            screen.alt_screen(),
            screen.rows_ansi(false),
            String::from_utf8_lossy(&screen.ansi()),
            lines.total_lines(),
            lines.ends_with_newline(),
            lines.clean_offset(),
            lines.alt_screen(),
        )
    }
}

/// Output of full-screen programs, and occasionally other output.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (0u8..6, 0u8..10).prop_map(|(row, col)| format!("\x1b[{row};{col}H")),
        4 => (1u8..6).prop_map(|row| format!("\x1b[{row};1H\x1b[K")),
        4 => (1u8..4, 1u8..8, "[a-z]{1,4}").prop_map(|(row, col, text)| format!("\x1b[{row};{col}H{text}")),
        8 => "[a-z ]{1,6}",
        2 => "[a-z ]{7,14}",
        2 => "(漢|字|é|\u{301}|x|─){1,4}",
        4 => "\x1b\\[(|0|1|2|7|22|27|31|39|44|49|38;5;200|48;2;1;2;3|9|29|4:3|5|53)m",
        4 => "\x1b\\[[012]?K",
        2 => "\x1b\\[[012]?J",
        1 => "\x1b\\[[1-3]?[XP@]",
        1 => "\x1b\\[[1-9]?[ABCDGd`]",
        2 => "\r|\n|\r\n|\x08|\t",
        1 => "\x1b\\[\\?(25|12|2026)[hl]",
        1 => "\x1b\\(B|\x0f",
    ]
}

/// Output that cannot be followed.
fn other() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\x1b]2;title\x07".to_owned()),
        "\x1b\\[(1\"q|\"q|[?][012]?[JK]|2;2;3;8([$][{z])|42;2;2[$]x)",
        "\x1b\\[\\?(7|6|45|1045|1049|2004)[hl]",
        "\x1b\\]8;;(file:///x)?\x07",
        "\x1b\\[(4h|4l|2;4r|r|4:3m|58;5;1m|3b|L|M|S|T|6n|s|u)",
        "\x07|\x1b7|\x1b8|\x1bM|\x1bH|\x1bc|\x1b\\(0|\x0e|\x1b\\[|\x1b",
    ]
}

fn stream(others: u32) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![100 => piece(), others => other()];
    vec(piece, 1..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn abridged_output_shows_the_same(
        rows in 1u16..6, cols in 1u16..10, before in stream(10), bytes in stream(1), after in stream(10),
        alternate: bool,
    ) {
        let size = Size::new(rows, cols);
        let (mut whole, mut short) = (Readers::new(size), Readers::new(size));
        for readers in [&mut whole, &mut short] {
            if alternate {
                readers.feed(b"\x1b[?1049h");
            }
            readers.feed(&before);
        }
        whole.feed(&bytes);
        short.feed_abridged(&bytes);
        prop_assert_eq!(whole.shown(), short.shown());
        // State that is not observable yet must also agree.
        whole.feed(&after);
        short.feed(&after);
        prop_assert_eq!(whole.shown(), short.shown());
    }
}

/// Frames of three programs: one that does not erase, one that does, and one that writes only
/// changes.
fn frames(frame: impl Fn(usize) -> String) -> Vec<u8> {
    (0..500).map(frame).collect::<String>().into_bytes()
}

#[test]
fn only_the_last_of_many_frames_is_painted() {
    let erasing = |n: usize| -> String {
        (1..9)
            .map(|row| format!("\x1b[{row};1H\x1b[K{n} \x1b[31mrow {row}\x1b[39m"))
            .collect()
    };
    let erasing_after = |n: usize| -> String {
        let rows: String = (1..8)
            .map(|row| format!("{n:04} row {row}\x1b[K\r\n"))
            .collect();
        format!("\x1b[H{rows}end\x1b[J")
    };
    let in_place = |n: usize| format!("\x1b[3;5H{n:06}\x1b[m\x1b[5;1H\x1b(B\x1b[1m{n:03}");
    let one_line = |n: usize| format!("\r\x1b[K{n} of 500");
    for bytes in [
        frames(erasing),
        frames(erasing_after),
        frames(in_place),
        frames(one_line),
    ] {
        let size = Size::new(8, 40);
        let (mut whole, mut short) = (Readers::new(size), Readers::new(size));
        whole.feed(&bytes);
        let start = short.screen.start().unwrap();
        let Abridged {
            taken,
            bytes: painted,
            places,
        } = abridge(&bytes, &start, 1000);
        assert_eq!(taken, bytes.len());
        assert!(
            painted.len() < 1000,
            "{}",
            String::from_utf8_lossy(&painted)
        );
        assert!(places.len() >= taken / 1200, "{places:?}");
        assert_eq!(short.feed_abridged(&bytes), bytes.len());
        assert_eq!(whole.shown(), short.shown());
    }
}

#[test]
fn it_stops_at_output_that_it_cannot_follow() {
    let taken = |text: &str| {
        let start = Screen::new(Size::new(3, 10)).start().unwrap();
        abridge(text.as_bytes(), &start, 1000).taken
    };
    for (understood, other) in [
        ("\x1b[2;1Htext", "\x07"),
        ("\x1b[2;1H", "0123456789wraps"),
        ("\x1b[3;1Hscrolls\r", "\n"),
        ("\x1b[1m", "\x1b[6n"),
        ("a", "\x1b[?1049h"),
        ("é", "\u{85}"),
    ] {
        assert_eq!(
            taken(&format!("{understood}{other}")),
            understood.len(),
            "{other:?}"
        );
    }
}
