//! A scrolled-back pane: a stretch of a job's log, a viewport, a cursor and a selection.
//!
//! The log is loaded in parts, from the end backwards, whenever the viewport reaches an end of the
//! loaded stretch. New output and older parts do not move what is visible: viewport and cursor are
//! row indexes, which are adjusted when rows are added in front.

mod arrival;
mod motion;
mod painter;
pub mod place;
pub mod row;
pub mod search;
pub mod seek;
pub mod selection;
mod shown;
pub mod text;

use self::place::Place;
use self::row::Row;
use self::search::Search;
use self::seek::{Direction, JumpTarget, Signs, seek};
use self::selection::{Selection, Shape};
use self::text::Text;
use super::line::Line;
use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// Number of bytes requested first.
pub const FIRST_BYTES: u64 = 256 * 1024;
/// Maximum number of bytes per request; the daemon's own limit.
pub const MAX_PART: u64 = 1 << 20;
/// Number of columns painted when long lines are cut instead of wrapped.
const CUT_COLS: u16 = 500;
/// Width of the timestamp column, including the space after it.
pub const GUTTER: u16 = 9;

/// The part of the log that was requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The end of the log.
    First,
    /// The part before the loaded stretch.
    Older,
    /// The output written since.
    Newer,
    /// The part around an offset; it replaces the loaded stretch.
    Around(u64),
    /// A part that is only searched for a target and then dropped. It extends from this offset in the
    /// direction of the search.
    Probe(u64),
}

/// The kinds of movement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Moves the cursor; the viewport follows.
    Cursor,
    /// Moves viewport and cursor together.
    Page,
    /// Moves the viewport; the cursor stays inside it.
    View,
}

/// A search for a target beyond the loaded stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The target.
    pub target: JumpTarget,
    /// Which way the search goes.
    pub direction: Direction,
    /// Whether it goes on towards newer output if there is nothing older.
    pub turns: bool,
}

/// How the pane displays the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Display {
    /// Size of the pane.
    pub pane: Size,
    /// Rows of the job's terminal: programs that move the cursor up count on them.
    pub rows: u16,
    /// Whether long lines wrap.
    pub wrap: bool,
    /// Whether timestamps are shown in front of the lines.
    pub times: bool,
}

impl Display {
    /// Number of columns for text.
    pub fn width(self) -> u16 {
        let gutter = if self.times { GUTTER } else { 0 };
        self.pane.cols().saturating_sub(gutter).max(1)
    }

    fn paint_size(self) -> Size {
        let cols = if self.wrap {
            self.width()
        } else {
            CUT_COLS.max(self.width())
        };
        Size::new(self.rows, cols)
    }
}

/// The line between two runs of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunBreak {
    /// Offset of the first byte of the later run.
    pub offset: u64,
    /// What the line says.
    pub words: String,
}

/// A scrolled-back pane.
pub struct Scroll {
    /// The job.
    pub id: SessionId,
    /// The loaded stretch of the log.
    pub text: Text,
    /// How it is displayed.
    pub display: Display,
    /// The first visible row.
    pub top: usize,
    /// The first visible column when long lines are cut.
    pub left: usize,
    /// The cursor.
    pub cursor: Place,
    /// The column that the cursor returns to in rows that are long enough.
    column: usize,
    /// The selection.
    pub selection: Option<Selection>,
    /// Where a button of the mouse was pressed, while it is held: a drag selects from here on. `None` once that text was
    /// replaced.
    pub pressed: Option<Place>,
    /// The search being typed.
    pub input: Option<Line>,
    /// The active search.
    pub search: Option<Search>,
    /// The visible rows while only matching lines are shown.
    only: Option<Vec<usize>>,
    /// Number of lines that the job had written when the end was read.
    pub lines_then: u64,
    /// Whether the loaded stretch reached the end of the log when it was read.
    pub has_end: bool,
    /// The pending part.
    pub loading: Option<Part>,
    /// The search in progress beyond the loaded stretch.
    pub jump: Option<Jump>,
    /// The rest of a movement, continued when more has been loaded.
    pub rest: Option<(Move, isize)>,
    /// The offset to go to once the part around it has arrived, and the number of rows between the
    /// top of the viewport and the cursor.
    landing: Option<(u64, usize)>,
    /// Offsets where runs start; `None` if not known yet.
    pub runs: Option<Vec<u64>>,
    /// Timestamps: offset and milliseconds since the epoch, sorted.
    pub times: Vec<(u64, i64)>,
    /// Whether the viewport stays at the end while new output arrives.
    pub follows: bool,
    /// Whether reaching the end returns to the live screen, as it does after scrolling with the
    /// wheel.
    pub leaves_at_end: bool,
    /// Whether this is a frozen live screen, for selecting text on it or for reading a full-screen
    /// program. It has no log behind it.
    pub is_still: bool,
    /// The rows of a frozen screen that separate its output, from the top. They are not copied.
    separators: Vec<usize>,
}

impl Scroll {
    /// An empty view that will be at the end of the log once that has arrived.
    pub fn new(id: SessionId, display: Display, is_pipe: bool) -> Self {
        Self {
            id,
            text: Text::new(display.paint_size(), is_pipe),
            display,
            top: 0,
            left: 0,
            cursor: Place::default(),
            column: 0,
            selection: None,
            pressed: None,
            input: None,
            search: None,
            only: None,
            lines_then: 0,
            has_end: true,
            loading: Some(Part::First),
            jump: None,
            rest: None,
            landing: None,
            runs: None,
            times: Vec::new(),
            follows: false,
            leaves_at_end: false,
            is_still: false,
            separators: Vec::new(),
        }
    }

    /// A frozen live screen whose first visible row and column are given. The cursor is there.
    pub fn still(id: SessionId, pane: Size, screen: &Screen, (top, left): (u16, u16)) -> Self {
        let (row, col) = (usize::from(top), usize::from(left));
        let display = Display {
            pane,
            rows: screen.size().rows(),
            wrap: true,
            times: false,
        };
        let rows = (0..screen.size().rows()).map(|y| Row::of(screen, y));
        Self {
            text: Text::of_rows(rows.collect(), screen.size()),
            top: row,
            left: col,
            cursor: Place { row, col },
            column: col,
            loading: None,
            is_still: true,
            ..Self::new(id, display, false)
        }
    }

    /// Puts lines between the rows of a frozen screen: each the words and the row below it, from the top.
    pub fn separate(&mut self, lines: impl IntoIterator<Item = (u16, String)>) {
        for (n, (below, words)) in lines.into_iter().enumerate() {
            let row = (usize::from(below) + n).min(self.text.rows.len());
            self.text.rows.insert(row, Row::dim(words));
            self.separators.push(row);
        }
    }

    /// Offset and length of the next older part to request; each time the loaded stretch doubles,
    /// within limits.
    pub fn older_part(&self) -> (u64, u64) {
        let chunk = (self.text.end - self.text.start).clamp(FIRST_BYTES, MAX_PART);
        let from = self.text.start.saturating_sub(chunk).max(self.text.first);
        (from, self.text.start - from)
    }

    /// Number of lines between the cursor and the end of the loaded stretch.
    pub fn lines_below(&self) -> usize {
        let rows = self.text.rows.get(self.cursor.row..).unwrap_or_default();
        let lines = rows.iter().filter(|row| !row.wraps).count();
        // The lines between runs are not in the log.
        let from = rows.first().map_or(self.text.end, |row| row.offset);
        let breaks = self.text.breaks.iter().map(|one| one.offset);
        let between = breaks.filter(|offset| (from + 1..self.text.end).contains(offset));
        lines.saturating_sub(1 + between.count())
    }

    /// Starts a selection at the cursor. If there is one, changes its shape, or ends it if it has
    /// this shape.
    pub fn select(&mut self, shape: Shape) {
        self.selection = match self.selection {
            Some(selection) if selection.shape == shape => None,
            Some(selection) => Some(Selection { shape, ..selection }),
            None => Some(Selection {
                anchor: self.cursor,
                shape,
            }),
        };
    }

    /// Selects the output of the command at the cursor, as the marks of the shell tell (OSC 133); at a prompt
    /// without output, that of the command before. Returns false if there are no marks.
    pub fn select_output(&mut self) -> bool {
        let rows = &self.text.rows;
        let ends_at = |from: usize| {
            let prompt = rows.iter().skip(from).position(|row| row.prompt);
            prompt.map_or(rows.len(), |after| from + after)
        };
        // The command at the cursor ends at the next prompt.
        let end = ends_at(self.cursor.row + 1);
        let before = rows.get(..end).unwrap_or_default();
        // In the row of the next prompt, there is no whole line of output.
        let begins = |row: &Row| row.output && !row.prompt;
        let Some(start) = before.iter().rposition(begins) else {
            return false;
        };
        let last = ends_at(start).saturating_sub(1).max(start);
        self.selection = Some(Selection {
            anchor: Place { row: start, col: 0 },
            shape: Shape::Lines,
        });
        self.put(Place { row: last, col: 0 });
        true
    }

    /// Moves the cursor to the other end of the selection.
    pub fn other_end(&mut self) {
        if let Some(selection) = &mut self.selection {
            let anchor = std::mem::replace(&mut selection.anchor, self.cursor);
            self.put(anchor);
        }
    }

    /// The selected text, or the line of the cursor.
    pub fn selected(&self) -> String {
        let line = Selection {
            anchor: self.cursor,
            shape: Shape::Lines,
        };
        let selection = self.selection.unwrap_or(line);
        let is_output = |row| !self.separators.contains(&row);
        selection.text(&self.text, self.cursor, |row| {
            self.shows(row) && is_output(row)
        })
    }

    /// Searches the loaded stretch for `text`, without moving the cursor.
    pub fn search(&mut self, text: &str) {
        self.search = Search::new(text);
        self.only = None;
        self.look_again();
    }

    /// The next target from the cursor within the loaded stretch.
    pub fn next(&self, target: JumpTarget, direction: Direction) -> Option<Place> {
        self.next_from(self.cursor, target, direction)
    }

    /// The next target from a place within the loaded stretch.
    pub fn next_from(
        &self,
        from: Place,
        target: JumpTarget,
        direction: Direction,
    ) -> Option<Place> {
        let search = self.search.as_ref().filter(|search| search.covers(from));
        match (target, search) {
            (JumpTarget::Match, Some(search)) => search.next(from, direction),
            _ => seek(&self.text, &self.signs(target), Some(from), direction),
        }
    }

    /// After a jump to a line, moves the cursor to the first match in it.
    pub fn to_match_in_line(&mut self) {
        let Some(search) = &self.search else {
            return;
        };
        let next = search.next(self.cursor, Direction::Newer);
        let line = self.text.line_of(self.cursor.row);
        let next = next.filter(|next| self.text.line_of(next.row) == line);
        if let (None, Some(place)) = (search.at(self.cursor), next) {
            self.put(place);
        }
    }

    /// Searches a part that is not kept. Returns the offset of the line with the nearest target. If
    /// there is none, returns as the error the offset where the next part in this direction ends or
    /// starts. That offset is a line boundary unless the line is longer than a part.
    pub fn probe(&self, jump: Jump, bytes: &[u8], offset: u64) -> Result<u64, u64> {
        let apart = self.text.paint_apart(bytes, offset);
        let found = seek(&apart, &self.signs(jump.target), None, jump.direction);
        if let Some(found) = found {
            return Ok(apart.rows[found.row].offset);
        }
        let (newline, end) = match jump.direction {
            // Skip the newline at the very end, because it would lead to the same part again.
            Direction::Older => {
                let before = bytes.split_last().map(|(_, before)| before);
                (before.and_then(newline_in), 0)
            }
            Direction::Newer => (bytes.iter().rposition(|&b| b == b'\n'), bytes.len()),
        };
        Err(offset + newline.map_or(end, |at| at + 1) as u64)
    }

    fn signs(&self, target: JumpTarget) -> Signs<'_> {
        Signs {
            target,
            pattern: self.search.as_ref().map(|search| &search.pattern),
            runs: match (&self.runs, self.text.breaks.is_empty()) {
                (Some(runs), true) => runs,
                // The others have a line of their own.
                (Some(runs), false) => runs.get(..1).unwrap_or_default(),
                (None, _) => &[],
            },
        }
    }
}

fn newline_in(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&b| b == b'\n')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
