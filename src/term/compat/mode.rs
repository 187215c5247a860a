//! Modes. Those of the emulator are passed on and the others are kept here. Screens are switched as
//! in xterm.

use super::state::Flags;
use super::{Charsets, Core, State};
use crate::term::scan::Csi;

impl State {
    /// Sets or resets an ANSI mode.
    pub(super) fn ansi_mode(&mut self, mode: u16, on: bool) {
        match mode {
            4 => self.modes.insert = on,
            20 => self.modes.newline = on,
            _ => {}
        }
    }

    /// Sets or resets a DEC mode.
    pub(super) fn dec_mode(&mut self, core: &mut Core<'_>, mode: u16, on: bool) {
        let last = if on { 'h' } else { 'l' };
        match mode {
            7 => self.modes.wrap = on,
            1004 => {
                self.modes.focus = on;
                core.painted = true;
            }
            66 => core.put(if on { b"\x1b=" } else { b"\x1b>" }),
            6 => {
                self.modes.origin = on;
                core.put_csi(format!("?6{last}").as_bytes());
            }
            47 => self.switch(core, on),
            1047 => {
                if !on && core.screen().alternate_screen() {
                    core.put(b"\x1b[2J");
                }
                self.switch(core, on);
            }
            1048 if on => self.save(core),
            1048 => self.restore(core),
            1049 if on => {
                self.save(core);
                if !core.screen().alternate_screen() {
                    self.switch(core, true);
                    core.put(b"\x1b[2J");
                }
            }
            1049 => {
                self.switch(core, false);
                self.restore(core);
            }
            1 | 9 | 25 | 1000 | 1002 | 1003 | 1005 | 1006 | 2004 => {
                core.put_csi(format!("?{mode}{last}").as_bytes());
            }
            _ => {}
        }
    }

    /// Switches between the primary and the alternate screen. A terminal has one cursor, one pair
    /// of margins and one origin mode; the emulator has one of each per screen.
    fn switch(&mut self, core: &mut Core<'_>, alternate: bool) {
        if core.screen().alternate_screen() == alternate {
            return;
        }
        let (row, col) = core.cursor();
        core.put(if alternate {
            b"\x1b[?47h"
        } else {
            b"\x1b[?47l"
        });
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
        if self.modes.origin {
            core.put(b"\x1b[?6h");
            core.go(row.saturating_sub(top), col);
        } else {
            core.go(row, col);
        }
    }

    /// DECSTR: resets modes, margins, character sets and attributes. Text and cursor stay.
    pub(super) fn soft_reset(&mut self, core: &mut Core<'_>) {
        let (row, col) = core.cursor();
        let alternate = usize::from(core.screen().alternate_screen());
        self.modes = Flags {
            focus: self.modes.focus,
            newline: self.modes.newline,
            ..Flags::new()
        };
        self.charsets = Charsets::default();
        self.margins = (0, self.size.rows() - 1);
        self.saved[alternate] = None;
        core.put(b"\x1b[m\x1b[?25h\x1b[?1l\x1b>\x1b[?6l\x1b[r\x1b[H\x1b7");
        core.go(row, col.min(self.size.cols() - 1));
    }

    /// DECRQM: reports whether a mode is set.
    pub(super) fn report_mode(&mut self, core: &mut Core<'_>, csi: Csi<'_>) {
        let mode = csi.number(0, 0);
        let screen = core.screen();
        use vt100::{MouseProtocolEncoding as Encoding, MouseProtocolMode as Mouse};
        let set = match (csi.marker, mode) {
            (0, 4) => Some(self.modes.insert),
            (0, 20) => Some(self.modes.newline),
            (b'?', 1) => Some(screen.application_cursor()),
            (b'?', 6) => Some(self.modes.origin),
            (b'?', 7) => Some(self.modes.wrap),
            (b'?', 9) => Some(screen.mouse_protocol_mode() == Mouse::Press),
            (b'?', 25) => Some(!screen.hide_cursor()),
            (b'?', 47 | 1047 | 1049) => Some(screen.alternate_screen()),
            (b'?', 66) => Some(screen.application_keypad()),
            (b'?', 1000) => Some(screen.mouse_protocol_mode() == Mouse::PressRelease),
            (b'?', 1002) => Some(screen.mouse_protocol_mode() == Mouse::ButtonMotion),
            (b'?', 1003) => Some(screen.mouse_protocol_mode() == Mouse::AnyMotion),
            (b'?', 1004) => Some(self.modes.focus),
            (b'?', 1005) => Some(screen.mouse_protocol_encoding() == Encoding::Utf8),
            (b'?', 1006) => Some(screen.mouse_protocol_encoding() == Encoding::Sgr),
            (b'?', 2004) => Some(screen.bracketed_paste()),
            _ => None,
        };
        self.replies.mode(csi.marker == b'?', mode, set);
    }
}
