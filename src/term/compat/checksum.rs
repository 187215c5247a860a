//! DECRQCRA: the checksum of an area of the screen, by which test programs compare what they see.

use super::{Core, State};
use crate::term::control::area::Area;
use crate::term::extras::split;

impl State {
    /// The checksum of an area as the VT520 and xterm (from patch 336, without XTCHECKSUM) compute it: the
    /// characters, of which only the low eight bits count, and their attributes are summed and negated. Blanks at
    /// the end of a row do not count, except in the first cell.
    pub(super) fn checksum(&self, core: &mut Core<'_>, area: Area) -> u16 {
        let origin = self.addressed_rows();
        let Some(area) = area.on(origin, self.size.cols()) else {
            return 0;
        };
        let screen = core.screen();
        let mut sum = 0u16;
        let mut is_first = true;
        for row in area.rows() {
            let mut blanks = 0u16;
            for cell in area.cols().filter_map(|col| screen.cell(row, col)) {
                // The right half of a wide character counts with the left one.
                if cell.is_wide_continuation() {
                    continue;
                }
                let value = self.value(cell);
                if is_first || value != u16::from(b' ') || cell.has_contents() {
                    sum = sum.wrapping_add(blanks).wrapping_add(value);
                    blanks = 0;
                } else {
                    blanks = blanks.wrapping_add(value);
                }
                is_first = false;
            }
        }
        sum.wrapping_neg()
    }

    /// What a cell adds to the checksum.
    fn value(&self, cell: &vt100::Cell) -> u16 {
        let (text, marker) = split(cell.contents());
        let character = text.chars().next().map_or(u32::from(b' '), u32::from);
        let character = u16::try_from(character & 0xff).unwrap_or_default();
        let style = marker.and_then(|marker| self.extras.get(marker));
        let style = style.map(|extra| extra.style).unwrap_or_default();
        let attributes = [
            (style.conceal, 0x08),
            (cell.underline(), 0x10),
            (cell.inverse(), 0x20),
            (style.blink, 0x40),
            (cell.bold(), 0x80),
        ];
        let attributes = attributes.iter().filter(|(is_set, _)| *is_set);
        character + attributes.map(|(_, value)| value).sum::<u16>()
    }

    /// First and last row that a program can address: in origin mode, those of the scroll region.
    pub(super) fn addressed_rows(&self) -> (u16, u16) {
        match self.modes.origin {
            true => self.margins,
            false => (0, self.size.rows() - 1),
        }
    }
}
