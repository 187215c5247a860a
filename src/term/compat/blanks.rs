//! Blank cells. As terminfo's `bce` says of `xterm-256color`, what is erased, and what comes up by scrolling,
//! insertion or deletion, has the background colour of the pen and none of its other attributes. The emulator
//! gives erased cells all attributes, so that underlined and inverse blanks show, and gives none to the others.

use std::ops::RangeInclusive;

use super::{Core, State};

/// The attributes of the pen that show in a blank cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Blanks {
    colored: bool,
    underline: bool,
    inverse: bool,
}

impl Blanks {
    /// Those of the emulator's pen.
    pub(super) fn of(screen: &vt100::Screen) -> Self {
        Self {
            colored: screen.bgcolor() != vt100::Color::Default,
            underline: screen.underline(),
            inverse: screen.inverse(),
        }
    }

    /// Whether the emulator leaves the right blanks by itself.
    pub(super) fn are_plain(self) -> bool {
        self == Self::default()
    }
}

/// The end of a text with a background colour, as long as it is being written.
pub(super) struct Wrapping {
    at: (u16, u16),
    bottom: u16,
    size: (u16, u16),
}

impl Wrapping {
    /// Counts a character of `width` columns. Returns whether it scrolls: it wraps from the last row of the
    /// scroll region.
    pub(super) fn scrolls(&mut self, width: u16) -> bool {
        let (row, col) = self.at;
        let (rows, cols) = self.size;
        if col + width <= cols {
            self.at = (row, col + width);
            return false;
        }
        let scrolls = row == self.bottom;
        let below = if scrolls {
            row
        } else {
            (row + 1).min(rows - 1)
        };
        self.at = (below, width);
        scrolls
    }
}

impl State {
    /// Erases by `erase`.
    pub(super) fn erasing<'a>(&self, core: &mut Core<'a>, erase: impl FnOnce(&mut Core<'a>)) {
        let Blanks {
            underline, inverse, ..
        } = self.blanks;
        if underline || inverse {
            core.put(b"\x1b[24;27m");
        }
        erase(core);
        core.put(if underline { b"\x1b[4m" } else { b"" });
        core.put(if inverse { b"\x1b[7m" } else { b"" });
    }

    /// Moves down a row by `feed`, which scrolls in the last row of the region.
    pub(super) fn feeding<'a>(&self, core: &mut Core<'a>, feed: impl FnOnce(&mut Core<'a>)) {
        let scrolls = self.blanks.colored && core.cursor().0 == self.margins.1;
        feed(core);
        if scrolls {
            self.color_row(core);
        }
    }

    /// Moves up a row by RI, which scrolls in the first row of the region.
    pub(super) fn reverse_index(&self, core: &mut Core<'_>) {
        let scrolls = self.blanks.colored && core.cursor().0 == self.margins.0;
        core.put(b"\x1bM");
        if scrolls {
            self.color_row(core);
        }
    }

    /// Colours the row of the cursor, which has come up blank.
    fn color_row(&self, core: &mut Core<'_>) {
        self.erasing(core, |core| core.put(b"\x1b[2K"));
    }

    /// Colours rows that have come up blank.
    pub(super) fn color_rows(&self, core: &mut Core<'_>, rows: Option<RangeInclusive<u16>>) {
        let Some(rows) = rows.filter(|_| self.blanks.colored) else {
            return;
        };
        self.erase_rows(core, rows);
    }

    /// Colours the blanks that ICH has left at the cursor.
    pub(super) fn color_inserted(&self, core: &mut Core<'_>, count: u16) {
        if self.blanks.colored {
            self.erasing(core, |core| core.put_csi(&format!("{count}X")));
        }
    }

    /// Colours the blanks that DCH has left at the end of the row.
    pub(super) fn color_deleted(&self, core: &mut Core<'_>, count: u16) {
        if !self.blanks.colored {
            return;
        }
        let (_, col) = core.cursor();
        let cols = self.size.cols();
        core.go_col(cols.saturating_sub(count).max(col));
        self.erasing(core, |core| core.put(b"\x1b[K"));
        core.go_col(col);
    }

    /// Rows that come up when `count` rows are inserted, or `at_end` deleted, from `row` on; `None` if it is
    /// outside of the scroll region.
    pub(super) fn fresh_rows(
        &self,
        row: u16,
        count: u16,
        at_end: bool,
    ) -> Option<RangeInclusive<u16>> {
        let (top, bottom) = self.margins;
        if !(top..=bottom).contains(&row) || count == 0 {
            return None;
        }
        let more = (count - 1).min(bottom - row);
        Some(if at_end {
            bottom - more..=bottom
        } else {
            row..=row + more
        })
    }

    /// Where text with a background colour would scroll; `None` if nothing has to be coloured then.
    pub(super) fn wrapping(&self, core: &mut Core<'_>, text: &str) -> Option<Wrapping> {
        if !self.blanks.colored || !self.modes.wrap {
            return None;
        }
        let (at, bottom) = (core.cursor(), self.margins.1);
        let (rows, cols) = (self.size.rows(), self.size.cols());
        // A character has no more columns than bytes.
        let room = usize::from(cols) * (usize::from(bottom.saturating_sub(at.0)) + 1);
        let fits = usize::from(at.1) + text.len() <= room;
        (at.0 <= bottom && !fits).then_some(Wrapping {
            at,
            bottom,
            size: (rows, cols),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::term::cell::Color;
    use crate::term::screen::Screen;
    use crate::term::size::Size;

    /// The cells of a screen: `#` with a background colour, `_` underlined or inverse, `=` the second half of a wide
    /// character, `.` others. They are the same after any split of the output.
    fn cells(bytes: &str) -> Vec<String> {
        let size = Size::new(3, 5);
        let mut whole = Screen::new(size);
        whole.feed(bytes.as_bytes());
        let mut split = Screen::new(size);
        bytes.as_bytes().chunks(1).for_each(|byte| {
            split.feed(byte);
        });
        let [whole, split] = [whole, split].map(|screen| rows(&screen));
        assert_eq!(whole, split, "{bytes:?}");
        whole
    }

    fn rows(screen: &Screen) -> Vec<String> {
        let size = screen.size();
        let row = |row| (0..size.cols()).map(move |col| cell(screen, row, col));
        (0..size.rows()).map(|n| row(n).collect()).collect()
    }

    fn cell(screen: &Screen, row: u16, col: u16) -> char {
        match screen.cell(row, col) {
            Some(cell) if cell.width == 0 => '=',
            Some(cell) if cell.underline || cell.inverse => '_',
            Some(cell) if cell.bg != Color::Default => '#',
            _ => '.',
        }
    }

    #[test]
    fn what_comes_up_has_the_background_colour() {
        let blue = "\x1b[44m";
        for (bytes, expected) in [
            ("\x1b[3H{}\n", [".....", ".....", "#####"]),
            ("\x1b[3H{}\r\nab", [".....", ".....", "#####"]),
            ("\x1b[3H{}\x1bD", [".....", ".....", "#####"]),
            ("\x1b[3H{}\x1bE", [".....", ".....", "#####"]),
            ("\x1b[2H{}\n", [".....", ".....", "....."]),
            ("{}\x1bM", ["#####", ".....", "....."]),
            ("{}\x1b[2S", [".....", "#####", "#####"]),
            ("{}\x1b[T", ["#####", ".....", "....."]),
            ("\x1b[2H{}\x1b[L", [".....", "#####", "....."]),
            ("\x1b[2H{}\x1b[M", [".....", ".....", "#####"]),
            ("\x1b[1;2r\x1b[2H{}\x1b[9M", [".....", "#####", "....."]),
            ("\x1b[1;2r\x1b[3H{}\x1b[9M", [".....", ".....", "....."]),
            ("abcde\x1b[2G{}\x1b[2@", [".##..", ".....", "....."]),
            ("abcde\x1b[2G{}\x1b[2P", ["...##", ".....", "....."]),
            // Text that wraps: only a row that has scrolled in is blank.
            ("\x1b[3H{}123456", [".....", "#####", "#####"]),
            ("\x1b[2Hx\x1b[H{}123456", ["#####", "#....", "....."]),
            ("\x1b[3H{}123\u{65e5}\u{672c}", [".....", "####=", "#=###"]),
            ("\x1b[3H{}1234\u{65e5}\u{672c}", [".....", "####.", "#=#=#"]),
            ("\x1b[3H{}12345\x1b[9m6", [".....", "#####", "#####"]),
            ("\x1b[3H{}1\x1b[5b", [".....", "#####", "#####"]),
            // The pending wrap of a row that has scrolled away.
            ("\x1b[3H12345\x1b[S{}6", [".....", ".....", "#####"]),
            // Other attributes do not show in blanks, and the pen keeps them.
            ("\x1b[3H{}\x1b[4;7m\n", [".....", ".....", "#####"]),
            ("\x1b[3H{}\x1b[4m\nx", [".....", ".....", "_####"]),
            ("\x1b[4ma\x1b[K", ["_....", ".....", "....."]),
            (
                "\x1b[7ma\x1b[2;2H\x1b[J\x1b[Hbc",
                ["__...", ".....", "....."],
            ),
            ("\x1b[4:3ma\x1b[0K\x1b[9X", ["_....", ".....", "....."]),
            // The pen of a saved cursor.
            ("{}\x1b7\x1b[m\x1b8\x1b[3H\n", [".....", ".....", "#####"]),
            ("{}\x1b[m\x1b[3H\n", [".....", ".....", "....."]),
        ] {
            let bytes = bytes.replace("{}", blue);
            assert_eq!(cells(&bytes), expected, "{bytes:?}");
        }
    }
}
