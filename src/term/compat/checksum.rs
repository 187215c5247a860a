//! DECRQCRA: the checksum of an area of the screen, by which test programs compare what they see.

use super::{Core, State};
use crate::term::control::area::Area;
use crate::term::extras::split;

/// Bits of XTCHECKSUM: the sum is not negated.
const POSITIVE: u16 = 1;
/// Attributes do not count.
const NO_ATTRIBUTES: u16 = 2;
/// Blanks at the end of a row count.
const NO_TRIM: u16 = 4;
/// All bits of a character count.
const NO_MASK: u16 = 16;

impl State {
    /// The checksum of an area as the VT520 and xterm (from patch 336) compute it: the characters, of which only
    /// the low eight bits count, and their attributes are summed and negated. Blanks at the end of a row do not
    /// count, except in the first cell. XTCHECKSUM changes that.
    pub(super) fn checksum(&self, core: &mut Core<'_>, area: Area) -> u16 {
        let Some(area) = self.visible(core, area) else {
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
                if is_first
                    || self.counts(NO_TRIM)
                    || value != u16::from(b' ')
                    || cell.has_contents()
                {
                    sum = sum.wrapping_add(blanks).wrapping_add(value);
                    blanks = 0;
                } else {
                    blanks = blanks.wrapping_add(value);
                }
                is_first = false;
            }
        }
        if self.counts(POSITIVE) {
            sum
        } else {
            sum.wrapping_neg()
        }
    }

    /// What a cell adds to the checksum.
    fn value(&self, cell: &vt100::Cell) -> u16 {
        let (text, marker) = split(cell.contents());
        let character = text.chars().next().map_or(u32::from(b' '), u32::from);
        let mask = if self.counts(NO_MASK) { 0xffff } else { 0xff };
        let character = u16::try_from(character & mask).unwrap_or_default();
        if self.counts(NO_ATTRIBUTES) {
            return character;
        }
        let extra = marker.and_then(|marker| self.extras.get(marker));
        let style = extra.map(|extra| extra.style).unwrap_or_default();
        let attributes = [
            (extra.is_some_and(|extra| extra.is_protected), 0x04),
            (style.conceal, 0x08),
            (cell.underline(), 0x10),
            (cell.inverse(), 0x20),
            (style.blink, 0x40),
            (cell.bold(), 0x80),
        ];
        let attributes = attributes.iter().filter(|(is_set, _)| *is_set);
        character.wrapping_add(attributes.map(|(_, value)| value).sum())
    }

    /// Whether XTCHECKSUM has set a bit.
    fn counts(&self, bit: u16) -> bool {
        self.checksum_kind & bit != 0
    }
}
