//! Tests with the output of programs and the lines that result.

use proptest::prelude::*;

use super::*;

const TERMINAL: LayoutKind = LayoutKind::Terminal;

fn layout(rows: u16, cols: u16, kind: LayoutKind) -> Layout {
    Layout {
        size: Size::new(rows, cols),
        kind,
    }
}

/// The text of a stream on a terminal of 24 by 80.
fn text(bytes: impl AsRef<[u8]>) -> String {
    render(bytes.as_ref(), layout(24, 80, TERMINAL), false).text
}

fn small(bytes: impl AsRef<[u8]>) -> String {
    render(bytes.as_ref(), layout(4, 10, TERMINAL), false).text
}

fn piped(bytes: impl AsRef<[u8]>) -> String {
    render(bytes.as_ref(), layout(4, 10, LayoutKind::Pipe), false).text
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn plain_lines_are_unchanged() {
    assert_eq!(text(""), "");
    assert_eq!(text("a\r\n"), "a\n");
    assert_eq!(text("a\r\nb"), "a\nb");
    assert_eq!(text("\r\n\r\nx\r\n\r\n"), "\n\nx\n\n");
    assert_eq!(text(">>> "), ">>> ");
    assert_eq!(text("a\tb\t"), "a\tb\t");
    assert_eq!(
        text("a\tb\rx\ty"),
        "x\ty",
        "a tab moves the cursor and erases nothing"
    );
    assert_eq!(
        text("\tb\r12"),
        "12      b",
        "an overwritten tab becomes blanks"
    );
    assert_eq!(text("é\tb"), "é\tb");
    assert_eq!(text("\x1b[1;31mred\x1b[0m text\r\n"), "red text\n");
    let long: String = (0..500).map(|n| format!("line {n}\r\n")).collect();
    assert_eq!(text(&long), long.replace('\r', ""));
}

#[test]
fn a_progress_bar_is_one_line() {
    let bar: String = (0..2000)
        .map(|n| format!("\rProgress {n:4}/2000 [{}]", "#".repeat(n / 100)))
        .collect();
    assert_eq!(
        text(format!("start\r\n{bar}\r\ndone\r\n")),
        format!("start\nProgress 1999/2000 [{}]\ndone\n", "#".repeat(19))
    );
    let spinner: String = "|/-\\"
        .repeat(50)
        .chars()
        .flat_map(|c| [c, '\x08'])
        .collect();
    assert_eq!(text(format!("wait {spinner}ok\r\n")), "wait ok\n");
    assert_eq!(text("long text\r\x1b[Kshort\r\n"), "short\n");
}

#[test]
fn redraws_of_several_lines_collapse() {
    let mut npm = String::from("install\r\n");
    for n in 0..30 {
        npm += &format!("a {n}\x1b[K\r\nb {n}\x1b[K\r\nc {n}\x1b[K\r\n\x1b[3A");
    }
    npm += "\x1b[J3 packages\r\n";
    assert_eq!(text(&npm), "install\n3 packages\n");
    let tqdm = "1/3\r\n\r\n\x1b[A2/3\x1b[A\r3/3 outer\r\n3/3 inner\r\n";
    assert_eq!(text(tqdm), "3/3 outer\n3/3 inner\n");
}

#[test]
fn full_screen_programs_leave_nothing() {
    let vim = "$ vi x\r\n\x1b[?1049h\x1b[22;0;0t\x1b[1;24r\x1b[H\x1b[2Jtext\r\n~\r\n~\x1b[24;1H:q\r\n\n\n\x1b[?1049l$ ";
    assert_eq!(text(vim), "$ vi x\n$ ");
    assert_eq!(text("a\x1b[?47hbbb\x1b[?47lc"), "ac");
    let inside = render(b"x\x1b[?1049hy", layout(24, 80, TERMINAL), false);
    assert!(inside.alt);
    assert_eq!(inside.text, "x");
    assert_eq!(
        render(b"junk\x1b[?1049lz", layout(24, 80, TERMINAL), true).text,
        "z"
    );
}

#[test]
fn wrapped_rows_are_one_line() {
    let long = "0123456789".repeat(30);
    assert_eq!(text(format!("{long}\r\nx\r\n")), format!("{long}\nx\n"));
    // readline moves to the next row with a blank and CR, and moves within a wrapped line with LF
    // and RI.
    assert_eq!(
        small("$ 12345678 \r90\x1bM\r$ abc\r\n\x1b[2Cend\r\n"),
        "$ abc4567890end\n"
    );
    assert_eq!(small("123456789漢\r\n"), "123456789漢\n");
    assert_eq!(small("1234567890\r\nx"), "1234567890\nx");
    assert_eq!(small("\x1b[?7l1234567890abc\r\nx"), "123456789c\nx");
}

#[test]
fn nothing_of_a_full_row_is_lost_by_a_tab_or_an_erasure_behind_it() {
    assert_eq!(small("123456789Y\tEND\r\n"), "123456789Y\tEND\n");
    assert_eq!(small("12345678漢\t\tEND\r\n"), "12345678漢\t\tEND\n");
    assert_eq!(small("123456789Y\x1b[2IEND"), "123456789YEND");
    assert_eq!(
        small("123456789Y\tEND\r\x1b[A1234567890END"),
        "1234567890END",
        "written again without the tab"
    );
    assert_eq!(small("123456789Y\x1b[m\x1b[KEND"), "123456789YEND");
    assert_eq!(small("\r\nold\x1b[H123456789Y\x1b[JEND"), "123456789YEND");
    assert_eq!(small("\r\nold\x1b[H123456789Y\x1b[J"), "123456789Y");
}

#[test]
fn a_scroll_region_scrolls_into_the_text() {
    let mut apt = String::from("apt\r\n\x1b7\x1b[1;3r\x1b8");
    for n in 0..10 {
        apt += &format!("unpack {n}\r\n\x1b7\x1b[4;1H[{n:3}%]\x1b8");
    }
    apt += "\x1b7\x1b[1;4r\x1b8\x1b[4;1H\x1b[K\x1b8done\r\n";
    let lines: String = (0..10).map(|n| format!("unpack {n}\n")).collect();
    assert_eq!(small(&apt), format!("apt\n{lines}done\n"));
}

#[test]
fn a_cleared_screen_leaves_nothing() {
    assert_eq!(text("a\r\nb\r\n\x1b[H\x1b[2J\x1b[3Jc\r\n"), "c\n");
    assert_eq!(text("a\r\nb\x1bcz"), "z");
}

#[test]
fn characters_count_their_columns() {
    assert_eq!(text("漢字\x1b[3G-\r\n"), "漢-\n");
    assert_eq!(text("e\u{301}a\u{fe0f}\r\n"), "e\u{301}a\u{fe0f}\n");
    assert_eq!(text("\x1b(0lqk\x1b(B"), "┌─┐");
    assert_eq!(text(b"a\xffb\xe2\x82"), "a\u{fffd}b");
    assert_eq!(text("ab\x1b[3bc"), "abbbbc");
    assert_eq!(text("abc\r\x1b[4hX\x1b[4l\r\n"), "Xabc\n");
    assert_eq!(text("abc\x1b[2D\x1b[P\x1b[@-"), "a-c");
}

#[test]
fn a_pipe_does_not_wrap_and_lf_returns_the_carriage() {
    let long = "0123456789".repeat(20);
    assert_eq!(piped(format!("{long}\nx\n")), format!("{long}\nx\n"));
    assert_eq!(piped("10%\r20%\r100%\ndone"), "100%\ndone");
    assert_eq!(piped(format!("{long}\ty")), format!("{long}\ty"));
    assert_eq!(piped("a\x1b[60000Cb"), "a        b");
}

#[test]
fn an_endless_line_is_cut() {
    for kind in [TERMINAL, LayoutKind::Pipe] {
        let mut plain = Plain::new(layout(4, 100, kind));
        for _ in 0..(5 << 20) / 4096 {
            plain.feed(&[b'x'; 4096]);
        }
        let lines = all(&mut plain);
        assert!((5..7).contains(&lines.len()), "{}", lines.len());
        assert!(lines.iter().all(|line| line.text.len() <= MAX_LINE_AND_ROW));
    }
}

/// A line is cut at the first row with which it exceeds the limit.
const MAX_LINE_AND_ROW: usize = lines::MAX_LINE + 100;

#[test]
fn lines_have_permanent_numbers_and_offsets() {
    let mut plain = Plain::new(layout(2, 80, TERMINAL));
    plain.feed(b"one\r\ntwo\r\nthree\r\nfour");
    let lines = [plain.drain_final(), plain.live()].concat();
    assert_eq!(texts(&lines), ["one", "two", "three", "four"]);
    assert_eq!(
        lines.iter().map(|line| line.n).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    assert_eq!(
        lines.iter().map(|line| line.start).collect::<Vec<_>>(),
        [0, 5, 10, 17]
    );
    assert!(plain.drain_final().is_empty());
    plain.set_keep_final(false);
    plain.feed(b"\r\nfive\r\nsix\r\n");
    assert!(plain.drain_final().is_empty());
    assert_eq!(plain.total_lines(), 6);
    assert!(plain.ends_with_newline());
    assert_eq!(
        plain.live().last().map(|line| (line.n, line.start)),
        Some((6, 29))
    );
}

#[test]
fn the_number_of_lines_counts_their_ends() {
    for (bytes, lines) in [
        ("", 0),
        ("a", 1),
        ("a\r\n", 1),
        ("a\r\nb", 2),
        ("\r\n", 1),
        ("\r\n\r\n", 2),
    ] {
        let mut plain = Plain::new(layout(24, 80, TERMINAL));
        plain.feed(bytes.as_bytes());
        assert_eq!(plain.total_lines(), lines, "{bytes:?}");
        assert_eq!(plain.live().len() as u64, lines, "{bytes:?}");
    }
}

#[test]
fn incomplete_sequences_are_left_for_the_next_read() {
    let mut plain = Plain::new(layout(24, 80, TERMINAL));
    plain.feed("ab\x1b[3".as_bytes());
    assert_eq!((plain.offset(), plain.clean_offset()), (5, 2));
    plain.feed(b"1mc\xe2\x82");
    assert_eq!((plain.offset(), plain.clean_offset()), (10, 8));
    plain.feed(b"\xac\x1b]0;");
    assert_eq!(texts(&plain.live()), ["abc€"]);
    assert_eq!(plain.clean_offset(), 11);
    plain.feed(&[b't'; 5000]);
    assert_eq!(plain.clean_offset(), plain.offset());
    assert_eq!(
        render("abc\x1b[".as_bytes(), layout(24, 80, TERMINAL), false).consumed,
        3
    );
}

#[test]
fn touched_and_overwritten_lines_are_reported_once() {
    let mut plain = Plain::new(layout(2, 80, TERMINAL));
    plain.feed(b"one\r\ntwo");
    assert_eq!(texts(&plain.take_touched()), ["one", "two"]);
    assert!(plain.take_touched().is_empty());
    plain.feed(b"\r\nthree\r\nfour");
    let touched = plain.take_touched();
    assert_eq!(texts(&touched), ["three", "four"]);
    assert_eq!(touched[0].n, 3);
    plain.feed(b"\r\x1b[Kready\r\x1b[Kbusy");
    assert_eq!(texts(&plain.take_touched()), ["ready", "busy"]);
    // A text that has been reported is not reported again when it is overwritten.
    plain.feed(b"\rBUSY");
    plain.feed(b"\rBusy");
    assert_eq!(texts(&plain.take_touched()), ["BUSY", "Busy"]);
    plain.feed(b" more\x1b[2J");
    assert_eq!(texts(&plain.take_touched()), ["Busy more", ""]);
}

#[test]
fn the_kept_texts_of_overwritten_lines_are_bounded() {
    let mut plain = Plain::new(layout(2, 80, TERMINAL));
    for n in 0..10_000 {
        plain.feed(format!("\r{n}").as_bytes());
    }
    let touched = plain.take_touched();
    assert_eq!(touched.len(), 4096 + 1);
    assert_eq!(touched[4096].text, "9999");
}

#[test]
fn checkpoints_are_found_about_every_16_kib() {
    let mut plain = Plain::new(layout(24, 80, TERMINAL));
    for n in 0..20_000 {
        plain.feed(format!("line {n}\r\n").as_bytes());
    }
    let found = plain.take_checkpoints();
    let expected = plain.offset() / marks::EVERY;
    assert!(
        (expected - 2..=expected).contains(&(found.len() as u64)),
        "{} of {expected}",
        found.len()
    );
    assert!(found.iter().all(|at| at.exact && !at.alt));
    assert!(
        found
            .windows(2)
            .all(|two| two[1].offset - two[0].offset < marks::EVERY + 100)
    );

    let mut busy = Plain::new(layout(24, 80, TERMINAL));
    busy.feed(b"\x1b[?1049h");
    for n in 0..20_000 {
        busy.feed(format!("\x1b[H{n}").as_bytes());
    }
    let found = busy.take_checkpoints();
    assert!(found.len() >= 3 && found.iter().all(|at| !at.exact && at.alt));
}

#[test]
fn the_last_characters_are_cut_on_a_boundary() {
    assert_eq!(tail_chars("añb", 5), ("añb", Omitted::default()));
    assert_eq!(
        tail_chars("ñ\nñb", 2),
        ("ñb", Omitted { bytes: 3, lines: 1 })
    );
    assert_eq!(tail_chars("ab\n", 0), ("", Omitted { bytes: 3, lines: 1 }));
    assert_eq!(tail_chars("ñññ", 3), ("ñññ", Omitted::default()));
}

/// Parts of the output of programs.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    const SEQUENCES: &[&str] = &[
        "\r\n",
        "\r\n",
        "\r\n",
        "\r\n",
        "\n",
        "\r",
        "\x08",
        "\t",
        "\r10%",
        "\r100%\x1b[K",
        "\x1b[A",
        "\x1b[2A\r",
        "\x1b[B",
        "\x1b[3C",
        "\x1b[H",
        "\x1b[2;3H",
        "\x1b[3;1H",
        "\x1b[J",
        "\x1b[1J",
        "\x1b[2J",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[2K",
        "\x1b[2;3r",
        "\x1b[1;3r",
        "\x1b[r",
        "\x1b[L",
        "\x1b[2M",
        "\x1b[P",
        "\x1b[2@",
        "\x1b[X",
        "\x1b[S",
        "\x1b[T",
        "\x1b7",
        "\x1b8",
        "\x1bM",
        "\x1bD",
        "\x1bE",
        "\x1b(0",
        "\x1b(B",
        "\x1b[4h",
        "\x1b[4l",
        "\x1bPq~\x1b\\",
        "\x1b_Ga=T;x\x1b\\",
        "\x1b_Ga=p,C=1\x1b\\",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?6h",
        "\x1b[?6l",
        "\x1b[5b",
        "\x1b[31m",
        "\x1b",
        "\x1b[",
        "漢",
        "é",
        "e\u{301}",
        "0123456789abc",
        "\x1b]0;t\x07",
        "\x1bc",
        "\x1bH",
        "\x1b[g",
    ];
    prop_oneof![
        4 => prop::sample::select(SEQUENCES).prop_map(|s| s.as_bytes().to_vec()),
        4 => prop::collection::vec("[a-z ]{0,9}\r\n", 1..8).prop_map(|lines| lines.concat().into_bytes()),
        2 => "[ -~]{1,12}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
}

fn stream(pieces: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..pieces).prop_map(|pieces| pieces.concat())
}

fn kind() -> impl Strategy<Value = LayoutKind> {
    prop_oneof![3 => Just(TERMINAL), 1 => Just(LayoutKind::Pipe)]
}

fn all(plain: &mut Plain) -> Vec<Line> {
    [plain.drain_final(), plain.live()].concat()
}

/// Replaces tabs by blanks, as on a screen of `cols` columns on which the text wraps.
fn expand(text: &str, cols: usize) -> String {
    let mut out = String::new();
    let mut col = 0;
    for c in text.chars() {
        let width = match c {
            '\t' => (8 - col % 8).min((cols - 1).saturating_sub(col)),
            c => unicode_width::UnicodeWidthChar::width(c).unwrap_or(0),
        };
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', width)),
            c => out.push(c),
        }
        let wraps = c != '\t' && col + width > cols;
        col = if wraps { width } else { col + width };
    }
    out
}

#[test]
fn a_tab_after_a_wrap_counts_from_the_beginning_of_the_row() {
    let bytes = b"\x1b[999abc\ta\r\n";
    let mut plain = Plain::new(layout(40, 60, TERMINAL));
    let mut screen = crate::term::screen::Screen::new(Size::new(40, 60));
    plain.feed(bytes);
    screen.feed(bytes);
    assert_eq!(expand(&plain.live()[0].text, 60), screen.logical_text());
}

#[test]
fn a_sequence_begins_at_its_own_escape() {
    let bytes = b"A  AA \x1b\x1b[5b\x1b[L\r\n";
    let mut whole = Plain::new(layout(4, 10, TERMINAL));
    let mut split = Plain::new(layout(4, 10, TERMINAL));
    whole.feed(bytes);
    bytes.iter().for_each(|byte| split.feed(&[*byte]));
    let starts: Vec<u64> = all(&mut whole).iter().map(|line| line.start).collect();
    assert_eq!(starts, [0, 7, 7]);
    assert_eq!(all(&mut split), all(&mut whole));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same_lines(bytes in stream(60), size in 1usize..6, kind in kind()) {
        let mut whole = Plain::new(layout(4, 10, kind));
        let mut split = Plain::new(layout(4, 10, kind));
        whole.window.marks.every = 40;
        split.window.marks.every = 40;
        whole.feed(&bytes);
        bytes.chunks(size).for_each(|read| split.feed(read));
        prop_assert_eq!(split.clean_offset(), whole.clean_offset());
        prop_assert_eq!(split.take_checkpoints(), whole.take_checkpoints());
        prop_assert_eq!(split.take_touched(), whole.take_touched());
        prop_assert_eq!(split.total_lines(), whole.total_lines());
        prop_assert_eq!(all(&mut split), all(&mut whole));
    }

    #[test]
    fn the_known_state_of_the_alternate_screen_is_correct(
        before in stream(30), after in stream(30), middle in "(\x1b\\[\\?1049[hl]|[a-z\n]){0,6}",
    ) {
        let whole = [&before[..], middle.as_bytes(), &after].concat();
        let mut plain = Plain::new(layout(4, 10, LayoutKind::Terminal));
        plain.feed(&whole);
        for place in 0..=whole.len() {
            let mut there = Plain::new(layout(4, 10, LayoutKind::Terminal));
            there.feed(&whole[..place]);
            let is_known = place as u64 >= plain.alt_since();
            prop_assert!(!is_known || plain.alt_screen() == there.alt_screen(), "at {}", place);
        }
    }

    #[test]
    fn resuming_gives_the_same_lines(bytes in stream(120), kind in kind()) {
        let mut whole = Plain::new(layout(4, 10, kind));
        whole.window.marks.every = 30;
        whole.feed(&bytes);
        let found = whole.take_checkpoints();
        let lines = all(&mut whole);
        for at in found.into_iter().filter(|at| at.exact) {
            let mut resumed = Plain::resume(layout(4, 10, kind), at);
            resumed.feed(&bytes[usize::try_from(at.offset).unwrap()..]);
            let same: Vec<&Line> = lines.iter().filter(|line| line.n >= at.line).collect();
            let again = all(&mut resumed);
            prop_assert_eq!(again.iter().collect::<Vec<_>>(), same, "{:?} of {:?}", at, String::from_utf8_lossy(&bytes));
            prop_assert_eq!(resumed.total_lines(), whole.total_lines());
        }
    }

    #[test]
    fn lines_are_numbered_in_order(bytes in stream(80), kind in kind()) {
        let mut plain = Plain::new(layout(4, 10, kind));
        plain.feed(&bytes);
        let lines = all(&mut plain);
        prop_assert!(lines.iter().zip(1..).all(|(line, n)| line.n == n));
        prop_assert!(lines.windows(2).all(|two| two[0].start <= two[1].start));
        prop_assert_eq!(plain.total_lines(), lines.len() as u64);
    }

    #[test]
    fn the_lines_agree_with_the_screen(bytes in stream(40)) {
        // As long as nothing scrolls, the two emulators must agree. There is one exception: leaving
        // an alternate screen that was never entered moves the cursor on a terminal, but not here.
        if bytes.windows(6).any(|six| six == b"?1049l") {
            return Ok(());
        }
        let mut plain = Plain::new(layout(40, 60, TERMINAL));
        let mut screen = crate::term::screen::Screen::new(Size::new(40, 60));
        plain.feed(&bytes);
        screen.feed(&bytes);
        if plain.window.scrolled > 0 || screen.alt_screen() {
            return Ok(());
        }
        let lines: Vec<String> = plain.live().iter().map(|line| expand(&line.text, 60).trim_end().to_string()).collect();
        let text = screen.logical_text().replace('\u{fe0f}', "");
        prop_assert_eq!(lines.join("\n").trim_end().to_string(), text, "of {:?}", String::from_utf8_lossy(&bytes));
    }
}
