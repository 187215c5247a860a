//! Splits a client's input into lines.

use crate::protocol::MAX_LINE;

/// A line of input.
pub(crate) enum RequestLine {
    Whole(Vec<u8>),
    TooLong,
}

/// Splits input into lines, and never buffers more than the longest allowed line.
#[derive(Default)]
pub(crate) struct RequestLines {
    partial: Vec<u8>,
    skipping: bool,
}

impl RequestLines {
    /// Adds input, and returns the lines that it completes.
    pub(crate) fn take(&mut self, mut bytes: &[u8]) -> Vec<RequestLine> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (head, tail) = bytes.split_at(end);
            bytes = &tail[1..];
            self.add(head);
            let line = std::mem::take(&mut self.partial);
            let skipped = std::mem::take(&mut self.skipping);
            lines.push(if skipped {
                RequestLine::TooLong
            } else {
                RequestLine::Whole(line)
            });
        }
        self.add(bytes);
        lines
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.skipping || self.partial.len() + bytes.len() > MAX_LINE {
            self.skipping = true;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    /// The last line, if the input ended without a newline.
    pub(crate) fn rest(&mut self) -> Option<RequestLine> {
        match std::mem::take(&mut self.skipping) {
            true => Some(RequestLine::TooLong),
            false if self.partial.is_empty() => None,
            false => Some(RequestLine::Whole(std::mem::take(&mut self.partial))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(lines: &[RequestLine]) -> Vec<Option<usize>> {
        let shape = |line: &RequestLine| match line {
            RequestLine::Whole(line) => Some(line.len()),
            RequestLine::TooLong => None,
        };
        lines.iter().map(shape).collect()
    }

    #[test]
    fn splits_lines_independently_of_reads() {
        let mut lines = RequestLines::default();
        assert_eq!(shapes(&lines.take(b"ab")), []);
        assert_eq!(shapes(&lines.take(b"c\n\nde")), [Some(3), Some(0)]);
        assert_eq!(
            lines
                .rest()
                .iter()
                .flat_map(|l| shapes(std::slice::from_ref(l)))
                .count(),
            1
        );
        assert!(lines.rest().is_none());
    }

    #[test]
    fn skips_a_line_that_is_too_long() {
        let mut lines = RequestLines::default();
        let chunk = vec![b'x'; 600 * 1024];
        assert!(lines.take(&chunk).is_empty());
        assert!(lines.take(&chunk).is_empty());
        assert!(lines.partial.is_empty(), "nothing of it is buffered");
        assert_eq!(shapes(&lines.take(b"x\nok\n")), [None, Some(2)]);
    }
}
