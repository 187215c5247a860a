//! Data arriving for a scrolled view: parts of the log, their timestamps, and a new pane size. None
//! of it moves what the person is looking at.

use super::place::Place;
use super::text::Text;
use super::{Display, Move, Part, RunBreak, Scroll};
use crate::term::size::Size;

impl Scroll {
    /// Stores a requested part. `offset` is the offset of its first byte, `first` that of the
    /// oldest byte still kept in the log.
    pub fn receive(&mut self, part: Part, bytes: &[u8], offset: u64, first: u64) {
        self.loading = None;
        // Output before an older part may have been dropped in the meantime.
        self.text.first = match part {
            Part::Older if bytes.is_empty() => self.text.start,
            _ => first,
        };
        let came = self.text.receive(part, bytes, offset);
        match part {
            Part::First => {
                self.let_go();
                self.cursor.row = self.text.rows.len().saturating_sub(1);
                self.top = self.max_top();
            }
            Part::Older => {
                self.top += came;
                self.cursor.row += came;
                if let Some(selection) = &mut self.selection {
                    selection.anchor.row += came;
                }
                if let Some(pressed) = &mut self.pressed {
                    pressed.row += came;
                }
            }
            Part::Around(_) => {
                self.let_go();
                self.selection = None;
                self.look_again();
                self.land();
            }
            Part::Newer | Part::Probe(_) => {}
        }
        // There may be fewer rows than before, because a program moved up and erased some.
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

    /// Ends a drag whose text is replaced, and what it has selected.
    fn let_go(&mut self) {
        if self.pressed.take().is_some() {
            self.selection = None;
        }
    }

    /// Saves the cursor position, to restore it after the text is replaced.
    pub fn hold_place(&mut self) {
        let offset = self.text.rows.get(self.cursor.row).map(|row| row.offset);
        let above = self
            .index(self.cursor.row)
            .saturating_sub(self.index(self.top));
        self.landing = Some((offset.unwrap_or(self.text.start), above));
    }

    /// Sets an offset to go to once the text around it has arrived.
    pub fn land_at(&mut self, offset: u64) {
        self.landing = Some((offset, self.height() / 2));
    }

    fn land(&mut self) {
        let Some((offset, above)) = self.landing.take() else {
            return;
        };
        let row = self.text.row_at(offset);
        self.cursor = Place { row, col: 0 };
        self.column = 0;
        if !self.shows(row) {
            self.only = None;
        }
        let top = self.index(row).saturating_sub(above);
        self.top = self.nth(top).min(self.max_top());
    }

    /// Lays out the text again if the display has changed.
    pub fn resize(&mut self, display: Display) {
        if self.is_still {
            return self.resize_still(display.pane);
        }
        if display == self.display {
            return;
        }
        let paints_anew = display.paint_size() != self.text.size;
        let on_match = self.on_match();
        self.display = display;
        if paints_anew {
            let size = self.display.paint_size();
            self.paint_anew(|text| text.paint_anew(size));
            self.left = 0;
        }
        self.return_to_match(on_match);
        self.top = self.top.min(self.max_top());
        self.reveal();
    }

    /// A frozen screen keeps its rows; another part of them is visible.
    fn resize_still(&mut self, pane: Size) {
        if pane == self.display.pane {
            return;
        }
        self.display.pane = pane;
        let most = self.text.size.cols().saturating_sub(pane.cols());
        self.left = self.left.min(usize::from(most));
        self.top = self.top.min(self.max_top());
        self.reveal();
    }

    /// Takes over where runs begin, and shows a line before each but the first.
    pub fn set_runs(&mut self, offsets: Vec<u64>, breaks: Vec<RunBreak>) {
        self.runs = Some(offsets);
        let offsets =
            |breaks: &[RunBreak]| -> Vec<u64> { breaks.iter().map(|one| one.offset).collect() };
        let (known, now) = (offsets(&self.text.breaks), offsets(&breaks));
        if self.is_still || known == now {
            return;
        }
        // A run that begins after the text moves nothing in it.
        let end = self.text.end;
        if now.starts_with(&known) && now[known.len()..].iter().all(|offset| *offset >= end) {
            self.text.expect_breaks(breaks.into());
            return;
        }
        let on_match = self.on_match();
        self.paint_anew(|text| text.set_breaks(breaks.into()));
        self.return_to_match(on_match);
        self.top = self.top.min(self.max_top());
        self.reveal();
    }

    /// Paints the text anew, looks for the matches in it, and stays at the same place of it.
    fn paint_anew(&mut self, paint: impl FnOnce(&mut Text)) {
        let later = self.landing.take();
        self.hold_place();
        let at_end = self.is_at_end();
        let on_last = self.index(self.cursor.row) + 1 >= self.count();
        paint(&mut self.text);
        self.let_go();
        self.selection = None;
        self.look_again();
        self.land();
        self.landing = later;
        if at_end {
            self.top = self.max_top();
        }
        if at_end && on_last {
            self.cursor.row = self.nth(self.count().saturating_sub(1));
        }
    }

    /// The match that the cursor is on, and how many there are.
    fn on_match(&self) -> Option<(usize, usize)> {
        let search = self.search.as_ref()?;
        Some((search.at(self.cursor)?, search.found.len()))
    }

    /// Puts the cursor back on its match, which painting anew moves to another row and column.
    fn return_to_match(&mut self, on_match: Option<(usize, usize)>) {
        if let (Some((at, count)), Some(search)) = (on_match, &self.search)
            && search.found.len() == count
        {
            self.cursor = search.found[at].start;
            self.column = self.cursor.col;
        }
    }

    /// When the line of this row was written, in milliseconds since the epoch.
    pub fn time_of(&self, row: usize) -> Option<i64> {
        let offset = self.text.rows.get(row)?.offset;
        let after = self.times.partition_point(|(at, _)| *at <= offset);
        Some(self.times.get(after.checked_sub(1)?)?.1)
    }

    /// Stores the timestamps of a part. If the part replaces the text, they replace all timestamps.
    pub fn note_times(&mut self, part: Part, times: impl IntoIterator<Item = (u64, i64)>) {
        if matches!(part, Part::First | Part::Around(_)) {
            self.times.clear();
        }
        self.times.extend(times);
        self.times.sort_unstable();
        self.times.dedup();
    }
}
