//! The palette: matching commands, each with its key and the equivalent shell command.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::search::search;
use super::{Action, Entry, Palette};
use crate::term::sanitize::clean;
use crate::tui::bar::Bar;
use crate::tui::line;
use crate::tui::model::Model;
use crate::tui::status::{self, Alarms};
use crate::tui::text;
use crate::tui::window::Canvas;

/// Least width of the box in columns, including its border.
const LEAST_WIDTH: usize = 72;
/// Number of commands shown at once in a low window.
const ROWS: u16 = 12;
/// Below this width in columns, there is no border and only names and keys are shown.
const NARROW: u16 = 60;
/// Columns of names that shell commands leave to them, and that part of a row in a wide window.
const NAMES: usize = 30;
const NAMES_PERCENT: usize = 40;

/// The status line: what the selected command does, or why it cannot be done now.
pub(super) fn status(model: &Model, palette: &Palette, area: Rect) -> Bar {
    let mut bar = status::bar(model, area);
    if let Some(entry) = palette.found(model).get(palette.at) {
        // The badge with its blanks, and the alarms on the right.
        let beside = 10 + Alarms::width(model, area);
        let room = usize::from(area.width).saturating_sub(beside);
        let command = match &entry.shell {
            // The list has no room for commands.
            Ok(command) if area.width < NARROW => clean(command),
            _ => entry.help.to_string(),
        };
        let help = entry.obstacle.as_deref().unwrap_or(&command);
        let help = text::clip(help, room, model.theme.glyph("…"));
        bar.text(0, help, Style::new());
    }
    bar
}

/// Draws the palette over the body.
pub(super) fn draw(model: &Model, palette: &Palette, body: Rect, canvas: &mut Canvas) {
    let all = palette.entries(model);
    let (columns, total) = (Columns::of(&all), all.len());
    let found = search(all, &palette.line.text());
    let (area, framed) = place(model, &columns, body);
    clear(area, canvas.buffer_mut());
    let mut inner = area;
    if framed {
        border(model, area, canvas);
        inner = Rect::new(area.x + 2, area.y + 1, area.width - 4, area.height - 2);
    }
    let line = Rect { height: 1, ..inner };
    input(model, palette, (found.len(), total), line, canvas);
    let first = inner.y + if framed { 2 } else { 1 };
    let rows = inner.bottom().saturating_sub(first);
    let list = Rect::new(inner.x, first, inner.width, rows);
    list_of(model, palette, (&found, &columns), list, canvas);
}

/// The box of the palette, and whether it has a border.
pub(super) fn place(model: &Model, columns: &Columns, body: Rect) -> (Rect, bool) {
    let framed = body.width >= NARROW && body.height >= 8;
    let margin = if framed { 4 } else { 1 };
    let most = ROWS.max(model.window.1 / 2);
    let rows = most.min(body.height.saturating_sub(margin));
    let width = if framed {
        let whole = (columns.whole() + 4).max(LEAST_WIDTH);
        let whole = u16::try_from(whole).unwrap_or(u16::MAX);
        whole.min(body.width.saturating_sub(4))
    } else {
        body.width
    };
    let x = body.x + (body.width - width) / 2;
    let y = body.y + u16::from(framed && body.height > rows + margin + 1);
    let area = Rect::new(x, y, width, (rows + margin).min(body.height));
    (area, framed)
}

/// Empties an area.
fn clear(area: Rect, buf: &mut Buffer) {
    for y in area.top()..area.bottom() {
        // A wide character that ends in the first column of the box would cover its border.
        let before = (area.x.saturating_sub(1), y);
        if area.x > 0
            && let Some(cell) = buf.cell_mut(before)
            && text::width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
        for x in area.left()..area.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
}

/// Widths of the columns, from all commands, so that nothing moves while typing.
pub(super) struct Columns {
    names: usize,
    keys: usize,
    shell: usize,
}

impl Columns {
    /// The widths for these commands.
    pub(super) fn of(all: &[Entry]) -> Self {
        let widest = |of: fn(&Entry) -> usize| all.iter().map(of).max().unwrap_or(0);
        Self {
            names: widest(|entry| text::width(&entry.title)),
            keys: widest(|entry| text::width(&entry.key)),
            shell: widest(|entry| text::width(&shown(entry))),
        }
    }

    /// Columns of a row in which nothing is cut.
    fn whole(&self) -> usize {
        self.names + self.keys + 5 + self.shell
    }

    /// Columns of names in a row of this width. Names that are longer than most are cut for the commands.
    fn names_in(&self, width: usize) -> usize {
        let beside = width.saturating_sub(self.keys + 5 + self.shell);
        let names = self
            .names
            .min(beside.max(NAMES).max(width * NAMES_PERCENT / 100));
        names.min(width.saturating_sub(self.keys + 4))
    }
}

/// The shell command of a row, or why there is none.
fn shown(entry: &Entry) -> String {
    match &entry.shell {
        Ok(command) => clean(command),
        Err(why) => format!("- {why}"),
    }
}

fn border(model: &Model, area: Rect, canvas: &mut Canvas) {
    let theme = &model.theme;
    let style = theme.rule();
    let glyph = |glyph| theme.glyph(glyph);
    let width = usize::from(area.width);
    let line = |left, right| {
        let middle = glyph("─").repeat(width.saturating_sub(2));
        format!("{}{middle}{}", glyph(left), glyph(right))
    };
    let buf = canvas.buffer_mut();
    buf.set_string(area.x, area.y, line("╭", "╮"), style);
    buf.set_string(area.x, area.y + 2, line("├", "┤"), style);
    let last = area.bottom() - 1;
    buf.set_string(area.x, last, line("╰", "╯"), style);
    for y in area.y + 1..last {
        if y != area.y + 2 {
            buf.set_string(area.x, y, glyph("│"), style);
            buf.set_string(area.right() - 1, y, glyph("│"), style);
        }
    }
    buf.set_string(area.x + 2, area.y, " : commands ", theme.strong());
    let keys = [
        (Action::Accept, " run"),
        (Action::Complete, " complete"),
        (Action::CopyShell, " copy the shell command"),
        (Action::Leave, ""),
    ];
    let keys = keys.into_iter().filter_map(|(action, does)| {
        let key = model.keymap.key(action)?;
        Some(format!("{key}{does}"))
    });
    let keys: Vec<String> = keys.collect();
    let keys = format!(" {} ", keys.join("   "));
    if !keys.trim().is_empty() && text::width(&keys) + 4 <= width {
        buf.set_string(area.x + 2, last, keys, theme.dim());
    }
}

/// The typed text, and the number of matching commands and of all.
fn input(
    model: &Model,
    palette: &Palette,
    (found, total): (usize, usize),
    area: Rect,
    canvas: &mut Canvas,
) {
    let count = format!("{found}/{total}");
    let width = u16::try_from(count.len()).unwrap_or(0);
    if area.width > width + 12 {
        let x = area.right() - width;
        canvas
            .buffer_mut()
            .set_string(x, area.y, count, model.theme.dim());
    }
    let field = Rect {
        width: area.width.saturating_sub(width + 2),
        ..area
    };
    line::draw::field(&model.theme, "> ", &palette.line, true, field, canvas);
}

/// The matching commands, with the selected one in the middle if possible.
fn list_of(
    model: &Model,
    palette: &Palette,
    (found, columns): (&[Entry], &Columns),
    area: Rect,
    canvas: &mut Canvas,
) {
    let buf = canvas.buffer_mut();
    if found.is_empty() {
        let text = "no command has this name or description";
        let width = usize::from(area.width);
        buf.set_stringn(area.x + 2, area.y, text, width, model.theme.dim());
        return;
    }
    let rows = usize::from(area.height);
    let last_start = found.len().saturating_sub(rows);
    let start = palette.at.saturating_sub(rows / 2).min(last_start);
    let end = found.len().min(start + rows);
    for (y, at) in (area.y..).zip(start..end) {
        let line = Rect::new(area.x, y, area.width, 1);
        let is_selected = at == palette.at;
        draw_row(model, &found[at], columns, is_selected, line, buf);
    }
    let last = area.bottom().saturating_sub(1);
    let cut = [(start > 0, area.y, "▲"), (end < found.len(), last, "▼")];
    let x = area.right().saturating_sub(1);
    for (is_cut, y, mark) in cut {
        if is_cut {
            let mark = model.theme.glyph(mark);
            buf.set_string(x, y, mark, model.theme.key());
        }
    }
}

/// A command: its name, its key, and its shell command if there is room. One that is impossible now is dimmed.
fn draw_row(
    model: &Model,
    entry: &Entry,
    columns: &Columns,
    is_selected: bool,
    line: Rect,
    buf: &mut Buffer,
) {
    let theme = &model.theme;
    let (mut style, mut key_style) = (Style::new(), theme.key());
    if is_selected {
        buf.set_style(line, theme.selected());
        buf.set_string(line.x, line.y, theme.glyph("▌"), theme.key());
        style = theme.selected_name();
    }
    if entry.obstacle.is_some() {
        (style, key_style) = (style.patch(theme.dim()), theme.dim());
    }
    let width = usize::from(line.width);
    let mark = theme.glyph("…");
    let mut put = |x: usize, text: &str, room: usize, style: Style| {
        let shift = u16::try_from(x).unwrap_or(u16::MAX);
        if x + room <= width {
            let text = text::clip(text, room, mark);
            buf.set_stringn(line.x + shift, line.y, text, room, style);
        }
    };
    let (names, keys) = (columns.names_in(width), columns.keys);
    put(2, &entry.title, names, style);
    put(names + 3, &entry.key, keys, key_style);
    let shell = names + keys + 5;
    if width >= shell + 12 {
        put(shell, &shown(entry), width - shell, theme.dim());
    }
}
