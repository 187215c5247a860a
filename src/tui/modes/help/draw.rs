//! HELP: every key binding of the table, and the meaning of the symbols.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::{Action, Help};
use crate::tui::bar::Bar;
use crate::tui::model::{Model, query};
use crate::tui::state::State;
use crate::tui::theme::Theme;
use crate::tui::{hints, status, text};

/// Columns that a description has at least.
const LEAST_HELP: usize = 12;

/// Letters of a filter that may be the name of a mode.
const LEAST_NAME: usize = 3;

/// Size of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Page {
    /// Total number of lines.
    pub(super) lines: usize,
    /// Number of visible lines.
    pub(super) height: usize,
}

/// A line of the page.
pub(in crate::tui) enum Entry {
    /// A heading.
    Title(String),
    /// The topic of the next key bindings.
    Heading(&'static str),
    /// A blank line.
    Blank,
    /// Keys and their description.
    Key(String, String),
    /// A filter word and its description.
    Word(&'static str, Cow<'static, str>),
    /// The rest of a description, and its column.
    More(usize, String),
    /// The symbol of a state.
    Sign(State),
}

/// The current size of the page.
pub(super) fn page(model: &Model, help: &Help) -> Page {
    Page {
        lines: lines(model, &help.filter).len(),
        height: usize::from(model.above_status().height) * columns(model),
    }
}

/// Draws the page over everything but the status line.
pub(super) fn draw(model: &Model, help: &Help, buf: &mut Buffer) {
    let area = model.above_status();
    let theme = &model.theme;
    for y in 0..area.height {
        let line = Rect::new(area.x, y, area.width, 1);
        for x in line.left()..line.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
    let entries = lines(model, &help.filter);
    if entries.is_empty() {
        let keys = model.keymap.keys(Action::Leave);
        let leaves = keys.iter().find(|key| key.chars().count() > 1);
        let or = leaves.map_or_else(String::new, |key| format!(", or {key}"));
        let text = format!("No key matches \"{}\". backspace{or}.", help.filter);
        buf.set_stringn(2, area.y, text, usize::from(area.width) - 2, theme.dim());
        return;
    }
    let (height, columns) = (usize::from(area.height), columns(model));
    let last = entries.len().saturating_sub(height * columns);
    let shown = &entries[help.top.min(last)..];
    let width = column_width(model);
    for (column, entries) in (0..).zip(shown.chunks(height.max(1)).take(columns)) {
        let area = Rect::new(area.x + column * width, area.y, width, area.height);
        for (y, entry) in (area.y..area.bottom()).zip(entries) {
            draw_entry(theme, entry, area, y, buf);
        }
    }
}

/// Number of columns of the page: two if the window is wide enough to read them.
fn columns(model: &Model) -> usize {
    if model.window.0 >= 110 { 2 } else { 1 }
}

/// Width of a column of the page.
fn column_width(model: &Model) -> u16 {
    model.above_status().width / u16::try_from(columns(model)).unwrap_or(1)
}

/// The lines of the page that match its filter, with long descriptions wrapped.
fn lines(model: &Model, filter: &str) -> Vec<Entry> {
    let width = usize::from(column_width(model));
    let mut lines = Vec::new();
    for entry in entries(model, filter) {
        match entry {
            Entry::Key(keys, help) => {
                let at = help_column(width, &keys);
                wrap(&help, at, width, &mut lines, |help| Entry::Key(keys, help));
            }
            Entry::Word(word, help) => {
                let at = help_column(width, word);
                wrap(&help, at, width, &mut lines, |help| {
                    Entry::Word(word, help.into())
                });
            }
            other => lines.push(other),
        }
    }
    lines
}

/// Wraps a description that begins in column `at`; `first` makes its first line.
fn wrap(
    help: &str,
    at: usize,
    width: usize,
    lines: &mut Vec<Entry>,
    first: impl FnOnce(String) -> Entry,
) {
    let room = width.saturating_sub(at + 1).max(LEAST_HELP);
    let mut parts = text::wrap(help, room).into_iter();
    lines.push(first(parts.next().unwrap_or_default()));
    lines.extend(parts.map(|part| Entry::More(at, part)));
}

/// The entries of the page that match its filter.
pub(in crate::tui) fn entries(model: &Model, filter: &str) -> Vec<Entry> {
    let filter = filter.to_lowercase();
    let passes = |text: &str| filter.is_empty() || text.to_lowercase().contains(&filter);
    let mut entries = Vec::new();
    let mut contexts: Vec<_> = model.keymap.contexts().iter().collect();
    // The keys of the current mode come first.
    let reads = model.covered().and_then(|mode| mode.reads(model));
    let current = contexts
        .iter()
        .position(|one| Some(one.context.name) == reads);
    if let Some(at) = current {
        contexts[..=at].rotate_right(1);
    } else if model.frame.grid {
        contexts.swap(0, 1);
    }
    for (at, bindings) in contexts.into_iter().enumerate() {
        let mut keys = Vec::new();
        let title = bindings.context.title;
        // All keys of a mode by its name. A letter or two are of a key.
        let is_meant = filter.chars().count() >= LEAST_NAME && passes(title);
        for bound in &bindings.bound {
            let binding = bound.binding;
            let shown = bound.shown();
            let help = binding.help_with_grace(model.options.stop_grace_ms);
            let is_found = is_meant || passes(&format!("{shown} {} {help}", binding.name));
            if shown.is_empty() || !is_found {
                continue;
            }
            let headings = bindings.context.headings.iter();
            let heading = headings.filter(|(name, _)| *name == binding.name && filter.is_empty());
            keys.extend(heading.map(|(_, heading)| Entry::Heading(heading)));
            keys.push(Entry::Key(shown, help.into_owned()));
        }
        section(&mut entries, title, keys);
        if at == 1 {
            section(&mut entries, "What the signs mean", signs(&passes));
        }
    }
    let words = query::LANGUAGE
        .iter()
        .filter(|(word, help)| passes(&format!("filter {word} {help}")))
        .map(|(word, help)| Entry::Word(word, (*help).into()))
        .collect();
    section(&mut entries, "What a filter understands", words);
    entries
}

fn signs(passes: &dyn Fn(&str) -> bool) -> Vec<Entry> {
    let states = State::examples().into_iter();
    let passing = states.filter(|state| passes(&state.word()));
    passing.map(Entry::Sign).collect()
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

/// Columns of the keys and of their descriptions in a column of the page.
fn indents(width: usize) -> (usize, usize) {
    if width >= 55 { (3, 18) } else { (2, 12) }
}

/// The column where the description of these keys begins.
fn help_column(width: usize, keys: &str) -> usize {
    let (indent, column) = indents(width);
    column.max(indent + text::width(keys) + 1)
}

fn draw_entry(theme: &Theme, entry: &Entry, area: Rect, y: u16, buf: &mut Buffer) {
    let width = usize::from(area.width);
    let (indent, column) = indents(width);
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
        Entry::Heading(heading) => {
            let line = theme.glyph("─").repeat(2);
            put(indent, &format!("{line} {heading}"), theme.dim());
        }
        Entry::Key(keys, help) => {
            put(indent, keys, theme.key());
            put(help_column(width, keys), help, Style::new());
        }
        Entry::Word(word, help) => {
            put(indent, word, theme.key());
            put(help_column(width, word), help, Style::new());
        }
        Entry::More(at, help) => put(*at, help, Style::new()),
        Entry::Sign(state) => {
            let style = theme.state(state);
            put(indent, state.glyph(theme.ascii), style);
            put(column, &state.word(), style);
        }
    }
}

/// The status line: the filter, and the position in the page.
pub(super) fn bar(model: &Model, help: &Help, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = status::bar(model, area);
    if help.filter.is_empty() {
        bar.text(2, "type to narrow", theme.dim());
    } else {
        bar.text(0, help.filter.clone(), theme.strong());
    }
    let page = page(model, help);
    let bottom = (help.top + page.height).min(page.lines);
    let place = match page.lines {
        0 => "nothing found".to_owned(),
        lines => format!("{bottom}/{lines}"),
    };
    bar.right(2, vec![Span::styled(place, theme.dim())]);
    if model.layout().hints.is_none()
        && let Some(hint) = hints::hint(model, Action::Leave)
    {
        hints::right(model, &mut bar, 1, hint);
    }
    bar
}
