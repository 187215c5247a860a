use super::names::TABLE;
use super::*;
use crate::term::keyboard::{KeyProtocol, KittyFlags};
use crate::term::keyparse::{Event, KeyReader};
use crate::term::modes::Reports;

fn sent(name: &str) -> String {
    String::from_utf8(encode(name, Modes::default()).unwrap()).unwrap()
}

#[test]
fn keys_are_encoded_as_in_xterm() {
    for (name, bytes) in [
        ("Enter", "\r"),
        ("enter", "\r"),
        ("TAB", "\t"),
        ("BTab", "\x1b[Z"),
        ("S-Tab", "\x1b[Z"),
        ("Escape", "\x1b"),
        ("Space", " "),
        ("BSpace", "\x7f"),
        ("Backspace", "\x7f"),
        ("C-BSpace", "\x08"),
        ("M-BSpace", "\x1b\x7f"),
        ("DC", "\x1b[3~"),
        ("Insert", "\x1b[2~"),
        ("Up", "\x1b[A"),
        ("ArrowLeft", "\x1b[D"),
        ("Home", "\x1b[H"),
        ("PPage", "\x1b[5~"),
        ("PageDown", "\x1b[6~"),
        ("F1", "\x1bOP"),
        ("F5", "\x1b[15~"),
        ("F12", "\x1b[24~"),
        ("F13", "\x1b[1;2P"),
        ("F24", "\x1b[24;2~"),
        ("C-F13", "\x1b[1;6P"),
        ("KP5", "5"),
        ("KPEnter", "\r"),
        ("C-Left", "\x1b[1;5D"),
        ("M-S-Up", "\x1b[1;4A"),
        ("S-M-Up", "\x1b[1;4A"),
        ("C-DC", "\x1b[3;5~"),
        ("S-F5", "\x1b[15;2~"),
        ("Ctrl+Shift+ArrowRight", "\x1b[1;6C"),
        ("M-F1", "\x1b[1;3P"),
        ("C-S-Tab", "\x1b[1;6Z"),
        ("Control-a", "\x01"),
        ("CR", "\r"),
        ("Linefeed", "\n"),
        ("Page_Up", "\x1b[5~"),
    ] {
        assert_eq!(sent(name), bytes, "{name}");
    }
}

#[test]
fn characters_keep_their_case_and_take_modifiers() {
    for (name, bytes) in [
        ("a", "a"),
        ("A", "A"),
        ("é", "é"),
        ("漢", "漢"),
        ("-", "-"),
        ("^", "^"),
        ("+", "+"),
        ("C-c", "\x03"),
        ("c-C", "\x03"),
        ("^C", "\x03"),
        ("^x", "\x18"),
        ("Ctrl+c", "\x03"),
        ("ctrl-c", "\x03"),
        ("C-[", "\x1b"),
        ("C-]", "\x1d"),
        ("C-\\", "\x1c"),
        ("C-Space", "\0"),
        ("C-@", "\0"),
        ("C-?", "\x7f"),
        ("C-/", "\x1f"),
        ("^^", "\x1e"),
        ("M-x", "\x1bx"),
        ("Alt+x", "\x1bx"),
        ("M-X", "\x1bX"),
        ("Meta+Enter", "\x1b\r"),
        ("C-M-a", "\x1b\x01"),
        ("S-a", "A"),
        ("Shift+é", "É"),
        ("C--", "-"),
        ("Ctrl++", "+"),
        ("C-,", ","),
        ("M--", "\x1b-"),
    ] {
        assert_eq!(sent(name), bytes, "{name}");
    }
}

#[test]
fn modes_decide_cursor_keys_and_keypad() {
    let modes = Modes {
        app_cursor: true,
        app_keypad: true,
        ..Modes::default()
    };
    let sent = |name| String::from_utf8(encode(name, modes).unwrap()).unwrap();
    assert_eq!(
        [sent("Up"), sent("End"), sent("C-Up")],
        ["\x1bOA", "\x1bOF", "\x1b[1;5A"]
    );
    assert_eq!(
        [sent("KP7"), sent("KPEnter"), sent("KP+")],
        ["\x1bOw", "\x1bOM", "\x1bOk"]
    );
    assert_eq!(sent("5"), "5");
}

#[test]
fn an_unknown_name_is_an_error_with_a_suggestion() {
    for (name, suggestion) in [
        ("Entr", Some("Enter")),
        ("C-Lft", Some("C-Left")),
        ("PageDwn", Some("PageDown")),
        ("F25", Some("F2")),
        ("ls -la\n", None),
        ("", None),
        ("C-", None),
        ("yes", None),
        ("Ctrl+Backspce", Some("Ctrl+Backspace")),
        ("Nul", None),
        ("Pause", None),
        ("Super+a", None),
    ] {
        let error = encode(name, Modes::default()).unwrap_err();
        assert_eq!(
            (error.name.as_str(), error.suggestion.as_deref()),
            (name, suggestion)
        );
    }
}

#[test]
fn every_name_is_a_key_in_any_case() {
    assert_eq!(names().count(), TABLE.len());
    for name in TABLE.iter().flat_map(|(names, _)| names.iter()) {
        for name in [name.to_string(), name.to_lowercase(), name.to_uppercase()] {
            assert!(encode(&name, Modes::default()).is_ok(), "{name}");
        }
    }
}

fn asked(kitty: u16, other_keys: u8) -> Modes {
    let keys = KeyProtocol {
        kitty: KittyFlags::new(kitty),
        other_keys,
    };
    Modes {
        reports: Reports {
            keys,
            ..Reports::default()
        },
        ..Modes::default()
    }
}

fn encoded(name: &str, modes: Modes) -> String {
    String::from_utf8(encode(name, modes).unwrap()).unwrap()
}

/// The examples are those of the protocol's specification, and what kitty 0.44 sends.
#[test]
fn the_kitty_protocol_distinguishes_all_keys() {
    for (flags, name, bytes) in [
        (1, "a", "a"),
        (1, "A", "A"),
        (1, "S-a", "A"),
        (1, "é", "é"),
        (1, "Enter", "\r"),
        (1, "Tab", "\t"),
        (1, "BSpace", "\x7f"),
        (1, "Escape", "\x1b[27u"),
        (1, "S-Enter", "\x1b[13;2u"),
        (1, "C-Enter", "\x1b[13;5u"),
        (1, "M-Enter", "\x1b[13;3u"),
        (1, "S-Tab", "\x1b[9;2u"),
        (1, "BTab", "\x1b[9;2u"),
        (1, "C-Tab", "\x1b[9;5u"),
        (1, "C-BSpace", "\x1b[127;5u"),
        (1, "C-a", "\x1b[97;5u"),
        (1, "C-A", "\x1b[97;5u"),
        (1, "^C", "\x1b[99;5u"),
        (1, "C-S-a", "\x1b[97;6u"),
        (1, "C-i", "\x1b[105;5u"),
        (1, "M-x", "\x1b[120;3u"),
        (1, "M-X", "\x1b[120;4u"),
        (1, "C-Space", "\x1b[32;5u"),
        (1, "Up", "\x1b[A"),
        (1, "C-Left", "\x1b[1;5D"),
        (1, "DC", "\x1b[3~"),
        (1, "F1", "\x1b[P"),
        (1, "F3", "\x1b[13~"),
        (1, "S-F5", "\x1b[15;2~"),
        (1, "F13", "\x1b[57376u"),
        (1, "F17", "\x1b[57380u"),
        (1, "F24", "\x1b[57387u"),
        (1, "KP5", "\x1b[57404u"),
        (1, "KPEnter", "\x1b[57414u"),
        (2, "a", "a\x1b[97;1:3u"),
        (2, "Up", "\x1b[A\x1b[1;1:3A"),
        (2, "Enter", "\r"),
        (2, "C-a", "\x01\x1b[97;5:3u"),
        (4, "C-a", "\x01"),
        (10, "Enter", "\x1b[13u\x1b[13;1:3u"),
        (8, "a", "\x1b[97u"),
        (8, "A", "\x1b[97;2u"),
        (8, "Space", "\x1b[32u"),
        (12, "A", "\x1b[97:65;2u"),
        (24, "A", "\x1b[97;2;65u"),
        (24, "a", "\x1b[97;;97u"),
        (24, "C-a", "\x1b[97;5u"),
        (28, "É", "\x1b[233:201;2;201u"),
    ] {
        assert_eq!(encoded(name, asked(flags, 0)), bytes, "{flags} {name}");
        // modifyOtherKeys has no effect beside it.
        assert_eq!(encoded(name, asked(flags, 2)), bytes, "{flags} {name}");
    }
}

/// The examples are those of <https://invisible-island.net/xterm/modified-keys-us-pc105.html>.
#[test]
fn modify_other_keys_distinguishes_keys_with_modifiers() {
    for (name, first, second) in [
        ("a", "a", "a"),
        ("A", "A", "A"),
        ("Enter", "\r", "\r"),
        ("Escape", "\x1b", "\x1b"),
        ("C-a", "\x01", "\x1b[27;5;97~"),
        ("C-S-a", "\x01", "\x1b[27;6;65~"),
        ("C-i", "\t", "\x1b[27;5;105~"),
        ("C-1", "\x1b[27;5;49~", "\x1b[27;5;49~"),
        ("C-,", "\x1b[27;5;44~", "\x1b[27;5;44~"),
        ("C-2", "\0", "\x1b[27;5;50~"),
        ("C-Space", "\0", "\x1b[27;5;32~"),
        ("M-x", "\x1bx", "\x1b[27;3;120~"),
        ("S-Enter", "\x1b[27;2;13~", "\x1b[27;2;13~"),
        ("C-Enter", "\x1b[27;5;13~", "\x1b[27;5;13~"),
        ("S-Tab", "\x1b[Z", "\x1b[Z"),
        ("C-Tab", "\t", "\x1b[27;5;9~"),
        ("C-BSpace", "\x08", "\x1b[27;5;127~"),
        ("C-Up", "\x1b[1;5A", "\x1b[1;5A"),
        ("F1", "\x1bOP", "\x1bOP"),
    ] {
        assert_eq!(encoded(name, asked(0, 1)), first, "{name} at level 1");
        assert_eq!(encoded(name, asked(0, 2)), second, "{name} at level 2");
    }
}

#[test]
fn what_is_sent_is_read_as_the_same_key() {
    let protocols = [
        asked(0, 0),
        asked(0, 1),
        asked(0, 2),
        asked(1, 0),
        asked(8, 0),
        asked(28, 0),
    ];
    for name in [
        "x", "X", "é", "C-a", "M-x", "Enter", "Tab", "BTab", "Up", "C-Left", "F1", "F5", "F12",
        "PPage", "BSpace", "DC",
    ] {
        let read = |modes| {
            let mut reader = KeyReader::new();
            let mut inputs = reader.feed(&encode(name, modes).unwrap());
            inputs.extend(reader.flush());
            assert_eq!(inputs.len(), 1, "{name}");
            match inputs.remove(0).event {
                Event::Key(key) => key,
                other => panic!("{name}: {other:?}"),
            }
        };
        // Alt with a character is an ESC and the character for a reader without the protocol.
        let usual = if name == "M-x" {
            asked(1, 0)
        } else {
            asked(0, 0)
        };
        for modes in protocols {
            if name != "M-x" || modes != asked(0, 0) && modes != asked(0, 1) {
                assert_eq!(read(modes), read(usual), "{name} {modes:?}");
            }
        }
        let key = read(usual);
        for modes in protocols {
            assert_eq!(
                encode_pressed(key, modes),
                encode(name, modes).unwrap(),
                "{name} {modes:?}"
            );
        }
    }
}

#[test]
fn characters_behind_the_private_use_area_are_text_too() {
    for name in ["！", "ﬁ", "😀", "𠀀"] {
        assert_eq!(encoded(name, asked(1, 0)), name);
    }
}
