//! Draws a job's screen into a part of the window: cropped, and without cutting wide characters in
//! half.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};

use crate::term::bidi;
use crate::term::screen::{Cell, Color as CellColor, Screen};
use crate::tui::crop::Crop;
use crate::tui::text;
use crate::tui::theme::Depth;
use crate::tui::window::{Canvas, OVERLINED, underline_kind};

/// Number of rows from which on plain text is searched for first. To find it, all rows above are walked.
const MANY: u16 = 4;

/// Draws the part of `screen` given by `crop`, with as many colours as the terminal has.
pub fn draw(screen: &Screen, area: Rect, crop: Crop, depth: Depth, canvas: &mut Canvas) {
    let area = area.intersection(canvas.area());
    let row = |y: u16| Rect::new(area.x, area.y + y, area.width, 1);
    if area.height < MANY {
        for y in 0..area.height {
            draw_row(screen, (crop.top + y, crop.left), row(y), depth, canvas);
        }
        return;
    }
    let rows = screen.plain_rows().skip(usize::from(crop.top));
    for (y, text) in (0..area.height).zip(rows) {
        match text {
            Some(text) => {
                let end = usize::from(screen.size().cols().saturating_sub(crop.left));
                let text = text.get(usize::from(crop.left)..).unwrap_or_default();
                draw_text(text, end, row(y), canvas);
            }
            None => draw_row(screen, (crop.top + y, crop.left), row(y), depth, canvas),
        }
    }
}

/// Draws a row of printable ASCII without attributes. The screen has `end` columns from its beginning on.
fn draw_text(text: &str, end: usize, line: Rect, canvas: &mut Canvas) {
    let letters = text.bytes().chain(std::iter::repeat(b' ')).take(end);
    for (at, letter) in line.positions().zip(letters) {
        if let Some(target) = canvas.buffer_mut().cell_mut(at) {
            target.reset();
            if letter != b' ' {
                target.set_char(char::from(letter));
            }
        }
    }
}

/// Draws the part of a row of `screen` that begins at a row and column of it.
fn draw_row(screen: &Screen, from: (u16, u16), line: Rect, depth: Depth, canvas: &mut Canvas) {
    let mut is_ascii = true;
    for x in 0..line.width {
        let Some(cell) = screen.cell(from.0, from.1 + x) else {
            break;
        };
        let at = Position::new(line.x + x, line.y);
        let Some(target) = canvas.buffer_mut().cell_mut(at) else {
            continue;
        };
        target.reset();
        if cell.is_blank() {
            continue;
        }
        // Draw a wide character only if both of its halves fit. Otherwise it would overwrite
        // the frame, or leave half of the previous contents.
        let fits = cell.width == 1 || (cell.width == 2 && x + 1 < line.width);
        target.set_style(style(&cell, depth));
        if !fits {
            continue;
        }
        match cell.text.as_bytes() {
            [] => {}
            [byte] => {
                target.set_char(char::from(*byte));
            }
            _ => {
                is_ascii = false;
                // A zero-width joiner at an end would join this character with its neighbour.
                let shown = cell.text.trim_matches('\u{200d}');
                if !shown.is_empty() && text::width(shown) == usize::from(cell.width) {
                    target.set_symbol(shown);
                }
            }
        }
        if let Some(link) = cell.link {
            canvas.set_link(at, link);
        }
    }
    if !is_ascii {
        isolate(line, canvas.buffer_mut());
    }
}

/// Isolates a drawn row, so that its bidirectional text does not reorder what is beside it.
pub fn isolate(row: Rect, buf: &mut Buffer) {
    let pieces = (row.left()..row.right()).filter_map(|x| Some(buf.cell((x, row.y))?.symbol()));
    let Some((before, after)) = bidi::isolation(pieces) else {
        return;
    };
    for (x, before, after) in [(row.left(), &*before, ""), (row.right() - 1, "", &*after)] {
        if let Some(cell) = buf.cell_mut((x, row.y)) {
            let symbol = format!("{before}{}{after}", cell.symbol());
            cell.set_symbol(&symbol);
        }
    }
}

/// Position of the cursor of `screen` in the window, if it is visible.
pub fn cursor(screen: &Screen, area: Rect, crop: Crop) -> Option<Position> {
    let cursor = screen.cursor();
    let x = cursor.col.checked_sub(crop.left)?;
    let y = cursor.row.checked_sub(crop.top)?;
    let shows = cursor.visible && x < area.width && y < area.height;
    shows.then(|| Position::new(area.x + x, area.y + y))
}

/// The style of a cell, with as many colours as the terminal has.
pub fn style(cell: &Cell<'_>, depth: Depth) -> Style {
    let mut modifiers = Modifier::empty();
    for (on, modifier) in [
        (cell.bold, Modifier::BOLD),
        (cell.dim, Modifier::DIM),
        (cell.italic, Modifier::ITALIC),
        (cell.underline || cell.link.is_some(), Modifier::UNDERLINED),
        (cell.inverse, Modifier::REVERSED),
        (cell.style.blink, Modifier::SLOW_BLINK),
        (cell.style.conceal, Modifier::HIDDEN),
        (cell.style.strike, Modifier::CROSSED_OUT),
        (cell.style.overline, OVERLINED),
        (true, underline_kind(cell.style.underline)),
    ] {
        if on {
            modifiers |= modifier;
        }
    }
    let style = Style::new().add_modifier(modifiers);
    if depth == Depth::None {
        return style;
    }
    let underline = crate::term::cell::color(cell.style.underline_color);
    style
        .fg(color(cell.fg, depth))
        .bg(color(cell.bg, depth))
        .underline_color(color(underline, depth))
}

/// The colour, or the nearest one that the terminal has: a terminal takes what it does not know for something else.
fn color(color: CellColor, depth: Depth) -> Color {
    match color {
        CellColor::Default => Color::Reset,
        CellColor::Idx(i) => depth.of_job(Color::Indexed(i)),
        CellColor::Rgb(r, g, b) => depth.of_job(Color::Rgb(r, g, b)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::collection;
    use proptest::prelude::*;

    use super::*;
    use crate::term::size::Size;
    use crate::tui::crop::{Pan, crop};

    fn screen(rows: u16, cols: u16, text: &str) -> Screen {
        let mut screen = Screen::new(Size::new(rows, cols));
        screen.feed(text.as_bytes());
        screen
    }

    /// A canvas that is full of this symbol.
    fn filled(window: Rect, symbol: &'static str) -> Canvas {
        let mut canvas = Canvas::new(window);
        *canvas.buffer_mut() = Buffer::filled(window, ratatui::buffer::Cell::new(symbol));
        canvas
    }

    #[test]
    fn isolates_a_row_with_bidirectional_text() {
        let screen = screen(2, 4, "a\u{202e}bc\r\nxyz");
        let area = Rect::new(1, 0, 4, 2);
        let mut canvas = filled(Rect::new(0, 0, 6, 2), "|");
        draw(&screen, area, Crop::default(), Depth::True, &mut canvas);
        let buf = canvas.buffer();
        let row = |y: u16| -> String {
            let cells = (0..6).map(|x| buf.cell((x, y)).unwrap().symbol());
            cells.collect()
        };
        assert_eq!(row(0), "|\u{2068}a\u{202e}bc \u{2069}|");
        assert_eq!(row(1), "|xyz |");
    }

    fn shown(screen: &Screen, area: Rect, window: Rect, crop: Crop) -> Vec<String> {
        let mut canvas = filled(window, "#");
        draw(screen, area, crop, Depth::True, &mut canvas);
        let buf = canvas.buffer();
        (0..window.height)
            .map(|y| {
                (0..window.width)
                    .map(|x| buf.cell((x, y)).unwrap().symbol().to_owned())
                    .collect()
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn many_rows_are_drawn_like_single_ones(
            pieces in collection::vec(prop_oneof![
                4 => "[ -~]{1,9}", 3 => Just("\r\n".to_owned()), 1 => "\x1b\\[[0-6];[0-9]H", 1 => "\x1b\\[[1-3]C",
                1 => "\x1b\\[3?[1-7]m", 1 => Just("\x1b[m".to_owned()), 1 => Just("日é".to_owned()),
                1 => Just("\x1b[K".to_owned()), 1 => Just("\x1b]8;;file:///a\x1b\\link\x1b]8;;\x1b\\".to_owned()),
            ], 0..30),
            (top, left) in (0u16..4, 0u16..12),
        ) {
            let screen = screen(6, 10, &pieces.concat());
            let window = Rect::new(0, 0, 12, 8);
            let area = Rect::new(1, 1, 9, 5);
            let (mut all, mut single) = (filled(window, "#"), filled(window, "#"));
            draw(&screen, area, Crop { top, left }, Depth::True, &mut all);
            for (y, row) in (0..).zip(area.rows()) {
                draw(&screen, row, Crop { top: top + y, left }, Depth::True, &mut single);
            }
            prop_assert_eq!(all.buffer(), single.buffer());
            prop_assert_eq!(all.link_targets(), single.link_targets());
        }
    }

    #[test]
    fn a_terminal_gets_no_colours_that_it_does_not_have() {
        let screen = screen(1, 4, "\x1b[38;2;213;94;0;48;5;196mx");
        let drawn = |depth| {
            let cell = screen.cell(0, 0).unwrap();
            let style = style(&cell, depth);
            (style.fg, style.bg)
        };
        let (rgb, red) = (Some(Color::Rgb(213, 94, 0)), Some(Color::Indexed(196)));
        assert_eq!(drawn(Depth::True), (rgb, red));
        assert_eq!(drawn(Depth::Indexed), (Some(Color::Indexed(166)), red));
        let sixteen = (Some(Color::Indexed(1)), Some(Color::Indexed(9)));
        assert_eq!(drawn(Depth::Ansi), sixteen);
        assert_eq!(drawn(Depth::None), (None, None));
    }

    #[test]
    fn wide_characters_never_cross_the_edge() {
        let screen = screen(2, 10, "a日b本c");
        let window = Rect::new(0, 0, 6, 2);
        let area = Rect::new(1, 0, 3, 2);
        let rows = shown(&screen, area, window, Crop { top: 0, left: 0 });
        assert_eq!(rows[0], "#a日 ##");
        // Cut on the left: the right half of 日 is drawn as a blank, and so is 本, whose right half
        // is outside.
        let rows = shown(&screen, area, window, Crop { top: 0, left: 2 });
        assert_eq!(rows[0], "# b ##");
        let rows = shown(&screen, area, window, Crop { top: 0, left: 3 });
        assert_eq!(rows[0], "#b本 ##");
    }

    #[test]
    fn shows_the_cursor_while_typing() {
        let area = Rect::new(2, 1, 10, 4);
        let wide = screen(4, 30, "0123456789abcdef");
        assert_eq!(crop(&wide, area, Pan::default(), false).left, 0);
        let crop = crop(&wide, area, Pan::default(), true);
        assert_eq!(crop.left, 7);
        assert_eq!(cursor(&wide, area, crop), Some(Position::new(11, 1)));
    }

    #[test]
    fn clips_an_area_to_the_window() {
        let screen = screen(5, 20, "hello");
        let window = Rect::new(0, 0, 4, 2);
        let rows = shown(&screen, Rect::new(2, 1, 20, 5), window, Crop::default());
        assert_eq!(rows, ["####", "##he"]);
    }
}
