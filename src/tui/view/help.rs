//! HELP: every key of the table, and what the signs mean.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::keymap::Place;
use crate::tui::model::Model;
use crate::tui::model::mode::Mode;
use crate::tui::model::query;
use crate::tui::state::State;
use crate::tui::{text, theme::Theme};

/// How long the page is, and how much of it shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// Lines in all.
    pub lines: usize,
    /// Lines that show.
    pub height: usize,
}

/// A line of the page.
pub(in crate::tui) enum Entry {
    /// A heading.
    Title(String),
    /// Nothing.
    Blank,
    /// Keys and what they do.
    Key(String, String),
    /// A word of the filter and what it lets through.
    Word(&'static str, &'static str),
    /// A state.
    Sign(State),
}

/// How long the page is now.
pub fn page(model: &Model) -> Page {
    Page {
        lines: entries(model).len(),
        height: usize::from(area(model).height) * columns(model),
    }
}

/// Draws the page over everything but the status line.
pub(super) fn draw(model: &Model, buf: &mut Buffer) {
    let Mode::Help(help) = &model.mode else {
        return;
    };
    let area = area(model);
    let theme = &model.theme;
    for y in 0..area.height {
        let line = Rect::new(area.x, y, area.width, 1);
        for x in line.left()..line.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
    let entries = entries(model);
    if entries.is_empty() {
        let text = format!("No key does \"{}\". Backspace, or Esc.", help.filter);
        buf.set_stringn(2, area.y, text, usize::from(area.width) - 2, theme.dim());
        return;
    }
    let (height, columns) = (usize::from(area.height), columns(model));
    let last = entries.len().saturating_sub(height * columns);
    let shown = &entries[help.top.min(last)..];
    let width = area.width / u16::try_from(columns).unwrap_or(1);
    for (column, entries) in (0..).zip(shown.chunks(height.max(1)).take(columns)) {
        let area = Rect::new(area.x + column * width, area.y, width, area.height);
        for (y, entry) in (area.y..area.bottom()).zip(entries) {
            draw_entry(theme, entry, area, y, buf);
        }
    }
}

/// Columns of the page: two where there is room to read two.
fn columns(model: &Model) -> usize {
    if model.window.0 >= 110 { 2 } else { 1 }
}

fn area(model: &Model) -> Rect {
    let (width, height) = model.window;
    let end = model.layout().status.map_or(height, |status| status.y);
    Rect::new(0, 0, width, end)
}

/// Every line of the page that its filter lets through.
pub(in crate::tui) fn entries(model: &Model) -> Vec<Entry> {
    let filter = match &model.mode {
        Mode::Help(help) => help.filter.to_lowercase(),
        _ => String::new(),
    };
    let passes = |text: &str| filter.is_empty() || text.to_lowercase().contains(&filter);
    let mut entries = Vec::new();
    for place in Place::ALL {
        let keys: Vec<Entry> = model
            .keymap
            .lines()
            .filter(|bound| bound.binding.place == place && !bound.keys.is_empty())
            .map(|bound| (bound.shown(), bound.binding))
            .filter(|(keys, binding)| passes(&format!("{keys} {} {}", binding.name, binding.help)))
            .map(|(keys, binding)| Entry::Key(keys, binding.help.to_owned()))
            .collect();
        section(&mut entries, place.title(), keys);
    }
    let words = query::LANGUAGE
        .iter()
        .filter(|(word, help)| passes(&format!("filter {word} {help}")))
        .map(|(word, help)| Entry::Word(word, help))
        .collect();
    section(&mut entries, "What a filter understands", words);
    let signs = State::examples()
        .into_iter()
        .filter(|state| passes(&state.word()))
        .map(Entry::Sign)
        .collect();
    section(&mut entries, "What the signs mean", signs);
    entries
}

fn section(entries: &mut Vec<Entry>, title: &str, lines: Vec<Entry>) {
    if lines.is_empty() {
        return;
    }
    if !entries.is_empty() {
        entries.push(Entry::Blank);
    }
    entries.push(Entry::Title(title.to_owned()));
    entries.extend(lines);
}

fn draw_entry(theme: &Theme, entry: &Entry, area: Rect, y: u16, buf: &mut Buffer) {
    let width = usize::from(area.width);
    let (indent, column) = if width >= 55 { (3, 18) } else { (2, 12) };
    let mut put = |x: usize, text: &str, style: Style| {
        let room = width.saturating_sub(x + 1);
        if room > 0 {
            let text = text::clip(text, room, theme.glyph("…"));
            let x = u16::try_from(x).unwrap_or(u16::MAX);
            buf.set_stringn(area.x + x, y, text, room, style);
        }
    };
    match entry {
        Entry::Blank => {}
        Entry::Title(title) => put(1, title, theme.strong()),
        Entry::Key(keys, help) => {
            put(indent, keys, theme.key());
            let at = column.max(indent + text::width(keys) + 1);
            put(at, help, Style::new());
        }
        Entry::Word(word, help) => {
            put(indent, word, theme.key());
            put(column, help, Style::new());
        }
        Entry::Sign(state) => {
            let style = theme.state(state);
            put(indent, state.glyph(theme.ascii), style);
            put(column, &state.word(), style);
        }
    }
}
