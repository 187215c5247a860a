//! Converts rows of cells into an SVG picture. Every cell has a fixed position in pixels. Words are
//! positioned and fitted one by one, so that columns stay aligned in any font. Lines and blocks are
//! drawn as shapes.

use std::fmt::Write as _;
use std::sync::Arc;

use super::boxes::{HEIGHT, Rect, Shape, WIDTH, shapes};
use super::ink::Ink;
use super::markup::{escape, target};
use crate::term::cell::Cell;
use crate::term::cursor::CursorShape;
use crate::term::extras::Link;
use crate::term::palette::{BACKGROUND, FOREGROUND, mixed};
use crate::term::style::Underline;

/// Font size, in pixels. Most monospaced fonts are 0.6 times as wide, which is the width of a cell.
const FONT_SIZE: i32 = 15;
/// Distance from the top of a row to the baseline of its text, in pixels.
const BASELINE: i32 = 15;
/// Distance from the top of a row to the line of underlined text, in pixels.
const UNDERLINE: i32 = 17;
/// Distance from the top of a row to the line through crossed out text, in pixels.
const STRIKE: i32 = 10;
/// Thickness of an underline or bar cursor, in pixels.
const CURSOR: i32 = 2;

/// A picture that is built row by row.
pub(super) struct Picture {
    out: String,
    /// Vertical position of the next row.
    y: i32,
}

impl Picture {
    /// Creates a picture with a background for this number of rows and columns.
    pub(super) fn new(rows: usize, cols: u16) -> Self {
        let (w, h) = (i32::from(cols) * WIDTH, rows as i64 * i64::from(HEIGHT));
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace\" \
             font-size=\"{FONT_SIZE}\" shape-rendering=\"crispEdges\">\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#{BACKGROUND:06x}\"/>\n"
        );
        Self { out, y: 0 }
    }

    /// Adds a row. `cursor` is the column and shape of the cursor.
    pub(super) fn row(&mut self, cells: &[Cell<'_>], cursor: Option<(u16, CursorShape)>) {
        let mut row = Row::new(self.y);
        let on = cursor.and_then(|(col, _)| cursor_cells(cells, usize::from(col)));
        let is_block = cursor.is_some_and(|(_, shape)| shape == CursorShape::Block);
        for (col, cell) in cells.iter().enumerate() {
            let ink = Ink::of(cell);
            let is_under = is_block && on.as_ref().is_some_and(|on| on.contains(&col));
            row.cell(col, cell, if is_under { ink.under_cursor() } else { ink });
        }
        row.end_word();
        if let (Some(on), Some((_, shape))) = (on, cursor) {
            row.cursor(on, shape);
        }
        row.write(&mut self.out);
        self.y += HEIGHT;
    }

    /// Number of bytes so far.
    pub(super) fn bytes(&self) -> usize {
        self.out.len()
    }

    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// The cells that a cursor in column `col` covers.
fn cursor_cells(cells: &[Cell<'_>], col: usize) -> Option<std::ops::Range<usize>> {
    let cell = cells.get(col)?;
    match cell.width {
        0 => Some(col.saturating_sub(1)..col + 1),
        width => Some(col..col + usize::from(width)),
    }
}

/// One row, in layers.
struct Row<'a> {
    y: i32,
    backgrounds: Fills,
    shapes: Fills,
    lines: String,
    words: String,
    word: Option<Word<'a>>,
}

/// Characters that are written as one text element.
struct Word<'a> {
    col: usize,
    cols: usize,
    text: String,
    ink: Ink,
    link: Option<&'a Arc<Link>>,
}

impl<'a> Row<'a> {
    fn new(y: i32) -> Self {
        Self {
            y,
            backgrounds: Fills::default(),
            shapes: Fills::default(),
            lines: String::new(),
            words: String::new(),
            word: None,
        }
    }

    fn cell(&mut self, col: usize, cell: &Cell<'a>, ink: Ink) {
        let (x, y) = (pixel(col), self.y);
        if ink.bg != BACKGROUND {
            self.backgrounds.add(ink.bg, Rect::new(x, y, WIDTH, HEIGHT));
        }
        self.decorate(x, ink);
        let Some(c) = cell.text.chars().next().filter(|c| *c != ' ') else {
            // The right half of a wide character has no text.
            if cell.width > 0 {
                self.end_word();
            }
            return;
        };
        if let Some(shapes) = shapes(c) {
            self.end_word();
            shapes
                .into_iter()
                .for_each(|shape| self.shape(x, shape, ink));
        } else if cell.width == 1 && is_of_a_word(c) {
            self.letter(col, cell, ink);
        } else {
            self.end_word();
            self.alone(col, cell, ink);
        }
    }

    /// Draws the lines under, through and above a cell.
    fn decorate(&mut self, x: i32, ink: Ink) {
        let y = self.y;
        if ink.strike {
            self.shapes.add(ink.fg, Rect::new(x, y + STRIKE, WIDTH, 1));
        }
        if ink.overline {
            self.shapes.add(ink.fg, Rect::new(x, y, WIDTH, 1));
        }
        let Some((kind, color)) = ink.underline else {
            return;
        };
        let y = y + UNDERLINE;
        let mut line = |x, y, w| self.shapes.add(color, Rect::new(x, y, w, 1));
        match kind {
            Underline::Single => line(x, y, WIDTH),
            Underline::Double => [y - 1, y + 1].into_iter().for_each(|y| line(x, y, WIDTH)),
            Underline::Dotted => (x..x + WIDTH).step_by(3).for_each(|x| line(x, y, 1)),
            Underline::Dashed => line(x + 1, y, WIDTH * 2 / 3),
            Underline::Curly => {
                let _ = writeln!(
                    self.lines,
                    "<path d=\"M{x} {y}q2.25-3 4.5 0t4.5 0\" fill=\"none\" stroke=\"#{color:06x}\" \
                     shape-rendering=\"auto\"/>"
                );
            }
        }
    }

    fn shape(&mut self, x: i32, shape: Shape, ink: Ink) {
        let y = self.y;
        match shape {
            Shape::Rect(Rect { x: dx, y: dy, w, h }) => {
                self.shapes.add(ink.fg, Rect::new(x + dx, y + dy, w, h));
            }
            Shape::Shade(share) => {
                let color = mixed(ink.fg, ink.bg, share);
                self.shapes.add(color, Rect::new(x, y, WIDTH, HEIGHT));
            }
            Shape::Line(path) => {
                let _ = writeln!(
                    self.lines,
                    "<path d=\"M{x} {y}{path}\" fill=\"none\" stroke=\"#{:06x}\" shape-rendering=\"auto\"/>",
                    ink.fg
                );
            }
        }
    }

    fn letter(&mut self, col: usize, cell: &Cell<'a>, ink: Ink) {
        if self
            .word
            .as_ref()
            .is_some_and(|word| !word.ink.writes_as(&ink) || word.link != cell.link)
        {
            self.end_word();
        }
        let word = self.word.get_or_insert_with(|| Word {
            col,
            cols: 0,
            text: String::new(),
            ink,
            link: cell.link,
        });
        word.cols += 1;
        word.text.push_str(cell.text);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else {
            return;
        };
        let (x, y, length) = (pixel(word.col), self.y + BASELINE, pixel(word.cols));
        self.open_link(word.link.map(Arc::as_ref));
        let _ = write!(
            self.words,
            "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\""
        );
        self.text(&word.text, word.ink, word.link.map(Arc::as_ref));
    }

    fn open_link(&mut self, link: Option<&Link>) {
        if let Some(target) = link.and_then(target) {
            self.words.push_str("<a href=\"");
            escape(target, &mut self.words);
            self.words.push_str("\">");
        }
    }

    /// Writes a character of unknown width, centred in its cells.
    fn alone(&mut self, col: usize, cell: &Cell<'_>, ink: Ink) {
        let middle = f64::from(pixel(col)) + f64::from(i32::from(cell.width) * WIDTH) / 2.0;
        let y = self.y + BASELINE;
        self.open_link(cell.link.map(Arc::as_ref));
        let _ = write!(
            self.words,
            "<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\""
        );
        self.text(cell.text, ink, cell.link.map(Arc::as_ref));
    }

    /// Writes the attributes and content common to both kinds of text elements.
    fn text(&mut self, text: &str, ink: Ink, link: Option<&Link>) {
        let _ = write!(self.words, " fill=\"#{:06x}\"", ink.fg);
        if ink.bold {
            self.words.push_str(" font-weight=\"bold\"");
        }
        if ink.italic {
            self.words.push_str(" font-style=\"italic\"");
        }
        self.words.push('>');
        escape(text, &mut self.words);
        self.words.push_str("</text>");
        if link.and_then(target).is_some() {
            self.words.push_str("</a>");
        }
        self.words.push('\n');
    }

    /// Draws the cursor. A block cursor is drawn by the look of its cells; the other shapes are
    /// rectangles.
    fn cursor(&mut self, on: std::ops::Range<usize>, shape: CursorShape) {
        let (x, w) = (pixel(on.start), pixel(on.len()));
        match shape {
            CursorShape::Block => {}
            CursorShape::Underline => {
                let y = self.y + HEIGHT - CURSOR;
                self.shapes.add(FOREGROUND, Rect::new(x, y, w, CURSOR));
            }
            CursorShape::Bar => self
                .shapes
                .add(FOREGROUND, Rect::new(x, self.y, CURSOR, HEIGHT)),
        }
    }

    fn write(&self, out: &mut String) {
        self.backgrounds.write(out);
        self.shapes.write(out);
        out.push_str(&self.lines);
        out.push_str(&self.words);
    }
}

impl Ink {
    /// Whether text in both looks can be written together. The background does not matter.
    fn writes_as(&self, other: &Self) -> bool {
        (self.fg, self.bold, self.italic) == (other.fg, other.bold, other.italic)
    }
}

/// The left edge of a column, in pixels.
fn pixel(col: usize) -> i32 {
    // A screen has at most a thousand columns.
    i32::try_from(col).unwrap_or(i32::MAX / WIDTH) * WIDTH
}

/// Whether `c` belongs to a left-to-right script that monospaced fonts contain.
fn is_of_a_word(c: char) -> bool {
    matches!(c, '!'..='\u{58f}' | '\u{1e00}'..='\u{1fff}')
}

/// Rectangles by colour. Rectangles that touch or overlap are merged.
#[derive(Default)]
struct Fills(Vec<(u32, Vec<Rect>)>);

impl Fills {
    fn add(&mut self, color: u32, mut rect: Rect) {
        let place = self.0.iter().position(|(of, _)| *of == color);
        let place = place.unwrap_or_else(|| {
            self.0.push((color, Vec::new()));
            self.0.len() - 1
        });
        let rects = &mut self.0[place].1;
        // Only recent rectangles can be continued, because a cell has only a few shapes.
        let recent = rects.len().saturating_sub(8);
        for at in (recent..rects.len()).rev() {
            let other = rects[at];
            let touches = rect.x <= other.x + other.w && other.x <= rect.x + rect.w;
            if touches && (other.y, other.h) == (rect.y, rect.h) {
                let end = (other.x + other.w).max(rect.x + rect.w);
                rect.x = rect.x.min(other.x);
                rect.w = end - rect.x;
                rects.remove(at);
            }
        }
        rects.push(rect);
    }

    fn write(&self, out: &mut String) {
        for (color, rects) in &self.0 {
            out.push_str("<path d=\"");
            for Rect { x, y, w, h } in rects {
                let _ = write!(out, "M{x} {y}h{w}v{h}h-{w}z");
            }
            let _ = writeln!(out, "\" fill=\"#{color:06x}\"/>");
        }
    }
}
