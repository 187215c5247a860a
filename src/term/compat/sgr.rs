//! Drawing attributes (SGR), including those that the emulator lacks or would misread.

use std::fmt::Write as _;

use crate::term::control::sgr::{Attribute, attributes};
use crate::term::style::Underline;

/// Whether the emulator reads these parameters correctly and has all that they switch on. It would read `58;5;1`
/// as three attributes, the last of them bold.
pub(in crate::term) fn is_basic(params: &[u8]) -> bool {
    // By far the most common ones.
    if let [] | [_] = params {
        return !matches!(params, [b'5' | b'6' | b'8' | b'9']);
    }
    if params.contains(&b':') {
        return false;
    }
    let mut params = params.split(|&b| b == b';');
    while let Some(param) = params.next() {
        match param {
            // The numbers of a colour are no attributes.
            b"38" | b"48" => match params.next() {
                Some(b"5") => drop(params.next()),
                Some(b"2") => drop(params.nth(2)),
                _ => return false,
            },
            [b'0', _, ..] | b"5" | b"6" | b"8" | b"9" | b"21" | b"53" | b"58" => return false,
            _ => {}
        }
    }
    true
}

/// Whether parameters that are [basic](is_basic) may set what shows in blank cells: a background colour, an
/// underline, or inverse colours.
pub(in crate::term) fn shows_in_blanks(params: &[u8]) -> bool {
    let mut params = params.split(|&b| b == b';');
    while let Some(param) = params.next() {
        match param {
            b"4" | b"7" | b"48" | [b'4', b'0'..=b'7'] | [b'1', b'0', b'0'..=b'7'] => return true,
            b"38" => match params.next() {
                Some(b"5") => drop(params.next()),
                _ => drop(params.nth(2)),
            },
            _ => {}
        }
    }
    false
}

/// The same attributes in the form that the emulator supports, followed by `m`.
pub(super) fn rewritten(params: &[u8]) -> String {
    let mut out = String::new();
    for attribute in attributes(params) {
        let own = match attribute {
            Attribute::Underline(Some(_)) => Attribute::Underline(Some(Underline::Single)),
            Attribute::UnderlineColor(_)
            | Attribute::Blink(_)
            | Attribute::Conceal(_)
            | Attribute::Strike(_)
            | Attribute::Overline(_) => Attribute::Unknown,
            own => own,
        };
        let _ = write!(out, "{own};");
    }
    out.pop();
    out + "m"
}

#[cfg(test)]
mod tests {
    use super::{is_basic, rewritten, shows_in_blanks};

    #[test]
    fn only_what_the_emulator_has_is_basic() {
        for basic in [
            "",
            "0",
            "1",
            "31",
            "1;31",
            "38;5;9",
            "48;2;5;8;9",
            "4;38;5;5;1",
            "22;25",
        ] {
            assert!(is_basic(basic.as_bytes()), "{basic}");
        }
        for other in [
            "9", "1;9", "38;5;1;5", "4:3", "53", "58;5;1", "21", "05", "38;9", "38:5:1",
        ] {
            assert!(!is_basic(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn backgrounds_underlines_and_inverse_show_in_blanks() {
        for shown in [
            "4",
            "7",
            "1;44",
            "48;5;1",
            "38;5;4;7",
            "38;2;1;2;3;100",
            "47",
        ] {
            assert!(shows_in_blanks(shown.as_bytes()), "{shown}");
        }
        for other in ["", "0", "1;31", "38;5;44", "38;2;4;7;48", "24;27;49", "97"] {
            assert!(!shows_in_blanks(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn attributes_are_rewritten_for_the_emulator() {
        assert_eq!(rewritten(b"1;4:3;31"), "1;4;31m");
        assert_eq!(rewritten(b"4:0"), "24m");
        assert_eq!(rewritten(b"38:2::1:2:3;48:5:7"), "38;2;1;2;3;47m");
        assert_eq!(rewritten(b"38:2:1:2:3"), "38;2;1;2;3m");
        assert_eq!(rewritten(b"58;5;1"), "10m");
        assert_eq!(rewritten(b"58;2;1;2;3;4"), "10;4m");
        assert_eq!(rewritten(b"58:5:1;38;5;21"), "10;38;5;21m");
        assert_eq!(rewritten(b"58;5;1;38;2;1"), "10;10m");
    }
}
