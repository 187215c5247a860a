//! What comes: parts of the log, their times, and another size of the pane. None of it moves what is seen.

use super::place::Place;
use super::{Display, Move, Part, Scroll};

impl Scroll {
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
}
