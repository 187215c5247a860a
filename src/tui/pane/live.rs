//! The live screen of a job, in the pane or in a tile of the grid. A line that scrolls with the
//! text separates seen from unseen output.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use crate::protocol::SessionId;
use crate::protocol::run::Run;
use crate::term::screen::Screen;
use crate::tui::crop::{self, Crop, Pan};
use crate::tui::model::Model;
use crate::tui::model::seen::row_of_line;
use crate::tui::pane::paint;
use crate::tui::scrollback::Scroll;
use crate::tui::window::Canvas;
use crate::tui::{text, units};

/// Minimum width in columns for the full wording on the separator.
const WIDE: usize = 60;
/// Minimum width in columns at which the separator extends to the edge; in a narrow pane it
/// consists of the words alone.
const FILLED: usize = 50;
/// Minimum height in rows for the separator.
const LOWEST: u16 = 4;

/// Draws the screen of a job, or the reason why there is none.
pub fn draw(model: &Model, id: &SessionId, area: Rect, canvas: &mut Canvas) {
    let Some(watch) = model.watch(id) else {
        return;
    };
    if let Some(screen) = watch.shown() {
        draw_screen(model, id, screen, area, canvas);
    } else if let Some(problem) = &watch.problem {
        for (y, line) in (area.y..area.bottom()).zip(text::wrap(problem, usize::from(area.width))) {
            canvas
                .buffer_mut()
                .set_string(area.x, y, line, model.theme.dim());
        }
    }
}

fn draw_screen(model: &Model, id: &SessionId, screen: &Screen, area: Rect, canvas: &mut Canvas) {
    let is_current = model.current_id() == Some(id);
    let typing = is_current && model.mode().types();
    let pan = if is_current {
        model.pane.pan
    } else {
        Pan::default()
    };
    let alive = model.job(id).is_some_and(|job| job.is_going());
    let parts = parts(model, id, screen, area, pan, typing);
    for (line, separator) in parts.separators {
        let style = match separator {
            Separator::Seen(_) => model.theme.key(),
            Separator::Run(_) => model.theme.dim(),
        };
        let words = separator.words(model, usize::from(area.width));
        canvas.buffer_mut().set_string(area.x, line, words, style);
    }
    let mut cursor = None;
    let whole = match parts.shown.as_slice() {
        [(_, crop)] if crop::is_full_screen(screen) && !typing => Some(*crop),
        _ => None,
    };
    for (part, crop) in parts.shown {
        paint::draw(screen, part, crop, model.theme.panes, canvas);
        if !typing {
            mark_cut(model, screen, part, crop, canvas.buffer_mut());
        }
        cursor = cursor.or(paint::cursor(screen, part, crop));
    }
    if let Some(crop) = whole {
        mark_rows(model, screen, area, crop, canvas.buffer_mut());
    }
    let shape = match typing {
        true => CursorShape::Own,
        false if is_current && model.is_normal() => CursorShape::Filled,
        false => CursorShape::Outlined,
    };
    draw_cursor(cursor.filter(|_| alive), shape, canvas);
}

/// How the cursor of a job is drawn. Only one cursor in the window is bright: the one where keys go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CursorShape {
    /// As the cursor of the terminal: keys go to the job.
    Own,
    /// As a reversed cell: the pane has the focus.
    Filled,
    /// As an underlined cell: another pane, or a line that is edited, has the focus.
    Outlined,
}

/// Draws the cursor of a job.
pub(super) fn draw_cursor(at: Option<Position>, shape: CursorShape, canvas: &mut Canvas) {
    let Some(at) = at else {
        return;
    };
    let modifier = match shape {
        CursorShape::Own => return canvas.set_cursor_position(at),
        CursorShape::Filled => Modifier::REVERSED,
        CursorShape::Outlined => Modifier::UNDERLINED,
    };
    if let Some(cell) = canvas.buffer_mut().cell_mut::<Position>(at) {
        cell.modifier.toggle(modifier);
    }
}

/// The position of the cursor of the job in the pane, while the pane shows its live screen.
pub fn cursor(model: &Model, area: Rect) -> Option<Position> {
    if model.pane.rewind.is_some() || model.pane.scroll.is_some() {
        return None;
    }
    let job = model.current().filter(|job| job.is_going())?;
    let screen = model.shown_screen(job.id())?;
    let parts = current_parts(model, job.id(), screen, area);
    let mut parts = parts.shown.into_iter();
    parts.find_map(|(part, crop)| paint::cursor(screen, part, crop))
}

/// What the pane of the selected job shows now of its live screen in `area`, frozen: every row stays where it is.
pub fn freeze(model: &Model, id: &SessionId, area: Rect) -> Option<Scroll> {
    let (screen, size) = (model.shown_screen(id)?, model.pane_size()?);
    let parts = current_parts(model, id, screen, area);
    let (_, crop) = parts.shown.first()?;
    let mut still = Scroll::still(id.clone(), size, screen, (crop.top, crop.left));
    let below = parts.shown.iter().skip(1).map(|(_, crop)| crop.top);
    let lines = parts.separators.iter();
    let words = lines.map(|(_, line)| line.words(model, usize::from(area.width)));
    still.separate(below.zip(words));
    Some(still)
}

/// The row and the column of the live screen of the selected job that are at a position of the window, if it is
/// shown in `area`.
pub fn cell_at(model: &Model, id: &SessionId, area: Rect, at: Position) -> Option<(u16, u16)> {
    let screen = model.shown_screen(id)?;
    let parts = current_parts(model, id, screen, area);
    let mut shown = parts.shown.into_iter();
    let (part, crop) = shown.find(|(part, _)| part.contains(at))?;
    Some((crop.top + at.y - part.y, crop.left + at.x - part.x))
}

/// Rows that the separators of a screen take, if all of it is shown.
pub(super) fn separator_rows(model: &Model, id: &SessionId) -> u16 {
    let screen = model.shown_screen(id);
    screen.map_or(0, |screen| count(&separators(model, id, screen)))
}

/// Whether a line separates output of the job in the pane.
pub(super) fn has_separator(model: &Model, id: &SessionId, area: Rect) -> bool {
    let has_one = |screen| !current_parts(model, id, screen, area).separators.is_empty();
    model.shown_screen(id).is_some_and(has_one)
}

/// Marks the rows that continue beyond the pane.
pub(super) fn mark_cut(model: &Model, screen: &Screen, area: Rect, crop: Crop, buf: &mut Buffer) {
    let (left, right) = (crop.left, crop.left.saturating_add(area.width));
    if left == 0 && screen.size().cols() <= right {
        return;
    }
    for y in 0..area.height {
        let row = crop.top + y;
        let before = (0..left).any(|col| crop::is_written(screen, row, col));
        let rest = right..screen.row_end(row);
        let after = rest
            .into_iter()
            .any(|col| crop::is_written(screen, row, col));
        let line = Rect::new(area.x, area.y + y, area.width, 1);
        mark_ends(model, line, (before, after), buf);
    }
}

/// Marks that a row continues before its first and behind its last column.
pub(super) fn mark_ends(
    model: &Model,
    line: Rect,
    (before, after): (bool, bool),
    buf: &mut Buffer,
) {
    if line.is_empty() {
        return;
    }
    for (is_cut, x) in [(before, line.left()), (after, line.right() - 1)] {
        if is_cut {
            let mark = model.theme.glyph("…");
            // The mark would be hidden behind a wide character that ends here.
            if x > line.left()
                && let Some(cell) = buf.cell_mut((x - 1, line.y))
                && text::width(cell.symbol()) > 1
            {
                cell.set_symbol(" ");
            }
            buf.set_string(x, line.y, mark, model.theme.dim());
        }
    }
}

/// Marks the edges beyond which a screen has more rows.
pub(super) fn mark_rows(model: &Model, screen: &Screen, area: Rect, crop: Crop, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let cols = screen.size().cols();
    let is_written = |row: u16| (0..cols).any(|col| crop::is_written(screen, row, col));
    let end = crop.top.saturating_add(area.height);
    let above = (0..crop.top).any(is_written);
    let below = (end..screen.size().rows()).any(is_written);
    for (is_cut, y, mark) in [(above, area.top(), "▲"), (below, area.bottom() - 1, "▼")] {
        if is_cut {
            let x = area.right() - 1;
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
            }
            buf.set_string(x, y, model.theme.glyph(mark), model.theme.key());
        }
    }
}

/// How a screen is shown in a pane.
struct Parts {
    /// The visible parts and their areas, from the top: one, or one above and one below each separator.
    shown: Vec<(Rect, Crop)>,
    /// The separators and their rows in the window.
    separators: Vec<(u16, Separator)>,
}

/// A line between rows of a screen.
#[derive(Clone)]
enum Separator {
    /// Above output that a person has not seen, who last looked at this time.
    Seen(i64),
    /// Above the output of a later run.
    Run(String),
}

impl Separator {
    /// Its words in a pane of `width` columns.
    fn words(&self, model: &Model, width: usize) -> String {
        match self {
            Self::Seen(at) => words(model, *at, width),
            Self::Run(words) => text::clip(words, width, ""),
        }
    }
}

/// The parts of the screen of the job in the pane.
fn current_parts(model: &Model, id: &SessionId, screen: &Screen, area: Rect) -> Parts {
    parts(
        model,
        id,
        screen,
        area,
        model.pane.pan,
        model.mode().types(),
    )
}

fn parts(
    model: &Model,
    id: &SessionId,
    screen: &Screen,
    area: Rect,
    pan: Pan,
    typing: bool,
) -> Parts {
    // While keys go to a zoomed job, the window belongs to the job alone.
    let alone = typing && model.frame.zoom;
    let mut separators = if alone || area.height < LOWEST {
        Vec::new()
    } else {
        separators(model, id, screen)
    };
    // Each one takes a row, and what then scrolls out of the pane takes its separator along: one after the other,
    // because without the one the next may fit.
    let crop = loop {
        let height = area.height.saturating_sub(count(&separators));
        let less = Rect { height, ..area };
        let crop = crop::crop(screen, less, pan, typing);
        let is_above = |(row, separator): &(u16, Separator)| match separator {
            // That a run begins is shown above its first line, also if that is the first one of the pane.
            Separator::Run(_) => *row < crop.top,
            Separator::Seen(_) => *row <= crop.top,
        };
        if separators.first().is_some_and(is_above) {
            separators.remove(0);
        } else if separators
            .last()
            .is_some_and(|(row, _)| *row >= crop.top + height)
        {
            separators.pop();
        } else {
            break crop;
        }
    };
    let part = |top, y, height| (Rect { y, height, ..area }, Crop { top, ..crop });
    let (mut shown, mut lines) = (Vec::new(), Vec::new());
    let (mut top, mut y) = (crop.top, area.y);
    for (row, separator) in separators {
        let height = row - top;
        shown.push(part(top, y, height));
        lines.push((y + height, separator));
        (top, y) = (row, y + height + 1);
    }
    shown.push(part(top, y, area.bottom().saturating_sub(y)));
    Parts {
        shown,
        separators: lines,
    }
}

fn count(separators: &[(u16, Separator)]) -> u16 {
    u16::try_from(separators.len()).unwrap_or(u16::MAX)
}

/// The separators of a screen, each with the row below it, from the top.
fn separators(model: &Model, id: &SessionId, screen: &Screen) -> Vec<(u16, Separator)> {
    let lines = model.watch(id).and_then(|watch| watch.lines);
    let row_of = |line: Option<u64>| row_of_line(screen, lines?, line?);
    let bytes = model.job(id).map(|job| job.record.summary.output_bytes);
    let has_erased = |run: &Run| {
        let (lines, bytes) = (lines.unwrap_or_default(), bytes.unwrap_or_default());
        model.runs.has_erased(id, run, lines, bytes)
    };
    let pairs = model.runs.of(id).windows(2).rev();
    let shown = pairs
        .take_while(|pair| !has_erased(&pair[1]))
        .map(|pair| Some((row_of(pair[1].first_line)?, pair)))
        // The last runs may have written nothing yet; above the first that has scrolled off, all have.
        .skip_while(Option::is_none)
        .map_while(|one| one);
    let words = |pair: &[Run]| Separator::Run(model.between_runs(&pair[0], &pair[1]));
    let mut all: Vec<(u16, Separator)> = shown.map(|(row, pair)| (row, words(pair))).collect();
    // Runs without output have the same row, and stay in their order.
    all.reverse();
    all.extend(mark(model, id, screen).map(|(row, at)| (row, Separator::Seen(at))));
    all.sort_by_key(|(row, _)| *row);
    all
}

/// The row where unseen output starts, and when the job was last seen.
fn mark(model: &Model, id: &SessionId, screen: &Screen) -> Option<(u16, i64)> {
    let (seen, _) = model.seen.mark(id)?;
    let lines = model.watch(id)?.lines?;
    Some((row_of_line(screen, lines, seen.lines + 1)?, seen.at))
}

/// `── new since you last looked (12:31) ───`, shorter if there is less room.
fn words(model: &Model, at: i64, width: usize) -> String {
    let when = units::since(at, model.now.ms, &model.zone);
    let line = model.theme.glyph("─");
    let mut words = match width {
        WIDE.. => format!("{line}{line} new since you last looked ({when}) "),
        _ => format!("{line}{line} new since {when} "),
    };
    let rest = match width {
        FILLED.. => width.saturating_sub(text::width(&words)),
        _ => 2,
    };
    words.push_str(&line.repeat(rest));
    text::clip(&words, width, "")
}
