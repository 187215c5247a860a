//! DETAILS, MESSAGES and MISTAKES: a page over everything but the status line.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::{Page, Subject, entries, messages};
use crate::tui::model::Model;
use crate::tui::state::State;
use crate::tui::text;

/// Columns of a label.
const LABEL: usize = 12;

/// A line of a page before wrapping.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    /// A blank line.
    Blank,
    /// A name, its state and the word for it, and a time.
    State(String, (State, String), String),
    /// A heading.
    Title(String),
    /// A label and a value.
    Fact(&'static str, String),
    /// A line of text.
    Text(String),
}

/// A wrapped line: pieces of text with their columns.
pub(super) type Line = Vec<(usize, String, Style)>;

/// Number of lines of the page, and number of visible lines.
pub(super) fn size(model: &Model, page: &Page) -> (usize, usize) {
    (
        lines(model, page).len(),
        usize::from(model.above_status().height),
    )
}

/// The page as plain text, for copying.
pub(super) fn plain(model: &Model, page: &Page) -> String {
    let mut plain = String::new();
    for line in lines(model, page) {
        let mut row = String::new();
        for (x, text, _) in line {
            let gap = x.saturating_sub(text::width(&row) + 1);
            row.push_str(&" ".repeat(gap));
            row.push_str(&text);
        }
        plain.push_str(row.trim_end());
        plain.push('\n');
    }
    plain
}

/// Draws the page.
pub(super) fn draw(model: &Model, page: &Page, buf: &mut Buffer) {
    let area = model.above_status();
    let lines = lines(model, page);
    let last = lines.len().saturating_sub(usize::from(area.height));
    for (y, line) in (area.y..area.bottom()).zip(lines.iter().skip(page.top.min(last))) {
        for (x, text, style) in line {
            let room = usize::from(area.width).saturating_sub(*x);
            let x = u16::try_from(*x).unwrap_or(area.width).min(area.width);
            buf.set_stringn(area.x + x, y, text, room, *style);
        }
    }
}

fn lines(model: &Model, page: &Page) -> Vec<Line> {
    let width = usize::from(model.window.0);
    let entries = match &page.subject {
        Subject::Details(about) => entries::entries(model, about),
        Subject::Messages => return messages::lines(model, width),
        Subject::Faults(title, faults) => titled(title, faults),
    };
    entries
        .iter()
        .flat_map(|entry| broken(model, entry, width))
        .collect()
}

/// A title, and lines of text below it.
fn titled(title: &str, lines: &[String]) -> Vec<Entry> {
    let lines = lines.iter().map(|line| Entry::Text(line.clone()));
    let title = [Entry::Title(title.to_owned()), Entry::Blank];
    title.into_iter().chain(lines).collect()
}

/// Wraps an entry to `width`.
fn broken(model: &Model, entry: &Entry, width: usize) -> Vec<Line> {
    let theme = &model.theme;
    let wrap = |text: &str, x: usize| text::wrap(text, width.saturating_sub(x + 1).max(8));
    match entry {
        Entry::Blank => vec![Vec::new()],
        Entry::State(name, (state, word), time) => {
            let room = width.saturating_sub(2).max(8);
            let name = text::clip_middle(name, room, theme.glyph("…"));
            let sign = format!("{} {word}", state.glyph(theme.ascii));
            let sign_at = 1 + text::width(&name) + 2;
            let time_at = sign_at + text::width(&sign) + 1;
            vec![vec![
                (1, name, theme.strong()),
                (sign_at, sign, theme.state(state)),
                (time_at, time.clone(), theme.dim()),
            ]]
        }
        Entry::Title(title) => {
            let parts = wrap(title, 1).into_iter();
            parts.map(|part| vec![(1, part, theme.strong())]).collect()
        }
        Entry::Fact(label, text) => {
            let parts = wrap(text, LABEL + 1).into_iter().enumerate();
            parts
                .map(|(n, part)| {
                    let label = if n == 0 { *label } else { "" };
                    vec![
                        (1, label.to_owned(), theme.dim()),
                        (1 + LABEL, part, Style::new()),
                    ]
                })
                .collect()
        }
        // Wrapping would drop the leading blanks.
        Entry::Text(text) if text::width(text) + 4 <= width => {
            vec![vec![(3, text.clone(), Style::new())]]
        }
        Entry::Text(text) => {
            let parts = wrap(text, 5).into_iter().enumerate();
            parts
                .map(|(n, part)| vec![(if n == 0 { 3 } else { 5 }, part, Style::new())])
                .collect()
        }
    }
}
