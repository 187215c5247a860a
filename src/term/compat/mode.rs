//! Modes. Those of the emulator are passed on and the others are kept here. Screens are switched as
//! in xterm.

use super::state::Flags;
use super::{Charsets, Core, State, switch_to};
use crate::term::control::mode::Mode;
use crate::term::style::Style;

impl State {
    /// Sets or resets a mode. `number` is its number.
    pub(super) fn set_mode(&mut self, core: &mut Core<'_>, mode: Mode, number: u16, on: bool) {
        use Mode::*;
        let last = if on { 'h' } else { 'l' };
        match mode {
            Insert => self.modes.insert = on,
            NewLine => self.modes.newline = on,
            AutoWrap => {
                self.modes.wrap = on;
                self.wraps_next &= on;
            }
            ReverseWrap => self.modes.reverse_wrap = on,
            ReverseWrapExtended => self.modes.reverse_wrap_extended = on,
            Focus => {
                self.modes.focus = on;
                core.painted = true;
            }
            Keypad => core.put(if on { b"\x1b=" } else { b"\x1b>" }),
            Origin => {
                self.modes.origin = on;
                core.put_csi(&format!("?6{last}"));
            }
            AlternateScreen => self.switch(core, on),
            AlternateScreenCleared => {
                if !on && core.screen().alternate_screen() {
                    self.erasing(core, |core| core.put(b"\x1b[2J"));
                }
                self.switch(core, on);
            }
            SaveCursor if on => self.save(core),
            SaveCursor => self.restore(core),
            AlternateScreenSaved if on => {
                self.save(core);
                if !core.screen().alternate_screen() {
                    self.switch(core, true);
                    self.erasing(core, |core| core.put(b"\x1b[2J"));
                }
            }
            AlternateScreenSaved => {
                self.switch(core, false);
                self.restore(core);
            }
            CursorKeys | ShowCursor | MousePress | MouseRelease | MouseDrag | MouseAny
            | MouseUtf8 | MouseSgr | BracketedPaste => core.put_csi(&format!("?{number}{last}")),
            SynchronizedUpdate => {
                self.updates += u64::from(on);
                self.modes.updating = on;
                core.painted = true;
            }
            ColorScheme => {
                self.modes.color_scheme = on;
                core.painted = true;
            }
            SizeReports => {
                self.modes.size = on;
                core.painted = true;
                if on {
                    self.replies.size(self.size);
                }
            }
            BlinkingCursor | GraphemeClusters | Unknown => {}
        }
    }

    /// Switches between the primary and the alternate screen. A terminal has one cursor, one pair
    /// of margins and one origin mode; the emulator has one of each per screen.
    fn switch(&mut self, core: &mut Core<'_>, alternate: bool) {
        if core.screen().alternate_screen() == alternate {
            return;
        }
        let (row, col) = core.cursor();
        core.put(switch_to(alternate));
        self.place(core, row, col);
    }

    /// Sets the emulator's margins, origin mode and cursor.
    fn place(&self, core: &mut Core<'_>, row: u16, col: u16) {
        let (top, bottom) = self.margins;
        core.put(
            format!(
                "\x1b[?6l\x1b[{};{}r",
                u32::from(top) + 1,
                u32::from(bottom) + 1
            )
            .as_bytes(),
        );
        core.put(if self.modes.origin { b"\x1b[?6h" } else { b"" });
        self.go(core, row, col);
    }

    /// Moves the cursor to `row` and `col` of the screen, also in origin mode.
    pub(super) fn go(&self, core: &mut Core<'_>, row: u16, col: u16) {
        let top = self.addressed_rows().0;
        core.go(row.saturating_sub(top), col);
    }

    /// DECSTR: resets modes, margins, character sets and attributes. Text and cursor stay.
    pub(super) fn soft_reset(&mut self, core: &mut Core<'_>) {
        let (row, col) = core.cursor();
        let alternate = usize::from(core.screen().alternate_screen());
        self.modes = Flags {
            focus: self.modes.focus,
            color_scheme: self.modes.color_scheme,
            size: self.modes.size,
            newline: self.modes.newline,
            ..Flags::new()
        };
        self.charsets = Charsets::default();
        self.margins = (0, self.size.rows() - 1);
        self.saved[alternate] = None;
        self.extras.set_style(Style::default());
        self.extras.protect(false);
        core.put(b"\x1b[m\x1b[?25h\x1b[?1l\x1b>\x1b[?6l\x1b[r\x1b[H\x1b7");
        core.go(row, col.min(self.size.cols() - 1));
    }
}
