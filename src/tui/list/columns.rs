//! The columns of a row of the list and their widths. They are the same for all rows, so that the words stand in one
//! column. They depend on names and on which words there are, not on numbers and times, which change all the time.
//!
//! When the width shrinks, or the name of a job with a state needs it, columns are dropped in this order: sparkline,
//! CPU, port, time. Glyph, name and exit code stay.

use super::row;
use crate::tui::model::Model;
use crate::tui::model::rows::Row;
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
/// Columns that a name gets at the expense of other columns. A longer one is cut.
const LONG_NAME: usize = 16;
/// From this window width in columns on, no other column leaves for a name that is longer than [`USUAL_NAME`].
const WIDE: u16 = 100;
/// Columns of names that are not cut in a wide window.
const USUAL_NAME: usize = 10;
/// Columns of a name that is cut in a wide window, beside `exit 1`, CPU and sparkline.
const CUT_NAME: usize = 7;
/// The first column of words if the names need no other one.
const WORD_AT: usize = 9;
/// The first column of words if names are cut.
const LEAST_WORD_AT: usize = 8;
/// Width of `:3000`.
const PORT: usize = 5;
/// Below this window width in columns, CPU and sparkline are never shown.
const NARROW: u16 = 60;

/// Widths of the columns; 0 if a column is not shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Columns {
    /// Name and word (or port) together, including the blank between them.
    pub(super) body: usize,
    /// Where the word starts in the body; `None` if it is right-aligned.
    pub(super) word_at: Option<usize>,
    /// Whether the word of a state stands in the place of the time.
    pub(super) is_word_for_time: bool,
    pub(super) time: usize,
    pub(super) cpu: usize,
    pub(super) spark: usize,
    pub(super) marks: usize,
}

impl Columns {
    /// The columns of a list of `width`.
    pub(super) fn of(model: &Model, width: usize) -> Self {
        let wants = Wants::of(model);
        let narrow = model.window.0 < NARROW;
        let needs = wants.in_column();
        let mut columns = Self::that_fit(width, narrow, wants.time, needs);
        if columns.time == 0 {
            columns = Self::that_fit(width, narrow, TIME, needs);
        }
        columns.is_word_for_time = columns.time > 0 && columns.body < wants.together;
        let has_column = columns.body >= NAME_THEN_PORT && !columns.is_word_for_time;
        columns.word_at = has_column.then(|| wants.word_at(columns.body));
        columns
    }

    /// The columns that fit. `needs` is the width of names with their states.
    fn that_fit(width: usize, narrow: bool, time: usize, needs: usize) -> Self {
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
            is_word_for_time: false,
            time,
            cpu: if narrow { 0 } else { CPU },
            spark: if narrow { 0 } else { CELLS },
            marks,
        };
        if columns.rest(width) < NAME_THEN_PORT.max(needs) {
            columns.spark = 0;
        }
        if columns.rest(width) < NAME_AND_PORT.max(needs) {
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

/// What the rows want of the columns. Rows that are folded away, or that the filter hides, want nothing.
struct Wants {
    /// Width of the longest name.
    name: usize,
    /// Width of the longest name with a state, and of the longest state.
    stated: (usize, usize),
    /// Width of the longest name and state of one row, with the blank between them.
    together: usize,
    /// Width of times.
    time: usize,
}

impl Wants {
    fn of(model: &Model) -> Self {
        let mut wants = Self {
            name: 0,
            stated: (0, 0),
            together: 0,
            time: TIME,
        };
        let rows = model.list.rows.iter();
        let shown = rows.filter_map(|row| match row {
            Row::Job(index) => model.jobs.get(*index),
            Row::Group(_) => None,
        });
        for job in shown {
            let name = text::width(job.bare_name());
            wants.name = wants.name.max(name);
            let state = job.state();
            if state == State::Scheduled {
                wants.time = UNTIL;
            }
            if let Some(word) = row::state_words(job, &state).last() {
                let name = match model.window.0 {
                    WIDE.. if name > USUAL_NAME => CUT_NAME,
                    _ => name.min(LONG_NAME),
                };
                let word = text::width(word);
                wants.stated = (wants.stated.0.max(name), wants.stated.1.max(word));
                wants.together = wants.together.max(name + 1 + word);
            }
        }
        wants
    }

    /// Columns in which all states stand below each other, with a blank behind the names; 0 if there is none.
    fn in_column(&self) -> usize {
        match self.stated {
            (_, 0) => 0,
            (name, word) => name + 1 + word,
        }
    }

    /// The first column of words in a body of this width: behind the names, and so that all words fit. If there is
    /// no such column, long words begin further left, or names are cut.
    fn word_at(&self, body: usize) -> usize {
        let room = body.saturating_sub(self.stated.1.max(PORT));
        let behind = self.name + 1;
        if room >= behind {
            (behind + 1).max(WORD_AT).min(room)
        } else if behind + PORT <= body {
            behind
        } else {
            room.max(LEAST_WORD_AT)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_behind_the_names_if_all_of_them_fit_there() {
        let at = |name: usize, word: usize, body: usize| {
            let wants = Wants {
                name,
                stated: (name, word),
                together: name + 1 + word,
                time: TIME,
            };
            wants.word_at(body)
        };
        assert_eq!(at(7, 6, 14), 8);
        assert_eq!(at(4, 6, 24), WORD_AT);
        assert_eq!(at(10, 6, 20), 12);
        assert_eq!(at(7, 8, 14), 8, "a long word begins further left");
        assert_eq!(at(30, 6, 14), 8, "names are cut");
    }

    #[test]
    fn drops_columns_in_the_specified_order() {
        let there = |width| {
            let columns = Columns::that_fit(width, false, TIME, 0);
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
            let long = Columns::that_fit(width, false, TIME, 20);
            assert!(
                long.body >= Columns::that_fit(width, false, TIME, 0).body,
                "{width}"
            );
            assert!(long.body >= 20 || long.cpu == 0, "{width}");
            assert!(
                Columns::that_fit(width, false, TIME, 0).body >= 2,
                "{width}"
            );
        }
    }
}
