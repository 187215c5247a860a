//! The status line of SCROLL: the position in the log, and the search.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::term::sanitize::clean;
use crate::tui::bar::Bar;
use crate::tui::line::Line;
use crate::tui::model::Model;
use crate::tui::scrollback::search::Search;
use crate::tui::scrollback::seek::Direction;
use crate::tui::scrollback::selection::Shape;
use crate::tui::scrollback::{Part, Scroll};
use crate::tui::{status, text, units};

/// The status line.
pub(super) fn bar(model: &Model, scroll: &Scroll, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = status::bar(model, area);
    let name = text::clip_middle(&model.name_of(&scroll.id), 24, theme.glyph("…"));
    bar.text(3, name, theme.strong());
    if scroll.loading == Some(Part::First) {
        bar.text(1, "reading the log", theme.dim());
        return bar;
    }
    bar.text(1, line_number(model, scroll), Style::new());
    // At the top of what is kept, the first row may also lack its beginning.
    let dropped = scroll.text.first;
    let is_at_top = scroll.view().next() == Some(0) && !scroll.text.has_older();
    if dropped > 0 && is_at_top && !scroll.is_still {
        let text = format!("{} of earlier output dropped", units::bytes(dropped));
        bar.text(2, text, theme.dim());
    }
    if let Some(shape) = scroll.selection.map(|selection| selection.shape) {
        let word = match shape {
            Shape::Text => "selecting",
            Shape::Lines => "selecting lines",
            Shape::Block => "selecting a block",
        };
        bar.text(2, word, theme.key());
    }
    if let Some(jump) = scroll.jump {
        let way = match jump.direction {
            Direction::Older => "older",
            Direction::Newer => "newer",
        };
        bar.text(1, format!("searching {way} lines"), theme.dim());
    } else {
        match scroll.loading {
            Some(Part::Older) => bar.text(4, "reading older lines", theme.dim()),
            Some(Part::Around(_)) => bar.text(4, "reading the log there", theme.dim()),
            _ => {}
        }
    }
    status::new_below(model, scroll, &mut bar);
    // While the search is in progress, the count is not known.
    if let Some(search) = scroll.search.as_ref().filter(|_| scroll.jump.is_none()) {
        let found = found(scroll, search);
        let sign = if scroll.is_filtered() { "only /" } else { "/" };
        let shown = text::clip(&clean(&search.text), 20, theme.glyph("…"));
        bar.right(2, vec![Span::styled(format!("{sign}{shown}"), theme.key())]);
        bar.right(1, vec![Span::raw(found)]);
    }
    bar
}

/// `2 of 7`, `no match`. Matches outside the loaded stretch are not counted, and only the newest of too many.
fn found(scroll: &Scroll, search: &Search) -> String {
    let has_more = search.is_cut || scroll.text.has_older() || !scroll.has_end;
    let more = if has_more { "+" } else { "" };
    match (search.at(scroll.cursor), search.found.len()) {
        (_, 0) => "no match".to_owned(),
        (Some(at), n) => format!("{} of {n}{more}", at + 1),
        (None, 1) => format!("1 match{more}"),
        (None, n) => format!("{n} matches{more}"),
    }
}

/// Columns of what was found so far.
pub(super) fn found_width(scroll: &Scroll, line: &Line) -> usize {
    found_words(scroll, line).map_or(0, |words| text::width(&words) + 1)
}

/// At the right of the search line, what was found so far.
pub(super) fn found_beside(
    model: &Model,
    scroll: &Scroll,
    line: &Line,
    area: Rect,
    buf: &mut Buffer,
) {
    let Some(text) = found_words(scroll, line) else {
        return;
    };
    let width = text::width(&text) + 1;
    if text::width(&line.text()) + width + 14 < usize::from(area.width) {
        let x = area.right() - u16::try_from(width).unwrap_or(0);
        buf.set_string(x, area.y, text, model.theme.dim());
    }
}

fn found_words(scroll: &Scroll, line: &Line) -> Option<String> {
    match &scroll.search {
        _ if line.is_empty() => None,
        _ if scroll.jump.is_some() => Some("searching".to_owned()),
        Some(search) if search.text == line.text() => Some(found(scroll, search)),
        _ => None,
    }
}

/// `line 1243/1260`: the line of the cursor. If the end is not loaded, only the relative position.
fn line_number(model: &Model, scroll: &Scroll) -> String {
    let total = usize::try_from(scroll.lines_then).unwrap_or(usize::MAX);
    let rows = scroll.text.rows.len();
    if !scroll.has_end && rows > 0 {
        // Of the whole log, of which only a part is loaded.
        let (first, written) = model.job(&scroll.id).map_or((0, 0), |job| {
            let summary = &job.record.summary;
            (summary.dropped_bytes, summary.output_bytes)
        });
        let all = scroll.text.end.max(written).saturating_sub(first).max(1);
        let row = scroll.text.rows.get(scroll.cursor.row);
        let at = row.map_or(0, |row| row.offset).saturating_sub(first);
        if at == 0 && first == 0 && scroll.cursor.row == 0 {
            return "line 1".to_owned();
        }
        return format!("{}%", at * 100 / all);
    }
    let below = scroll.lines_below();
    let total = total.max(below + usize::from(rows > 0));
    format!("line {}/{total}", total - below)
}
