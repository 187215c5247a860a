//! Lines that have left the window, and what is to be told of lines that changed.

use std::collections::VecDeque;

use super::Line;
use super::row::Row;

/// Longest logical line, in bytes. A longer one is cut into several lines.
pub const MAX_LINE: usize = 1 << 20;
/// Most texts kept of lines that were overwritten.
const MAX_OVERWRITTEN: usize = 4096;
/// Most final lines kept as touched: more than 64 KiB of output can make, so nobody who reads that much at a time
/// and asks afterwards misses one.
const MAX_TOUCHED: usize = 65_536;
/// Most bytes of text in each of the two, whatever the number of lines.
const MAX_BYTES: usize = 8 << 20;
/// Of a line that has partly scrolled away, so much is repeated when the rest of it is overwritten, in bytes.
const MAX_TAIL: usize = 4096;

/// Collects final lines, and the news of lines.
#[derive(Debug)]
pub struct Lines {
    /// Number of final lines.
    pub count: u64,
    /// Whether their text is wanted, or only their number.
    pub keep: bool,
    /// Whether news of changed lines is wanted.
    pub track: bool,
    finals: Vec<Line>,
    /// The rows of an unfinished logical line that have scrolled away.
    partial: String,
    partial_start: u64,
    partial_touched: bool,
    /// The start of the last final line: starts never go back.
    last_start: u64,
    overwritten: Bounded,
    touched: Bounded,
}

impl Lines {
    /// A collector after `count` final lines, at absolute offset `start`.
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

    /// Takes a row that leaves the window at its top.
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

    /// Takes the final lines since the last call.
    pub fn drain(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.finals)
    }

    /// The part of the first line on the window that has left it.
    pub fn partial(&self) -> &str {
        &self.partial
    }

    /// The end of that part, for a text that is kept for being overwritten.
    pub fn partial_tail(&self) -> &str {
        let mut cut = self.partial.len().saturating_sub(MAX_TAIL);
        while !self.partial.is_char_boundary(cut) {
            cut += 1;
        }
        &self.partial[cut..]
    }

    /// Where a line that begins with `row` starts.
    pub fn start_of(&self, row: &Row, previous: u64) -> u64 {
        if self.partial.is_empty() {
            row.start.unwrap_or(previous).max(previous)
        } else {
            self.partial_start
        }
    }

    /// The start of the last final line.
    pub fn last_start(&self) -> u64 {
        self.last_start
    }

    /// Whether the part that has left the window is news; says so once.
    pub fn take_partial_touched(&mut self) -> bool {
        std::mem::take(&mut self.partial_touched)
    }

    /// Keeps the text of a line that is about to be overwritten.
    pub fn overwritten(&mut self, line: Line) {
        self.overwritten.push(line, MAX_OVERWRITTEN);
    }

    /// Takes what was overwritten and the final lines that changed.
    pub fn take_news(&mut self) -> Vec<Line> {
        self.overwritten
            .take()
            .into_iter()
            .chain(self.touched.take())
            .collect()
    }
}

/// Lines of which the oldest go when there are too many.
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
