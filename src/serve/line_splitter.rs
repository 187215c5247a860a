//! Splitting bytes from an agent into lines of bounded length.

use crate::protocol::MAX_LINE;

/// Splits a stream of bytes into lines, whatever pieces it arrives in.
#[derive(Debug)]
pub struct LineSplitter {
    open: Vec<u8>,
    limit: usize,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::with_limit(MAX_LINE)
    }
}

impl LineSplitter {
    /// A splitter for lines of at most `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            open: Vec::new(),
            limit,
        }
    }

    /// Calls `line` with each line that `bytes` completes, newline included.
    ///
    /// A line longer than the limit is cut to one byte more than that, so that its reader sees that it is too
    /// long and answers with an error.
    pub fn feed(&mut self, bytes: &[u8], mut line: impl FnMut(Vec<u8>)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (body, ended) = match piece.strip_suffix(b"\n") {
                Some(body) => (body, true),
                None => (piece, false),
            };
            let room = (self.limit + 1).saturating_sub(self.open.len());
            self.open.extend_from_slice(&body[..body.len().min(room)]);
            if ended {
                self.open.push(b'\n');
                line(std::mem::take(&mut self.open));
            }
        }
    }

    /// The unfinished last line at the end of input, with a newline added; `None` if it is empty.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        let mut last = std::mem::take(&mut self.open);
        if last.is_empty() {
            return None;
        }
        last.push(b'\n');
        Some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(pieces: &[&[u8]]) -> (Vec<Vec<u8>>, LineSplitter) {
        let (mut lines, mut out) = (LineSplitter::default(), Vec::new());
        for piece in pieces {
            lines.feed(piece, |line| out.push(line));
        }
        (out, lines)
    }

    #[test]
    fn any_split_gives_the_same_lines_and_the_last_needs_no_newline() {
        for pieces in [&[&b"a\n\nbc\nd"[..]][..], &[b"a", b"\n\nb", b"c\n", b"d"]] {
            let (out, mut rest) = cut(pieces);
            assert_eq!(out, [&b"a\n"[..], b"\n", b"bc\n"]);
            assert_eq!(rest.finish().as_deref(), Some(&b"d\n"[..]));
            assert_eq!(rest.finish(), None);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_but_stays_too_long() {
        let piece = vec![b'x'; 300_000];
        let (mut lines, mut out) = (LineSplitter::default(), Vec::new());
        for _ in 0..100 {
            lines.feed(&piece, |line| out.push(line));
            assert!(lines.open.len() <= MAX_LINE + 1);
        }
        lines.feed(b"y\nnext\n", |line| out.push(line));
        assert_eq!(out[0].len(), MAX_LINE + 2);
        assert_eq!(out[1], b"next\n");
    }
}
