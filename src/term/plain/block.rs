//! Lines one after the other, as one text.

use std::ops::Range;

/// The texts of some lines, each with a newline after it, and where they came from.
#[derive(Debug, Default)]
pub struct Block {
    /// The texts.
    pub text: String,
    /// Where each line ends, with its newline: in the bytes that it came from, and in the text.
    ends: Vec<(usize, usize)>,
}

impl Block {
    /// Forgets all lines.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// What was pushed to the text since the last line is one, which ends at `bytes` of those
    /// that it came from.
    pub fn end_line(&mut self, bytes: usize) {
        self.text.push('\n');
        self.ends.push((bytes, self.text.len()));
    }

    /// Begins anew with the lines that `text` begins with, each as `push` appends its text. False
    /// if `push` did not want one: that and what comes after are left out.
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of bytes that they came from.
    pub fn bytes(&self) -> usize {
        self.start(self.len())
    }

    /// Where line `line`, from 0, begins in the bytes that it came from.
    pub fn start(&self, line: usize) -> usize {
        self.before(line).0
    }

    /// The text of line `line`, without the newline.
    pub fn line(&self, line: usize) -> &str {
        let range = self.range(line..line + 1);
        &self.text[range.start..range.end.max(range.start + 1) - 1]
    }

    /// Where the texts of some lines are, the last newline with them.
    pub fn range(&self, lines: Range<usize>) -> Range<usize> {
        self.before(lines.start).1..self.before(lines.end).1
    }

    /// The first of some lines that has `wanted` in it.
    pub fn find(&self, wanted: &str, lines: Range<usize>) -> Option<usize> {
        let text = self.range(lines.clone());
        // What goes beyond a line is in none.
        let is_in_a_line = !lines.is_empty() && !wanted.contains('\n');
        let at = is_in_a_line.then(|| {
            memchr::memmem::find(&self.text.as_bytes()[text.clone()], wanted.as_bytes())
        })??;
        Some(self.line_at(lines.start, text.start + at))
    }

    /// The line of those from `first` on in which byte `at` of the text is.
    pub fn line_at(&self, first: usize, at: usize) -> usize {
        first + self.ends[first..].partition_point(|&(_, end)| end <= at)
    }

    /// Where the line before `line` ends.
    fn before(&self, line: usize) -> (usize, usize) {
        line.checked_sub(1)
            .map_or((0, 0), |before| self.ends[before])
    }
}
