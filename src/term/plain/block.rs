//! Several lines, stored as one text.

use std::ops::Range;

/// The texts of some lines, each followed by a newline, and their positions in the original bytes.
#[derive(Debug, Default)]
pub struct Block {
    /// The texts.
    pub text: String,
    /// The end of each line, including its newline: in the original bytes, and in the text.
    ends: Vec<(usize, usize)>,
}

impl Block {
    /// Removes all lines.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Ends a line that consists of the text pushed since the last line. `bytes` is its end in the
    /// original bytes.
    pub fn end_line(&mut self, bytes: usize) {
        self.text.push('\n');
        self.ends.push((bytes, self.text.len()));
    }

    /// Replaces the content by the complete lines at the beginning of `text`; `push` appends the
    /// text of each. Returns false as soon as `push` rejects a line; that line and all later ones
    /// are left out.
    pub fn read(&mut self, text: &str, mut push: impl FnMut(&str, &mut String) -> bool) -> bool {
        self.clear();
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
            if !push(&text[begin..end], &mut self.text) {
                return false;
            }
            begin = end + 1;
            self.end_line(begin);
        }
        true
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of original bytes.
    pub fn bytes(&self) -> usize {
        self.start(self.len())
    }

    /// Start of line `line`, counted from 0, in the original bytes.
    pub fn start(&self, line: usize) -> usize {
        self.before(line).0
    }

    /// The text of line `line`, without the newline.
    pub fn line(&self, line: usize) -> &str {
        let range = self.range(line..line + 1);
        &self.text[range.start..range.end.max(range.start + 1) - 1]
    }

    /// Range of the texts of some lines, including the last newline.
    pub fn range(&self, lines: Range<usize>) -> Range<usize> {
        self.before(lines.start).1..self.before(lines.end).1
    }

    /// The first of `lines` that contains `wanted`.
    pub fn find(&self, wanted: &str, lines: Range<usize>) -> Option<usize> {
        let text = self.range(lines.clone());
        // A text with a newline is not in any single line.
        let is_in_a_line = !lines.is_empty() && !wanted.contains('\n');
        let at = is_in_a_line.then(|| {
            memchr::memmem::find(&self.text.as_bytes()[text.clone()], wanted.as_bytes())
        })??;
        Some(self.line_at(lines.start, text.start + at))
    }

    /// The line that contains byte `at` of the text. The search starts at line `first`.
    pub fn line_at(&self, first: usize, at: usize) -> usize {
        first + self.ends[first..].partition_point(|&(_, end)| end <= at)
    }

    /// End of the line before `line`.
    fn before(&self, line: usize) -> (usize, usize) {
        line.checked_sub(1)
            .map_or((0, 0), |before| self.ends[before])
    }
}
