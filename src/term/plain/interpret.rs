//! Applies the tokens of a stream to the window.

use super::window::Window;
use crate::term::compat::{MAX_REPEAT, columns};
use crate::term::control::charset::Charsets;
use crate::term::control::image::{self, Image};
use crate::term::control::mode::Mode;
use crate::term::control::tabs::TabStops;
use crate::term::control::{Erase, Function};
use crate::term::pen::Pen;
use crate::term::scan::Token;

/// The modes that affect text and sequences, and the state that DECSC saved.
#[derive(Debug)]
pub struct Interpreter {
    charsets: Charsets,
    tabs: TabStops,
    insert: bool,
    wrap: bool,
    newline: bool,
    origin: bool,
    /// Reverse wraparound, which this reading does not follow: lines are read as if it were off.
    wraps_back: bool,
    last_char: Option<char>,
    saved: Option<Saved>,
    /// Cursor position when the alternate screen was entered; `None` on the main screen. Painting
    /// on the alternate screen leaves nothing here.
    alt: Option<(usize, usize)>,
    /// Absolute offset since which the alternate screen has not been switched.
    alt_since: u64,
}

/// State saved by DECSC. It is dropped when a whole window has scrolled by, because the text it
/// points at is gone, and so that a checkpoint need not store it for ever.
#[derive(Clone, Copy, Debug)]
struct Saved {
    row: usize,
    col: usize,
    charsets: Charsets,
    origin: bool,
    pen: Option<Pen>,
    scrolled: u64,
}

impl Interpreter {
    /// The state of an empty terminal at absolute offset `start`. `alt` says whether the alternate
    /// screen is active.
    pub fn new(alt: bool, start: u64) -> Self {
        Self {
            charsets: Charsets::default(),
            tabs: TabStops::default(),
            insert: false,
            wrap: true,
            newline: false,
            origin: false,
            wraps_back: false,
            last_char: None,
            saved: None,
            alt: alt.then_some((0, 0)),
            alt_since: start,
        }
    }

    /// An offset since which the alternate screen has not been switched; the last switch may be
    /// earlier.
    pub fn alt_since(&self) -> u64 {
        self.alt_since
    }

    /// Sets an earlier offset since which the alternate screen is known to be unchanged.
    pub fn set_alt_since(&mut self, offset: u64) {
        self.alt_since = offset;
    }

    /// Follows a window whose size has changed, under the alternate screen too.
    pub(super) fn follow(&mut self, window: &Window) {
        if let Some(at) = &mut self.alt {
            *at = (window.row, window.col);
        }
    }

    /// Whether the main screen is active and all modes, character sets and tab stops have their
    /// defaults.
    pub fn is_plain(&self) -> bool {
        let modes = self.wrap && !self.insert && !self.newline && !self.origin;
        let sets = self.charsets == Charsets::default() && self.tabs.standard();
        modes && sets && !self.wraps_back && self.alt.is_none()
    }

    /// Whether the alternate screen is active.
    pub fn alt(&self) -> bool {
        self.alt.is_some()
    }

    /// Applies a token that begins at `start` and ends before `end`.
    pub fn token(&mut self, window: &mut Window, token: Token<'_>, start: u64, end: u64) {
        if self.alt.is_some() {
            return self.alternate(window, token, end);
        }
        match token {
            Token::Text(text) => self.text(window, text, start),
            Token::Invalid => self.text(window, "\u{fffd}", start),
            Token::Ignored => {}
            _ => self.function(window, &token, start, end),
        }
    }

    /// On the alternate screen, all tokens are ignored except those that leave it.
    fn alternate(&mut self, window: &mut Window, token: Token<'_>, end: u64) {
        match Function::of(&token) {
            Function::SetModes(modes, false) if modes.has_alternate_screen() => {
                self.leave_alternate(window, end);
            }
            Function::Reset => {
                self.leave_alternate(window, end);
                self.reset(window, end);
            }
            _ => {}
        }
    }

    fn leave_alternate(&mut self, window: &mut Window, end: u64) {
        if let Some((row, col)) = self.alt.take() {
            self.alt_since = end;
            window.go(row, col, end);
        }
    }

    fn text(&mut self, window: &mut Window, text: &str, start: u64) {
        if self.insert || !self.wrap || !self.charsets.plain() {
            return self.characters(window, text, start);
        }
        let mut at = 0;
        let ascii = text.is_ascii();
        while at < text.len() && !ascii {
            let rest = &text.as_bytes()[at..];
            let ascii = rest
                .iter()
                .position(|b| !b.is_ascii())
                .unwrap_or(rest.len());
            window.print_ascii(&rest[..ascii], start + at as u64);
            at += ascii;
            let other = rest[ascii..]
                .iter()
                .position(u8::is_ascii)
                .unwrap_or(rest.len() - ascii);
            self.characters(window, &text[at..at + other], start + at as u64);
            at += other;
        }
        window.print_ascii(&text.as_bytes()[at..], start + at as u64);
        self.last_char = text.chars().next_back();
    }

    fn characters(&mut self, window: &mut Window, text: &str, start: u64) {
        for (at, c) in text.char_indices() {
            let c = self.charsets.map(c);
            let width = columns(c).map(usize::from);
            match width {
                None => continue,
                // As in a terminal of one column.
                Some(width) if width > window.cols => continue,
                Some(0) => window.mark(c),
                Some(width) => self.character(window, c, width, start + at as u64),
            }
            self.last_char = Some(c);
        }
    }

    fn character(&mut self, window: &mut Window, c: char, width: usize, offset: u64) {
        if window.col + width > window.cols {
            if self.wrap {
                window.wrap(offset);
            } else {
                window.col = window.cols - width;
            }
        }
        if self.insert {
            window.insert_cells(width);
        }
        window.print(c, width);
    }

    /// REP, limited to a windowful and to the widest row.
    fn repeat(&mut self, window: &mut Window, count: u16, start: u64) {
        let Some(c) = self.last_char else { return };
        let width = columns(c).map_or(0, usize::from);
        if width == 0 || width > window.cols {
            return;
        }
        let most = (window.rows.len() * (window.edge() + 1)).min(MAX_REPEAT);
        for _ in 0..usize::from(count).min(most) {
            self.character(window, c, width, start);
        }
    }

    /// Marks the line that a newline has just begun, if a mark is due and all state except the text
    /// above is that of a blank window.
    fn maybe_mark(&mut self, window: &mut Window, offset: u64) {
        if !window.marks.due(offset) || window.col != 0 {
            return;
        }
        self.forget_old(window);
        if !self.is_plain() || self.saved.is_some() || !window.whole_region() {
            return;
        }
        let row = window.row;
        let begins = match row.checked_sub(1) {
            Some(above) => !window.rows[above].wrapped,
            None => window.lines.partial().is_empty(),
        };
        let empty = window
            .rows
            .range(row..)
            .all(|row| row.is_empty() && !row.wrapped);
        let unused = window.rows.range(row + 1..).all(|row| row.start.is_none());
        if begins && empty && unused {
            let line = window.number_of(row);
            window
                .marks
                .mark(offset, line, u16::try_from(row).unwrap_or(u16::MAX));
        }
    }

    fn function(&mut self, window: &mut Window, token: &Token<'_>, start: u64, end: u64) {
        use Function::*;
        let function = Function::of(token);
        if !matches!(function, Repeat(_)) {
            self.last_char = None;
        }
        let (row, col) = (window.row, window.settled());
        match function {
            Repeat(count) => self.repeat(window, count, start),
            Backspace => window.go(row, col.saturating_sub(1), end),
            Tab if window.col >= window.cols => window.note_late_tab(),
            Tab => {
                if self.tabs.standard() {
                    window.note_tab();
                }
                self.tab(window, 1, end);
            }
            LineFeed => {
                window.line_feed(end);
                if self.newline {
                    window.col = 0;
                }
                // Not inside an escape sequence that continues after the newline.
                if end - start == 1 {
                    self.maybe_mark(window, end);
                }
            }
            CarriageReturn => window.go(row, 0, end),
            Index => window.line_feed(end),
            NextLine => {
                window.line_feed(end);
                window.col = 0;
            }
            ReverseIndex => window.reverse(end),
            CursorUp(count) => window.go(up(window, count), col, end),
            CursorDown(count) | RowRelative(count) => {
                window.go(down(window, count), col, end);
            }
            CursorRight(count) | ColumnRelative(count) => {
                window.go(row, col + usize::from(count), end);
            }
            CursorLeft(count) => {
                window.go(row, col.saturating_sub(usize::from(count)), end);
            }
            NextLines(count) => window.go(down(window, count), 0, end),
            PreviousLines(count) => window.go(up(window, count), 0, end),
            CursorColumn(col) => window.go(row, usize::from(col), end),
            CursorPosition(row, col) => self.go_to(window, row, usize::from(col), end),
            CursorRow(row) => self.go_to(window, row, col, end),
            // A pending wrap stays.
            TabForward(_) if window.col >= window.cols => {}
            TabForward(count) => self.tab(window, count, end),
            TabBackward(count) => {
                let col = self.tabs.back(narrow(col), count);
                window.go(row, usize::from(col), end);
            }
            TabStop(change) => self.tabs.apply(change, narrow(col)),
            InsertCharacters(count) => window.insert_cells(usize::from(count)),
            DeleteCharacters(count) => window.delete_cells(usize::from(count)),
            EraseCharacters(count) => {
                window.erase(row, col, col.saturating_add(usize::from(count)));
            }
            InsertLines(count) => window.insert_rows(row, usize::from(count)),
            DeleteLines(count) => window.delete_rows(row, usize::from(count)),
            ScrollUp(count) => window.scroll_up(usize::from(count)),
            ScrollDown(count) => window.scroll_down(usize::from(count)),
            // Lines have no protected characters.
            EraseInDisplay(what) | SelectiveEraseInDisplay(what) => {
                erase_display(window, what);
            }
            EraseInLine(what) | SelectiveEraseInLine(what) => {
                erase_line(window, what);
            }
            Sgr(params) => window.set_attributes(params),
            SetMargins(top, bottom) => self.set_region(window, top, bottom, end),
            SaveCursor => self.save(window),
            RestoreCursor => self.restore(window, end),
            SetModes(modes, on) => modes
                .iter()
                .for_each(|(_, mode)| self.set_mode(window, mode, on, end)),
            Charset(change) => self.charsets.apply(change),
            Reset => self.reset(window, end),
            SoftReset => {
                *self = Self {
                    tabs: std::mem::take(&mut self.tabs),
                    alt: self.alt,
                    ..Self::new(false, self.alt_since)
                };
                window.reset_attributes();
                window.region = (0, window.last_row());
            }
            Image(image) => self.image(window, image, start, end),
            EraseArea(_) | SelectiveEraseArea(_) | FillArea(..) | Protect(_) | ChecksumKind(_) => {}
            Bell | AlignmentPattern | ApplicationKeypad(_) | CursorStyle | Title(_) | PushTitle
            | PopTitle | Link(_) | Keyboard(_) | Progress(_) | ShellMark(_) | Directory(_)
            | Query(_) | Unknown => {}
        }
    }

    /// Marks the place of an image, as the screen does.
    fn image(&self, window: &mut Window, image: Image, start: u64, end: u64) {
        if window.col >= window.cols {
            if self.wrap {
                window.wrap(start)
            } else {
                window.col = window.cols - 1
            }
        }
        let (row, col, pen) = (window.row, window.col, window.pen);
        window.reset_attributes();
        window.set_attributes(b"2");
        for c in image::TEXT.chars().take(window.cols - col) {
            window.print(c, 1);
        }
        window.pen = pen;
        match image {
            Image::Below => {
                window.go(row, col, end);
                window.line_feed(end);
            }
            Image::Behind => {}
            Image::InPlace => window.go(row, col, end),
        }
    }

    /// RIS.
    fn reset(&mut self, window: &mut Window, end: u64) {
        *self = Self::new(false, end);
        window.reset_attributes();
        window.region = (0, window.last_row());
        erase_display(window, Erase::All);
        window.go(0, 0, end);
    }

    fn set_mode(&mut self, window: &mut Window, mode: Mode, on: bool, end: u64) {
        use Mode::*;
        match mode {
            Insert => self.insert = on,
            NewLine => self.newline = on,
            Origin => {
                self.origin = on;
                self.go_to(window, 0, 0, end);
            }
            AutoWrap => self.wrap = on,
            ReverseWrap | ReverseWrapExtended => self.wraps_back = on,
            SaveCursor if on => self.save(window),
            SaveCursor => self.restore(window, end),
            _ if mode.is_alternate_screen() && on => {
                self.alt = Some((window.row, window.col));
                self.alt_since = end;
            }
            _ => {}
        }
    }

    /// Moves the cursor. In origin mode, `row` counts from the top of the region.
    fn go_to(&self, window: &mut Window, row: u16, col: usize, end: u64) {
        let (top, bottom) = if self.origin {
            window.region
        } else {
            (0, window.last_row())
        };
        window.go((top + usize::from(row)).min(bottom), col, end);
    }

    fn set_region(&self, window: &mut Window, top: u16, bottom: u16, end: u64) {
        let (top, bottom) = (usize::from(top), usize::from(bottom));
        let bottom = bottom.min(window.last_row());
        if top < bottom {
            window.region = (top, bottom);
            self.go_to(window, 0, 0, end);
        }
    }

    fn tab(&self, window: &mut Window, count: u16, end: u64) {
        let col = window.settled();
        // In a pipe, a line may be wider than any terminal. Beyond that width, there is a stop
        // every eight columns.
        let to = match u16::try_from(col) {
            Ok(from) if col < window.edge() && window.edge() < usize::from(u16::MAX) => {
                usize::from(self.tabs.forward(
                    from,
                    count,
                    u16::try_from(window.edge()).unwrap_or(u16::MAX),
                ))
            }
            _ if window.pipe => (col / 8 + usize::from(count)) * 8,
            _ => col,
        };
        if window.pipe && to > window.edge() {
            window.go(window.row, window.edge(), end);
            window.col = to.min(window.cols - 1);
        } else {
            window.go(window.row, to, end);
        }
    }

    fn save(&mut self, window: &Window) {
        self.saved = Some(Saved {
            row: window.row,
            col: window.col,
            charsets: self.charsets,
            origin: self.origin,
            pen: window.pen,
            scrolled: window.scrolled,
        });
    }

    fn restore(&mut self, window: &mut Window, end: u64) {
        self.forget_old(window);
        match self.saved {
            Some(saved) => {
                self.charsets = saved.charsets;
                self.origin = saved.origin;
                window.pen = saved.pen;
                window.go(saved.row, saved.col, end);
            }
            None => {
                self.charsets = Charsets::default();
                self.origin = false;
                window.go(0, 0, end);
            }
        }
    }

    fn forget_old(&mut self, window: &Window) {
        let rows = window.rows.len() as u64;
        self.saved = self
            .saved
            .filter(|saved| window.scrolled - saved.scrolled < rows);
    }
}

/// The row `count` rows up, limited by the top of the region.
fn up(window: &Window, count: u16) -> usize {
    let stop = if window.row >= window.region.0 {
        window.region.0
    } else {
        0
    };
    window.row.saturating_sub(usize::from(count)).max(stop)
}

/// The row `count` rows down, limited by the bottom of the region.
fn down(window: &Window, count: u16) -> usize {
    let stop = if window.row <= window.region.1 {
        window.region.1
    } else {
        window.last_row()
    };
    (window.row + usize::from(count)).min(stop)
}

/// A column as the tab stops count it.
fn narrow(col: usize) -> u16 {
    u16::try_from(col).unwrap_or(u16::MAX)
}

fn erase_display(window: &mut Window, what: Erase) {
    let rows = match what {
        Erase::ToEnd => window.row + 1..window.rows.len(),
        Erase::ToCursor => 0..window.row,
        Erase::All => 0..window.rows.len(),
        Erase::Scrollback | Erase::Unknown => return,
    };
    if what != Erase::All {
        erase_line(window, what);
    }
    rows.for_each(|row| window.erase(row, 0, usize::MAX));
}

fn erase_line(window: &mut Window, what: Erase) {
    let (row, col) = (window.row, window.settled());
    match what {
        // Nothing of the row is behind a pending wrap, which stays. grep and gcc erase after each
        // coloured part, also after one that ends in the last column.
        Erase::ToEnd if window.col >= window.cols => {}
        Erase::ToEnd => window.erase(row, col, usize::MAX),
        Erase::ToCursor => window.erase(row, 0, col + 1),
        Erase::All => window.erase(row, 0, usize::MAX),
        Erase::Scrollback | Erase::Unknown => {}
    }
}
