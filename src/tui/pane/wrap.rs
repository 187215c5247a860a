//! The screen of a job whose terminal is wider than the pane, with its lines wrapped.
//!
//! The text of the screen is painted on a screen of the pane's width. It is then drawn, marked and copied as any
//! other. Full-screen programs, programs that read the mouse, and those that draw far below the cursor place their
//! text themselves and are shown as they are.

use crate::protocol::SessionId;
use crate::term::modes::MouseMode;
use crate::term::screen::Screen;
use crate::term::size::{self, Size};
use crate::tui::crop;
use crate::tui::model::Model;
use crate::tui::model::watch::Wrapped;

/// Wraps the screens that are shown in narrower panes.
pub fn reconcile(model: &mut Model) {
    let widths = if model.pane.wrap {
        widths(model)
    } else {
        Vec::new()
    };
    for watch in &mut model.watches {
        let width = widths.iter().find(|(id, _)| *id == watch.id);
        let Some((width, screen)) = width.map(|(_, width)| *width).zip(watch.screen.as_ref())
        else {
            watch.wrapped = None;
            continue;
        };
        let is_current = |wrapped: &Wrapped| wrapped.is_of(screen, width);
        if !watch.wrapped.as_ref().is_some_and(is_current) {
            watch.wrapped = wrap(screen, width);
        }
    }
}

/// The widths of the panes.
fn widths(model: &Model) -> Vec<(SessionId, u16)> {
    let layout = model.layout();
    let tiles = model.tiles().into_iter();
    let tiles = tiles.map(|(_, id, tile)| (id.clone(), tile.body.width));
    let pane = layout.pane.zip(model.current_id());
    let pane = pane.map(|(pane, id)| (id.clone(), pane.width));
    tiles.chain(pane).collect()
}

/// The screen with its lines wrapped to `width`; `None` if it is shown as it is.
fn wrap(screen: &Screen, width: u16) -> Option<Wrapped> {
    if screen.size().cols() <= width || width == 0 {
        return None;
    }
    let end = crop::last_written_row(screen);
    if places_text(screen, end) {
        return None;
    }
    let cursor = screen.cursor();
    let lines = lines(screen, end.max(cursor.row), width);
    let rows: usize = lines.iter().map(|line| line.rows).sum();
    let rows = u16::try_from(rows).unwrap_or(size::MAX).min(size::MAX);
    let mut narrow = Screen::new(Size::new(rows, width));
    let mut at = None;
    for (n, line) in lines.iter().enumerate() {
        if n > 0 {
            narrow.feed(b"\r\n");
        }
        if line.has(cursor.row) {
            let (down, col) = line.place(screen, cursor.row, cursor.col, width);
            at = Some((narrow.cursor().row + down, col));
        }
        narrow.feed(line.text.as_bytes());
    }
    let (row, col) = at.unwrap_or_default();
    narrow.feed(format!("\x1b[{};{}H", row + 1, col + 1).as_bytes());
    if !cursor.visible {
        narrow.feed(b"\x1b[?25l");
    }
    Some(Wrapped::new(screen, width, narrow))
}

/// Whether the program places its text itself, down to the row `end`, so that wrapping would tear it apart.
fn places_text(screen: &Screen, end: u16) -> bool {
    // Older versions of `top` do so.
    let draws_below = end.saturating_sub(screen.cursor().row) > screen.size().rows() / 2;
    crop::is_full_screen(screen) || screen.modes().mouse != MouseMode::None || draws_below
}

/// A line of text.
struct Line {
    /// Its first and last row on the screen.
    first: u16,
    last: u16,
    /// With attributes.
    text: String,
    /// Number of rows that it takes in the pane, or more.
    rows: usize,
}

/// The lines of the screen down to the row `end`.
fn lines(screen: &Screen, end: u16, width: u16) -> Vec<Line> {
    let rows = screen.size().rows();
    let mut lines = Vec::new();
    let mut first = 0;
    while first <= end {
        let mut last = first;
        let mut text = String::new();
        while last + 1 < rows && screen.row_wrapped(last) {
            text.push_str(&screen.row_ansi(last, false));
            last += 1;
        }
        text.push_str(&screen.row_ansi(last, true));
        let columns = usize::from(screen.size().cols()) * usize::from(last - first)
            + usize::from(screen.row_end(last)).max(1);
        // A wide character may leave a column at the end of each row.
        let narrowest = usize::from(width).saturating_sub(1).max(1);
        let is_ascii = text.is_ascii();
        let per_row = if is_ascii { width.into() } else { narrowest };
        lines.push(Line {
            first,
            last,
            text,
            rows: columns.div_ceil(per_row),
        });
        first = last + 1;
    }
    lines
}

impl Line {
    fn has(&self, row: u16) -> bool {
        (self.first..=self.last).contains(&row)
    }

    /// Where a cell of the line is when it is wrapped: rows below its first, and column.
    fn place(&self, screen: &Screen, row: u16, col: u16, width: u16) -> (u16, u16) {
        let (mut down, mut across) = (0, 0);
        for at in self.first..=row {
            let end = if at == row { col } else { screen.size().cols() };
            let written = screen.row_end(at);
            for column in 0..end {
                // Blanks behind the text do not wrap.
                let cell = screen.cell(at, column).filter(|_| column < written);
                let cells = cell.map_or(1, |cell| u16::from(cell.width));
                if across + cells > width && cell.is_some() {
                    (down, across) = (down + 1, 0);
                }
                across += cells;
            }
        }
        match across < width {
            true => (down, across),
            // After a full row, text continues in the next one.
            false if col < screen.row_end(row) => (down + 1, 0),
            false => (down, width - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(rows: u16, cols: u16, text: &str, width: u16) -> Option<(Vec<String>, (u16, u16))> {
        let mut screen = Screen::new(Size::new(rows, cols));
        screen.feed(text.as_bytes());
        let wrapped = wrap(&screen, width)?;
        let cursor = wrapped.screen().cursor();
        Some((wrapped.screen().rows_text(true), (cursor.row, cursor.col)))
    }

    #[test]
    fn lines_wrap_and_the_cursor_stays_with_its_character() {
        let (rows, cursor) = wrapped(5, 20, "0123456789abcdef\r\n$ cmd", 8).unwrap_or_default();
        assert_eq!(rows, ["01234567", "89abcdef", "$ cmd"]);
        assert_eq!(cursor, (2, 5));
        let (rows, cursor) = wrapped(5, 20, "0123456789abcdef\x1b[1;11H", 8).unwrap_or_default();
        assert_eq!(rows, ["01234567", "89abcdef"]);
        assert_eq!(cursor, (1, 2));
        // At the end of a full row, and far behind the text.
        assert_eq!(
            wrapped(5, 20, "01234567", 8).map(|(_, at)| at),
            Some((0, 7))
        );
        assert_eq!(
            wrapped(5, 20, "01\x1b[1;15H", 8).map(|(_, at)| at),
            Some((0, 7))
        );
        assert_eq!(
            wrapped(5, 20, "012345678\x1b[1;9H", 8).map(|(_, at)| at),
            Some((1, 0))
        );
    }

    #[test]
    fn a_line_of_several_rows_is_one_line() {
        let text = "0123456789".repeat(3);
        let (rows, cursor) = wrapped(5, 20, &text, 12).unwrap_or_default();
        assert_eq!(rows, ["012345678901", "234567890123", "456789"]);
        assert_eq!(cursor, (2, 6));
    }

    #[test]
    fn wide_characters_and_colours_stay_whole() {
        let (rows, _) = wrapped(5, 20, "a日本語日本語", 4).unwrap_or_default();
        assert_eq!(rows, ["a日", "本語", "日本", "語"]);
        let mut screen = Screen::new(Size::new(3, 20));
        screen.feed(b"plain \x1b[31mred and long\x1b[m");
        let narrow = wrap(&screen, 8);
        let narrow = narrow.as_ref().map(Wrapped::screen);
        let red = |row| narrow.and_then(|narrow| Some(narrow.cell(row, 6)?.fg));
        assert_eq!(red(0), screen.cell(0, 6).map(|cell| cell.fg));
        assert_eq!(red(1), red(0));
    }

    #[test]
    fn what_fits_or_is_placed_by_the_program_is_shown_as_it_is() {
        for text in ["\x1b[?1049hx", "\x1b[?1000hx", "1\r\n2\r\n3\r\n4\x1b[H"] {
            assert_eq!(wrapped(5, 20, text, 8), None, "{text:?}");
        }
        assert_eq!(wrapped(5, 20, "x", 20), None);
    }

    #[test]
    fn a_table_that_is_drawn_from_the_top_is_shown_as_it_is() {
        // As procps 4 does: the cursor is hidden in the last row, below a table that fills the screen.
        let table = "\x1b[H0123456789\x1b[K\r\n1\x1b[K\r\n2\x1b[K\r\n3\x1b[K\r\n\x1b[J";
        let top = format!("\x1b[?1h\x1b=\x1b[?25l\x1b[H\x1b[2J{table}");
        assert_eq!(wrapped(5, 20, &top, 8), None);
        // A log below which the cursor is hidden, and a shell that sets the mode of its keys.
        for prefix in ["\x1b[?25l", "\x1b[?1h"] {
            let text = format!("{prefix}{table}");
            assert!(wrapped(5, 20, &text, 8).is_some(), "{text:?}");
        }
    }
}
