//! A screen at rest. While nobody watches a screen and nothing is written, the emulator's grid (32
//! bytes per cell) is replaced by the bytes that repaint it.
//!
//! These bytes bring a new emulator into exactly the same state, including invisible state: the
//! other screen, the cursors saved by DECSC on both screens, the margins, and the number of rows
//! that have scrolled off, which a growing window brings back. The state of [`Compat`] is kept
//! unchanged. A screen with little input is repainted from that input.

use std::fmt::Write as _;

use super::{Compat, Modes, Screen, Size, Verbatim, contained, new_core, nonzero, paint};
use crate::protocol::terminal_progress::TerminalProgress;
use crate::term::compat::switch_to;
use crate::term::shell_report::ShellReport;
use crate::term::size;

/// A screen that has been reduced to the bytes that repaint it.
pub struct Resting {
    compat: Compat,
    size: Size,
    seq: u64,
    modes: Modes,
    alternate: bool,
    bytes: Bytes,
}

/// The bytes that repaint a screen.
enum Bytes {
    /// Bytes for the emulator itself.
    Recipe(Box<str>),
    /// The program's output.
    Script(Box<[u8]>),
}

impl Screen {
    /// Puts the screen to rest. A screen that could not be restored exactly, or that keeps
    /// scrollback, is returned unchanged.
    pub fn rest(mut self: Box<Self>) -> Result<Box<Resting>, Box<Self>> {
        if self.scrollback > 0 {
            return Err(self);
        }
        if let Some(script) = self.script.take() {
            return Ok(self.reduced(Bytes::Script(script.into())));
        }
        let painted = contained(|| {
            let bytes = self.recipe()?;
            self.follows(&bytes).then_some(bytes)
        });
        match painted {
            Some(Some(bytes)) => Ok(self.reduced(Bytes::Recipe(bytes.into()))),
            _ => Err(self),
        }
    }

    /// Whether the screen can be put to rest cheaply.
    pub fn rests_easily(&self) -> bool {
        self.script.is_some()
    }

    fn reduced(self, bytes: Bytes) -> Box<Resting> {
        Box::new(Resting {
            size: self.size,
            seq: self.seq,
            modes: self.modes(),
            alternate: self.alt_screen(),
            compat: self.compat,
            bytes,
        })
    }

    /// Whether a recipe restores both screens and the cursors saved by DECSC on both.
    fn follows(&self, recipe: &str) -> bool {
        let mut again = follow(self.size, recipe);
        let mut own = vt100::Parser::default();
        *own.screen_mut() = self.core.screen().clone();
        let other = switch_to(!own.screen().alternate_screen());
        [b"", b"\x1b8".as_slice(), other, b"\x1b8"]
            .iter()
            .all(|step| {
                again.process(step);
                own.process(step);
                same(again.screen(), own.screen())
            })
    }

    /// The bytes that bring a new emulator into the state of this one; `None` if there are none.
    fn recipe(&self) -> Option<String> {
        let now = self.core.screen();
        let state = &self.compat.state;
        // State that the emulator does not report is read from a copy, by restoring it there.
        let mut copy = vt100::Parser::default();
        *copy.screen_mut() = now.clone();
        let mut grids = String::new();
        let mut turn = |alternate: bool, out: &mut String| {
            copy.process(switch_to(alternate));
            let own = copy.screen().clone();
            copy.process(b"\x1b8");
            let (saved, attributes) = (copy.screen(), copy.screen().attributes_formatted());
            let origin = state.saved_origin(alternate);
            let blank = alternate
                && !now.alternate_screen()
                && saved.cursor_position() == (0, 0)
                && !origin
                && is_blank(&own);
            if !blank {
                out.push_str(std::str::from_utf8(switch_to(alternate)).unwrap_or_default());
                out.push_str(&paint::grid(&own));
                out.push_str(if origin { "\x1b[?6h" } else { "" });
                place(out, &own, saved.cursor_position(), 0)?;
                out.push_str(&attributes);
                out.push_str("\x1b7\x1b[?6l");
                place(out, &own, own.cursor_position(), 0)?;
            }
            Some(())
        };
        turn(false, &mut grids)?;
        turn(true, &mut grids)?;
        let mut out = scrolled(copy, self.size);
        out.push_str(&grids);
        out.push_str(std::str::from_utf8(switch_to(now.alternate_screen())).unwrap_or_default());
        let (top, bottom) = state.margins();
        let _ = write!(
            out,
            "\x1b[{};{}r",
            u32::from(top) + 1,
            u32::from(bottom) + 1
        );
        let origin = state.flags().origin;
        out.push_str(if origin { "\x1b[?6h" } else { "" });
        place(
            &mut out,
            now,
            now.cursor_position(),
            if origin { top } else { 0 },
        )?;
        out.push_str(&now.attributes_formatted());
        out.push_str(if now.hide_cursor() { "\x1b[?25l" } else { "" });
        out.push_str(&now.input_mode_formatted());
        Some(out)
    }
}

impl Resting {
    /// Restores the screen.
    pub fn wake(self) -> Screen {
        let painted = contained(|| match &self.bytes {
            Bytes::Recipe(recipe) => follow(self.size, recipe),
            Bytes::Script(script) => {
                let mut core = new_core(self.size, 0);
                Compat::new(self.size).feed(&mut core, script);
                core
            }
        });
        Screen {
            // The same painting succeeded before the screen was put to rest.
            core: painted.unwrap_or_else(|| new_core(self.size, 0)),
            compat: self.compat,
            size: self.size,
            scrollback: 0,
            seq: self.seq,
            verbatim: Verbatim::default(),
            script: match self.bytes {
                Bytes::Recipe(_) => None,
                Bytes::Script(script) => Some(script.into()),
            },
        }
    }

    /// See [`Screen::seq`].
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// See [`Screen::title`].
    pub fn title(&self) -> &str {
        self.compat.state.title.text()
    }

    /// See [`Screen::progress`].
    pub fn progress(&self) -> Option<TerminalProgress> {
        self.compat.state.progress
    }

    /// See [`Screen::shell`].
    pub fn shell(&self) -> &ShellReport {
        &self.compat.state.shell
    }

    /// See [`Screen::alt_screen`].
    pub fn alt_screen(&self) -> bool {
        self.alternate
    }

    /// See [`Screen::modes`].
    pub fn modes(&self) -> Modes {
        self.modes
    }
}

fn follow(size: Size, recipe: &str) -> vt100::Parser {
    let mut core = new_core(size, 0);
    core.process(recipe.as_bytes());
    core
}

/// Moves the cursor on a screen with the content of `shown`. Rows count from `first`.
fn place(
    out: &mut String,
    shown: &vt100::Screen,
    (row, col): (u16, u16),
    first: u16,
) -> Option<()> {
    let (at, text) = if col >= shown.size().1.get() {
        // A wrap is pending. Only writing the last character restores that state.
        paint::end_of_row(shown, row)?
    } else {
        (col, String::new())
    };
    let row = u32::from(row.saturating_sub(first)) + 1;
    write!(out, "\x1b[{row};{}H{text}", u32::from(at) + 1).ok()
}

/// Scrolls off as many rows as a growth to the maximum size would bring back.
fn scrolled(mut copy: vt100::Parser, size: Size) -> String {
    copy.process(switch_to(false));
    let narrow = nonzero(size::MIN);
    copy.set_size(nonzero(size.rows()), narrow);
    let (before, _) = copy.screen().cursor_position();
    copy.set_size(nonzero(size::MAX), narrow);
    let (after, _) = copy.screen().cursor_position();
    let mut left = after.saturating_sub(before);
    let mut out = String::new();
    while left > 0 {
        let now = left.min(size.rows());
        let _ = write!(out, "\x1b[{now}S");
        left -= now;
    }
    out
}

fn cells(screen: &vt100::Screen) -> impl Iterator<Item = (u16, u16)> {
    let (rows, cols) = screen.size();
    (0..rows.get()).flat_map(move |row| (0..cols.get()).map(move |col| (row, col)))
}

fn is_blank(screen: &vt100::Screen) -> bool {
    let rows = screen.size().0.get();
    let empty = vt100::Parser::default();
    let empty = empty.screen().cell(0, 0);
    cells(screen).all(|(row, col)| screen.cell(row, col) == empty)
        && !(0..rows).any(|row| screen.row_wrapped(row))
}

/// Whether two screens of the same size have the same observable state.
fn same(a: &vt100::Screen, b: &vt100::Screen) -> bool {
    let rows = a.size().0.get();
    a.alternate_screen() == b.alternate_screen()
        && a.cursor_position() == b.cursor_position()
        && a.hide_cursor() == b.hide_cursor()
        && a.attributes_formatted() == b.attributes_formatted()
        && a.input_mode_formatted() == b.input_mode_formatted()
        && (0..rows).all(|row| a.row_wrapped(row) == b.row_wrapped(row))
        && cells(a).all(|(row, col)| a.cell(row, col) == b.cell(row, col))
}

#[cfg(test)]
#[path = "rest_tests.rs"]
mod tests;
