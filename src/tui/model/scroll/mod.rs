//! A pane that looks back: a stretch of a job's log, a view of it, a cursor in it, and what is selected.
//!
//! The log comes in parts, from its end backwards, more whenever an end of what is here is reached. New output
//! and older parts move nothing that is seen: view and cursor are rows, and rows in front are counted in.

mod motion;
mod painter;
pub mod place;
pub mod row;
pub mod search;
pub mod seek;
pub mod selection;
pub mod text;

use self::place::Place;
use self::row::Row;
use self::search::Search;
use self::seek::{Goal, Signs, seek};
use self::selection::{Selection, Shape};
use self::text::Text;
use super::line::Line;
use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// Bytes asked for at first.
pub const FIRST_BYTES: u64 = 256 * 1024;
/// Bytes asked for at once at most (the daemon's own limit).
pub const MAX_PART: u64 = 1 << 20;
/// Columns painted where long lines are cut instead of wrapped.
const CUT_COLS: u16 = 500;
/// Columns of a time and the blank after it.
pub const GUTTER: u16 = 9;

/// Which part of the log was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Its end.
    First,
    /// What comes before the part that is there.
    Older,
    /// What has been written since.
    Newer,
    /// What lies around an offset, in place of what is there.
    Around(u64),
    /// What is only looked through for a goal; the end that comes next, in the direction looked.
    Probe(u64),
}

/// How one moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// The cursor; the view follows.
    Cursor,
    /// View and cursor together.
    Page,
    /// The view; the cursor stays in it.
    View,
}

/// A goal that is looked for beyond what is here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hunt {
    /// What is looked for.
    pub goal: Goal,
    /// Whether towards older output.
    pub older: bool,
}

/// How the pane shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Display {
    /// Rows and columns of the pane.
    pub pane: Size,
    /// Whether long lines wrap.
    pub wrap: bool,
    /// Whether times stand in front.
    pub times: bool,
}

impl Display {
    /// Columns for text.
    pub fn width(self) -> u16 {
        let gutter = if self.times { GUTTER } else { 0 };
        self.pane.cols().saturating_sub(gutter).max(1)
    }

    fn paint_size(self) -> Size {
        let cols = match self.wrap {
            true => self.width(),
            false => CUT_COLS.max(self.width()),
        };
        Size::new(self.pane.rows(), cols)
    }
}

/// A pane that looks back.
pub struct Scroll {
    /// Whose log it is.
    pub id: SessionId,
    /// The part of the log that is here.
    pub text: Text,
    /// How it shows.
    pub display: Display,
    /// First row in view.
    pub top: usize,
    /// First column in view, where long lines are cut.
    pub left: usize,
    /// The cursor.
    pub cursor: Place,
    /// The column that it keeps to where rows are long enough.
    column: usize,
    /// What is selected.
    pub selection: Option<Selection>,
    /// The search being typed.
    pub input: Option<Line>,
    /// The search in force.
    pub search: Option<Search>,
    /// The rows that show, where only lines with a match do.
    only: Option<Vec<usize>>,
    /// Lines that the job had written when the end was read.
    pub lines_then: u64,
    /// Whether what is here went up to the end of the log when it was read.
    pub has_end: bool,
    /// The part that is on its way.
    pub loading: Option<Part>,
    /// What is looked for beyond what is here.
    pub hunt: Option<Hunt>,
    /// A move that goes on once more has come.
    pub rest: Option<(Move, isize)>,
    /// Where the cursor goes once a part around it has come, and rows between it and the top of the view.
    landing: Option<(u64, usize)>,
    /// Offsets where runs begin, once they are known.
    pub runs: Option<Vec<u64>>,
    /// When what was written: offset and milliseconds since the epoch, in order.
    pub times: Vec<(u64, i64)>,
    /// Whether it stays at the end, new output coming in.
    pub follows: bool,
    /// Whether the end leads back to the live screen, as after the wheel.
    pub leaves_at_end: bool,
    /// A live screen that is held still while something of it is selected: there is no log behind it.
    pub is_still: bool,
}

impl Scroll {
    /// A view of nothing yet, at the end of the log as soon as that has come.
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
            input: None,
            search: None,
            only: None,
            lines_then: 0,
            has_end: true,
            loading: Some(Part::First),
            hunt: None,
            rest: None,
            landing: None,
            runs: None,
            times: Vec::new(),
            follows: false,
            leaves_at_end: false,
            is_still: false,
        }
    }

    /// A live screen held still, its first row and column in view being these.
    pub fn still(id: SessionId, pane: Size, screen: &Screen, (top, left): (u16, u16)) -> Self {
        let display = Display {
            pane,
            wrap: true,
            times: false,
        };
        let rows = (0..screen.size().rows()).map(|y| Row::of(screen, y));
        Self {
            text: Text::of_rows(rows.collect(), screen.size()),
            top: usize::from(top),
            left: usize::from(left),
            loading: None,
            is_still: true,
            ..Self::new(id, display, false)
        }
    }

    /// Offset and length of the older part to ask for next: as much again as is here.
    pub fn older_part(&self) -> (u64, u64) {
        let chunk = (self.text.end - self.text.start).clamp(FIRST_BYTES, MAX_PART);
        let from = self.text.start.saturating_sub(chunk).max(self.text.first);
        (from, self.text.start - from)
    }

    /// Takes in a part that was asked for: `offset` of its first byte, and the first byte kept at all.
    pub fn receive(&mut self, part: Part, bytes: &[u8], offset: u64, first: u64) {
        self.loading = None;
        // What was before an older part may have been dropped since.
        self.text.first = match part {
            Part::Older if bytes.is_empty() => self.text.start,
            _ => first,
        };
        let came = self.text.receive(part, bytes, offset);
        match part {
            Part::First => {
                self.cursor.row = self.text.rows.len().saturating_sub(1);
                self.top = self.max_top();
            }
            Part::Older => {
                self.top += came;
                self.cursor.row += came;
                if let Some(selection) = &mut self.selection {
                    selection.anchor.row += came;
                }
            }
            Part::Around(_) => {
                self.selection = None;
                self.land();
            }
            Part::Newer | Part::Probe(_) => {}
        }
        // The last rows may be fewer than before: a program went up and erased some.
        self.cursor.row = self.cursor.row.min(self.text.rows.len().saturating_sub(1));
        self.look_again();
        self.top = self.top.min(self.max_top());
        if self.follows {
            self.go(Move::Page, isize::MAX);
        }
        if let Some((how, rows)) = self.rest.take() {
            self.go(how, rows);
        }
    }

    /// Remembers where the cursor is, for when what is here is replaced.
    pub fn hold_place(&mut self) {
        let offset = self.text.rows.get(self.cursor.row).map(|row| row.offset);
        let above = self
            .index(self.cursor.row)
            .saturating_sub(self.index(self.top));
        self.landing = Some((offset.unwrap_or(self.text.start), above));
    }

    /// Remembers an offset to go to once what lies around it has come.
    pub fn land_at(&mut self, offset: u64) {
        self.landing = Some((offset, self.height() / 2));
    }

    fn land(&mut self) {
        let Some((offset, above)) = self.landing.take() else {
            return;
        };
        self.cursor = Place {
            row: self.text.row_at(offset),
            col: 0,
        };
        self.column = 0;
        self.only = None;
        self.top = self.cursor.row.saturating_sub(above).min(self.max_top());
    }

    /// Paints everything at another size, if it is another.
    pub fn resize(&mut self, display: Display) {
        if display == self.display || self.is_still {
            return;
        }
        let paints_anew = display.paint_size().cols() != self.text.size.cols();
        self.display = display;
        if paints_anew {
            self.hold_place();
            let at_end = self.is_at_end();
            self.text.paint_anew(display.paint_size());
            self.selection = None;
            self.land();
            if at_end {
                self.top = self.max_top();
            }
            self.left = 0;
        }
        self.look_again();
        self.top = self.top.min(self.max_top());
        self.reveal();
    }

    /// Rows that show at once.
    pub fn height(&self) -> usize {
        usize::from(self.display.pane.rows())
    }

    /// Rows in view, from the top.
    pub fn view(&self) -> impl Iterator<Item = usize> {
        let from = self.index(self.top);
        (from..self.count())
            .take(self.height())
            .map(|at| self.nth(at))
    }

    /// Whether a row shows at all.
    pub fn shows(&self, row: usize) -> bool {
        match &self.only {
            Some(only) => only.binary_search(&row).is_ok(),
            None => true,
        }
    }

    /// Whether only lines with a match show.
    pub fn is_filtered(&self) -> bool {
        self.only.is_some()
    }

    /// Whether the view is at the end of what is here.
    pub fn is_at_end(&self) -> bool {
        self.index(self.top) >= self.index(self.max_top())
    }

    /// Lines between the cursor and the end of what is here.
    pub fn lines_below(&self) -> usize {
        let rows = self.text.rows.get(self.cursor.row..).unwrap_or_default();
        let lines = rows.iter().filter(|row| !row.wraps).count();
        lines.saturating_sub(1)
    }

    /// Begins a selection at the cursor, gives it another shape, or ends it.
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

    /// To the other end of the selection.
    pub fn other_end(&mut self) {
        if let Some(selection) = &mut self.selection {
            let anchor = std::mem::replace(&mut selection.anchor, self.cursor);
            self.put(anchor);
        }
    }

    /// What is selected, else the line of the cursor.
    pub fn selected(&self) -> String {
        let line = Selection {
            anchor: self.cursor,
            shape: Shape::Lines,
        };
        let selection = self.selection.unwrap_or(line);
        selection.text(&self.text, self.cursor, |row| self.shows(row))
    }

    /// Looks for `text` everywhere in what is here. Nothing moves yet.
    pub fn search(&mut self, text: &str) {
        self.search = Search::new(text);
        self.only = None;
        self.look_again();
    }

    /// Shows only lines with a match, or all.
    pub fn filter(&mut self) {
        let at_line = self.text.line_of(self.cursor.row).0;
        self.only = match self.only {
            None => Some(Vec::new()),
            Some(_) => None,
        };
        self.look_again();
        let row = match self.shows(self.cursor.row) {
            true => self.cursor.row,
            false => self.nth(self.index(at_line).min(self.count().saturating_sub(1))),
        };
        self.cursor.row = row;
        self.top = self.nth(self.index(row).saturating_sub(self.height() / 2));
        self.top = self.top.min(self.max_top());
        self.keep_column();
    }

    /// The next goal from the cursor, in what is here.
    pub fn next(&self, goal: Goal, older: bool) -> Option<Place> {
        match (goal, &self.search) {
            (Goal::Match, Some(search)) => search.next(self.cursor, older),
            _ => seek(&self.text, &self.signs(goal), Some(self.cursor), older),
        }
    }

    /// After a jump to a line, whose match may begin further on in it.
    pub fn to_match_in_line(&mut self) {
        let Some(search) = &self.search else {
            return;
        };
        let next = search.next(self.cursor, false);
        let line = self.text.line_of(self.cursor.row);
        let next = next.filter(|next| self.text.line_of(next.row) == line);
        if let (None, Some(place)) = (search.at(self.cursor), next) {
            self.put(place);
        }
    }

    /// The nearest goal in a part that does not stay here: the offset of its line. Else where the part that comes
    /// next in that direction meets this one: no line is cut in two that fits into a part.
    pub fn probe(&self, hunt: Hunt, bytes: &[u8], offset: u64) -> Result<u64, u64> {
        let apart = self.text.paint_apart(bytes, offset);
        let found = seek(&apart, &self.signs(hunt.goal), None, hunt.older);
        if let Some(found) = found {
            return Ok(apart.rows[found.row].offset);
        }
        let newline = match hunt.older {
            // The newline at its very end would lead to the same part again.
            true => bytes
                .split_last()
                .and_then(|(_, before)| newline_in(before)),
            false => bytes.iter().rposition(|&b| b == b'\n'),
        };
        let end = if hunt.older { 0 } else { bytes.len() };
        Err(offset + newline.map_or(end, |at| at + 1) as u64)
    }

    fn signs(&self, goal: Goal) -> Signs<'_> {
        Signs {
            goal,
            pattern: self.search.as_ref().map(|search| &search.pattern),
            runs: self.runs.as_deref().unwrap_or_default(),
        }
    }

    /// When the line of a row was written.
    pub fn time_of(&self, row: usize) -> Option<i64> {
        let offset = self.text.rows.get(row)?.offset;
        let after = self.times.partition_point(|(at, _)| *at <= offset);
        Some(self.times.get(after.checked_sub(1)?)?.1)
    }

    /// Takes in when what was written of a part. One that takes the place of what is here takes that of its times.
    pub fn note_times(&mut self, part: Part, times: impl IntoIterator<Item = (u64, i64)>) {
        if matches!(part, Part::First | Part::Around(_)) {
            self.times.clear();
        }
        self.times.extend(times);
        self.times.sort_unstable();
        self.times.dedup();
    }

    /// Finds the matches again, and the rows that show.
    fn look_again(&mut self) {
        if let Some(search) = &mut self.search {
            search.look_through(&self.text);
        }
        if self.only.is_some() {
            let found = self.search.iter().flat_map(|search| &search.found);
            let mut rows: Vec<usize> = Vec::new();
            for found in found {
                // A line with many matches is there after the first one.
                if rows.last().is_none_or(|&last| last < found.start.row) {
                    let (first, last) = self.text.line_of(found.start.row);
                    rows.extend(first..=last);
                }
            }
            self.only = Some(rows);
        }
    }

    /// Rows that show in all.
    fn count(&self) -> usize {
        match &self.only {
            Some(only) => only.len(),
            None => self.text.rows.len(),
        }
    }

    /// The row that shows at a place in those that do.
    fn nth(&self, at: usize) -> usize {
        match &self.only {
            Some(only) => only.get(at).or(only.last()).copied().unwrap_or(0),
            None => at.min(self.text.rows.len().saturating_sub(1)),
        }
    }

    /// The place of a row, or of the first one after it, in those that show.
    fn index(&self, row: usize) -> usize {
        match &self.only {
            Some(only) => only.partition_point(|&shown| shown < row),
            None => row,
        }
    }

    fn max_top(&self) -> usize {
        self.nth(self.count().saturating_sub(self.height()))
    }
}

fn newline_in(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&b| b == b'\n')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
