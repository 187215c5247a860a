//! The common case: output that needs no look at its parts.

use crate::term::scan::ascii_len;

/// Longest colour sequence that counts as simple, in bytes.
const MAX_SGR: usize = 32;

/// Number of bytes at the front of `input` that the emulator takes as they are, whatever came before: printable
/// ASCII, CR LF, and attributes with no odd ones among them.
pub fn simple_len(input: &[u8]) -> usize {
    let mut end = 0;
    loop {
        end += ascii_len(&input[end..]);
        end += match &input[end..] {
            [b'\r', b'\n', ..] => 2,
            [0x1b, b'[', rest @ ..] => match simple_sgr(rest) {
                Some(len) => 2 + len,
                None => return end,
            },
            _ => return end,
        };
    }
}

/// Length of what follows `CSI` when it is an SGR that needs no rewriting.
fn simple_sgr(rest: &[u8]) -> Option<usize> {
    let near = &rest[..rest.len().min(MAX_SGR)];
    let end = near
        .iter()
        .position(|b| !(b.is_ascii_digit() || *b == b';'))?;
    (near[end] == b'm' && !odd(&near[..end])).then_some(end + 1)
}

/// Whether SGR parameters hold something that the emulator would misread.
pub(super) fn odd(params: &[u8]) -> bool {
    params.contains(&b':') || params.windows(2).any(|two| matches!(two, b"58" | b"21"))
}

#[cfg(test)]
mod tests {
    use super::simple_len;

    #[test]
    fn only_what_needs_no_look_is_simple() {
        for (input, simple) in [
            ("abc\r\nd\x1b[1;31me\x1b[mf", 18),
            ("abc\n", 3),
            ("abc\r", 3),
            ("a\x1b[", 1),
            ("a\x1b[58;5;1m", 1),
            ("a\x1b[4:3m", 1),
            ("a\x1b[2J", 1),
            ("é", 0),
        ] {
            assert_eq!(simple_len(input.as_bytes()), simple, "{input:?}");
        }
    }
}
