//! What TERM=xterm-256color promises and `vt100` does not keep: a layer in front of the emulator that passes on
//! what it knows and rewrites the rest.
//!
//! Text and the sequences the emulator understands go through in whole slices of the input; only what needs a
//! change costs anything. State that the emulator has no notion of (character sets, tab stops, insert mode,
//! autowrap, margins of both screens) lives here, and queries are answered here.

pub mod charset;
pub mod core;
pub mod csi;
pub mod mode;
pub mod sgr;
pub mod simple;
pub mod state;
pub mod tabs;

use unicode_width::UnicodeWidthChar;

use self::charset::Charsets;
pub use self::core::{Core, REPLACEMENT};
use self::simple::simple_len;
pub use self::state::State;
use self::tabs::TabStops;
use super::scan::{Scanner, Token};
use super::size::Size;

/// The layer: the scanner with what is unfinished, and the state of the terminal.
pub struct Compat {
    scanner: Scanner,
    /// What the emulator has no notion of.
    pub state: State,
}

impl Compat {
    /// The layer in front of an empty screen.
    pub fn new(size: Size) -> Self {
        Self {
            scanner: Scanner::default(),
            state: State::new(size),
        }
    }

    /// Whether nothing is unfinished, and every mode that decides where text and cursor go is as
    /// in an empty terminal.
    pub fn is_ordinary(&self) -> bool {
        self.scanner.idle() && self.state.is_ordinary()
    }

    /// Paints `input` on `parser`; says whether anything reached it.
    pub fn feed(&mut self, parser: &mut vt100::Parser, input: &[u8]) -> bool {
        let Self { scanner, state } = self;
        let mut core = Core::new(parser, input);
        let mut pos = 0;
        loop {
            let (start, idle) = (pos, scanner.idle());
            if idle && !state.special() {
                pos += simple_len(&input[pos..]);
                if pos > start {
                    core.token(Some(start..pos));
                    core.keep(b"");
                    state.passed(&input[start..pos]);
                    continue;
                }
            }
            let Some(token) = scanner.next(input, &mut pos) else {
                break;
            };
            // Only a token that stands in this input from its first byte to its last can be passed on by range.
            core.token((idle && whole(&token, pos - start)).then_some(start..pos));
            if !repeats(&token) {
                state.forget_last_char();
            }
            match token {
                Token::Text(text) => state.text(&mut core, text),
                Token::Invalid => state.invalid(&mut core),
                Token::Control(byte) => state.control(&mut core, byte),
                Token::Escape(inter, last) => state.escape(&mut core, inter, last),
                Token::Csi(csi) => state.csi(&mut core, csi),
                Token::Osc(data, bell) => state.osc(data, bell),
                Token::Dcs(data) => state.dcs(&mut core, data),
                Token::Ignored => {}
            }
        }
        core.flush();
        core.painted
    }
}

/// Whether the `len` bytes that were read for a token are the token: a control character can come out of the
/// middle of a sequence that goes on after it.
fn whole(token: &Token<'_>, len: usize) -> bool {
    !matches!(token, Token::Control(_)) || len == 1
}

/// Repetitions of a character by one REP at most: what the widest row takes. Programs repeat within a row, and
/// eight bytes that paint a whole large window, again and again, would hold up everybody.
pub(super) const MAX_REPEAT: usize = super::size::MAX as usize;

/// Whether REP after this token still has a character to repeat: only straight after text, or another REP.
pub(super) fn repeats(token: &Token<'_>) -> bool {
    match token {
        Token::Text(_) | Token::Invalid | Token::Ignored => true,
        Token::Csi(csi) => csi.last == b'b' && csi.marker == 0 && csi.inter == 0,
        _ => false,
    }
}

/// Columns of a character as the emulator counts them; `None` for what it does not draw.
pub(super) fn columns(c: char) -> Option<u16> {
    match c.width() {
        Some(width) => Some(u16::try_from(width).unwrap_or(2).min(2)),
        None if u32::from(c) < 256 => None,
        None => Some(1),
    }
}
