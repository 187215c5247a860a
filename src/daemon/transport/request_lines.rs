//! What comes from a client, cut into lines.

use crate::protocol::MAX_LINE;

/// A line as it came.
pub(crate) enum RequestLine {
    Whole(Vec<u8>),
    TooLong,
}

/// Cuts what comes into lines, and never keeps more than one line may have.
#[derive(Default)]
pub(crate) struct RequestLines {
    partial: Vec<u8>,
    skipping: bool,
}

impl RequestLines {
    /// The lines that end in `bytes`.
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

    /// A last line without its newline.
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
    fn lines_are_cut_wherever_reads_end() {
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
    fn a_line_beyond_the_limit_is_skipped_to_its_end() {
        let mut lines = RequestLines::default();
        let chunk = vec![b'x'; 600 * 1024];
        assert!(lines.take(&chunk).is_empty());
        assert!(lines.take(&chunk).is_empty());
        assert!(lines.partial.is_empty(), "nothing is kept of it");
        assert_eq!(shapes(&lines.take(b"x\nok\n")), [None, Some(2)]);
    }
}
