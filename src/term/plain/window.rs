//! The window: rows, a cursor, a scroll region, and the operations on them.
//!
//! Rows that leave the window at the top become final lines. Every change reports the topmost row
//! that it reached to the marks (`Marks`). Before a line is overwritten, its text is kept, so that
//! a reader gets both texts.

use std::collections::VecDeque;

use super::lines::{Lines, MAX_LINE};
use super::marks::Marks;
use super::row::{Row, TAB};
use super::{Layout, LayoutKind, Line};
use crate::term::pen::Pen;

/// The window of the plain renderer.
#[derive(Debug)]
pub struct Window {
    pub(super) rows: VecDeque<Row>,
    /// Columns of a row: those of the terminal, or with a pipe the maximum length of a line.
    pub(super) cols: usize,
    /// Columns that cursor movements can reach. In a pipe only printing goes beyond.
    reach: usize,
    pub(super) pipe: bool,
    pub(super) row: usize,
    /// Column of the next character; equal to `cols` while a wrap is pending.
    pub(super) col: usize,
    /// First and last row of the scroll region.
    pub(super) region: (usize, usize),
    /// The current attributes, if they are tracked.
    pub(super) pen: Option<Pen>,
    pub(super) lines: Lines,
    pub(super) marks: Marks,
    /// Absolute offset at which the cursor reached its row.
    pub(super) arrived: u64,
    /// Number of cursor movements. A write over text from before the last movement counts as
    /// overwriting.
    moves: u64,
    /// Number of rows that have left at the top.
    pub(super) scrolled: u64,
}

impl Window {
    /// Creates a blank window with the cursor in row `row`, after `count` final lines, at absolute
    /// offset `start`.
    pub fn new(layout: Layout, row: u16, count: u64, start: u64) -> Self {
        let height = usize::from(layout.size.rows());
        let width = usize::from(layout.size.cols());
        let pipe = layout.kind == LayoutKind::Pipe;
        let row = usize::from(row).min(height - 1);
        let mut rows: VecDeque<Row> = std::iter::repeat_with(Row::default).take(height).collect();
        rows.iter_mut()
            .take(row)
            .for_each(|above| above.ghost = true);
        Self {
            rows,
            cols: if pipe { MAX_LINE } else { width },
            reach: width,
            pipe,
            row,
            col: 0,
            region: (0, height - 1),
            pen: None,
            lines: Lines::new(count, start),
            marks: Marks::new(start),
            arrived: start,
            moves: 0,
            scrolled: 0,
        }
    }

    pub(super) fn last_row(&self) -> usize {
        self.rows.len() - 1
    }

    /// Whether the scroll region is the whole window.
    pub(super) fn whole_region(&self) -> bool {
        self.region == (0, self.last_row())
    }

    /// Prints printable ASCII that begins at absolute offset `offset`, and wraps at the last
    /// column.
    pub(super) fn print_ascii(&mut self, mut text: &[u8], mut offset: u64) {
        while !text.is_empty() {
            if self.col >= self.cols {
                self.wrap(offset);
            }
            let (now, later) = text.split_at(text.len().min(self.cols - self.col));
            self.write(now.len(), |row, col| row.put_ascii(col, now));
            self.col += now.len();
            offset += now.len() as u64;
            text = later;
        }
    }

    /// Prints a character of `width` columns, 1 or 2, that fits into the row.
    pub(super) fn print(&mut self, c: char, width: usize) {
        self.write(width, |row, col| row.put(col, c, width));
        self.col += width;
    }

    /// Stores a tab between the cursor and the next tab stop, so that a reader gets the tab and not
    /// blanks. Does nothing if there is text between the two.
    pub(super) fn note_tab(&mut self) {
        let col = self.settled();
        let stop = (col / TAB + 1) * TAB;
        if self.col == col && stop < self.cols && !self.rows[self.row].occupied(col, stop) {
            self.write(1, |row, col| row.put_ascii(col, b"\t"));
        }
    }

    /// Stores a tab while a wrap is pending. It moves nothing, but separates the text of this row
    /// from that of the next one.
    pub(super) fn note_late_tab(&mut self) {
        let tabs = &mut self.rows[self.row].late_tabs;
        *tabs = tabs.saturating_add(1);
    }

    /// Adds a zero-width character to the character before the cursor.
    pub(super) fn mark(&mut self, c: char) {
        if self.col > 0 {
            // It modifies the existing text and does not replace it, so nothing needs to be kept.
            let arrived = self.arrived;
            let row = &mut self.rows[self.row];
            if row.is_empty() {
                row.start = Some(arrived);
            }
            row.ghost = false;
            row.touched = true;
            row.mark(self.col, c);
        }
    }

    fn write(&mut self, width: usize, put: impl FnOnce(&mut Row, usize)) {
        let col = self.col;
        let row = &self.rows[self.row];
        // Any text after the column counts, not only the text that is overwritten now: how much is
        // written at once depends on how the stream was split into reads.
        if row.fresh && row.written != self.moves && row.len() > col {
            self.keep(self.row);
        }
        let (arrived, moves) = (self.arrived, self.moves);
        let row = &mut self.rows[self.row];
        if row.is_empty() {
            row.start = Some(arrived);
        }
        row.ghost = false;
        row.touched = true;
        row.fresh = true;
        row.written = moves;
        if col + width >= self.cols {
            row.late_tabs = 0;
        }
        put(row, col);
        if let Some(pen) = self.pen {
            row.pens.draw(col, col + width, pen);
        }
    }

    /// SGR: sets the attributes of the text that follows.
    pub(super) fn set_attributes(&mut self, params: &[u8]) {
        if let Some(pen) = &mut self.pen {
            pen.apply(params);
        }
    }

    /// Resets the attributes of the text that follows.
    pub(super) fn reset_attributes(&mut self) {
        self.pen = self.pen.map(|_| Pen::default());
    }

    /// Continues in the next row, because this one is full.
    pub(super) fn wrap(&mut self, offset: u64) {
        let joins = !self.pipe && (self.row == self.region.1 || self.row < self.last_row());
        self.rows[self.row].wrapped = joins;
        self.rows[self.row].cut = self.pipe;
        self.down(offset);
        self.col = 0;
    }

    /// LF: moves down one row, and scrolls at the bottom of the region.
    pub(super) fn line_feed(&mut self, offset: u64) {
        self.begin(self.row);
        self.col = if self.pipe { 0 } else { self.settled() };
        self.down(offset);
    }

    fn down(&mut self, offset: u64) {
        if self.row == self.region.1 {
            self.scroll_up(1);
        } else if self.row < self.last_row() {
            self.row += 1;
        }
        self.arrived = offset;
        let row = &mut self.rows[self.row];
        if row.is_empty() {
            row.start = Some(offset);
        }
    }

    /// RI: moves up one row, and scrolls at the top of the region.
    pub(super) fn reverse(&mut self, offset: u64) {
        if self.row == self.region.0 {
            self.scroll_down(1);
            self.go(self.row, self.settled(), offset);
        } else {
            self.go(self.row.saturating_sub(1), self.settled(), offset);
        }
    }

    /// Moves the cursor. `offset` is the current offset in the stream.
    pub(super) fn go(&mut self, row: usize, col: usize, offset: u64) {
        let row = row.min(self.last_row());
        if row != self.row {
            self.arrived = offset;
        }
        self.row = row;
        self.col = col.min(self.edge());
        self.moves += 1;
        self.marks.reach(row);
    }

    /// The last column that cursor movements can reach.
    pub(super) fn edge(&self) -> usize {
        if self.pipe {
            self.col.max(self.reach - 1).min(self.cols - 1)
        } else {
            self.cols - 1
        }
    }

    /// The cursor's column; the last column while a wrap is pending.
    pub(super) fn settled(&self) -> usize {
        self.col.min(self.cols - 1)
    }

    /// Scrolls the region up. Rows that leave at the top of the window are final.
    pub(super) fn scroll_up(&mut self, count: usize) {
        let (top, bottom) = self.region;
        // The cursor stays in place while its row scrolls, so record the start of that row first.
        self.begin(self.row);
        for _ in 0..count.min(bottom - top + 1) {
            if top == 0 {
                self.marks.scrolled(bottom);
                self.scrolled += 1;
            } else {
                self.marks.reach(top);
                self.keep_if_fresh(top);
            }
            let Some(mut row) = self.rows.remove(top) else {
                return;
            };
            if top == 0 {
                self.lines.push(&row);
            }
            row.reset();
            self.rows.insert(bottom, row);
        }
        if top > 0 {
            self.begin(top);
        }
    }

    /// Sets the start of a row that has none. Without a start, a row that becomes the first of a
    /// line because rows were moved would take the start of the line before it.
    fn begin(&mut self, row: usize) {
        let arrived = self.arrived;
        self.rows[row].start.get_or_insert(arrived);
    }

    /// Scrolls the region down. Rows that leave at the bottom are lost.
    pub(super) fn scroll_down(&mut self, count: usize) {
        self.insert_rows(self.region.0, count);
    }

    /// Inserts blank rows at `at`, within the region.
    pub(super) fn insert_rows(&mut self, at: usize, count: usize) {
        let bottom = self.region.1;
        if at < self.region.0 || at > bottom {
            return;
        }
        self.marks.reach(at);
        for _ in 0..count.min(bottom - at + 1) {
            self.keep_if_fresh(bottom);
            let Some(mut row) = self.rows.remove(bottom) else {
                return;
            };
            row.reset();
            self.rows.insert(at, row);
        }
        self.rows[bottom].wrapped = false;
        self.begin(at);
        self.unwrap_above(at);
    }

    /// Removes rows at `at`, within the region. Blank rows are added at its bottom.
    pub(super) fn delete_rows(&mut self, at: usize, count: usize) {
        let bottom = self.region.1;
        if at < self.region.0 || at > bottom {
            return;
        }
        self.marks.reach(at);
        for _ in 0..count.min(bottom - at + 1) {
            self.keep_if_fresh(at);
            let Some(mut row) = self.rows.remove(at) else {
                return;
            };
            row.reset();
            self.rows.insert(bottom, row);
        }
        self.begin(at);
        self.unwrap_above(at);
    }

    /// Marks the row above `at` as not wrapped, because the row that continued it has moved.
    fn unwrap_above(&mut self, at: usize) {
        if let Some(above) = at.checked_sub(1) {
            // Ending the wrap changes the row above, so the change reaches up to that row.
            if self.rows[above].wrapped {
                self.marks.reach(above);
                self.rows[above].wrapped = false;
            }
        }
    }

    /// Erases columns `from..to` of a row. A row that is erased up to its end no longer wraps.
    pub(super) fn erase(&mut self, row: usize, from: usize, to: usize) {
        self.marks.reach(row);
        if self.rows[row].occupied(from, to) {
            self.keep_if_fresh(row);
            let (arrived, moves) = (self.arrived, self.moves);
            let below = row > self.row;
            let here = row == self.row;
            let erased = &mut self.rows[row];
            erased.erase(from, to);
            erased.touched = true;
            erased.written = moves;
            if erased.is_empty() && here {
                erased.start = Some(arrived);
            } else if erased.is_empty() && below {
                erased.start = None;
            }
        }
        if to >= self.cols {
            self.rows[row].wrapped = false;
            self.rows[row].cut = false;
        }
    }

    /// Shifts cells to the right (ICH, insert mode).
    pub(super) fn insert_cells(&mut self, count: usize) {
        let (col, cols) = (self.settled(), self.cols);
        self.keep_if_fresh(self.row);
        self.rows[self.row].insert(col, count, cols);
        self.rows[self.row].touched = true;
    }

    /// Shifts cells to the left (DCH).
    pub(super) fn delete_cells(&mut self, count: usize) {
        let col = self.settled();
        self.keep_if_fresh(self.row);
        self.rows[self.row].delete(col, count);
        self.rows[self.row].touched = true;
        self.begin(self.row);
    }

    fn keep_if_fresh(&mut self, row: usize) {
        if self.rows[row].fresh {
            self.keep(row);
        }
    }

    /// Keeps the text of the line that contains row `row`, which is about to be overwritten.
    fn keep(&mut self, row: usize) {
        let (first, last) = self.line_around(row);
        self.rows
            .range_mut(first..=last)
            .for_each(|row| row.fresh = false);
        if !self.lines.track {
            return;
        }
        let mut text = String::new();
        if first == 0 {
            text.push_str(self.lines.partial_tail());
        }
        for row in self.rows.range(first..=last) {
            row.push_text(&mut text);
        }
        if !text.is_empty() {
            let start = self.rows[first].start.unwrap_or(self.arrived);
            self.lines.overwritten(Line {
                n: self.number_of(first),
                start,
                text,
                goes_on: false,
            });
        }
    }

    /// First and last row of the line that contains `row`.
    fn line_around(&self, row: usize) -> (usize, usize) {
        let first = (1..=row)
            .rev()
            .find(|&row| !self.rows[row - 1].wrapped)
            .unwrap_or(0);
        let last = (row..self.last_row())
            .find(|&row| !self.rows[row].wrapped)
            .unwrap_or(self.last_row());
        (first, last)
    }

    /// Number of the line that begins in row `first`.
    pub(super) fn number_of(&self, first: usize) -> u64 {
        let before = self
            .rows
            .range(..first)
            .filter(|row| !row.ghost && !row.wrapped)
            .count();
        self.lines.count + before as u64 + 1
    }

    /// Number of rows in use: up to the last one with content, or the one before the cursor's row.
    pub(super) fn used(&self) -> usize {
        let content = self
            .rows
            .iter()
            .rposition(|row| !row.is_empty())
            .map_or(0, |row| row + 1);
        let partial = usize::from(!self.lines.partial().is_empty());
        content.max(self.row).max(partial)
    }

    /// First and last row of each line in the window, in order.
    pub(super) fn spans(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let used = self.used();
        let mut next = 0;
        std::iter::from_fn(move || {
            while next < used && self.rows[next].ghost {
                next += 1;
            }
            let first = next;
            while next + 1 < used && self.rows[next].wrapped {
                next += 1;
            }
            next += 1;
            (first < used).then_some((first, next - 1))
        })
    }

    /// The lines in the window for which `wanted` holds, with their text.
    pub(super) fn live(&self, wanted: impl Fn(usize, usize) -> bool) -> Vec<Line> {
        let mut previous = self.lines.last_start();
        let mut out = Vec::new();
        for (n, (first, last)) in (self.lines.count + 1..).zip(self.spans()) {
            let mut text = String::new();
            let start = if first == 0 {
                text.push_str(self.lines.partial());
                self.lines.start_of(&self.rows[0], previous)
            } else {
                self.rows[first].start.unwrap_or(previous).max(previous)
            };
            previous = start;
            if wanted(first, last) {
                self.rows
                    .range(first..=last)
                    .for_each(|row| row.push_text(&mut text));
                let goes_on = self.rows[last].cut;
                out.push(Line {
                    n,
                    start,
                    text,
                    goes_on,
                });
            }
        }
        out
    }

    /// Takes the lines that have changed since the last call, and the texts that were overwritten
    /// meanwhile.
    pub(super) fn take_touched(&mut self) -> Vec<Line> {
        let partial = self.lines.take_partial_touched();
        let mut news = self.lines.take_news();
        news.extend(self.live(|first, last| {
            (first == 0 && partial) || self.rows.range(first..=last).any(|row| row.touched)
        }));
        for row in &mut self.rows {
            row.touched = false;
            // A text that has been reported need not be reported again when it is overwritten.
            row.fresh = false;
        }
        news
    }
}
