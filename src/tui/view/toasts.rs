//! Toasts: at the right, where nothing is written, if there is such a place; else below the rows of the list, if it
//! has room; else at the top. Where the list has the whole window, they are below its other rows. They never cover
//! the job's cursor, the line that is edited, and the selected row of such a list.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};

use crate::term::sanitize::clean;
use crate::tui::hints;
use crate::tui::model::Model;
use crate::tui::model::layout::Kind as Layout;
use crate::tui::model::toast::{Kind, Toast};
use crate::tui::modes::{insert, page};
use crate::tui::pane::live;
use crate::tui::text;
use crate::tui::theme::Tone;

/// Maximum columns of text in a toast.
const WIDEST: usize = 52;
/// Maximum lines of a toast.
const TALLEST: usize = 4;
/// Maximum lines of a toast where the list or the pane has the whole window, and maximum number of toasts over the
/// list.
const TALLEST_IN_STACK: usize = 2;
const MOST_IN_STACK: usize = 2;

/// Draws the toasts, oldest first. `cursor` is the cursor of the terminal, `covered` the box of the mode.
pub(super) fn draw(
    model: &Model,
    cursor: Option<Position>,
    covered: Option<Rect>,
    buf: &mut Buffer,
) {
    let window = buf.area;
    // In a small window, show none over a menu or a page; in a very low one, show one line of the newest toast.
    let tiny = window.height < 8;
    let small = tiny || model.layout().kind == Layout::Stack;
    if page::shows_messages(model) {
        return;
    }
    if small && !(model.is_normal() || model.mode().types() || model.mode().scrolls()) {
        return;
    }
    // On a page, `esc` closes the page, so that what stays until `esc` would lie over it. Errors may be about the page.
    let is_over_page = model.needs().window;
    let stays = |toast: &Toast| toast.until.is_none() && toast.kind == Kind::Note;
    let shown = model.toasts.shown().iter();
    let shown: Vec<&Toast> = shown
        .filter(|toast| !(is_over_page && stays(toast)))
        .collect();
    let mut places = Places::new(model, cursor, window);
    places.taken.extend(covered);
    let (most, tallest) = match tiny {
        true => (1, 1),
        false if places.selected.is_some() => (MOST_IN_STACK, TALLEST_IN_STACK),
        false if places.is_stack => (1, TALLEST_IN_STACK),
        false => (shown.len(), TALLEST),
    };
    let shown = &shown[shown.len().saturating_sub(most)..];
    for toast in shown {
        let Some((place, lines)) = places.find(model, toast, tallest, buf) else {
            return;
        };
        let tone = match toast.kind {
            Kind::Note => Tone::Calm,
            Kind::Error => Tone::Alarm,
        };
        for (y, line) in (place.y..place.bottom()).zip(&lines) {
            let area = Rect::new(place.x, y, place.width, 1);
            for cell in area.columns() {
                if let Some(cell) = buf.cell_mut((cell.x, y)) {
                    cell.reset();
                }
            }
            buf.set_style(area, model.theme.toast(tone));
            let room = usize::from(place.width).saturating_sub(1);
            buf.set_stringn(place.x + 1, y, line, room, model.theme.toast(tone));
        }
    }
}

/// The lines of a toast in `room` columns.
fn lines(model: &Model, toast: &Toast, room: usize) -> Vec<String> {
    let mut text = toast.text.clone();
    if toast.count > 1 {
        text.push_str(&format!(" (x{})", toast.count));
    }
    let mut lines = text::wrap(&text, room);
    // In other modes the key belongs to the mode.
    let stays = toast.until.is_none() && model.is_normal();
    let dismiss = stays.then(|| format!("{} dismisses this", model.key("esc")));
    let way = way(model).filter(|_| toast.is_alert);
    let way = way.map(|key| format!("{key} goes there"));
    let shell = toast.shell.as_ref().map(|shell| clean(shell));
    if let Some(shell) = shell.or(dismiss).or(way) {
        place_shell(&mut lines, &shell, room);
    }
    lines
}

/// Cuts the lines of a toast to a height.
fn cut(model: &Model, lines: &mut Vec<String>, tallest: usize, room: usize) {
    if lines.len() > tallest {
        lines.truncate(tallest);
        if let Some(last) = lines.last_mut() {
            *last = format!("{last} {}", model.theme.glyph("…"));
            *last = text::clip(last, room, model.theme.glyph("…"));
        }
    }
}

/// Columns and rows of these lines, with a blank on both sides.
fn size(lines: &[String]) -> (u16, u16) {
    let widest = lines.iter().map(|line| text::width(line)).max();
    let width = u16::try_from(widest.unwrap_or(0) + 2).unwrap_or(u16::MAX);
    (width, u16::try_from(lines.len()).unwrap_or(u16::MAX))
}

/// The keys that go to the job of a toast; those that leave the mode come first.
fn way(model: &Model) -> Option<String> {
    let next = model.key("!");
    if model.is_normal() {
        return Some(next.to_owned());
    }
    let leave = if model.mode().types() {
        hints::hint(model, insert::Action::Leave)?.0
    } else {
        model.mode().hints(model).exits.pop()?.0
    };
    Some(format!("{leave} then {next}"))
}

/// Where toasts can be drawn.
struct Places {
    window: Rect,
    /// The rows from the top line to the status line.
    rows: Range<u16>,
    taken: Vec<Rect>,
    /// The list, if the pane is beside it.
    list: Option<Rect>,
    /// The first column beside the list.
    from: u16,
    /// The cursors: of the job in the pane, where its prompt is, and of the line that is edited.
    prompts: Vec<Position>,
    /// The row of the window with the selected row of the list, if the list has the whole window.
    selected: Option<u16>,
    /// Whether the window shows one pane or the list at a time.
    is_stack: bool,
}

impl Places {
    fn new(model: &Model, cursor: Option<Position>, window: Rect) -> Self {
        let layout = model.layout();
        let end = layout.status.map_or(window.height, |status| status.y);
        let start = u16::from(layout.top.is_some()) + u16::from(layout.rule.is_some());
        let job = layout.pane.and_then(|area| live::cursor(model, area));
        Self {
            window,
            rows: start..end,
            taken: Vec::new(),
            list: layout
                .list
                .filter(|_| layout.divider.is_some() && !model.needs().window),
            // Leave the rows of the list uncovered, because they are what a toast is about.
            from: layout.divider.map_or(0, |divider| divider.right()),
            prompts: job.into_iter().chain(cursor).collect(),
            selected: selected_row(model),
            is_stack: layout.kind == Layout::Stack,
        }
    }

    /// The place of a toast and its lines there: where the pane is blank, else below the rows of the list, else where
    /// it covers what is old.
    fn find(
        &mut self,
        model: &Model,
        toast: &Toast,
        tallest: usize,
        buf: &Buffer,
    ) -> Option<(Rect, Vec<String>)> {
        let room = usize::from(self.window.width - self.from);
        let room = room.saturating_sub(3).min(WIDEST);
        let mut wide = lines(model, toast, room);
        cut(model, &mut wide, tallest, room);
        let in_list = || {
            let list = self.list?;
            let lines = lines(model, toast, usize::from(list.width).saturating_sub(2));
            let place = self.in_list(list, size(&lines), buf);
            place
                .filter(|_| lines.len() <= tallest)
                .map(|place| (place, lines))
        };
        let found = match self.blank(size(&wide), buf) {
            Some(place) => (place, wide),
            None => match in_list() {
                Some(found) => found,
                None if self.selected.is_some() => (self.lowest(size(&wide).1)?, wide),
                None if self.is_stack => (self.highest_rows(size(&wide).1)?, wide),
                None => (self.highest(size(&wide))?, wide),
            },
        };
        self.taken.push(found.0);
        Some(found)
    }

    /// The lowest place of this size below the rows of the list.
    fn in_list(&self, list: Rect, (width, height): (u16, u16), buf: &Buffer) -> Option<Rect> {
        let tops = (list.y + 1..(list.bottom() + 1).saturating_sub(height)).rev();
        let mut places = tops.map(|y| Rect::new(list.x, y, width.min(list.width), height));
        // The row above stays blank, so that the toast is no row of the list.
        let is_clear = |place: &Rect| {
            let y = place.y - 1;
            let whole = Rect::new(list.x, y, list.width, height + 1);
            is_blank(whole, list.x, buf)
        };
        places.find(|place| self.is_free(place) && is_clear(place))
    }

    /// The places of this size at the right edge that are free, from the top.
    fn at_right(&self, (width, height): (u16, u16)) -> impl Iterator<Item = Rect> {
        let width = width.min(self.window.width);
        let x = self.window.width.saturating_sub(width + 1);
        let tops = self.rows.start..(self.rows.end + 1).saturating_sub(height);
        let all = tops.map(move |y| Rect::new(x, y, width, height));
        all.filter(|place| self.is_free(place))
    }

    /// The highest of them where nothing is written, not beside a prompt, where text comes next.
    fn blank(&self, size: (u16, u16), buf: &Buffer) -> Option<Rect> {
        let is_near = |place: &Rect| {
            let rows = place.y.saturating_sub(1)..place.bottom() + 1;
            self.prompts.iter().any(|at| rows.contains(&at.y))
        };
        let mut places = self.at_right(size);
        places.find(|place| !is_near(place) && is_blank(*place, self.from, buf))
    }

    /// The highest place, if necessary with fewer lines.
    fn highest(&self, (width, height): (u16, u16)) -> Option<Rect> {
        let heights = (1..=height).rev();
        heights
            .into_iter()
            .find_map(|height| self.at_right((width, height)).next())
    }

    /// The highest place of whole rows, if necessary with fewer of them: the rest of a covered row would be a scrap.
    fn highest_rows(&self, height: u16) -> Option<Rect> {
        let mut heights = (1..=height).rev();
        heights.find_map(|height| self.rows_of(height).find(|place| self.is_free(place)))
    }

    /// The lowest place of whole rows, if necessary with fewer of them.
    fn lowest(&self, height: u16) -> Option<Rect> {
        let is_beside = |place: &Rect| {
            let rows = place.top()..place.bottom();
            self.selected.is_none_or(|row| !rows.contains(&row))
        };
        let mut heights = (1..=height).rev();
        heights.find_map(|height| {
            let mut places = self.rows_of(height).rev();
            places.find(|place| is_beside(place) && self.is_free(place))
        })
    }

    /// The places of whole rows, from the top.
    fn rows_of(&self, height: u16) -> impl DoubleEndedIterator<Item = Rect> {
        let width = self.window.width;
        let tops = self.rows.start..(self.rows.end + 1).saturating_sub(height);
        tops.map(move |y| Rect::new(0, y, width, height))
    }

    /// Whether a place is apart from other toasts and covers no prompt.
    fn is_free(&self, place: &Rect) -> bool {
        // A blank row separates toasts. Among the rows of a list it would be one of them.
        let gap = u16::from(!self.is_stack);
        let mut taken = self.taken.iter();
        let is_beside = |one: &Rect| place.x >= one.right() || place.right() <= one.x;
        let is_apart = taken.all(|one| {
            is_beside(one) || place.y >= one.bottom() + gap || place.bottom() + gap <= one.y
        });
        // A cursor in the pane is not disturbed by what is in the list.
        let is_apart_from = |at: &Position| at.x >= self.from && place.right() <= self.from;
        let mut prompts = self.prompts.iter();
        let covers =
            |at: &Position| !is_apart_from(at) && (place.top()..place.bottom()).contains(&at.y);
        is_apart && !prompts.any(covers)
    }
}

/// The row of the window with the selected row of the list, if the list has the whole window.
fn selected_row(model: &Model) -> Option<u16> {
    let layout = model.layout();
    let is_alone = layout.divider.is_none() && model.is_normal() && !model.list.rows.is_empty();
    let list = layout.list.filter(|_| is_alone)?;
    let at = u16::try_from(model.list.cursor.checked_sub(model.list.top)?).ok()?;
    (at < list.height).then_some(list.y + at)
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
