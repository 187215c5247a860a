//! Support for the features of TERM=xterm-256color that `vt100` lacks: a layer in front of the
//! emulator that passes on the sequences that it supports and rewrites the others.
//!
//! Text and supported sequences are passed on as whole slices of the input, so only rewriting costs
//! time. State that the emulator does not have (character sets, tab stops, insert mode, autowrap,
//! margins of both screens) is kept here, and queries are answered here.

pub mod answer;
pub mod area;
pub mod back;
pub mod blanks;
pub mod checksum;
pub mod core;
pub mod function;
pub mod image;
pub mod mode;
pub mod sgr;
pub mod simple;
pub mod state;

use unicode_width::UnicodeWidthChar;

pub use self::core::{Core, REPLACEMENT, switch_to};
use self::simple::simple_len;
pub use self::state::State;
use super::control::charset::Charsets;
use super::control::tabs::TabStops;
use super::scan::{Scanner, Token};
use super::size::Size;

/// The layer: a scanner that holds incomplete input, and the state of the terminal.
pub struct Compat {
    scanner: Scanner,
    /// State that the emulator does not have.
    pub state: State,
}

impl Compat {
    /// The layer for an empty screen.
    pub fn new(size: Size) -> Self {
        Self {
            scanner: Scanner::default(),
            state: State::new(size),
        }
    }

    /// Whether no sequence is incomplete and every mode that affects the position of text and
    /// cursor has its default.
    pub fn is_ordinary(&self) -> bool {
        self.scanner.idle() && self.state.is_ordinary()
    }

    /// Paints `input` on `parser`. Returns whether anything reached it.
    pub fn feed(&mut self, parser: &mut vt100::Parser, input: &[u8]) -> bool {
        let Self { scanner, state } = self;
        let mut core = Core::new(parser, input);
        let mut pos = 0;
        loop {
            let (start, idle) = (pos, scanner.idle());
            if idle && !state.special() {
                pos += simple_len(&input[pos..]);
                if pos > start {
                    core.keep_range(start..pos);
                    state.passed(&input[start..pos]);
                    continue;
                }
            }
            let Some(token) = scanner.next(input, &mut pos) else {
                break;
            };
            // Only a token that lies completely in this input can be passed on as a range.
            core.token((idle && whole(&token, pos - start)).then_some(start..pos));
            #[cfg(any(test, feature = "test-hooks"))]
            fail_if_asked(&token);
            match token {
                Token::Text(text) => state.text(&mut core, text),
                Token::Invalid => state.invalid(&mut core),
                Token::Ignored => {}
                _ => state.function(&mut core, &token),
            }
        }
        core.flush();
        core.painted
    }
}

/// Whether the `len` bytes read for a token are exactly the token. A control character inside a
/// sequence is returned first, while the sequence continues after it.
fn whole(token: &Token<'_>, len: usize) -> bool {
    !matches!(token, Token::Control(_)) || len == 1
}

/// Simulates a panic of the emulator in tests, because no input is known that still causes one.
#[cfg(any(test, feature = "test-hooks"))]
#[allow(clippy::panic, reason = "tests need a panic that is then contained")]
fn fail_if_asked(token: &Token<'_>) {
    if matches!(token, Token::Osc(b"bgproc-test-panic", _)) {
        panic!("a test asked for this");
    }
}

/// Maximum number of repetitions by one REP: the width of the widest row. Programs repeat within a
/// row. Without a limit, eight bytes could paint a whole large window again and again and delay all
/// other sessions.
pub(super) const MAX_REPEAT: usize = super::size::MAX as usize;

/// Width of a character in columns, as the emulator counts it; `None` if it is not drawn.
pub(super) fn columns(c: char) -> Option<u16> {
    match c.width() {
        Some(width) => Some(u16::try_from(width).unwrap_or(2).min(2)),
        None if u32::from(c) < 256 => None,
        None => Some(1),
    }
}
