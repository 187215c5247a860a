//! A stretch of a log and its painted rows.
//!
//! The stretch grows at both ends up to a limit. Output further away is loaded by starting a new
//! stretch around another place, so memory stays bounded however long the log is.

use std::rc::Rc;

use super::painter::Painter;
use super::place::Place;
use super::row::Row;
use super::{Part, RunBreak};
use crate::term::size::Size;

/// Maximum size of a stretch in bytes.
pub const MAX_BYTES: usize = 8 << 20;
/// Maximum number of rows; reached first if most lines are short.
const MAX_ROWS: usize = 200_000;
/// Maximum length in bytes of an incomplete first line that is left out.
const MAX_CUT: usize = 64 * 1024;

/// A stretch of a log.
pub struct Text {
    /// Its rows, from the top.
    pub rows: Vec<Row>,
    /// Offset of its first byte.
    pub start: u64,
    /// Offset after its last byte.
    pub end: u64,
    /// Offset of the oldest byte still kept in the log.
    pub first: u64,
    /// The terminal size used for painting.
    pub size: Size,
    /// The lines between runs.
    pub breaks: Rc<[RunBreak]>,
    is_pipe: bool,
    bytes: Vec<u8>,
    /// Offset of the first painted byte. An incomplete first line is not painted.
    head: u64,
    painter: Painter,
    /// Number of rows at the end that the painter may still change.
    unfinished: usize,
}

impl Text {
    /// An empty text, to be painted at `size`.
    pub fn new(size: Size, is_pipe: bool) -> Self {
        Self {
            rows: Vec::new(),
            start: 0,
            end: 0,
            first: 0,
            size,
            breaks: Rc::default(),
            is_pipe,
            bytes: Vec::new(),
            head: 0,
            painter: Painter::new(size, is_pipe, 0),
            unfinished: 0,
        }
    }

    /// A text that consists of given rows.
    pub fn of_rows(rows: Vec<Row>, size: Size) -> Self {
        let unfinished = rows.len();
        Self {
            rows,
            unfinished,
            ..Self::new(size, false)
        }
    }

    /// Whether the log still has older output than the stretch.
    pub fn has_older(&self) -> bool {
        self.start > self.first
    }

    /// Offset of the first painted byte; before it is the end of an incomplete line.
    pub fn head(&self) -> u64 {
        self.head
    }

    /// Whether the stretch has reached its maximum size.
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= MAX_BYTES || self.rows.len() >= MAX_ROWS
    }

    /// Adds a part whose first byte is at `offset`; returns the number of rows added in front.
    pub fn receive(&mut self, part: Part, bytes: &[u8], offset: u64) -> usize {
        match part {
            Part::Older => self.put_in_front(bytes, offset),
            Part::Newer => {
                self.bytes.extend_from_slice(bytes);
                self.feed(bytes, offset);
                self.end = offset + bytes.len() as u64;
                0
            }
            Part::First | Part::Around(_) | Part::Probe(_) => {
                self.start = offset;
                self.end = offset + bytes.len() as u64;
                self.bytes = bytes.to_vec();
                self.paint_anew(self.size);
                0
            }
        }
    }

    /// Paints everything again at another size.
    pub fn paint_anew(&mut self, size: Size) {
        self.size = size;
        let skip = cut_line(&self.bytes, self.start <= self.first);
        self.head = self.start + skip as u64;
        self.rows.clear();
        self.unfinished = 0;
        self.painter = self.painter_at(self.head);
        let bytes = std::mem::take(&mut self.bytes);
        self.feed(&bytes[skip..], self.head);
        self.bytes = bytes;
    }

    /// Shows these lines between runs.
    pub fn set_breaks(&mut self, breaks: Rc<[RunBreak]>) {
        self.breaks = breaks;
        self.paint_anew(self.size);
    }

    /// Shows these lines between runs. They must come after the text, since nothing is painted anew.
    pub fn expect_breaks(&mut self, breaks: Rc<[RunBreak]>) {
        self.painter.set_breaks(Rc::clone(&breaks));
        self.breaks = breaks;
    }

    fn painter_at(&self, offset: u64) -> Painter {
        let mut painter = Painter::new(self.size, self.is_pipe, offset);
        painter.set_breaks(Rc::clone(&self.breaks));
        painter
    }

    /// The rows of `bytes` painted at this size, without adding them to the stretch.
    pub fn paint_apart(&self, bytes: &[u8], offset: u64) -> Self {
        let mut apart = Self::new(self.size, self.is_pipe);
        let skip = cut_line(bytes, offset <= self.first);
        let offset = offset + skip as u64;
        apart.rows = self.painter_at(offset).paint(&bytes[skip..], offset);
        apart
    }

    /// First and last row of the line that contains a row.
    pub fn line_of(&self, row: usize) -> (usize, usize) {
        let wraps = |row: usize| self.rows.get(row).is_some_and(|row| row.wraps);
        let (mut first, mut last) = (row, row);
        while first > 0 && wraps(first - 1) {
            first -= 1;
        }
        while wraps(last) && last + 1 < self.rows.len() {
            last += 1;
        }
        (first, last)
    }

    /// The text of a line with the rows `first` to `last`.
    pub fn line_text(&self, first: usize, last: usize) -> String {
        let rows = self.rows.get(first..=last).unwrap_or_default();
        rows.iter().map(|row| row.text.as_str()).collect()
    }

    /// Returns a function that maps byte indexes in the line starting at row `first` to places. It
    /// must be called with increasing indexes, so that the line is walked only once, however many
    /// there are.
    pub fn places_in_line(&self, first: usize) -> impl FnMut(usize) -> Place {
        let (mut row, mut before) = (first, 0);
        move |byte| {
            while let Some(here) = self.rows.get(row) {
                let left = byte.saturating_sub(before);
                if left < here.text.len() || !here.wraps {
                    let col = here.column_of(left);
                    return Place { row, col };
                }
                before += here.text.len();
                row += 1;
            }
            Place { row, col: 0 }
        }
    }

    /// The first row of the line that contains the byte at `offset`.
    pub fn row_at(&self, offset: u64) -> usize {
        let after = self.rows.partition_point(|row| row.offset <= offset);
        let Some(last) = after.checked_sub(1) else {
            return 0;
        };
        let line = self.rows[last].offset;
        self.rows.partition_point(|row| row.offset < line)
    }

    fn put_in_front(&mut self, bytes: &[u8], offset: u64) -> usize {
        let keep = usize::try_from(self.start.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut all = bytes[..bytes.len().min(keep)].to_vec();
        if all.is_empty() {
            // The output there has been dropped in the meantime.
            return 0;
        }
        let goes_on = self.head == self.start && !all.ends_with(b"\n");
        if goes_on && !self.bytes.is_empty() {
            // The stretch started within a line, which now becomes whole.
            let before = self.rows.len();
            all.append(&mut self.bytes);
            self.bytes = all;
            self.start = offset;
            self.paint_anew(self.size);
            return self.rows.len().saturating_sub(before);
        }
        // Include the rest of the incomplete line, which was not painted until now.
        let new = all.len() + usize::try_from(self.head - self.start).unwrap_or(0);
        all.append(&mut self.bytes);
        self.bytes = all;
        self.start = offset;
        let skip = cut_line(&self.bytes[..new], offset <= self.first);
        self.head = offset + skip as u64;
        let painter = self.painter_at(self.head);
        let mut rows = painter.paint(&self.bytes[skip..new], self.head);
        let count = rows.len();
        rows.append(&mut self.rows);
        self.rows = rows;
        count
    }

    fn feed(&mut self, bytes: &[u8], offset: u64) {
        let done = self.rows.len() - self.unfinished;
        self.rows.truncate(done);
        self.painter.feed(bytes, offset, &mut self.rows);
        let mut unfinished = self.painter.unfinished();
        self.unfinished = unfinished.len();
        self.rows.append(&mut unfinished);
    }
}

/// Length of the incomplete line at the start of `bytes`, which is skipped. 0 if `bytes` start the
/// log, if the line is too long, or if nothing would be left: part of a line is better than
/// nothing.
fn cut_line(bytes: &[u8], are_first: bool) -> usize {
    let newline = bytes.iter().position(|&b| b == b'\n');
    match newline.map(|at| at + 1) {
        Some(end) if !are_first && end <= MAX_CUT && end < bytes.len() => end,
        _ => 0,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn log(from: usize, to: usize) -> Vec<u8> {
        (from..to)
            .flat_map(|n| format!("line {n}\r\n").into_bytes())
            .collect()
    }

    fn texts(text: &Text) -> Vec<&str> {
        text.rows.iter().map(|row| row.text.as_str()).collect()
    }

    #[test]
    fn joined_parts_equal_the_whole_log() {
        let all = log(0, 300);
        let size = Size::new(10, 40);
        for (a, b) in [(500, 1500), (503, 1507), (0, 2000)] {
            let mut text = Text::new(size, false);
            text.receive(Part::First, &all[a..b], a as u64);
            text.receive(Part::Newer, &all[b..], b as u64);
            let before = text.rows.len();
            let came = text.receive(Part::Older, &all[..a], 0);
            assert_eq!(text.rows.len(), before + came);
            let whole: Vec<String> = (0..300).map(|n| format!("line {n}")).collect();
            assert_eq!(texts(&text), whole, "{a} {b}");
            assert_eq!((text.start, text.end), (0, all.len() as u64));
            let row = text.row_at(all.len() as u64 - 3);
            assert_eq!(text.rows[row].text, "line 299");
        }
    }

    #[test]
    fn shows_a_line_longer_than_a_part() {
        let all = [b"before\r\n", "x".repeat(100_000).as_bytes(), b"\r\n"].concat();
        for last in [&b""[..], b"after\r\n"] {
            let all = [&all, last].concat();
            let mut text = Text::new(Size::new(10, 50), false);
            text.receive(Part::First, &all[10_000..], 10_000);
            let shown = text.rows.len();
            assert!(shown > 1700, "{shown}");
            let came = text.receive(Part::Older, &all[..10_000], 0);
            assert_eq!(text.rows.len(), shown + came);
            assert_eq!((texts(&text)[0], text.line_of(1)), ("before", (1, 2000)));
        }
        let mut text = Text::new(Size::new(10, 50), false);
        text.receive(Part::First, b"end\r\n", 500);
        assert_eq!(texts(&text), ["end"]);
    }

    #[test]
    fn a_line_spans_its_wrapped_rows() {
        let mut text = Text::new(Size::new(4, 5), false);
        text.receive(Part::First, b"one\r\nabcdefghijkl\r\n", 0);
        assert_eq!(text.line_of(2), (1, 3));
        assert_eq!(text.line_text(1, 3), "abcdefghijkl");
        let places: Vec<Place> = [0, 7, 10, 12].map(text.places_in_line(1)).to_vec();
        let want = [(1, 0), (2, 2), (3, 0), (3, 2)].map(|(row, col)| Place { row, col });
        assert_eq!(places, want);
        text.paint_anew(Size::new(4, 20));
        assert_eq!(texts(&text), ["one", "abcdefghijkl"]);
    }
}
