use super::names::TABLE;
use super::*;

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
