//! What a frame is drawn on.

use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};

use crate::term::extras::Link;
use crate::term::style::Underline;

/// A line above the text. ratatui has no modifier for it; this one is free, since nothing blinks rapidly here: blinking
/// text of jobs blinks slowly.
pub const OVERLINED: Modifier = Modifier::RAPID_BLINK;

/// The bits that hold the kind of an underline. ratatui does not use them. It does not reset them either, so they
/// mean nothing without an underline.
const KIND: Modifier = Modifier::from_bits_retain(0b111 << KIND_SHIFT);
const KIND_SHIFT: u16 = 10;

/// The kinds, by the number in those bits.
const KINDS: [Underline; 5] = [
    Underline::Single,
    Underline::Double,
    Underline::Curly,
    Underline::Dotted,
    Underline::Dashed,
];

/// The modifier that makes an underline one of this kind.
pub fn underline_kind(kind: Underline) -> Modifier {
    let number = KINDS.iter().position(|known| *known == kind);
    let number = number.and_then(|number| u16::try_from(number).ok());
    Modifier::from_bits_retain(number.unwrap_or(0) << KIND_SHIFT)
}

/// The kind of the underline of a cell with these modifiers; `None` if it has no underline.
pub(super) fn underline_of(modifier: Modifier) -> Option<Underline> {
    let number = (modifier & KIND).bits() >> KIND_SHIFT;
    let kind = KINDS.get(usize::from(number)).copied().unwrap_or_default();
    modifier.contains(Modifier::UNDERLINED).then_some(kind)
}

/// What a frame is drawn on: cells, links, and the position of the cursor.
#[derive(Clone, Debug, Default)]
pub struct Canvas {
    /// The cells.
    pub(super) buffer: Buffer,
    /// The links of the cells; empty as long as no cell has one.
    pub(super) links: Vec<Option<Arc<Link>>>,
    /// The position of the terminal's cursor; hidden if there is none.
    pub(super) cursor: Option<Position>,
}

impl Canvas {
    /// A blank canvas.
    pub fn new(area: Rect) -> Self {
        Self {
            buffer: Buffer::empty(area),
            ..Self::default()
        }
    }

    /// Makes it blank.
    pub(super) fn reset(&mut self) {
        self.buffer.reset();
        self.links.clear();
        self.cursor = None;
    }

    /// All of it.
    pub fn area(&self) -> Rect {
        self.buffer.area
    }

    /// The cells.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The cells.
    pub fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Where the cursor is shown.
    pub fn cursor(&self) -> Option<Position> {
        self.cursor
    }

    /// Shows the cursor there.
    pub fn set_cursor_position(&mut self, at: impl Into<Position>) {
        self.cursor = Some(at.into());
    }

    /// Makes a cell part of a link, as long as it is underlined: what is drawn over it ends that.
    pub fn set_link(&mut self, at: Position, link: &Arc<Link>) {
        if !self.area().contains(at) {
            return;
        }
        let index = self.index(at.x, at.y);
        if self.links.is_empty() {
            self.links.resize(self.buffer.content.len(), None);
        }
        self.links[index] = Some(Arc::clone(link));
    }

    /// Makes an area of it blank.
    pub fn clear(&mut self, area: Rect) {
        for cells in self.rows_of(area) {
            self.buffer.content[cells.clone()].fill(Cell::EMPTY);
            if let Some(links) = self.links.get_mut(cells) {
                links.fill(None);
            }
        }
    }

    /// The link of the cell with this index.
    pub(super) fn link(&self, index: usize) -> Option<&Arc<Link>> {
        let link = self.links.get(index)?.as_ref()?;
        let cell = self.buffer.content.get(index)?;
        cell.modifier.contains(Modifier::UNDERLINED).then_some(link)
    }

    /// Whether a cell has what not all terminals can show.
    pub(super) fn needs_abilities(&self) -> bool {
        let special = OVERLINED | KIND;
        let mut cells = self.buffer.content.iter();
        !self.links.is_empty()
            || cells.any(|cell| {
                cell.modifier.intersects(special) || cell.underline_color != Color::Reset
            })
    }

    /// Shows no cursor.
    #[cfg(test)]
    pub(in crate::tui) fn hide_cursor(&mut self) {
        self.cursor = None;
    }

    /// The targets of all cells.
    #[cfg(test)]
    pub(in crate::tui) fn link_targets(&self) -> Vec<Option<&str>> {
        let cells = 0..self.buffer.content.len();
        cells.map(|cell| Some(&*self.link(cell)?.uri)).collect()
    }

    /// Exchanges an area with that of another canvas of the same size.
    pub(super) fn swap(&mut self, other: &mut Self, area: Rect) {
        let has_links = !(self.links.is_empty() && other.links.is_empty());
        if has_links {
            self.links.resize(self.buffer.content.len(), None);
            other.links.resize(other.buffer.content.len(), None);
        }
        for cells in self.rows_of(area) {
            self.buffer.content[cells.clone()]
                .swap_with_slice(&mut other.buffer.content[cells.clone()]);
            if has_links {
                self.links[cells.clone()].swap_with_slice(&mut other.links[cells]);
            }
        }
    }

    /// The index of the cell at this column and row.
    pub(super) fn index(&self, x: u16, y: u16) -> usize {
        usize::from(y) * usize::from(self.area().width) + usize::from(x)
    }

    /// The indexes of the cells of an area, row by row.
    fn rows_of(&self, area: Rect) -> impl Iterator<Item = Range<usize>> + use<> {
        let width = usize::from(self.area().width);
        let area = area.intersection(self.area());
        area.rows().map(move |row| {
            let start = usize::from(row.y) * width + usize::from(row.x);
            start..start + usize::from(row.width)
        })
    }
}
