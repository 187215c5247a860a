//! The screen that is shown when there are no jobs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::model::Model;
use crate::tui::model::projects::Here;
use crate::tui::text;

/// Keys or commands, with descriptions; an empty pair is a blank line. `{name}`, `{file}` and `{jobs}` stand for those of
/// the project of this directory; if there is none, the line is left out.
const LINES: &[(&str, &str)] = &[
    ("", "Nothing is running yet."),
    ("", ""),
    ("n", "start a command here"),
    ("u", "bring up the project {name}"),
    ("bgproc run -- npm run dev", "start one from any shell"),
    ("bgproc up", "start ./{file}: {jobs}"),
    ("", ""),
    ("", "Jobs keep running when you close this screen."),
    ("", "Come back with: bgproc"),
    ("", ""),
    ("?", "all keys"),
    ("q", "quit"),
];

/// Minimum width in columns for the large form.
const WIDE: u16 = 60;

/// Draws it at a third of the height.
pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let is_wide = area.width >= WIDE;
    let indent: u16 = if is_wide { 6 } else { 1 };
    let room = usize::from(area.width.saturating_sub(indent));
    let mut lines = lines(model, is_wide, room);
    let height = |lines: &[Line<'_>]| u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let top = if area.height >= height(&lines).saturating_add(2) {
        area.y + (area.height - height(&lines)) / 3
    } else {
        // If the area is too low, drop the blank lines first and leave the remaining rows at the top
        // for a toast.
        lines.retain(|line| line.width() > 0);
        area.y + area.height.saturating_sub(height(&lines))
    };
    for (y, line) in (top..area.bottom()).zip(&lines) {
        buf.set_line(area.x + indent, y, line, area.width.saturating_sub(indent));
    }
}

/// The lines, at most `room` columns wide.
fn lines(model: &Model, is_wide: bool, room: usize) -> Vec<Line<'static>> {
    let theme = &model.theme;
    let here = model.projects.here.as_ref();
    let all = LINES
        .iter()
        .filter(|(_, what)| here.is_some() || !what.contains('{'));
    let keys = all.clone().filter(|(key, _)| !key.is_empty());
    let widest = |limit: usize| {
        let widths = keys.clone().map(|(key, _)| key.len());
        widths.filter(|width| *width <= limit).max().unwrap_or(0)
    };
    // In the small form, a command says enough without its description.
    let column = if is_wide {
        widest(room) + 3
    } else {
        widest(1) + 3
    };
    let mut lines = Vec::new();
    // The small form has no room for all.
    for (key, what) in all.filter(|(_, what)| is_wide || !what.contains('{')) {
        if key.is_empty() {
            let style = if what.starts_with("Nothing") {
                theme.strong()
            } else {
                theme.dim()
            };
            let wrapped = text::wrap(what, room).into_iter();
            lines.extend(wrapped.map(|part| Line::styled(part, style)));
            continue;
        }
        let key = text::clip(model.key(key), room, theme.glyph("…"));
        let gap = column.saturating_sub(text::width(&key));
        let mut line = vec![Span::styled(key, theme.key())];
        if gap > 0 {
            line.push(Span::raw(" ".repeat(gap)));
            let what = here.map_or_else(|| (*what).to_owned(), |here| filled_in(what, here));
            line.push(Span::raw(text::clip(
                &what,
                room - column,
                theme.glyph("…"),
            )));
        }
        lines.push(Line::from(line));
    }
    lines
}

fn filled_in(what: &str, here: &Here) -> String {
    what.replace("{name}", &here.name)
        .replace("{file}", &here.file)
        .replace("{jobs}", &here.jobs.join(", "))
}
