//! Lines that have left the window, and the reports of changed lines.

use std::collections::VecDeque;

use super::Line;
use super::row::Row;

/// Maximum length of a logical line, in bytes. A longer one is cut into several lines.
pub const MAX_LINE: usize = 1 << 20;
/// Maximum number of texts of overwritten lines that are kept.
const MAX_OVERWRITTEN: usize = 4096;
/// Maximum number of final lines that are kept as touched. This is more than 64 KiB of output can
/// produce, so a reader that takes them after each 64 KiB misses none.
const MAX_TOUCHED: usize = 65_536;
/// Maximum number of bytes of text in each of these two lists, whatever the number of lines.
const MAX_BYTES: usize = 8 << 20;
/// If the rest of a line is overwritten after its beginning has scrolled off, at most this many
/// bytes from the end of that beginning are kept with the overwritten text.
const MAX_TAIL: usize = 4096;

/// Collects final lines and changed lines.
#[derive(Debug)]
pub struct Lines {
    /// Number of final lines.
    pub count: u64,
    /// Whether the text of final lines is kept, or only their number.
    pub keep: bool,
    /// Whether changed lines are reported.
    pub track: bool,
    finals: Vec<Line>,
    /// The rows of an incomplete logical line that have scrolled off.
    partial: String,
    partial_start: u64,
    partial_touched: bool,
    /// Start of the last final line. Starts never decrease.
    last_start: u64,
    overwritten: Bounded,
    touched: Bounded,
}

impl Lines {
    /// Creates a collector after `count` final lines, at absolute offset `start`.
    pub fn new(count: u64, start: u64) -> Self {
        Self {
            count,
            keep: true,
            track: true,
            finals: Vec::new(),
            partial: String::new(),
            partial_start: start,
            partial_touched: false,
            last_start: start,
            overwritten: Bounded::default(),
            touched: Bounded::default(),
        }
    }

    /// Adds a row that leaves the window at the top.
    pub fn push(&mut self, row: &Row) {
        if row.ghost {
            return;
        }
        if self.partial.is_empty() {
            self.partial_start = row.start.unwrap_or(self.last_start).max(self.last_start);
        }
        row.push_text(&mut self.partial);
        self.partial_touched |= row.touched;
        if row.wrapped && self.partial.len() < MAX_LINE {
            return;
        }
        self.count += 1;
        self.last_start = self.partial_start;
        let touched = std::mem::take(&mut self.partial_touched) && self.track;
        if !self.keep && !touched {
            return self.partial.clear();
        }
        let line = Line {
            n: self.count,
            start: self.partial_start,
            text: std::mem::take(&mut self.partial),
            goes_on: row.wrapped || row.cut,
        };
        if touched {
            self.touched.push(line.clone(), MAX_TOUCHED);
        }
        if self.keep {
            self.finals.push(line);
        }
    }

    /// Takes the lines that have become final since the last call.
    pub fn drain(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.finals)
    }

    /// Drops the part of the window's first line that has scrolled off, because the whole line is written anew.
    pub fn drop_partial(&mut self) {
        self.partial.clear();
    }

    /// Forgets what has changed of the window's first line, and sets whether changed lines are reported.
    pub fn drop_touched(&mut self, track: bool) {
        self.partial_touched = false;
        self.track = track;
    }

    /// The part of the window's first line that has scrolled off.
    pub fn partial(&self) -> &str {
        &self.partial
    }

    /// The end of that part, to be included in the text of an overwritten line.
    pub fn partial_tail(&self) -> &str {
        let mut cut = self.partial.len().saturating_sub(MAX_TAIL);
        while !self.partial.is_char_boundary(cut) {
            cut += 1;
        }
        &self.partial[cut..]
    }

    /// Start of a line that begins with `row`.
    pub fn start_of(&self, row: &Row, previous: u64) -> u64 {
        if self.partial.is_empty() {
            row.start.unwrap_or(previous).max(previous)
        } else {
            self.partial_start
        }
    }

    /// Start of the last final line.
    pub fn last_start(&self) -> u64 {
        self.last_start
    }

    /// Whether the part that has scrolled off has changed. Resets the flag.
    pub fn take_partial_touched(&mut self) -> bool {
        std::mem::take(&mut self.partial_touched)
    }

    /// Keeps the text of a line that is about to be overwritten.
    pub fn overwritten(&mut self, line: Line) {
        self.overwritten.push(line, MAX_OVERWRITTEN);
    }

    /// Takes the overwritten texts and the changed final lines.
    pub fn take_news(&mut self) -> Vec<Line> {
        self.overwritten
            .take()
            .into_iter()
            .chain(self.touched.take())
            .collect()
    }
}

/// A list of lines that drops the oldest ones beyond its limits.
#[derive(Debug, Default)]
struct Bounded {
    lines: VecDeque<Line>,
    bytes: usize,
}

impl Bounded {
    fn push(&mut self, line: Line, most: usize) {
        self.bytes += line.text.len();
        self.lines.push_back(line);
        while self.lines.len() > most || (self.bytes > MAX_BYTES && self.lines.len() > 1) {
            self.bytes -= self.lines.pop_front().map_or(0, |line| line.text.len());
        }
    }

    fn take(&mut self) -> VecDeque<Line> {
        self.bytes = 0;
        std::mem::take(&mut self.lines)
    }
}
