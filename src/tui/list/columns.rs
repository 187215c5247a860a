//! The columns of a row of the list and their widths. They are the same for all rows, so that a
//! change in one row does not move the others.
//!
//! When the width shrinks, columns are dropped in this order: sparkline, CPU, port, time. Glyph,
//! name and exit code stay.

use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::spark::CELLS;
use crate::tui::state::State;
use crate::tui::text;

/// Cursor, glyph and a blank.
pub(super) const LEAD: usize = 3;
/// Width of `59m ago`, the longest usual time.
const TIME: usize = 7;
/// Width of `in 8h36m`, the longest time until a next run.
const UNTIL: usize = 8;
/// Width of `100%`.
const CPU: usize = 4;
/// Width of three letters of a name, a blank and `exit 127`; the time is dropped to reach it.
const NAME_AND_EXIT: usize = 12;
/// Width of name, a blank and a port; the CPU column is dropped to reach it.
const NAME_AND_PORT: usize = 12;
/// Width of name and port in separate columns; the sparkline is dropped to reach it.
const NAME_THEN_PORT: usize = 14;
/// Below this window width in columns, CPU and sparkline are never shown.
const NARROW: u16 = 60;

/// Widths of the columns; 0 if a column is not shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Columns {
    /// Name and word (or port) together, including the blank between them.
    pub(super) body: usize,
    /// Where the word starts in the body; `None` if it is right-aligned.
    pub(super) word_at: Option<usize>,
    pub(super) time: usize,
    pub(super) cpu: usize,
    pub(super) spark: usize,
    pub(super) marks: usize,
}

impl Columns {
    /// The columns of a list of `width`.
    pub(super) fn of(model: &Model, width: usize) -> Self {
        let scheduled = |job: &Job| job.state() == State::Scheduled;
        let time = if model.jobs.iter().any(scheduled) {
            UNTIL
        } else {
            TIME
        };
        let narrow = model.window.0 < NARROW;
        let mut columns = Self::that_fit(width, narrow, time);
        if columns.time == 0 {
            columns = Self::that_fit(width, narrow, TIME);
        }
        let names = model.jobs.iter().map(|job| text::width(&job.name));
        let longest = names.max().unwrap_or(0);
        // Words get a column of their own if the longest names leave room for `exit 127`, or at
        // least for a port.
        let room = columns.body.saturating_sub(8).max(9);
        columns.word_at = (columns.body >= NAME_THEN_PORT).then(|| (longest + 2).clamp(9, room));
        columns
    }

    fn that_fit(width: usize, narrow: bool, time: usize) -> Self {
        let marks = match width {
            ..30 => 2,
            30..60 if narrow => 4,
            30..44 => 3,
            44..60 => 4,
            _ => 8,
        };
        let mut columns = Self {
            body: 0,
            word_at: None,
            time,
            cpu: if narrow { 0 } else { CPU },
            spark: if narrow { 0 } else { CELLS },
            marks,
        };
        if columns.rest(width) < NAME_THEN_PORT {
            columns.spark = 0;
        }
        if columns.rest(width) < NAME_AND_PORT {
            columns.cpu = 0;
        }
        // The port needs no step of its own: a row drops it if the name leaves no room for it.
        if columns.rest(width) < NAME_AND_EXIT {
            columns.time = 0;
        }
        columns.body = columns.rest(width);
        columns
    }

    /// Columns left for the body.
    fn rest(&self, width: usize) -> usize {
        let shown = [self.time, self.cpu, self.spark, self.marks];
        let taken = shown.iter().filter(|&&width| width > 0);
        let taken: usize = taken.map(|width| width + 1).sum();
        width.saturating_sub(LEAD + taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_columns_in_the_specified_order() {
        let there = |width| {
            let columns = Columns::that_fit(width, false, TIME);
            (columns.spark > 0, columns.cpu > 0, columns.time > 0)
        };
        assert_eq!(there(40), (true, true, true));
        assert_eq!(there(36), (false, true, true));
        assert_eq!(there(26), (false, false, true));
        assert_eq!(there(18), (false, false, false));
        let mut before = (false, false, false);
        for width in 10..200 {
            let now = there(width);
            assert!(
                now >= before && (!now.0 || now.1) && (!now.1 || now.2),
                "{width}"
            );
            before = now;
            assert!(Columns::that_fit(width, false, TIME).body >= 2, "{width}");
        }
    }
}
