//! Which part of a job's screen is shown in an area that is smaller.

use ratatui::layout::Rect;

use crate::term::screen::{Color as CellColor, Screen};

/// Minimum height in rows of a pane with a time bar.
const LOWEST: u16 = 6;

/// The visible part of a screen: its first row and column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Crop {
    /// First row.
    pub top: u16,
    /// First column.
    pub left: u16,
}

/// By how much a person has shifted a cropped screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pan {
    /// The first column.
    pub left: u16,
    /// The first row; `None` to follow the cursor and the end of what is written.
    pub top: Option<u16>,
}

/// The part of `screen` to show in `area`: the end of the written rows, shifted by `pan`. If `follow` is set
/// (somebody is typing), the part with the cursor.
pub fn crop(screen: &Screen, area: Rect, pan: Pan, follow: bool) -> Crop {
    let (rows, cols) = (screen.size().rows(), screen.size().cols());
    let cursor = screen.cursor();
    let mut last = if cursor.visible { cursor.row } else { 0 };
    if rows > area.height {
        last = last.max(last_written_row(screen));
    }
    let mut top = (last + 1)
        .saturating_sub(area.height)
        .min(rows.saturating_sub(area.height));
    if cursor.visible {
        top = top.min(cursor.row);
    }
    if let Some(row) = pan.top.filter(|_| !follow) {
        top = row.min(rows.saturating_sub(area.height));
    }
    let mut left = pan.left.min(cols.saturating_sub(area.width));
    if follow && cursor.visible && cursor.col >= left + area.width {
        left = cursor.col + 1 - area.width;
    }
    Crop { top, left }
}

/// Whether `area` is too small for the contents of the screen, so that `crop` hides some of them.
pub fn is_cropped(screen: &Screen, area: Rect, crop: Crop) -> bool {
    let (rows, cols) = (screen.size().rows(), screen.size().cols());
    if rows <= area.height && cols <= area.width {
        return false;
    }
    let (down, across) = (
        crop.top..crop.top.saturating_add(area.height),
        crop.left..crop.left.saturating_add(area.width),
    );
    (0..rows).any(|row| {
        (0..cols)
            .filter(|col| !(down.contains(&row) && across.contains(col)))
            .any(|col| is_written(screen, row, col))
    })
}

/// Whether a program draws the whole screen: on the alternate screen, or, as `top` does, on the normal one, with the
/// cursor hidden. Only a program that reads single keys sets the mode of its keys; one that prints a log does not.
pub fn is_full_screen(screen: &Screen) -> bool {
    screen.alt_screen() || (!screen.cursor().visible && screen.modes().app_cursor)
}

/// The last row that is not blank; the first row if all are blank.
pub fn last_written_row(screen: &Screen) -> u16 {
    let cols = screen.size().cols();
    let written = |row: &u16| (0..cols).any(|col| is_written(screen, *row, col));
    let last = screen.size().rows() - 1;
    if written(&last) {
        return last;
    }
    (0..=screen.last_drawn_row())
        .rev()
        .find(written)
        .unwrap_or(0)
}

/// Whether a cell has text or a background.
pub fn is_written(screen: &Screen, row: u16, col: u16) -> bool {
    screen.cell(row, col).is_some_and(|cell| {
        cell.inverse || cell.bg != CellColor::Default || !cell.text.trim_start().is_empty()
    })
}

/// The area of the screen in a pane, and that of the bar below it.
pub fn split(area: Rect) -> (Rect, Option<Rect>) {
    if area.height < LOWEST {
        return (area, None);
    }
    let height = area.height - 1;
    let bar = Rect::new(area.x, area.y + height, area.width, 1);
    (Rect { height, ..area }, Some(bar))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::size::Size;

    fn screen(rows: u16, cols: u16, text: &str) -> Screen {
        let mut screen = Screen::new(Size::new(rows, cols));
        screen.feed(text.as_bytes());
        screen
    }

    #[test]
    fn shows_the_last_written_rows() {
        let area = Rect::new(0, 0, 10, 4);
        let few = screen(20, 30, "1\r\n2\r\n3");
        assert_eq!(crop(&few, area, Pan::default(), false).top, 0);
        let many = screen(20, 30, "1\r\n2\r\n3\r\n4\r\n5\r\n6");
        assert_eq!(crop(&many, area, Pan::default(), false).top, 2);
    }

    #[test]
    fn finds_the_last_row_that_is_written() {
        for (text, expected) in [
            ("", 0),
            ("\x1b[5;3Hx\x1b[H", 4),
            ("\x1b[5;3H   \x1b[3;1H漢", 2),
            ("\x1b[7;1H\x1b[41m\x1b[K\x1b[m\x1b[H", 6),
            ("\x1b[6;4H\x1b[7m \x1b[m", 5),
            ("\x1b[4;1H\x1b[4m   \x1b[m\x1b[2;1Hx", 1),
            // The second row of the line is blank again.
            ("0123456789abcdefghij!\r\x1b[K", 1),
            ("\x1b[8;1Hx", 7),
        ] {
            assert_eq!(last_written_row(&screen(8, 10, text)), expected, "{text:?}");
        }
    }
}
