//! What programs draw with the additional attributes, as it leaves the screen.

use super::*;
use crate::term::screen::Screen;
use crate::term::size::Size;
use crate::term::style::Underline;

fn screen(text: &str) -> Screen {
    let mut screen = Screen::new(Size::new(4, 20));
    screen.feed(text.as_bytes());
    screen
}

/// The first row with its attributes.
fn row(text: &str) -> String {
    screen(text).row_ansi(0, true)
}

/// The target of the link in each cell of the first row, as its last character.
fn links(screen: &Screen) -> String {
    let target = |col| {
        screen
            .cell(0, col)
            .unwrap()
            .link
            .map_or(' ', |link| link.uri.chars().last().unwrap())
    };
    (0..20)
        .map(target)
        .collect::<String>()
        .trim_end()
        .to_owned()
}

#[test]
fn attributes_come_out_as_they_were_set() {
    for attributes in [
        "9",
        "5",
        "8",
        "53",
        "9;53",
        "4;4:3",
        "4;4:2;58:5:9",
        "4;4:5;58:2::1:2:3",
    ] {
        let shown = row(&format!("a\x1b[{attributes}mbc\x1b[md"));
        let cells = screen(&shown);
        let cell = cells.cell(0, 1).unwrap();
        assert!(
            !cell.is_blank() && cell.text == "b",
            "{attributes}: {shown:?}"
        );
        assert_eq!(screen(&shown).row_ansi(0, true), shown, "{attributes}");
        assert_ne!(cell.style, Style::default(), "{attributes}: {shown:?}");
        assert_eq!(
            cells.cell(0, 0).unwrap().style,
            Style::default(),
            "{attributes}"
        );
        assert_eq!(
            cells.cell(0, 3).unwrap().style,
            Style::default(),
            "{attributes}"
        );
        assert_eq!(cells.text(true), "abcd");
    }
    assert_eq!(row("\x1b[9mab\x1b[29mc"), "\x1b[9mab\x1b[29mc");
    assert_eq!(
        row("\x1b[4:3mab\x1b[4mc"),
        "\x1b[0;4m\x1b[4:3mab\x1b[4mc\x1b[0m"
    );
}

#[test]
fn kinds_and_colours_of_underlines_are_known() {
    let screen = screen("\x1b[4:3;58;2;1;2;3ma\x1b[4mb\x1b[59mc\x1b[24md\x1b[21me");
    let style = |col| screen.cell(0, col).unwrap().style;
    assert_eq!(style(0).underline, Underline::Curly);
    assert_eq!(style(0).underline_color, vt100::Color::Rgb(1, 2, 3));
    assert_eq!(style(1).underline, Underline::Single);
    assert_eq!(style(2), Style::default());
    assert!(!screen.cell(0, 3).unwrap().underline);
    assert_eq!(style(4).underline, Underline::Double);
}

#[test]
fn attributes_move_with_their_cells() {
    let text = "\x1b[9mab\x1b[29mcd";
    for (moves, expected) in [
        (
            "\x1b[1G\x1b[@",
            "\x1b[9mab\x1b[29mcd".replacen("\x1b", " \x1b", 1),
        ),
        ("\x1b[1G\x1b[P", "\x1b[9mb\x1b[29mcd".to_owned()),
        ("\x1b[1G\x1b[X", " \x1b[9mb\x1b[29mcd".to_owned()),
        ("\x1b[1Gx", "x\x1b[9mb\x1b[29mcd".to_owned()),
        ("\x1b[H\x1b[L\x1b[M", text.to_owned()),
        (
            "\x1b[4;1H\n\x1b[H\x1bM\x1b[H\x1b[M\x1b[H\x1bM\x1b[H\x1b[M",
            String::new(),
        ),
    ] {
        assert_eq!(row(&format!("{text}{moves}")), expected, "{moves:?}");
    }
    let mut resized = screen("\r\n\x1b[9mab");
    resized.resize(Size::new(6, 10));
    assert_eq!(resized.row_ansi(1, true), "\x1b[9mab\x1b[29m");
}

#[test]
fn a_combining_character_joins_a_cell_whenever_it_comes() {
    let whole = row("\x1b[9me\u{301}x");
    assert_eq!(whole, "\x1b[9me\u{301}x\x1b[29m");
    let mut split = screen("\x1b[9me");
    split.feed("\u{301}".as_bytes());
    split.feed(b"x");
    assert_eq!(split.row_ansi(0, true), whole);
    let mut after = screen("\x1b[9me\x1b[29m");
    after.feed("\u{301}x".as_bytes());
    assert_eq!(after.row_ansi(0, true), "\x1b[9me\u{301}\x1b[29mx");
    assert_eq!(after.cell(0, 0).unwrap().text, "e\u{301}");
}

#[test]
fn links_belong_to_cells() {
    let screen =
        screen("a\x1b]8;;https://e/1\x07bc\x1b]8;id=x;https://e/2\x1b\\d\x1b[m e\x1b]8;;\x07f");
    assert_eq!(links(&screen), " 11222");
    assert_eq!(screen.cell(0, 3).unwrap().link.unwrap().id, "x");
    let shown = screen.row_ansi(0, true);
    assert_eq!(
        shown,
        "a\x1b]8;;https://e/1\x1b\\bc\x1b]8;id=x;https://e/2\x1b\\d e\x1b]8;;\x1b\\f"
    );
    assert_eq!(screen.text(true), "abcd ef");
}

#[test]
fn a_link_that_is_not_one_is_none() {
    for data in [
        "", ";", "id=x;", "x", "id=x", ";a\x1bb", "\u{1}", ";\u{9b}m",
    ] {
        assert_eq!(Link::parse(data.as_bytes()), None, "{data:?}");
    }
    let long = format!(";{}", "x".repeat(MAX_URI + 1));
    assert_eq!(Link::parse(long.as_bytes()), None);
    assert_eq!(Link::parse(b";\xff"), None);
    let link = Link::parse(b"a=b:id=c;http://x/;y").unwrap();
    assert_eq!((&*link.id, &*link.uri), ("c", "http://x/;y"));
}

#[test]
fn the_table_is_cleaned_when_it_is_full() {
    let mut screen = screen("\x1b]8;;kept\x07k\x1b]8;;\x07");
    for n in 0..3 * Marker::COUNT {
        screen.feed(format!("\x1b[1;3H\x1b]8;;https://e/{n}\x07x").as_bytes());
        assert_eq!(
            screen.cell(0, 2).unwrap().link.unwrap().uri,
            format!("https://e/{n}")
        );
        assert_eq!(screen.cell(0, 0).unwrap().link.unwrap().uri, "kept");
    }
    // The other screen counts as well.
    screen.feed(b"\x1b[?1049h");
    for n in 0..2 * Marker::COUNT {
        screen.feed(format!("\x1b[1;3H\x1b]8;;https://f/{n}\x07x").as_bytes());
    }
    screen.feed(b"\x1b[?1049l");
    assert_eq!(screen.cell(0, 0).unwrap().link.unwrap().uri, "kept");
}

#[test]
fn more_links_than_markers_at_once_lose_only_their_links() {
    let mut screen = Screen::new(Size::new(60, 80));
    for n in 0..60 * 80 {
        screen.feed(format!("\x1b]8;;https://e/{n}\x07x").as_bytes());
    }
    let linked = |row, col| screen.cell(row, col).unwrap().link.is_some();
    let count = (0..60 * 80).filter(|n| linked(n / 80, n % 80)).count();
    assert_eq!(count, Marker::COUNT);
    assert_eq!(screen.text(true).matches('x').count(), 60 * 80);
}

#[test]
fn a_picture_from_before_a_cleaning_is_painted_anew() {
    let mut original = screen("\x1b]8;;a\x07a\x1b]8;;\x07");
    let mut copy = screen("");
    copy.feed(&original.ansi());
    let before = original.picture();
    original.feed(b"\x1bc\x1b]8;;b\x07a");
    copy.feed(&original.changes(&before).bytes);
    assert_eq!(links(&copy), "b");
}

#[test]
fn what_follows_a_repaint_has_the_attributes_and_the_link() {
    let original = screen("\x1b[9m\x1b]8;;a\x07x");
    let mut copy = screen("");
    copy.feed(&original.ansi());
    copy.feed(b"y");
    assert_eq!(links(&copy), "aa");
    assert!(copy.cell(0, 1).unwrap().style.strike);
}
