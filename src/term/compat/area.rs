//! Areas of the screen: selective erasing (DECSED, DECSEL, DECSERA), erasing and filling (DECERA, DECFRA). The cursor
//! stays; a pending wrap ends.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::{Core, State};
use crate::term::control::Erase;
use crate::term::control::area::Area;
use crate::term::extras::split;

impl State {
    /// DECERA.
    pub(super) fn erase_area(&self, core: &mut Core<'_>, area: Area) {
        let mut out = String::new();
        if let Some(area) = self.visible(core, area) {
            for row in area.rows() {
                erase(&mut out, row, area.left, area.right);
            }
        }
        self.erasing(core, |core| self.put_and_return(core, &out));
    }

    /// DECFRA: fills an area with a character and the current attributes.
    pub(super) fn fill_area(&mut self, core: &mut Core<'_>, c: char, area: Area) {
        let Some(area) = self.visible(core, area) else {
            return;
        };
        let cell: String = std::iter::once(c).chain(self.marker(core)).collect();
        let text = cell.repeat(area.cols().count());
        let mut out = String::new();
        for row in area.rows() {
            go(&mut out, row, area.left);
            out.push_str(&text);
        }
        self.put_and_return(core, &out);
    }

    /// DECSERA.
    pub(super) fn erase_unprotected(&self, core: &mut Core<'_>, area: Area) {
        let mut out = String::new();
        if let Some(area) = self.visible(core, area) {
            self.erase_except_protected(core.screen(), area, &mut out);
        }
        self.erasing(core, |core| self.put_and_return(core, &out));
    }

    /// Erases rows, counted from 0.
    pub(super) fn erase_rows(&self, core: &mut Core<'_>, rows: RangeInclusive<u16>) {
        let mut out = String::new();
        for row in rows {
            erase(&mut out, row, 0, self.size.cols() - 1);
        }
        self.erasing(core, |core| self.put_and_return(core, &out));
    }

    /// DECSED and, if `in_line`, DECSEL.
    pub(super) fn erase_around(&self, core: &mut Core<'_>, what: Erase, in_line: bool) {
        let (rows, cols) = (usize::from(self.size.rows()), usize::from(self.size.cols()));
        if !core.may_touch(if in_line { cols } else { rows * cols }) {
            return;
        }
        let (row, col) = core.cursor();
        let (last, col) = (self.size.cols() - 1, col.min(self.size.cols() - 1));
        let area = |top, left, bottom, right| Area {
            top,
            left,
            bottom,
            right,
        };
        let above = row.checked_sub(1).map(|bottom| area(0, 0, bottom, last));
        let below = Some(area(row + 1, 0, self.size.rows() - 1, last));
        let (own, others) = match what {
            Erase::ToEnd => (area(row, col, row, last), [None, below]),
            Erase::ToCursor => (area(row, 0, row, col), [above, None]),
            Erase::All => (area(row, 0, row, last), [above, below]),
            Erase::Scrollback | Erase::Unknown => return,
        };
        let others = others.into_iter().flatten().filter(|_| !in_line);
        let mut out = String::new();
        for area in std::iter::once(own).chain(others) {
            self.erase_except_protected(core.screen(), area, &mut out);
        }
        self.erasing(core, |core| self.put_and_return(core, &out));
    }

    /// Appends what erases the unprotected cells of an area.
    fn erase_except_protected(&self, screen: &vt100::Screen, area: Area, out: &mut String) {
        for row in area.rows() {
            let mut start = area.left;
            for col in area
                .cols()
                .filter(|&col| self.is_protected(screen, row, col))
            {
                if start < col {
                    erase(out, row, start, col - 1);
                }
                start = col + 1;
            }
            if start <= area.right {
                erase(out, row, start, area.right);
            }
        }
    }

    fn is_protected(&self, screen: &vt100::Screen, row: u16, col: u16) -> bool {
        let Some(cell) = screen.cell(row, col) else {
            return false;
        };
        if cell.is_wide_continuation() {
            return col > 0 && self.is_protected(screen, row, col - 1);
        }
        let extra = split(cell.contents())
            .1
            .and_then(|marker| self.extras.get(marker));
        extra.is_some_and(|extra| extra.is_protected)
    }

    /// The part of an area that is on the screen; `None` also if no more cells may be touched.
    pub(super) fn visible(&self, core: &mut Core<'_>, area: Area) -> Option<Area> {
        let area = area.on(self.addressed_rows(), self.size.cols())?;
        core.may_touch(area.rows().count() * area.cols().count())
            .then_some(area)
    }

    /// Passes on `out`, whose positions count from the corner of the screen, and puts the cursor back.
    fn put_and_return(&self, core: &mut Core<'_>, out: &str) {
        self.settle(core);
        let (row, col) = core.cursor();
        let origin = self.modes.origin;
        core.put(if origin { b"\x1b[?6l" } else { b"" });
        core.put(out.as_bytes());
        core.put(if origin { b"\x1b[?6h" } else { b"" });
        self.go(core, row, col);
    }
}

/// Appends what moves the cursor.
fn go(out: &mut String, row: u16, col: u16) {
    let _ = write!(out, "\x1b[{};{}H", u32::from(row) + 1, u32::from(col) + 1);
}

/// Appends what erases the columns from `left` to `right` of a row.
fn erase(out: &mut String, row: u16, left: u16, right: u16) {
    go(out, row, left);
    let _ = write!(out, "\x1b[{}X", right - left + 1);
}
