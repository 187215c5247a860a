//! The line that is being typed into a terminal that collects lines.

/// Characters after which no partial line is left in a terminal that collects lines, by default (termios(3)): line feed,
/// Enter and `^D`, which submit it, and `^C`, `^\\`, `^Z` and `^U`, which discard it.
pub const ENDS_LINE: [u8; 7] = [b'\n', b'\r', 0x04, 0x03, 0x1c, 0x1a, KILL];

/// The kill character (`^U`) discards a line, but the read goes on.
const KILL: u8 = 0x15;

/// Number of bytes that were typed since the last line was ended.
#[derive(Debug, Default)]
pub(super) struct TypedLine(usize);

impl TypedLine {
    /// Notes typed bytes. Returns the length of the longest line to which they belong, which an earlier write may have
    /// begun.
    pub(super) fn add(&mut self, bytes: &[u8]) -> usize {
        let mut longest = 0;
        for byte in bytes {
            self.0 = match byte {
                byte if ENDS_LINE.contains(byte) => 0,
                // The erase character.
                0x08 | 0x7f => self.0.saturating_sub(1),
                _ => self.0 + 1,
            };
            longest = longest.max(self.0);
        }
        longest
    }

    /// Notes that the terminal does not collect lines now.
    pub(super) fn clear(&mut self) {
        self.0 = 0;
    }
}

/// Whether bytes end no line, and raise no signal, in a terminal that collects lines.
pub fn is_part(bytes: &[u8]) -> bool {
    let ends = |byte: &u8| ENDS_LINE.contains(byte) && *byte != KILL;
    !bytes.iter().any(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_grows_over_several_writes_until_it_is_ended() {
        let mut line = TypedLine::default();
        assert_eq!(line.add(&[b'x'; 3000]), 3000);
        assert_eq!(line.add(b"yy\nz"), 3002);
        assert_eq!(line.add(b"\x7fab"), 2, "one was erased");
        assert_eq!(line.add(b"\x15abc\x04"), 3);
        for end in ENDS_LINE {
            line.add(&[b'x'; 3000]);
            assert_eq!(line.add(&[end, b'a']), 1, "{end:#x} ends a line");
            line.add(b"\n");
        }
        line.add(b"abc");
        line.clear();
        assert_eq!(line.add(b"a"), 1);
    }
}
