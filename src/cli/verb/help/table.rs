//! Tables that fit the terminal, with cells that wrap.
//!
//! If the longest words of the columns do not fit beside each other, each row becomes a paragraph.

use pulldown_cmark::Alignment;

use super::inline::{self, Line, Run};
use crate::cli::output::style::Tone;

/// Blanks between columns.
const GAP: usize = 2;
/// Indentation of the cells of a row that is a paragraph.
const INDENT: usize = 4;

/// A table; the first row is the heading.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// How each column is aligned.
    pub alignments: Vec<Alignment>,
    /// The cells, row by row.
    pub rows: Vec<Vec<Line>>,
}

impl Table {
    /// The lines of the table, at most `columns` wide if possible.
    pub(super) fn lines(&self, columns: usize) -> Vec<Line> {
        let Some(widths) = self.widths(columns) else {
            return self.paragraphs(columns);
        };
        let mut body: Vec<Vec<Line>> = self.rows.iter().map(|row| self.row(row, &widths)).collect();
        if body.is_empty() {
            return Vec::new();
        }
        let heading = body.remove(0);
        let mut lines = Vec::new();
        // A table without words in its heading is drawn without a heading.
        if heading.iter().any(|line| !inline::width(line).eq(&0)) {
            lines.extend(heading.into_iter().map(strong));
            let rules = widths.iter().map(|width| "-".repeat(*width));
            let rule = rules.collect::<Vec<_>>().join(&" ".repeat(GAP));
            lines.push(vec![Run {
                text: rule,
                tone: Tone::Faint,
            }]);
        }
        // If the first column wraps, blank lines separate the rows.
        let first = widths.first().copied().unwrap_or(0);
        let wraps = |row: &Vec<Line>| row.first().is_some_and(|cell| inline::width(cell) > first);
        let is_spaced = self.rows.iter().skip(1).any(wraps);
        for (number, row) in body.into_iter().enumerate() {
            if is_spaced && number > 0 {
                lines.push(Line::new());
            }
            lines.extend(row);
        }
        lines
    }

    /// The width of each column: its full width, or a fair share. `None` if there is not enough room.
    fn widths(&self, columns: usize) -> Option<Vec<usize>> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let most = |of: fn(&[Run]) -> usize| -> Vec<usize> {
            let cells = |column: usize| self.rows.iter().filter_map(move |row| row.get(column));
            let widest = |column| cells(column).map(|cell| of(cell)).max().unwrap_or(0);
            (0..count).map(widest).collect()
        };
        let wanted = most(inline::width);
        let mut widths = most(inline::longest_word);
        let room = columns.saturating_sub(GAP * count.saturating_sub(1));
        // Every column has its longest word. The remaining room goes first to the narrowest columns, up to
        // a third of the room each, so that short columns do not wrap; then to the columns with the most
        // text for their width.
        for _ in 0..room.checked_sub(widths.iter().sum())? {
            let lacking = || (0..count).filter(|column| widths[*column] < wanted[*column]);
            let narrow = lacking().filter(|column| widths[*column] < room / 3);
            let column = narrow.min_by_key(|column| widths[*column]);
            let fullest =
                || lacking().max_by_key(|column| wanted[*column] / widths[*column].max(1));
            let Some(column) = column.or_else(fullest) else {
                break;
            };
            widths[column] += 1;
        }
        Some(widths)
    }

    /// Each row as a paragraph: its first cell, then the others below it with their headings.
    fn paragraphs(&self, columns: usize) -> Vec<Line> {
        let Some((heading, body)) = self.rows.split_first() else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for (number, row) in body.iter().enumerate() {
            if number > 0 {
                lines.push(Line::new());
            }
            for (column, cell) in row.iter().enumerate() {
                if column == 0 {
                    lines.extend(inline::wrap(cell, columns).into_iter().map(strong));
                    continue;
                }
                let name = heading.get(column).filter(|name| inline::width(name) > 0);
                let mut text = name.cloned().unwrap_or_default();
                if name.is_some() {
                    text.push(plain(": ".to_owned()));
                }
                text.extend(cell.iter().cloned());
                for line in inline::wrap(&text, columns.saturating_sub(INDENT)) {
                    lines.push([vec![blank(INDENT)], line].concat());
                }
            }
        }
        lines
    }

    fn row(&self, cells: &[Line], widths: &[usize]) -> Vec<Line> {
        let cells: Vec<Vec<Line>> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| inline::wrap(cell, *width))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |number: usize| {
            let mut line = Line::new();
            for (column, width) in widths.iter().enumerate() {
                let part = cells.get(column).and_then(|cell| cell.get(number));
                let part = part.cloned().unwrap_or_default();
                let free = width.saturating_sub(inline::width(&part));
                let is_right = self.alignments.get(column) == Some(&Alignment::Right);
                let gap = if column > 0 { GAP } else { 0 };
                let (before, after) = if is_right { (free, 0) } else { (0, free) };
                line.push(blank(gap + before));
                line.extend(part);
                line.push(blank(after));
            }
            line
        };
        (0..height).map(line).collect()
    }
}

fn blank(columns: usize) -> Run {
    plain(" ".repeat(columns))
}

fn plain(text: String) -> Run {
    Run {
        text,
        tone: Tone::Normal,
    }
}

/// The line in the tone of a heading. Blanks are unchanged.
fn strong(line: Line) -> Line {
    let strong = |mut run: Run| {
        if !run.text.trim().is_empty() {
            run.tone = Tone::Strong;
        }
        run
    };
    line.into_iter().map(strong).collect()
}
