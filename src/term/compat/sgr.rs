//! Drawing attributes (SGR), including those that the emulator would misread.

use std::fmt::Write as _;

use crate::term::control::sgr::attributes;

/// Whether the emulator reads these parameters correctly. It would read `58;5;1` as three
/// attributes, the last of them bold.
pub(super) fn is_basic(params: &[u8]) -> bool {
    !params.contains(&b':') && !params.windows(2).any(|two| matches!(two, b"58" | b"21"))
}

/// The same attributes in the form that the emulator supports, followed by `m`.
pub(super) fn rewritten(params: &[u8]) -> String {
    let mut out = String::new();
    for attribute in attributes(params) {
        let _ = write!(out, "{attribute};");
    }
    out.pop();
    out + "m"
}

#[cfg(test)]
mod tests {
    use super::rewritten;

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
