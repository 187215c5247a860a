//! The fast path: output that can be passed on without a look at its parts.

use super::sgr::{is_basic, shows_in_blanks};
use crate::term::control::Function;
use crate::term::scan::ascii_len;

/// Length of the prefix of `input` that the emulator handles correctly in any state: printable
/// ASCII, CR LF, and SGR sequences that need no rewriting and do not change how blank cells look.
pub fn simple_len(input: &[u8]) -> usize {
    let mut end = 0;
    loop {
        end += ascii_len(&input[end..]);
        end += match &input[end..] {
            [b'\r', b'\n', ..] => 2,
            rest @ [0x1b, ..] => match Function::first_sgr(rest) {
                Some((params, length)) if is_basic(params) && !shows_in_blanks(params) => length,
                _ => return end,
            },
            _ => return end,
        };
    }
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
            ("a\x1b[41mb", 1),
            ("a\x1b[1;38;5;44mb", 14),
            ("a\x1b[2J", 1),
            ("é", 0),
        ] {
            assert_eq!(simple_len(input.as_bytes()), simple, "{input:?}");
        }
    }
}
