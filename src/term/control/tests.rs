//! Tests that a sequence is the function that the standards and xterm make of it.

use super::charset::{Charset, CharsetChange};
use super::mode::Mode;
use super::query::Query;
use super::sgr::{Attribute, attributes};
use super::tabs::TabChange;
use super::{Erase, Function};
use crate::term::keyboard::{KeyboardChange, KittyFlags};
use crate::term::scan::Scanner;
use crate::term::style::Underline;

/// The function that `bytes` are, read by the scanner and, unless they are a string, in place.
fn read(bytes: &[u8], check: impl Fn(Function<'_>)) {
    let mut scanner = Scanner::default();
    let mut pos = 0;
    while pos < bytes.len() {
        // From the second read on, the scanner has a copy.
        if let Some(token) = scanner.next(&bytes[..pos + 1], &mut pos) {
            check(Function::of(&token));
        }
    }
    if !matches!(bytes, [0x1b, b']' | b'P', ..]) {
        let (function, length) = Function::first(bytes).expect("a sequence");
        assert_eq!(length, bytes.len());
        check(function);
    }
}

#[test]
fn sequences_are_functions() {
    use Function::*;
    for (bytes, function) in [
        (&b"\x07"[..], Bell),
        (b"\x0c", LineFeed),
        (b"\x0e", Charset(CharsetChange::Lock(1))),
        (b"\x1b)0", designated(1)),
        (b"\x1bH", TabStop(TabChange::Set)),
        (b"\x1b#8", AlignmentPattern),
        (b"\x1b[A", CursorUp(1)),
        (b"\x1b[0B", CursorDown(1)),
        (b"\x1b[7:3C", CursorRight(7)),
        (b"\x1b[99999D", CursorLeft(u16::MAX)),
        (b"\x1b[`", CursorColumn(0)),
        (b"\x1b[;3H", CursorPosition(0, 2)),
        (b"\x1b[2f", CursorPosition(1, 0)),
        (b"\x1b[J", EraseInDisplay(Erase::ToEnd)),
        (b"\x1b[?1J", SelectiveEraseInDisplay(Erase::ToCursor)),
        (b"\x1b[02;9K", EraseInLine(Erase::All)),
        (b"\x1b[2T", ScrollDown(2)),
        (b"\x1b[1;1;1;1;1T", Unknown),
        (b"\x1b[3g", TabStop(TabChange::ClearAll)),
        (b"\x1b[1g", Unknown),
        (b"\x1b[r", SetMargins(0, u16::MAX - 1)),
        (b"\x1b[2;5r", SetMargins(1, 4)),
        (b"\x1b[?1;2r", Unknown),
        (b"\x1b[s", SaveCursor),
        (b"\x1b[1;2s", Unknown),
        (b"\x1b[1;31m", Sgr(b"1;31")),
        (b"\x1b[>4;2m", Keyboard(KeyboardChange::OtherKeys(2))),
        (b"\x1b[>4m", Keyboard(KeyboardChange::OtherKeys(0))),
        (b"\x1b[>m", Keyboard(KeyboardChange::OtherKeys(0))),
        (b"\x1b[>1;2m", Unknown),
        (
            b"\x1b[>u",
            Keyboard(KeyboardChange::Push(KittyFlags::new(0))),
        ),
        (
            b"\x1b[>5u",
            Keyboard(KeyboardChange::Push(KittyFlags::new(5))),
        ),
        (
            b"\x1b[=1;2u",
            Keyboard(KeyboardChange::Set(KittyFlags::new(1), 2)),
        ),
        (b"\x1b[<u", Keyboard(KeyboardChange::Pop(1))),
        (b"\x1b[?u", Query(self::Query::KittyKeyboard)),
        (b"\x1b[u", RestoreCursor),
        (b"\x1b[ q", CursorStyle),
        (b"\x1b[!p", SoftReset),
        (b"\x1b[22;0t", PushTitle),
        (b"\x1b[22;1t", Unknown),
        (b"\x1b[18t", Query(self::Query::Window(18))),
        (b"\x1b[c", Query(self::Query::PrimaryAttributes)),
        (b"\x1b[1c", Unknown),
        (b"\x1b[?6n", Query(self::Query::Cursor { private: true })),
        (b"\x1b]2;a;b\x07", Title(b"a;b")),
        (b"\x1b]8;;x\x07", Link(b";x")),
        (b"\x1b]1;x\x07", Unknown),
        (b"\x1bP$qm\x1b", Query(self::Query::Setting(b"m"))),
    ] {
        read(bytes, |read| assert_eq!(read, function));
    }
}

fn designated(slot: usize) -> Function<'static> {
    Function::Charset(CharsetChange::Designate(slot, Charset::Graphics))
}

#[test]
fn incomplete_sequences_and_text_are_no_functions() {
    for bytes in [
        &b""[..],
        b"a",
        b"\x1b",
        b"\x1b[1",
        b"\x1b(",
        b"\x1b]0;a\x07",
    ] {
        assert_eq!(Function::first(bytes), None);
    }
}

#[test]
fn modes_have_their_own_numbers() {
    let read = |bytes, expected: &[(u16, Mode)]| match Function::first(bytes) {
        Some((Function::SetModes(modes, true), _)) => {
            assert_eq!(modes.iter().collect::<Vec<_>>(), expected);
        }
        other => panic!("{other:?}"),
    };
    read(
        b"\x1b[4;;20h",
        &[(4, Mode::Insert), (0, Mode::Unknown), (20, Mode::NewLine)],
    );
    read(
        b"\x1b[?4;1049h",
        &[(4, Mode::Unknown), (1049, Mode::AlternateScreenSaved)],
    );
    assert!(Mode::AlternateScreenSaved.is_alternate_screen());
}

#[test]
fn attributes_are_read_in_both_notations() {
    let rgb = Attribute::Foreground(vt100::Color::Rgb(1, 2, 3));
    let nine = Attribute::Background(vt100::Color::Idx(9));
    for (params, expected) in [
        (&b""[..], &[Attribute::Reset][..]),
        (b"38;2;1;2;3;1", &[rgb, Attribute::Bold]),
        (b"38:2::1:2:3;1", &[rgb, Attribute::Bold]),
        (b"38:2:1:2:3", &[rgb]),
        (b"48:5:9;109", &[nine, Attribute::Unknown]),
        (b"101", &[nine]),
        (
            b"4:3;4:0",
            &[
                Attribute::Underline(Some(Underline::Curly)),
                Attribute::Underline(None),
            ],
        ),
        (
            b"58;2;1;2;3;22",
            &[
                Attribute::UnderlineColor(vt100::Color::Rgb(1, 2, 3)),
                Attribute::NormalIntensity,
            ],
        ),
        (
            b"9;29;53;58:5:9;59",
            &[
                Attribute::Strike(true),
                Attribute::Strike(false),
                Attribute::Overline(true),
                Attribute::UnderlineColor(vt100::Color::Idx(9)),
                Attribute::UnderlineColor(vt100::Color::Default),
            ],
        ),
        (b"38;5;300;1", &[Attribute::Unknown]),
        (b"38:9;1", &[Attribute::Unknown, Attribute::Bold]),
    ] {
        assert_eq!(attributes(params).collect::<Vec<_>>(), expected);
    }
}
