//! A pane that looks back: a stretch of a job's log, a view of it, a cursor in it, and what is selected.
//!
//! The log comes in parts, from its end backwards, more whenever an end of what is here is reached. New output
//! and older parts move nothing that is seen: view and cursor are rows, and rows in front are counted in.

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
}

fn newline_in(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&b| b == b'\n')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
