//! Tests with the bytes that terminals send.

use proptest::prelude::*;

use super::*;

fn events(bytes: impl AsRef<[u8]>) -> Vec<Event> {
    let mut reader = KeyReader::new();
    let mut all = reader.feed(bytes.as_ref());
    all.extend(reader.flush());
    all.into_iter().map(|input| input.event).collect()
}

fn key(bytes: impl AsRef<[u8]>) -> Key {
    match events(bytes).as_slice() {
        [Event::Key(key)] => *key,
        other => unreachable!("not one key: {other:?}"),
    }
}

fn modified(code: KeyCode, mods: &str) -> Key {
    Key {
        code,
        ctrl: mods.contains('c'),
        alt: mods.contains('a'),
        shift: mods.contains('s'),
    }
}

#[test]
fn keys_are_parsed_in_every_encoding() {
    use KeyCode::*;
    for (bytes, code, mods) in [
        ("a", Char('a'), ""),
        ("Q", Char('Q'), ""),
        ("é", Char('é'), ""),
        ("漢", Char('漢'), ""),
        (" ", Char(' '), ""),
        ("\r", Enter, ""),
        ("\t", Tab, ""),
        ("\x7f", Backspace, ""),
        ("\x1b", Esc, ""),
        ("\x03", Char('c'), "c"),
        ("\x1d", Char(']'), "c"),
        ("\0", Char(' '), "c"),
        ("\x1f", Char('_'), "c"),
        ("\n", Char('j'), "c"),
        ("\x08", Char('h'), "c"),
        ("\x1b[A", Up, ""),
        ("\x1bOA", Up, ""),
        ("\x1b[1;5C", Right, "c"),
        ("\x1b[1;4D", Left, "as"),
        ("\x1bOc", Right, "c"),
        ("\x1b[a", Up, "s"),
        ("\x1b[H", Home, ""),
        ("\x1b[4~", End, ""),
        ("\x1b[3;5~", Delete, "c"),
        ("\x1b[5~", PageUp, ""),
        ("\x1b[Z", BackTab, "s"),
        ("\x1bOP", F(1), ""),
        ("\x1b[[E", F(5), ""),
        ("\x1b[15~", F(5), ""),
        ("\x1b[24~", F(12), ""),
        ("\x1b[34~", F(20), ""),
        ("\x1b[1;2R", F(3), "s"),
        ("\x1bOM", Enter, ""),
        ("\x1bOw", Char('7'), ""),
        ("\x1b[93;5u", Char(']'), "c"),
        ("\x1b[27u", Esc, ""),
        ("\x1b[97;2u", Char('A'), ""),
        ("\x1b[97;6u", Char('a'), "cs"),
        ("\x1b[13;2u", Enter, "s"),
        ("\x1b[9;2u", BackTab, "s"),
        ("\x1b[57388;1u", Char('\u{e02c}'), "x"),
        ("\x1b[27;5;93~", Char(']'), "c"),
        ("\x1b[1085::110;5u", Char('н'), "c"),
        ("\x1b[57376u", F(13), ""),
    ] {
        if mods == "x" {
            assert_eq!(events(bytes), [Event::KeyReport], "{bytes:?}");
        } else {
            assert_eq!(key(bytes), modified(code, mods), "{bytes:?}");
        }
    }
}

#[test]
fn escape_and_a_character_are_two_keys() {
    assert_eq!(
        events("\x1bx"),
        [
            Event::Key(Key::plain(KeyCode::Esc)),
            Event::Key(Key::plain(KeyCode::Char('x')))
        ]
    );
    assert_eq!(
        events("\x1b\x1b[A"),
        [
            Event::Key(Key::plain(KeyCode::Esc)),
            Event::Key(Key::plain(KeyCode::Up))
        ]
    );
    let mut reader = KeyReader::new();
    assert_eq!(
        reader.feed(b"\x1b").len(),
        1,
        "a lone ESC must be reported at once"
    );
    assert!(!reader.is_pending());
}

#[test]
fn incomplete_input_is_pending_until_flushed() {
    let mut reader = KeyReader::new();
    assert!(reader.feed(b"\x1b[1;").is_empty());
    assert!(reader.is_pending());
    assert_eq!(
        reader.feed(b"5A")[0].event,
        Event::Key(modified(KeyCode::Up, "c"))
    );
    assert!(reader.feed(b"\x1b[").is_empty());
    let keys: Vec<Event> = reader
        .flush()
        .into_iter()
        .map(|input| input.event)
        .collect();
    assert_eq!(
        keys,
        [
            Event::Key(Key::plain(KeyCode::Esc)),
            Event::Key(Key::plain(KeyCode::Char('[')))
        ]
    );
    assert!(reader.feed(b"\xc3").is_empty());
    assert_eq!(
        reader.feed(b"\xa9")[0].event,
        Event::Key(Key::plain(KeyCode::Char('é')))
    );
    assert_eq!(key(b"\xff"), Key::plain(KeyCode::Char('\u{fffd}')));
}

#[test]
fn both_mouse_encodings_are_parsed() {
    use MouseKind::*;
    for (bytes, kind, col, row) in [
        (&b"\x1b[<0;10;5M"[..], Down(Button::Left), 9, 4),
        (b"\x1b[<0;10;5m", Up(Button::Left), 9, 4),
        (b"\x1b[<2;300;200M", Down(Button::Right), 299, 199),
        (b"\x1b[<32;1;1M", Drag(Button::Left), 0, 0),
        (b"\x1b[<35;1;1M", Moved, 0, 0),
        (b"\x1b[<64;1;1M", ScrollUp, 0, 0),
        (b"\x1b[<65;1;1M", ScrollDown, 0, 0),
        (b"\x1b[M !!", Down(Button::Left), 0, 0),
        (b"\x1b[M#!\"", Up(Button::Left), 0, 1),
    ] {
        let expected = Mouse {
            kind,
            col,
            row,
            ctrl: false,
            alt: false,
            shift: false,
        };
        assert_eq!(events(bytes), [Event::Mouse(expected)], "{bytes:?}");
    }
    assert!(matches!(
        events("\x1b[<20;1;1M")[..],
        [Event::Mouse(Mouse {
            ctrl: true,
            shift: true,
            alt: false,
            ..
        })]
    ));
}

#[test]
fn pastes_focus_and_replies_are_not_keys() {
    assert_eq!(
        events("\x1b[200~a\x1b[A\nb\x1b[201~c"),
        [
            Event::Paste(b"a\x1b[A\nb".to_vec()),
            Event::Key(Key::plain(KeyCode::Char('c'))),
        ]
    );
    assert_eq!(
        events("\x1b[I\x1b[O"),
        [Event::Focus(true), Event::Focus(false)]
    );
    for reply in [
        "\x1b[?62;22c",
        "\x1b[>41;379;0c",
        "\x1b[12;40R",
        "\x1b[?1u",
        "\x1b]11;rgb:0/0/0\x07",
        "\x1b]11;rgb:0/0/0\x1b\\",
        "\x1bP1$r0m\x1b\\",
        "\x1b[?2026;2$y",
    ] {
        assert_eq!(
            events(reply),
            [Event::Reply(reply.as_bytes().to_vec())],
            "{reply:?}"
        );
    }
}

#[test]
fn a_paste_may_come_in_many_reads() {
    let mut reader = KeyReader::new();
    let stream = [
        b"\x1b[200~".to_vec(),
        vec![b'p'; 100_000],
        b"\x1b[201~x".to_vec(),
    ]
    .concat();
    let mut all = Vec::new();
    for read in stream.chunks(7) {
        all.extend(reader.feed(read));
    }
    assert_eq!(all.len(), 2);
    assert!(matches!(&all[0].event, Event::Paste(text) if text.len() == 100_000));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_are_neither_lost_nor_invented(bytes in prop::collection::vec(
        prop_oneof![2 => any::<u8>(), 3 => prop::sample::select(&b"\x1b[]O<;:0123456789MmuAR~P\\?"[..])], 0..80), size in 1usize..9) {
        let mut reader = KeyReader::new();
        let mut raw = Vec::new();
        for read in bytes.chunks(size) {
            raw.extend(reader.feed(read).into_iter().flat_map(|input| input.raw));
        }
        raw.extend(reader.flush().into_iter().flat_map(|input| input.raw));
        raw.extend_from_slice(&reader.pending);
        prop_assert_eq!(raw, bytes);
    }

    #[test]
    fn encoded_keys_are_parsed_back(index in 0usize..60, mods in 0usize..8) {
        let name = crate::term::keys::names().nth(index % crate::term::keys::names().count()).unwrap_or("Up");
        let prefix: String = ["C-", "S-"].iter().enumerate().filter(|(bit, _)| mods & (1 << bit) != 0).map(|(_, p)| *p).collect();
        let bytes = crate::term::keys::encode(&format!("{prefix}{name}"), crate::term::modes::Modes::default());
        prop_assert!(bytes.is_ok_and(|bytes| matches!(events(bytes)[..], [Event::Key(_)])));
    }
}

#[test]
fn the_rest_of_a_report_is_awaited_and_never_typed() {
    for (front, rest) in [
        ("\x1b]11;rgb:ffff", "/ffff/ffff\x1b\\"),
        ("\x1b[?64", ";1c"),
        ("\x1b[<0;1", "0;5M"),
    ] {
        let mut reader = KeyReader::new();
        assert_eq!(reader.feed(front.as_bytes()), []);
        assert_eq!(reader.flush(), [], "{front:?} is no key");
        let events = reader.feed(rest.as_bytes());
        assert_eq!(events.len(), 1, "{events:?}");
        assert!(!matches!(events[0].event, Event::Key(_)), "{events:?}");
        // A report that never ends is dropped.
        reader.feed(front.as_bytes());
        reader.flush();
        reader.flush();
        assert!(!reader.is_pending());
    }
    // Alt with a bracket is reported as such.
    let mut reader = KeyReader::new();
    reader.feed(b"\x1b]");
    assert_eq!(reader.flush().len(), 2);
}

#[test]
fn what_only_a_program_understands_is_a_report() {
    for bytes in [
        "\x1b[97;1:3u",
        "\x1b[1;1:3A",
        "\x1b[3;5:3~",
        "\x1b[57441;2u",
        "\x1b[57428u",
        "\x1b[0;;228u",
    ] {
        let mut reader = KeyReader::new();
        let inputs = reader.feed(bytes.as_bytes());
        assert_eq!(inputs.len(), 1, "{bytes:?}");
        assert_eq!(inputs[0].event, Event::KeyReport, "{bytes:?}");
        assert_eq!(inputs[0].raw, bytes.as_bytes());
    }
}
