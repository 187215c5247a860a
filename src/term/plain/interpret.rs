//! Applies the tokens of a stream to the window.

use super::window::Window;
use crate::term::compat::{MAX_REPEAT, charset::Charsets, columns, repeats, tabs::TabStops};
use crate::term::pen::Pen;
use crate::term::scan::{Csi, Token};

/// The modes that affect text and sequences, and the state that DECSC saved.
#[derive(Debug)]
pub struct Interpreter {
    charsets: Charsets,
    tabs: TabStops,
    insert: bool,
    wrap: bool,
    newline: bool,
    origin: bool,
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
    wrap: bool,
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

    /// Whether the main screen is active and all modes, character sets and tab stops have their
    /// defaults.
    pub fn is_plain(&self) -> bool {
        let modes = self.wrap && !self.insert && !self.newline && !self.origin;
        let sets = self.charsets == Charsets::default() && self.tabs.standard();
        modes && sets && self.alt.is_none()
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
        if !repeats(&token) {
            self.last_char = None;
        }
        match token {
            Token::Text(text) => self.text(window, text, start),
            Token::Invalid => self.text(window, "\u{fffd}", start),
            Token::Control(byte) => self.control(window, byte, end, end - start == 1),
            Token::Escape(inter, last) => self.escape(window, inter, last, end),
            Token::Csi(csi) if repeats(&token) => self.repeat(window, csi.number(0, 1), start),
            Token::Csi(csi) => self.csi(window, csi, end),
            Token::Osc(..) | Token::Dcs(_) | Token::Ignored => {}
        }
    }

    /// On the alternate screen, all tokens are ignored except those that leave it.
    fn alternate(&mut self, window: &mut Window, token: Token<'_>, end: u64) {
        match token {
            Token::Csi(csi) if resets_alternate(csi) => self.leave_alternate(window, end),
            Token::Escape([], b'c') => {
                self.leave_alternate(window, end);
                self.escape(window, &[], b'c', end);
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
        if width == 0 {
            return;
        }
        let most = (window.rows.len() * (window.edge() + 1)).min(MAX_REPEAT);
        for _ in 0..usize::from(count).min(most) {
            self.character(window, c, width, start);
        }
    }

    /// Handles a control character. `alone` says that it is not inside an escape sequence that
    /// continues after it.
    fn control(&mut self, window: &mut Window, byte: u8, end: u64, alone: bool) {
        match byte {
            0x08 => window.go(window.row, window.settled().saturating_sub(1), end),
            b'\t' => {
                if self.tabs.standard() {
                    window.note_tab();
                }
                self.tab(window, 1, end);
            }
            b'\n' | 0x0b | 0x0c => {
                window.line_feed(end);
                if self.newline {
                    window.col = 0;
                }
                if alone {
                    self.maybe_mark(window, end);
                }
            }
            b'\r' => window.go(window.row, 0, end),
            0x0e => self.charsets.lock(1),
            0x0f => self.charsets.lock(0),
            _ => {}
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

    fn escape(&mut self, window: &mut Window, inter: &[u8], last: u8, end: u64) {
        match (inter, last) {
            ([], b'7') => self.save(window),
            ([], b'8') => self.restore(window, end),
            ([], b'D') => window.line_feed(end),
            ([], b'E') => {
                window.line_feed(end);
                window.col = 0;
            }
            ([], b'M') => window.reverse(end),
            ([], b'H') => self
                .tabs
                .set(u16::try_from(window.settled()).unwrap_or(u16::MAX)),
            ([], b'N') => self.charsets.single(2),
            ([], b'O') => self.charsets.single(3),
            ([], b'n') => self.charsets.lock(2),
            ([], b'o') => self.charsets.lock(3),
            ([], b'c') => {
                *self = Self::new(false, end);
                window.reset_attributes();
                window.region = (0, window.last_row());
                (0..window.rows.len()).for_each(|row| window.erase(row, 0, usize::MAX));
                window.go(0, 0, end);
            }
            ([slot @ b'('..=b'+'], _) => self.charsets.designate(*slot, last),
            _ => {}
        }
    }

    fn csi(&mut self, window: &mut Window, csi: Csi<'_>, end: u64) {
        match (csi.marker, csi.inter, csi.last) {
            (0, 0, _) => self.plain_csi(window, csi, end),
            (b'?', 0, b'h' | b'l') => csi
                .numbers()
                .for_each(|mode| self.dec_mode(window, mode, csi.last == b'h', end)),
            (b'?', 0, b'J') => erase_display(window, csi.number(0, 0)),
            (b'?', 0, b'K') => erase_line(window, csi.number(0, 0)),
            (0, b'!', b'p') => {
                let alt = self.alt;
                *self = Self {
                    tabs: std::mem::take(&mut self.tabs),
                    alt,
                    ..Self::new(false, self.alt_since)
                };
                window.reset_attributes();
                window.region = (0, window.last_row());
            }
            _ => {}
        }
    }

    fn plain_csi(&mut self, window: &mut Window, csi: Csi<'_>, end: u64) {
        let count = usize::from(csi.number(0, 1));
        let (row, col) = (window.row, window.settled());
        match csi.last {
            b'A' => window.go(up(window, count), col, end),
            b'B' | b'e' => window.go(down(window, count), col, end),
            b'C' | b'a' => window.go(row, col + count, end),
            b'D' => window.go(row, col.saturating_sub(count), end),
            b'E' => window.go(down(window, count), 0, end),
            b'F' => window.go(up(window, count), 0, end),
            b'G' | b'`' => window.go(row, count - 1, end),
            b'H' | b'f' => self.go_to(window, count - 1, usize::from(csi.number(1, 1)) - 1, end),
            b'd' => self.go_to(window, count - 1, col, end),
            b'I' => self.tab(window, csi.number(0, 1), end),
            b'Z' => {
                let col = self
                    .tabs
                    .back(u16::try_from(col).unwrap_or(u16::MAX), csi.number(0, 1));
                window.go(row, usize::from(col), end);
            }
            b'g' => match csi.number(0, 0) {
                0 => self.tabs.clear(u16::try_from(col).unwrap_or(u16::MAX)),
                3 => self.tabs.clear_all(),
                _ => {}
            },
            b'@' => window.insert_cells(count),
            b'P' => window.delete_cells(count),
            b'X' => window.erase(row, col, col.saturating_add(count)),
            b'L' => window.insert_rows(row, count),
            b'M' => window.delete_rows(row, count),
            b'S' => window.scroll_up(count),
            b'T' if csi.params.iter().all(u8::is_ascii_digit) => window.scroll_down(count),
            b'J' => erase_display(window, csi.number(0, 0)),
            b'K' => erase_line(window, csi.number(0, 0)),
            b'm' => window.set_attributes(csi.params),
            b'r' => self.set_region(window, csi, end),
            b's' if csi.params.is_empty() => self.save(window),
            b'u' if csi.params.is_empty() => self.restore(window, end),
            b'h' | b'l' => csi.numbers().for_each(|mode| match mode {
                4 => self.insert = csi.last == b'h',
                20 => self.newline = csi.last == b'h',
                _ => {}
            }),
            _ => {}
        }
    }

    fn dec_mode(&mut self, window: &mut Window, mode: u16, on: bool, end: u64) {
        match mode {
            6 => {
                self.origin = on;
                self.go_to(window, 0, 0, end);
            }
            7 => self.wrap = on,
            1048 if on => self.save(window),
            1048 => self.restore(window, end),
            47 | 1047 | 1049 if on => {
                self.alt = Some((window.row, window.col));
                self.alt_since = end;
            }
            _ => {}
        }
    }

    /// Moves the cursor. In origin mode, `row` counts from the top of the region.
    fn go_to(&self, window: &mut Window, row: usize, col: usize, end: u64) {
        let (top, bottom) = if self.origin {
            window.region
        } else {
            (0, window.last_row())
        };
        window.go((top + row).min(bottom), col, end);
    }

    fn set_region(&self, window: &mut Window, csi: Csi<'_>, end: u64) {
        let rows = window.rows.len();
        let top = usize::from(csi.number(0, 1)) - 1;
        let bottom = csi.number(1, 0);
        let bottom = if bottom == 0 {
            rows
        } else {
            usize::from(bottom).min(rows)
        } - 1;
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
            wrap: self.wrap,
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
                self.wrap = saved.wrap;
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

/// Whether a sequence leaves the alternate screen.
fn resets_alternate(csi: Csi<'_>) -> bool {
    csi.marker == b'?'
        && csi.inter == 0
        && csi.last == b'l'
        && csi.numbers().any(|mode| matches!(mode, 47 | 1047 | 1049))
}

/// The row `count` rows up, limited by the top of the region.
fn up(window: &Window, count: usize) -> usize {
    let stop = if window.row >= window.region.0 {
        window.region.0
    } else {
        0
    };
    window.row.saturating_sub(count).max(stop)
}

/// The row `count` rows down, limited by the bottom of the region.
fn down(window: &Window, count: usize) -> usize {
    let stop = if window.row <= window.region.1 {
        window.region.1
    } else {
        window.last_row()
    };
    (window.row + count).min(stop)
}

fn erase_display(window: &mut Window, how: u16) {
    let (row, col) = (window.row, window.settled());
    let rows = window.rows.len();
    match how {
        0 => {
            window.erase(row, col, usize::MAX);
            (row + 1..rows).for_each(|row| window.erase(row, 0, usize::MAX));
        }
        1 => {
            window.erase(row, 0, col + 1);
            (0..row).for_each(|row| window.erase(row, 0, usize::MAX));
        }
        2 => (0..rows).for_each(|row| window.erase(row, 0, usize::MAX)),
        _ => {}
    }
}

fn erase_line(window: &mut Window, how: u16) {
    let (row, col) = (window.row, window.settled());
    match how {
        0 => window.erase(row, col, usize::MAX),
        1 => window.erase(row, 0, col + 1),
        2 => window.erase(row, 0, usize::MAX),
        _ => {}
    }
}
