//! The fast path: output that can be passed on without a look at its parts.

use crate::term::scan::ascii_len;

/// Maximum length of a colour sequence in the fast path, in bytes.
const MAX_SGR: usize = 32;

/// Length of the prefix of `input` that the emulator handles correctly in any state: printable
/// ASCII, CR LF, and SGR sequences that need no rewriting.
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

/// Length of the rest of an SGR sequence after `CSI`, if it needs no rewriting.
fn simple_sgr(rest: &[u8]) -> Option<usize> {
    let near = &rest[..rest.len().min(MAX_SGR)];
    let end = near
        .iter()
        .position(|b| !(b.is_ascii_digit() || *b == b';'))?;
    (near[end] == b'm' && !odd(&near[..end])).then_some(end + 1)
}

/// Whether SGR parameters contain something that the emulator would misread.
pub(super) fn odd(params: &[u8]) -> bool {
    params.contains(&b':') || params.windows(2).any(|two| matches!(two, b"58" | b"21"))
}

#[cfg(test)]
mod tests {
    use super::simple_len;

    #[test]
    fn only_output_that_needs_no_rewriting_is_simple() {
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
