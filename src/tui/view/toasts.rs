//! Toasts at the right: where nothing is written, if there is such a place, else at the top. They never
//! cover the job's cursor.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::term::sanitize::clean;
use crate::tui::hints;
use crate::tui::model::Model;
use crate::tui::model::toast::Kind;
use crate::tui::modes::insert;
use crate::tui::pane::live;
use crate::tui::text;
use crate::tui::theme::Tone;

/// Maximum columns of text in a toast.
const WIDEST: usize = 52;
/// Maximum lines of a toast.
const TALLEST: usize = 4;

/// Draws the toasts below the top line, oldest first, as far as possible where the window is blank.
pub(super) fn draw(model: &Model, buf: &mut Buffer) {
    let window = buf.area;
    let layout = model.layout();
    let end = layout.status.map_or(window.height, |status| status.y);
    let start = u16::from(layout.top.is_some()) + u16::from(layout.rule.is_some());
    // Leave the list uncovered, because its rows are what a toast is about.
    let from = layout.divider.map_or(0, |divider| divider.right());
    let room = usize::from(window.width - from)
        .saturating_sub(3)
        .min(WIDEST);
    // In a very low window, show one line of the newest toast, and none over a menu or a page.
    let tiny = window.height < 8;
    if tiny && !(model.is_normal() || model.mode().types() || model.mode().scrolls()) {
        return;
    }
    let shown = model.toasts.shown();
    if shown.is_empty() {
        return;
    }
    let shown = match tiny {
        true => &shown[shown.len().saturating_sub(1)..],
        false => shown,
    };
    let tallest = if tiny { 1 } else { TALLEST };
    let mut places = Places::new(model, start..end, from);
    for toast in shown {
        let mut text = toast.text.clone();
        if toast.count > 1 {
            text.push_str(&format!(" (x{})", toast.count));
        }
        let mut lines = text::wrap(&text, room);
        let stays = toast.kind == Kind::Note && toast.until.is_none();
        let dismiss = stays.then(|| format!("{} dismisses this", model.key("esc")));
        let way = way(model).filter(|_| toast.is_alert);
        let way = way.map(|key| format!("{key} goes there"));
        let shell = toast.shell.as_ref().map(|shell| clean(shell));
        let shell = shell.or(dismiss).or(way);
        if let Some(shell) = shell {
            place_shell(&mut lines, &shell, room);
        }
        if lines.len() > tallest {
            lines.truncate(tallest);
            if let Some(last) = lines.last_mut() {
                *last = format!("{last} {}", model.theme.glyph("…"));
                *last = text::clip(last, room, model.theme.glyph("…"));
            }
        }
        let tone = match toast.kind {
            Kind::Note => Tone::Calm,
            Kind::Error => Tone::Alarm,
        };
        let width = lines
            .iter()
            .map(|line| text::width(line))
            .max()
            .unwrap_or(0)
            + 2;
        let width = u16::try_from(width)
            .unwrap_or(window.width)
            .min(window.width);
        let x = window.width.saturating_sub(width + 1);
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let Some(place) = places.take(Rect::new(x, start, width, height), buf) else {
            return;
        };
        for (y, line) in (place.y..place.bottom()).zip(&lines) {
            let area = Rect::new(x, y, width, 1);
            for cell in area.columns() {
                if let Some(cell) = buf.cell_mut((cell.x, y)) {
                    cell.reset();
                }
            }
            buf.set_style(area, model.theme.toast(tone));
            let room = usize::from(width).saturating_sub(1);
            buf.set_stringn(x + 1, y, line, room, model.theme.toast(tone));
        }
    }
}

/// The keys that go to the job of a toast; those that leave the mode come first.
fn way(model: &Model) -> Option<String> {
    let next = model.key("!");
    if model.is_normal() {
        return Some(next.to_owned());
    }
    let leave = match model.mode().types() {
        true => hints::hint(model, insert::Action::Leave)?.0,
        false => model.mode().hints(model).exits.pop()?.0,
    };
    Some(format!("{leave} {next}"))
}

/// Where toasts can be drawn.
struct Places {
    /// The rows from the top line to the status line.
    rows: Range<u16>,
    taken: Vec<Rect>,
    /// The first column beside the list.
    from: u16,
    /// The row of the cursor of the job in the pane, where its prompt is.
    prompt: Option<u16>,
}

impl Places {
    fn new(model: &Model, rows: Range<u16>, from: u16) -> Self {
        let pane = model.layout().pane;
        let cursor = pane.and_then(|area| live::cursor(model, area));
        Self {
            rows,
            taken: Vec::new(),
            from,
            prompt: cursor.map(|at| at.y),
        }
    }

    /// The place of a toast of this size, which starts in this column: the highest where the window is
    /// blank, else the highest that is free, if necessary with fewer lines.
    fn take(&mut self, size: Rect, buf: &Buffer) -> Option<Rect> {
        let at = |y: u16, height: u16| Rect { y, height, ..size };
        let tops = |height: u16| self.rows.start..(self.rows.end + 1).saturating_sub(height);
        let is_free = |place: &Rect| {
            // A blank row separates toasts.
            let mut taken = self.taken.iter();
            let is_apart = taken.all(|one| place.y > one.bottom() || place.bottom() < one.y);
            let is_prompt = |y: u16| (place.top()..place.bottom()).contains(&y);
            is_apart && !self.prompt.is_some_and(is_prompt)
        };
        let mut free = tops(size.height)
            .map(|y| at(y, size.height))
            .filter(is_free);
        let blank = free.find(|place| is_blank(*place, self.from, buf));
        let highest = |height: u16| tops(height).map(|y| at(y, height)).find(is_free);
        let place = blank.or_else(|| (1..=size.height).rev().find_map(highest))?;
        self.taken.push(place);
        Some(place)
    }
}

/// Whether nothing is written in this area and in the column before it, if that is not before `from`.
fn is_blank(area: Rect, from: u16, buf: &Buffer) -> bool {
    let left = area.x.saturating_sub(1).max(from).min(area.x);
    let area = Rect::new(left, area.y, area.right() - left, area.height);
    area.positions().all(|at| {
        buf.cell(at).is_none_or(|cell| {
            let is_plain = cell.bg == Color::Reset && !cell.modifier.contains(Modifier::REVERSED);
            is_plain && cell.symbol().trim().is_empty()
        })
    })
}

/// Appends the shell command to the last line, or adds it as a line of its own. If it does not fit as a whole, it
/// is omitted.
fn place_shell(lines: &mut Vec<String>, shell: &str, room: usize) {
    let width = text::width(shell);
    let count = lines.len();
    match lines.last_mut() {
        Some(last) if text::width(last) + 3 + width <= room => *last = format!("{last}   {shell}"),
        Some(_) if width <= room && count < TALLEST => lines.push(shell.to_owned()),
        _ => {}
    }
}
