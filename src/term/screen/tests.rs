//! Tests with the output of programs and the screens that result.

use proptest::prelude::*;

use super::*;
use crate::term::keyboard::{KeyProtocol, KittyFlags};
use crate::term::modes::MouseMode;

fn screen(rows: u16, cols: u16, bytes: impl AsRef<[u8]>) -> Screen {
    let mut screen = Screen::new(Size::new(rows, cols));
    screen.feed(bytes.as_ref());
    screen
}

fn shown(bytes: impl AsRef<[u8]>) -> String {
    screen(4, 10, bytes).text(true)
}

/// All visible state of a screen, for comparisons: text, cells with attributes, cursor, modes.
fn state(screen: &Screen) -> String {
    let mut out = format!(
        "{:?} {:?} {:?}",
        screen.text(false),
        screen.cursor(),
        screen.modes()
    );
    for row in 0..screen.size().rows() {
        out.push_str(if screen.row_wrapped(row) {
            " wrapped"
        } else {
            " whole"
        });
        for col in 0..screen.size().cols() {
            let cell = screen.cell(row, col).unwrap();
            let plain = Cell {
                text: cell.text,
                width: 1,
                ..Cell::default()
            };
            if cell != plain {
                out.push_str(&format!("\n{row},{col}: {cell:?}"));
            }
        }
    }
    out
}

#[test]
fn boxes_are_drawn() {
    assert_eq!(shown("\x1b(0lqk\x1b(Blqk"), "┌─┐lqk");
    assert_eq!(shown("\x1b)0a\x0eqq\x0fq"), "a──q");
}

#[test]
fn insertion_at_the_right_margin_continues_the_line() {
    let text = |bytes: &str| {
        let mut screen = Screen::new(Size::new(4, 10));
        screen.feed(bytes.as_bytes());
        screen.logical_text()
    };
    assert_eq!(text("\x1b[4h\x1b[99abc"), "         bc");
    let with_next_row = "x\r\nyz\x1b[H\x1b[4h\x1b[31m\x1b[99a\x1b[mbc";
    assert_eq!(text(with_next_row), "x        bcyz");
    let at_the_bottom = "\x1b[4;1H\x1b[4h\x1b[99abc";
    assert!(text(at_the_bottom).ends_with("         bc"));
}

#[test]
fn modes_that_the_emulator_lacks_work() {
    assert_eq!(shown("abc\r\x1b[4hXY"), "XYabc");
    assert_eq!(shown("\x1b[?7labcdefghijklm"), "abcdefghim");
    assert_eq!(
        shown("\x1b7\x1b[?7l\x1b8abcdefghijklmn"),
        "abcdefghin",
        "DECRC leaves autowrap alone"
    );
    assert_eq!(shown("\x1b[20ha\nb"), "a\nb");
    assert_eq!(shown("a\x1bDb\x1bEc"), "a\n b\nc");
    assert_eq!(shown("\x1b[3g\x1b[4G\x1bH\r\tx"), "   x");
    assert_eq!(shown("\x1b[3ax\x1b[2ey"), "   x\n\n    y");
    assert_eq!(shown("ab\x1b[3b"), "abbbb");
    assert_eq!(screen(2, 3, "\x1b#8").text(true), "EEE\nEEE");
    assert_eq!(shown("a\x1b[sbc\x1b[ud"), "adc");
    assert_eq!(shown("0123456789\x08\x08x"), "0123456x89");
    assert_eq!(shown("a\x1b[2;3r\x1b[3;1H\nb"), "a\n\nb");
}

#[test]
fn a_pending_wrap_outlives_tabs_and_erasing_to_the_end() {
    for kept in ["\t", "\x1b[3I", "\x1b[m\x1b[K", "\x1b[J", "\x1b[?K"] {
        let bytes = format!("0123456789{kept}x");
        assert_eq!(shown(bytes), "0123456789\nx", "{kept:?}");
    }
    assert_eq!(shown("\r\nold\x1b[H0123456789\x1b[Jx"), "0123456789\nx");
    assert_eq!(shown("0123456789\x1b[S\tx"), "\nx");
}

#[test]
fn reverse_wraparound_goes_back_over_wrapped_rows() {
    let wrapped = "0123456789ab";
    assert_eq!(
        shown(format!("{wrapped}\x1b[?45h\x1b[3Dx")),
        "012345678x\nab"
    );
    assert_eq!(shown(format!("{wrapped}\x1b[9Dx")), "0123456789\nxb");
    // Only over what has wrapped, and not without autowrap.
    assert_eq!(shown("a\r\nb\x1b[?45h\x08\x08x"), "a\nx");
    assert_eq!(
        shown(format!("{wrapped}\x1b[?45;7l\x1b[?45h\x1b[9Dx")),
        "0123456789\nxb"
    );
    // A pending wrap is a column.
    assert_eq!(shown("\x1b[?45h0123456789\x08x"), "012345678x");
    assert_eq!(
        shown("\x1b[?1045ha\r\nb\x1b[2Dx\x1b[H\x08y"),
        "a        x\nb\n\n         y"
    );
    assert_eq!(
        shown("\x1b[?1045h\x1b[2;3r\x1b[2;1H\x1b[65535Dx"),
        shown("\x1b[?1045h\x1b[2;3r\x1b[2;1H\x1b[15Dx")
    );
}

#[test]
fn the_place_of_an_image_is_marked() {
    for (image, expected) in [
        ("\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\", "a[image]\n c"),
        ("\x1b]1337;File=inline=1;width=2:aGk=\x07", "a[image]c"),
        ("\x1b_Ga=T,f=100;aGk=\x1b\\", "a[image]c"),
        ("\x1b_Ga=T,m=1;aGk=\x1b\\\x1b_Gm=0;aGk=\x1b\\", "a[image]c"),
        ("\x1b_Ga=p,i=1,C=1\x1b\\", "acimage]"),
        ("\x1b_Ga=q,i=1;AAAA\x1b\\", "ac"),
        ("\x1b_Ga=t,i=1;AAAA\x1b\\\x1b_Ga=d\x1b\\", "ac"),
        ("\x1b]1337;File=inline=0:aGk=\x07", "ac"),
        ("\x1bPq~~\x18", "ac"),
        ("23456\x1bPq~\x1b\\", "a23456[ima\n      c"),
        ("234567890\x1bPq~\x1b\\", "a234567890\n[image]\nc"),
        ("\x1b[?7l234567890\x1bPq~\x1b\\", "a23456789[\n         c"),
    ] {
        let bytes = format!("a{image}c");
        assert_eq!(shown(&bytes), expected, "{image:?}");
        let mut split = Screen::new(Size::new(4, 10));
        for byte in bytes.as_bytes() {
            split.feed(&[*byte]);
        }
        assert_eq!(split.text(true), expected, "{image:?} in pieces");
        assert!(split.take_replies().is_empty(), "unsupported");
    }
    let marked = screen(4, 10, "\x1b[1;31m\x1b_Ga=T;\x1b\\x");
    let (image, after) = (marked.cell(0, 0).unwrap(), marked.cell(0, 7).unwrap());
    assert_eq!(
        (image.dim, image.bold, image.fg),
        (true, false, Color::Default)
    );
    assert_eq!(
        (after.dim, after.bold, after.fg),
        (false, true, Color::Idx(1))
    );
}

#[test]
fn a_large_image_is_passed_over() {
    let data = "~".repeat(3 << 20);
    for (image, expected) in [
        (format!("\x1bPq{data}\x1b\\"), "a[image]\n c"),
        (format!("\x1b]1337;File=inline=1:{data}\x07"), "a[image]c"),
        (format!("\x1b_Ga=T;{data}\x1b\\"), "a[image]c"),
        (format!("\x1b_Gm=1;{data}\x1b\\"), "ac"),
        (format!("\x1b]2;{data}\x07"), "ac"),
    ] {
        let mut screen = Screen::new(Size::new(4, 10));
        for piece in format!("a{image}c").as_bytes().chunks(10_000) {
            screen.feed(piece);
        }
        assert_eq!(screen.text(true), expected);
    }
}

#[test]
fn rep_is_bounded() {
    let long = screen(4, 10, "x\x1b[65535b");
    assert_eq!(long.text(true).len(), 40 + 3 - 9);
}

#[test]
fn alignment_patterns_are_bounded() {
    let mut large = screen(100, 250, "\x1b#8".repeat(50) + "\x1b[2J\x1b#8");
    assert_eq!(large.text(true), "", "no more are drawn for this input");
    large.feed(b"\x1b#8");
    assert!(large.text(true).starts_with("EEE"));
}

#[test]
fn leaving_the_alternate_screen_restores_everything() {
    let vim =
        "$ vi\r\n\x1b[31m\x1b[?1049h\x1b[2J\x1b[1;3r\x1b7\x1b[0m\x1b[3;3Hvim\x1b[r\x1b[?1049l";
    let after = screen(4, 10, format!("{vim}x"));
    assert!(!after.alt_screen());
    assert_eq!(after.text(true), "$ vi\nx");
    assert_eq!(
        after.cell(1, 0).unwrap().fg,
        Color::Idx(1),
        "DECSC saves separately on each screen"
    );
    let inside = screen(4, 10, "ab\x1b[?1049hc");
    assert!(inside.alt_screen());
    assert_eq!(inside.text(true), "  c", "the cursor keeps its position");
    assert_eq!(shown("ab\x1b[?1047hc\x1b[?1047ld"), "ab d");
}

#[test]
fn invalid_bytes_become_replacement_characters() {
    let broken = screen(2, 10, b"a\xff\xe2\x82b");
    assert_eq!(broken.text(true), "a\u{fffd}\u{fffd}b");
    assert_eq!(broken.cell(0, 1).unwrap().text, "\u{fffd}");
    assert_eq!(broken.logical_text(), "a\u{fffd}\u{fffd}b");
    assert!(
        String::from_utf8(broken.ansi())
            .unwrap()
            .contains("a\u{fffd}\u{fffd}b")
    );
}

#[test]
fn the_known_panic_of_the_emulator_cannot_be_reached() {
    let mut screen = Screen::new(Size::new(24, 80));
    let input = format!("{}{}⚠\u{fe0f}\x1b[23;80Hx", "\n".repeat(30), "a".repeat(79));
    let fed = screen.feed(input.as_bytes());
    assert!(!fed.restarted);
    assert!(screen.rows_text(true)[22].ends_with('x'));
    // The variation selector is also filtered if it is split between reads.
    let mut split = Screen::new(Size::new(24, 80));
    for byte in input.as_bytes() {
        assert!(!split.feed(&[*byte]).restarted);
    }
    assert_eq!(state(&split), state(&screen));
}

#[test]
fn queries_are_answered_once() {
    for (query, answer) in [
        ("\x1b[c", "\x1b[?62;22c"),
        ("\x1b[>c", "\x1b[>1;379;0c"),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[5n", "\x1b[0n"),
        ("ab\x1b[6n", "\x1b[1;3R"),
        ("\x1b[2;3r\x1b[?6h\x1b[?6n", "\x1b[?1;1R"),
        ("\x1b[?15n\x1b[?26n", "\x1b[?13n\x1b[?27;0n"),
        ("\x1b[?63;5n\x1b[?99n", "\x1bP5!~0000\x1b\\"),
        (
            "\x1b[?3$p\x1b[?8$p\x1b[12$p\x1b[?9999$p",
            "\x1b[?3;4$y\x1b[?8;3$y\x1b[12;3$y\x1b[?9999;0$y",
        ),
        (
            "\x1bP$qt\x1b\\\x1bP$q*|\x1b\\",
            "\x1bP1$r24t\x1b\\\x1bP1$r24*|\x1b\\",
        ),
        ("\x1b[?7$p", "\x1b[?7;1$y"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[4$p", "\x1b[4;2$y"),
        ("\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;31m\x1b\\"),
        ("\x1bP$q q\x1b\\", "\x1bP1$r1 q\x1b\\"),
        ("\x1bP$qr\x1b\\", "\x1bP1$r1;24r\x1b\\"),
        ("\x1bP$qzz\x1b\\", "\x1bP0$r\x1b\\"),
        (
            "\x1bP+q544e\x1b\\",
            "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\",
        ),
        (
            "\x1b[>q",
            concat!("\x1bP>|bgproc(", env!("CARGO_PKG_VERSION"), ")\x1b\\"),
        ),
        ("ab\x1b[7;1;1;1;1;1*y", "\x1bP7!~FF9F\x1b\\"),
        ("\x1b]10;?\x07", "\x1b]10;rgb:e5e5/e5e5/e5e5\x07"),
        ("\x1b]11;?\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\"),
        (
            "\x1b]4;1;?;196;?\x07",
            "\x1b]4;1;rgb:cdcd/0000/0000\x07\x1b]4;196;rgb:ffff/0000/0000\x07",
        ),
        ("\x1b[14t", "\x1b[4;384;640t"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[>5u\x1b[?u", "\x1b[?5u"),
        (
            "\x1b[>1u\x1b[?1049h\x1b[?u\x1b[?1049l\x1b[?u",
            "\x1b[?0u\x1b[?1u",
        ),
        (
            "\x1b[?4m\x1b[>4;1m\x1b[?4m\x1b[>4m\x1b[?4m",
            "\x1b[>4;0m\x1b[>4;1m\x1b[>4;0m",
        ),
        ("\x1b[?2048h", "\x1b[48;24;80;384;640t"),
        ("\x1b[?996n", "\x1b[?997;1n"),
        ("\x1b[?2027$p\x1b[?2031$p", "\x1b[?2027;4$y\x1b[?2031;2$y"),
        ("\x1b]11;red\x07\x1b[0c\x18", "\x1b[?62;22c"),
    ] {
        let mut screen = screen(24, 80, query);
        assert_eq!(
            String::from_utf8(screen.take_replies()).unwrap(),
            answer,
            "to {query:?}"
        );
        assert!(screen.take_replies().is_empty());
    }
    let mut flood = screen(24, 80, "\x1b[c".repeat(10_000));
    let replies = flood.take_replies();
    assert!(replies.len() <= 4095 && replies.ends_with(b"c"));
}

#[test]
fn protected_characters_are_erased_by_ed_and_el_only() {
    let protected = "a\x1b[1\"qbc\x1b[0\"qde\r\nf\x1b[1\"q漢\x1b[2\"qg\x1b[1;3H";
    for (erase, left) in [
        ("\x1b[?K", "abc\nf漢g"),
        ("\x1b[?1K", " bcde\nf漢g"),
        ("\x1b[?J", "abc\n 漢"),
        ("\x1b[2;3H\x1b[?1J", " bc\n 漢g"),
        ("\x1b[?2J", " bc\n 漢"),
        ("\x1b[${", " bc\n 漢"),
        ("\x1b[2;3r\x1b[?6h\x1b[1;1;1;1${", "abcde\n 漢g"),
        ("\x1b[1;2;1;4${", "abc e\nf漢g"),
        ("\x1b[1;2;1;4$z", "a   e\nf漢g"),
        ("\x1b[2J", ""),
        ("\x1b[K", "ab\nf漢g"),
    ] {
        assert_eq!(shown(format!("{protected}{erase}")), left, "{erase:?}");
    }
    // Attributes do not end the protection, DECRC restores it, DECSTR ends it.
    assert_eq!(shown("\x1b[1\"q\x1b[ma\x1b[?2J"), "a");
    assert_eq!(shown("\x1b[1\"q\x1b7\x1b[\"q\x1b8a\x1b[?2J"), "a");
    assert_eq!(shown("\x1b[1\"q\x1b[!pa\x1b[?2J"), "");
    // It is no attribute that another terminal would see.
    let ansi = screen(1, 5, "\x1b[1\"qab").row_ansi(0, true);
    assert_eq!(ansi, "ab");
}

#[test]
fn functions_on_areas_paint_a_limited_number_of_cells() {
    let mut screen = Screen::new(Size::new(500, 1000));
    // Two whole screens; the third one is too much for one read.
    screen.feed(b"\x1b[65$x\x1b[66$x\x1b[67$x");
    assert!(screen.first_row_text(true).starts_with("BB"));
    screen.feed(b"\x1b[68$x");
    assert!(screen.first_row_text(true).starts_with("DD"));
}

#[test]
fn areas_are_filled_with_the_current_attributes() {
    let bytes = "abcdef\x1b[5G\x1b[9;31m\x1b[42;1;2;2;3$x\x1b[mx";
    let filled = screen(3, 6, bytes);
    assert_eq!(filled.text(true), "a**dxf\n **");
    let cell = filled.cell(1, 2).unwrap();
    assert_eq!((cell.fg, cell.style.strike), (Color::Idx(1), true));
    assert_eq!(
        shown("\x1b[2;3r\x1b[?6h\x1b[42$xx"),
        "\nx*********\n**********"
    );
    assert_eq!(shown("a\x1b[7$xb\x1b[42;3;3;2;2$xc"), "abc");
}

#[test]
fn a_checksum_counts_characters_and_attributes() {
    let sum = |bytes: &str| {
        let mut screen = screen(4, 10, bytes);
        let reply = String::from_utf8(screen.take_replies()).unwrap();
        let sum = reply.strip_prefix("\x1bP1!~").unwrap();
        let sum = u16::from_str_radix(sum.strip_suffix("\x1b\\").unwrap(), 16).unwrap();
        0u16.wrapping_sub(sum)
    };
    let all = "\x1b[1;1*y";
    assert_eq!(sum(&format!("ab\r\n c{all}")), 97 + 98 + 32 + 99);
    // Blanks within a row count, those at its end only if it is the first cell.
    assert_eq!(sum(&format!("a\x1b[3Gb{all}")), 97 + 32 + 98);
    let mut flood = screen(4, 10, all.repeat(10_000));
    assert!(flood.take_replies().len() <= 4095);
    assert_eq!(sum(all), 32);
    let attributes = 0x08 + 0x10 + 0x20 + 0x40 + 0x80;
    assert_eq!(sum(&format!("\x1b[1;4;5;7;8ma{all}")), 97 + attributes);
    assert_eq!(sum(&format!("é漢\u{301}{all}")), 0xe9 + 0x22);
    assert_eq!(sum("ab\x1b[1;1;1;2;1;2*y"), 98);
    assert_eq!(sum(&format!("\x1b[1\"qa{all}")), 97 + 0x04);
    let plain = sum("\x1b[23#y\x1b[1m漢\x1b[1;1;1;1;1;3*y");
    assert_eq!(plain, 0u16.wrapping_sub(0x6f22 + 32), "as it is");
    assert_eq!(sum("ab\x1b[1;1;1;2;9;1*y"), 0, "no area");
    let origin = "\r\nxyz\x1b[2;3r\x1b[?6h\x1b[1;1;1;1;1;1*y";
    assert_eq!(sum(origin), u16::from(b'x'));
}

#[test]
fn modes_cursor_title_and_bell_are_reported() {
    let mut screen = Screen::new(Size::new(4, 10));
    let fed = screen.feed(b"\x07\x1b]0;a\x1b[1mb\x07\x07\x1b]2;web\x07");
    assert_eq!(
        (fed.bells, fed.title_changed, screen.title()),
        (3, true, "web")
    );
    screen.feed(b"\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1006h\x1b[5 q\x1b[?25l");
    screen.feed(b"\x1b[?2031h\x1b[>5u\x1b[>4;2m");
    let modes = Modes {
        app_cursor: true,
        app_keypad: true,
        bracketed_paste: true,
        reports: Reports {
            focus: true,
            color_scheme: true,
            keys: KeyProtocol {
                kitty: KittyFlags::new(5),
                other_keys: 2,
            },
            ..Reports::default()
        },
        mouse: MouseMode::Drag,
        mouse_sgr: true,
        mouse_utf8: false,
    };
    assert_eq!(screen.modes(), modes);
    // They survive a repaint, a difference, rest, and a screen that is painted anew.
    let mut copy = Screen::new(Size::new(4, 10));
    let before = copy.picture();
    copy.feed(&screen.ansi());
    assert_eq!(copy.modes(), modes);
    let mut other = Screen::new(Size::new(4, 10));
    other.feed(&copy.changes(&before).bytes);
    assert_eq!(other.modes(), modes);
    other.feed(b"\x1bc");
    let mut other = Box::new(other).rest().ok().expect("it can rest").wake();
    assert_eq!(other.modes(), Modes::default());
    other.take_modes(&copy);
    assert_eq!(other.modes(), modes);
    let other = Box::new(other).rest().ok().expect("it can rest").wake();
    assert_eq!(other.modes(), modes, "what it takes over outlives a rest");
    let cursor = screen.cursor();
    assert_eq!((cursor.visible, cursor.shape), (false, CursorShape::Bar));
    screen.feed(b"\x1bc");
    assert_eq!(screen.modes(), Modes::default());
    assert_eq!(
        serde_json::to_string(&screen.cursor().shape).unwrap(),
        r#""block""#
    );
}

#[test]
fn progress_is_reported_until_it_ends() {
    let mut screen = Screen::new(Size::new(4, 10));
    assert!(!screen.feed(b"\x1b]9;4;1;40\x1b\\").changed);
    assert_eq!(screen.progress().and_then(|now| now.percent), Some(40));
    screen.feed(b"\x1b]9;a message\x07");
    let mut screen = Box::new(screen).rest().ok().expect("it can rest").wake();
    assert_eq!(screen.progress().and_then(|now| now.percent), Some(40));
    screen.feed(b"\x1bc");
    assert_eq!(screen.progress(), None);
}

#[test]
fn the_sequence_number_grows_with_visible_changes() {
    let mut screen = Screen::new(Size::new(4, 10));
    for (bytes, grows) in [
        (&b"a"[..], true),
        (b"\x07", false),
        (b"\x1b[6n", false),
        (b"\x1b]0;t\x07", false),
        (b"", false),
        (b"\x1b[?1004h", true),
        (b"\r", true),
        (b"\x1b[3", false),
    ] {
        let before = screen.seq();
        let fed = screen.feed(bytes);
        assert_eq!(
            (screen.seq() > before, fed.changed),
            (grows, grows),
            "{bytes:?}"
        );
    }
    let before = screen.seq();
    screen.resize(Size::new(4, 10));
    assert_eq!(screen.seq(), before);
    screen.resize(Size::new(5, 10));
    assert!(screen.seq() > before);
}

#[test]
fn wrapped_rows_are_joined_for_copying() {
    let wrapped = screen(4, 10, "0123456789abc  \r\nnext");
    assert_eq!(wrapped.logical_text(), "0123456789abc\nnext");
    assert!(wrapped.row_wrapped(0) && !wrapped.row_wrapped(1));
    assert_eq!(
        wrapped.rows_text(false),
        ["0123456789", "abc       ", "next      ", "          "]
    );
}

#[test]
fn scrollback_is_kept_on_request() {
    let mut screen = Screen::with_scrollback(Size::new(2, 10), 100);
    screen.feed(b"1\r\n2\r\n3\r\n4");
    assert_eq!(screen.scrollback_len(), 2);
    screen.scroll_to(1);
    assert_eq!(screen.text(true), "2\n3");
    screen.scroll_to(0);
    assert_eq!(screen.text(true), "3\n4");
}

#[test]
fn underline_colours_are_not_attributes() {
    let cell = |bytes| {
        let screen = screen(2, 10, bytes);
        let cell = screen.cell(0, 0).unwrap();
        (cell.bold, cell.underline, cell.fg)
    };
    assert_eq!(cell("\x1b[58;5;1mx"), (false, false, Color::Default));
    assert_eq!(
        cell("\x1b[4:3;38:2::1:2:3mx"),
        (false, true, Color::Rgb(1, 2, 3))
    );
    assert_eq!(cell("\x1b[1m\x1b[58:5:2mx"), (true, false, Color::Default));
}

#[test]
fn a_difference_contains_only_changes() {
    let difference = |before: &str, after: &str| {
        let mut screen = screen(4, 20, before);
        let picture = screen.picture();
        screen.feed(after.as_bytes());
        String::from_utf8(screen.changes(&picture).bytes).unwrap()
    };
    let cursor = "\x1b[1;1H\x1b[m";
    assert_eq!(difference("abc", "\x1b[2G"), "\x1b[1;2H\x1b[m");
    assert_eq!(
        difference("1\r\n0123456789", "\x1b[2;5Hx\x1b[H"),
        format!("\x1b[2;5H\x1b[mx{cursor}")
    );
    assert_eq!(
        difference("1\r\n2\r\n3", "\x1b[Ha\r\nb\r\n\x1b[31mc\x1b[m\x1b[H"),
        format!("\x1b[1;1H\x1b[ma\x1b[2;1Hb\x1b[3;1H\x1b[31mc{cursor}")
    );
    // Red at the end of a row does not extend into the next row.
    assert_eq!(
        difference("1\r\n2", "\x1b[H\x1b[31ma\x1b[2;1H\x1b[mb\x1b[H"),
        format!("\x1b[1;1H\x1b[m\x1b[31ma\x1b[2;1H\x1b[mb{cursor}")
    );
}

#[test]
fn the_end_of_a_row_that_no_longer_wraps_is_kept() {
    let blank = "\x1b[H123456789漢x";
    let wide = "\x1b[H12345678漢x";
    for (wrapped, change) in [
        (blank, "\x1b[41m\x1b[H\x1b[2K\x1b[m123456789\x1b[K"),
        (blank, "\x1b[H\x1b[2K\x1b[41m12345"),
        (blank, "\x1b[H\x1b[2L"),
        (wide, "\x1b[H\x1b[2K12345678漢"),
        (wide, "\x1b[H\x1b[2K\x1b[41m1234567\x1b[m8漢"),
    ] {
        let mut screen = screen(4, 10, wrapped);
        let mut copy = Screen::new(Size::new(4, 10));
        copy.feed(&screen.ansi());
        let before = screen.picture();
        screen.feed(change.as_bytes());
        copy.feed(&screen.changes(&before).bytes);
        assert_eq!(state(&copy), state(&screen), "after {change:?}");
    }
}

/// Parts of the output of programs, valid and invalid.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    const SEQUENCES: &[&str] = &[
        "\r\n",
        "\n",
        "\r",
        "\x08",
        "\t",
        "\x1b[H",
        "\x1b[2;3H",
        "\x1b[A",
        "\x1b[2B",
        "\x1b[3C",
        "\x1b[D",
        "\x1b[J",
        "\x1b[1K",
        "\x1b[31m",
        "\x1b[1;4m",
        "\x1b[44m",
        "\x1b[3;7;38;5;200m",
        "\x1b[m",
        "\x1b[K",
        "\x1b[5;1H",
        "\x1b[1;11H",
        "\x1b[2;3r",
        "\x1b[r",
        "\x1b[L",
        "\x1b[M",
        "\x1b[2P",
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
        "\x0e",
        "\x0f",
        "\x1b[4h",
        "\x1b[4l",
        "\x1bPq~~\x1b\\",
        "\x1b_Ga=T;x\x1b\\",
        "\x1b_Ga=p,C=1\x1b\\",
        "\x1b[1\"q",
        "\x1b[\"q",
        "\x1b[?J",
        "\x1b[?1K",
        "\x1b[2;2;3;8${",
        "\x1b[2;2;3;8$z",
        "\x1b[42;2;3;4;40$x",
        "\x1b[1;1*y",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[?45h",
        "\x1b[?45l",
        "\x1b[?1045h",
        "\x1b[9D",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?47h",
        "\x1b[?47l",
        "\x1b[?6h",
        "\x1b[?6l",
        "\x1b[5b",
        "\x1bH",
        "\x1b[g",
        "\x1bc",
        "\x1b[!p",
        "\x1b[6n",
        "\x1b[c",
        "\x1b]0;t\x07",
        "\x1bP$qm\x1b\\",
        "\x1b#8",
        "漢",
        "é",
        "e\u{301}",
        "⚠\u{fe0f}",
        "\u{fffd}",
        "😀",
        "\x1b[?25l",
        "\x1b[3 q",
        "\x1b[?1004h",
        "\x1b[?2031h",
        "\x1b[>1u",
        "\x1b[=24;2u",
        "\x1b[<u",
        "\x1b[>4;1m",
        "\x1b[?2004h",
        "\x1b[?1003h",
        "aaaaaaaa",
        "\x1b[9m",
        "\x1b[4:3;58:5:9m",
        "\x1b[21;53m",
        "\x1b[24;29m",
        "\x1b]8;id=x;file:///x\x1b\\",
        "\x1b]8;;\x1b\\",
        "\u{301}",
    ];
    prop_oneof![
        6 => prop::sample::select(SEQUENCES).prop_map(|s| s.as_bytes().to_vec()),
        3 => "[ -~]{1,12}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
}

fn stream() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(piece(), 0..60)
}

/// Rows and columns, also of the smallest terminals.
fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![
        4 => Just((5, 12)),
        1 => (1u16..4, 1u16..4),
        1 => (1u16..2, 1u16..13),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same_screen(pieces in stream(), (rows, cols) in size(), piece in 1usize..7) {
        let bytes = pieces.concat();
        let mut whole = screen(rows, cols, &bytes);
        let mut split = Screen::new(Size::new(rows, cols));
        for read in bytes.chunks(piece) {
            prop_assert!(!split.feed(read).restarted);
        }
        prop_assert_eq!(state(&split), state(&whole));
        prop_assert_eq!(split.take_replies(), whole.take_replies());
        prop_assert_eq!(split.title(), whole.title());
    }

    #[test]
    fn a_repaint_shows_the_same(pieces in stream(), (rows, cols) in size()) {
        let original = screen(rows, cols, pieces.concat());
        let repainted = screen(rows, cols, [b"\x1b[2;4rjunk\x1b[?1003h\x1b[4h".to_vec(), original.ansi()].concat());
        prop_assert_eq!(state(&repainted), state(&original), "of {:?}", String::from_utf8_lossy(&pieces.concat()));
    }

    #[test]
    fn differences_add_up(pieces in stream(), (rows, cols) in size()) {
        let mut original = Screen::new(Size::new(rows, cols));
        let mut copy = Screen::new(Size::new(rows, cols));
        let mut before = original.picture();
        for piece in pieces.chunks(3) {
            original.feed(&piece.concat());
            let changes = original.changes(&before);
            let others = |screen: &Screen| -> Vec<String> {
                let others = (0..rows).filter(|row| !changes.rows.contains(row));
                others.map(|row| screen.row_ansi(row, false)).collect()
            };
            let unchanged = others(&copy);
            copy.feed(&changes.bytes);
            prop_assert_eq!(others(&copy), unchanged);
            before = original.picture();
        }
        prop_assert_eq!(state(&copy), state(&original), "of {:?}", String::from_utf8_lossy(&pieces.concat()));
    }
}
