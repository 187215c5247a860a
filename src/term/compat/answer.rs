//! Queries: where the answers come from. [`replies`](crate::term::replies) spells them.

use vt100::{MouseProtocolEncoding as Encoding, MouseProtocolMode as Mouse};

use super::{Core, State};
use crate::term::control::mode;
use crate::term::control::query::Query;
use crate::term::keyboard::KeyProtocol;
use crate::term::replies::Setting;

impl State {
    /// Answers a query.
    pub(super) fn answer(&mut self, core: &mut Core<'_>, query: Query<'_>) {
        use Query::*;
        match query {
            PrimaryAttributes => self.replies.primary_attributes(),
            SecondaryAttributes => self.replies.secondary_attributes(),
            TertiaryAttributes => self.replies.tertiary_attributes(),
            Version => self.replies.version(),
            Status => self.replies.fine(),
            Cursor { private } => {
                let (row, col) = core.cursor();
                let top = self.addressed_rows().0;
                let col = col.min(self.size.cols() - 1);
                self.replies.cursor(private, row.saturating_sub(top), col);
            }
            Device { number, id } => self.replies.device(number, id),
            Mode { private, number } => {
                let mode = mode::Mode::new(private, number);
                let setting = fixed(private, number).unwrap_or_else(|| self.setting(core, mode));
                self.replies.mode(private, number, setting);
            }
            ColorScheme => self.replies.color_scheme(),
            KittyKeyboard => self.replies.kitty_keyboard(self.keys(core).kitty),
            OtherKeys => self.replies.other_keys(self.keys(core).other_keys),
            Parameters(asked) => self.replies.parameters(asked),
            Window(property) => self.replies.window(property, self.size),
            Setting(name) => {
                let now = self.extras.now();
                self.replies.setting(name, core.screen(), now, self.margins);
            }
            Capabilities(names) => self.replies.capabilities(names),
            PaletteColors { colors, bell } => self.replies.palette_colors(colors, bell),
            // Nothing is computed for an answer that would be dropped.
            Checksum { id, area } if self.replies.have_room() => {
                let sum = self.checksum(core, area);
                self.replies.checksum(id, sum);
            }
            Checksum { .. } => {}
            DynamicColors {
                first,
                colors,
                bell,
            } => self.replies.dynamic_colors(first, colors, bell),
        }
    }

    fn keys(&self, core: &mut Core<'_>) -> KeyProtocol {
        let alternate = core.screen().alternate_screen();
        self.keyboard.protocol(alternate)
    }

    fn setting(&self, core: &mut Core<'_>, mode: mode::Mode) -> Setting {
        match self.is_set(core, mode) {
            None => Setting::Unknown,
            Some(true) => Setting::Set,
            Some(false) => Setting::Reset,
        }
    }

    /// Whether a mode is set; `None` if it cannot be.
    fn is_set(&self, core: &mut Core<'_>, mode: mode::Mode) -> Option<bool> {
        use mode::Mode::*;
        let screen = core.screen();
        let mouse = |mode| screen.mouse_protocol_mode() == mode;
        Some(match mode {
            Insert => self.modes.insert,
            NewLine => self.modes.newline,
            CursorKeys => screen.application_cursor(),
            Origin => self.modes.origin,
            AutoWrap => self.modes.wrap,
            ReverseWrap => self.modes.reverse_wrap,
            ReverseWrapExtended => self.modes.reverse_wrap_extended,
            ShowCursor => !screen.hide_cursor(),
            AlternateScreen | AlternateScreenCleared | AlternateScreenSaved => {
                screen.alternate_screen()
            }
            Keypad => screen.application_keypad(),
            MousePress => mouse(Mouse::Press),
            MouseRelease => mouse(Mouse::PressRelease),
            MouseDrag => mouse(Mouse::ButtonMotion),
            MouseAny => mouse(Mouse::AnyMotion),
            MouseUtf8 => screen.mouse_protocol_encoding() == Encoding::Utf8,
            MouseSgr => screen.mouse_protocol_encoding() == Encoding::Sgr,
            Focus => self.modes.focus,
            ColorScheme => self.modes.color_scheme,
            SizeReports => self.modes.size,
            BracketedPaste => screen.bracketed_paste(),
            SynchronizedUpdate => self.modes.updating,
            BlinkingCursor | SaveCursor | GraphemeClusters | Unknown => {
                return None;
            }
        })
    }
}

/// The setting of a mode that a terminal may have and that cannot be changed here. The numbers are those of ECMA-48
/// and of the VT420.
fn fixed(private: bool, number: u16) -> Option<Setting> {
    match (private, number) {
        // No local echo (SRM); keys repeat (DECARM).
        (false, 12) | (true, 8) => Some(Setting::AlwaysSet),
        // The keyboard cannot be locked (KAM), and there are no forms (GATM to EBM).
        (false, 1 | 2 | 5 | 7 | 10 | 11 | 13..=19) => Some(Setting::NeverSet),
        // 132 columns, smooth scrolling, reverse video, printing, national characters, coupling of cursor and page,
        // the key Backspace, margins at the sides (DECLRMM); characters of several code points.
        (true, 3..=5 | 18 | 19 | 42 | 60 | 61 | 64 | 67 | 69 | 2027) => Some(Setting::NeverSet),
        _ => None,
    }
}
