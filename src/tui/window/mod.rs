//! The window that frames are drawn on: what it shows, and the bytes that change it.
//!
//! ratatui's own terminal compares all cells for each frame. This one can also draw only an area, which is most
//! of what a typed key changes, and shows what ratatui's cells have no room for ([`Canvas`]).

mod canvas;
mod changes;
mod ink;

use std::io::{self, Write};

use ratatui::layout::{Position, Rect};

pub use self::canvas::{Canvas, OVERLINED, underline_kind};
use self::changes::{columns, columns_of};
pub use self::ink::Abilities;
use self::ink::Ink;

/// Begins and ends a synchronized update (mode 2026), which terminals show as a whole. Others ignore it.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// A window on a terminal.
pub struct Window<W: Write> {
    out: W,
    /// Bytes that are not written yet. A frame is written at once, so that neither the terminal nor a person sees
    /// a part of it.
    pending: Vec<u8>,
    /// What the terminal shows.
    shown: Canvas,
    /// What it will show.
    next: Canvas,
    /// What the terminal can show.
    can: Abilities,
}

impl<W: Write> Window<W> {
    /// A window of no size: the first frame clears the terminal.
    pub fn new(out: W) -> Self {
        Self {
            out,
            pending: Vec::with_capacity(64 * 1024),
            shown: Canvas::default(),
            next: Canvas::default(),
            can: Abilities::default(),
        }
    }

    /// Draws a frame of this size; only changes are written, and nothing if there are none.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn draw(&mut self, size: (u16, u16), paint: impl FnOnce(&mut Canvas)) -> io::Result<()> {
        let area = Rect::new(0, 0, size.0, size.1);
        self.pending.extend_from_slice(BEGIN);
        if self.shown.area() == area {
            self.next.reset();
        } else {
            (self.shown, self.next) = (Canvas::new(area), Canvas::new(area));
            self.pending.extend_from_slice(b"\x1b[m\x1b[H\x1b[2J");
        }
        paint(&mut self.next);
        self.push_changes(area);
        std::mem::swap(&mut self.shown, &mut self.next);
        self.end(self.next.cursor)
    }

    /// Draws an area again. `paint` finds it blank, and must draw nothing outside of it. Returns false without drawing
    /// if nothing is shown.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn redraw(&mut self, area: Rect, paint: impl FnOnce(&mut Canvas)) -> io::Result<bool> {
        if self.shown.area().is_empty() {
            return Ok(false);
        }
        let area = area.intersection(self.shown.area());
        self.pending.extend_from_slice(BEGIN);
        self.next.clear(area);
        self.next.cursor = None;
        let cursor_before = self.shown.cursor;
        paint(&mut self.next);
        self.push_changes(area);
        self.shown.swap(&mut self.next, area);
        self.shown.cursor = self.next.cursor;
        self.end(cursor_before)?;
        Ok(true)
    }

    /// Tells what the terminal can show. What needs it is drawn again with the next whole frame.
    pub fn set_abilities(&mut self, can: Abilities) {
        if can != self.can && self.shown.needs_abilities() {
            self.forget();
        }
        self.can = can;
    }

    /// Forgets what is shown, so that the next frame is drawn as a whole.
    pub fn forget(&mut self) {
        self.shown = Canvas::default();
    }

    /// Writes a sequence that draws nothing.
    ///
    /// # Errors
    /// If the terminal cannot be written to.
    pub fn send(&mut self, sequence: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(sequence);
        self.flush()
    }

    /// Appends the changes in an area.
    fn push_changes(&mut self, area: Rect) {
        let mut ink = Ink::default();
        for y in area.top()..area.bottom() {
            let mut at = None;
            for x in columns(&self.shown, &self.next, y, area.left()..area.right()) {
                if at != Some(x) {
                    go(Position::new(x, y), &mut self.pending);
                }
                let index = self.next.index(x, y);
                let cell = &self.next.buffer.content[index];
                let wanted = Ink::of(cell, self.next.link(index), self.can);
                ink.change(wanted, &mut self.pending);
                self.pending.extend_from_slice(cell.symbol().as_bytes());
                // Terminals do not agree on the width of all wide characters.
                at = (columns_of(cell) == 1).then_some(x + 1);
            }
        }
        ink.change(Ink::default(), &mut self.pending);
    }

    /// Ends a frame: shows the cursor, or hides it.
    fn end(&mut self, cursor_before: Option<Position>) -> io::Result<()> {
        if self.pending == BEGIN && self.shown.cursor == cursor_before {
            self.pending.clear();
            return Ok(());
        }
        match self.shown.cursor {
            Some(at) => {
                go(at, &mut self.pending);
                self.pending.extend_from_slice(b"\x1b[?25h");
            }
            None => self.pending.extend_from_slice(b"\x1b[?25l"),
        }
        self.pending.extend_from_slice(END);
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.pending);
        self.pending.clear();
        written.and_then(|()| self.out.flush())
    }
}

/// Moves the terminal's cursor.
fn go(to: Position, out: &mut Vec<u8>) {
    let _ = write!(out, "\x1b[{};{}H", u32::from(to.y) + 1, u32::from(to.x) + 1);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
