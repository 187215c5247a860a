//! Splits a byte stream into text, controls and escape sequences.
//!
//! Both readers of terminal output, [`compat`](super::compat) and [`plain`](super::plain), use this
//! scanner instead of the crate `vte`. It returns whole runs of text and not single characters, and
//! limits the length of control strings. It knows how many bytes of an incomplete sequence it
//! holds, and thus at which offsets a log can be cut. The tokens do not depend on how the stream is
//! split, except that a run of text may be returned in pieces.

pub mod csi;

pub use csi::Csi;

/// Maximum length of a control sequence, in bytes after `CSI`: three times what a sequence with 32
/// colour parameters needs. A longer sequence is skipped to its end and ignored.
const MAX_CSI: usize = 512;
/// Maximum length of a control string (OSC, DCS), in bytes. A longer one is skipped to its end; only its beginning is
/// returned, which says whether it was an image.
const MAX_STRING: usize = 4096;
/// Length of the beginning of an APC string that is returned, in bytes: more than the keys of kitty's images, which
/// are the only such strings with a meaning here.
const MAX_APC: usize = 512;

/// A piece of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// Text without C0 controls and DEL. It may contain C1 controls.
    Text(&'a str),
    /// Invalid UTF-8, to be displayed as one U+FFFD.
    Invalid,
    /// A C0 control character or DEL.
    Control(u8),
    /// An escape sequence other than a control sequence or string: the intermediate bytes after
    /// ESC, and the final byte.
    Escape(&'a [u8], u8),
    /// A control sequence.
    Csi(Csi<'a>),
    /// An operating system command, and whether it ended with BEL.
    Osc(&'a [u8], bool),
    /// A device control string.
    Dcs(&'a [u8]),
    /// The beginning of an operating system command that is too long.
    LongOsc(&'a [u8]),
    /// The beginning of a device control string that is too long.
    LongDcs(&'a [u8]),
    /// The beginning of an application program command.
    Apc(&'a [u8]),
    /// A complete sequence that has no meaning here.
    Ignored,
}

impl Token<'_> {
    /// The bytes of text, of a control character, or of a sequence without a string.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.as_bytes().to_vec(),
            Self::Control(byte) => vec![*byte],
            Self::Escape(inter, last) => [b"\x1b", *inter, &[*last]].concat(),
            Self::Csi(csi) => [b"\x1b[", csi.body].concat(),
            Self::Invalid
            | Self::Osc(..)
            | Self::Dcs(_)
            | Self::LongOsc(_)
            | Self::LongDcs(_)
            | Self::Apc(_)
            | Self::Ignored => Vec::new(),
        }
    }
}

/// The scanner. Incomplete input at the end of one read is kept for the next.
#[derive(Clone, Debug, Default)]
pub struct Scanner {
    state: State,
    /// Content of the current sequence. It is cleared only when the next one begins, because tokens
    /// borrow it.
    buffer: Vec<u8>,
    /// Whether the content is malformed or exceeds its maximum length.
    spoilt: bool,
    /// Whether an ESC has just ended the string in the buffer.
    stale: bool,
    /// The first bytes of a character that was split by a read.
    partial: [u8; 4],
    partial_len: usize,
    /// Number of bytes of the incomplete sequence or character.
    pending: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Ground,
    Character,
    Escape,
    Csi,
    Osc,
    Dcs,
    Apc,
    /// SOS and PM strings, which are ignored.
    Skip,
}

impl Scanner {
    /// Number of consumed bytes that belong to an incomplete sequence or character.
    pub fn pending(&self) -> usize {
        self.pending
    }

    /// Whether no sequence or character is incomplete. If this holds before and after a token, the
    /// token consists of exactly the bytes consumed between.
    pub fn idle(&self) -> bool {
        self.state == State::Ground
    }

    /// Returns the next token of `input` at `pos` and advances `pos` past it; `None` when the rest
    /// is consumed.
    pub fn next<'t>(&'t mut self, input: &'t [u8], pos: &mut usize) -> Option<Token<'t>> {
        match self.state {
            State::Ground => self.ground(input, pos),
            State::Character => self.character(input, pos),
            _ => self.sequence(input, pos),
        }
    }

    fn ground<'t>(&'t mut self, input: &'t [u8], pos: &mut usize) -> Option<Token<'t>> {
        let rest = input.get(*pos..)?;
        match *rest.first()? {
            0x1b => {
                // Most sequences are short and complete. Parse these without a copy.
                if let Some(csi) = Csi::first(rest) {
                    *pos += csi.length();
                    return Some(Token::Csi(csi));
                }
                *pos += 1;
                self.begin(State::Escape);
                self.pending = 1;
                self.sequence(input, pos)
            }
            control @ (0..=0x1f | 0x7f) => {
                *pos += 1;
                Some(Token::Control(control))
            }
            _ => self.text(rest, pos),
        }
    }

    fn text<'t>(&'t mut self, rest: &'t [u8], pos: &mut usize) -> Option<Token<'t>> {
        // Check the first character before a longer run, so that binary data does not cause a long
        // check for each byte.
        if rest[0] >= 0x80 {
            match character_len(rest) {
                Ok(_) => {}
                Err(Bad::Invalid(len)) => {
                    *pos += len;
                    return Some(Token::Invalid);
                }
                Err(Bad::Cut) => {
                    self.partial_len = rest.len().min(self.partial.len());
                    self.partial[..self.partial_len].copy_from_slice(&rest[..self.partial_len]);
                    self.pending = self.partial_len;
                    self.state = State::Character;
                    *pos += rest.len();
                    return None;
                }
            }
        }
        let run = &rest[..text_len(&rest[..rest.len().min(MAX_RUN)])];
        let text = std::str::from_utf8(run)
            .or_else(|error| std::str::from_utf8(&run[..error.valid_up_to()]));
        let text = text.unwrap_or_default();
        *pos += text.len();
        Some(Token::Text(text))
    }

    /// Continues a character that was split by a read.
    fn character<'t>(&'t mut self, input: &'t [u8], pos: &mut usize) -> Option<Token<'t>> {
        while let Some(&byte) = input.get(*pos) {
            let len = self.partial_len;
            self.partial[len] = byte;
            match character_len(&self.partial[..=len]) {
                Err(Bad::Cut) => {
                    *pos += 1;
                    self.partial_len += 1;
                    self.pending += 1;
                }
                Ok(len) => {
                    *pos += 1;
                    self.rest();
                    let text = std::str::from_utf8(&self.partial[..len]);
                    return Some(text.map_or(Token::Invalid, Token::Text));
                }
                Err(Bad::Invalid(_)) => {
                    // The current byte is not part of the broken character; read it again.
                    self.rest();
                    return Some(Token::Invalid);
                }
            }
        }
        None
    }

    /// Continues an escape sequence, byte by byte.
    fn sequence<'t>(&'t mut self, input: &'t [u8], pos: &mut usize) -> Option<Token<'t>> {
        while let Some(&byte) = input.get(*pos) {
            *pos += 1;
            self.pending += 1;
            let ended = self.state;
            match (byte, ended) {
                (0x1b, _) => {
                    self.state = State::Escape;
                    self.pending = 1;
                    match ended {
                        State::Osc | State::Dcs | State::Apc => {
                            self.stale = true;
                            return Some(self.string(ended, false));
                        }
                        _ => {
                            // The sequence before is over, and another begins.
                            self.begin(State::Escape);
                            return Some(Token::Ignored);
                        }
                    }
                }
                (0x18 | 0x1a, _) => {
                    self.rest();
                    return Some(Token::Ignored);
                }
                (0x07, State::Osc) => {
                    self.rest();
                    return Some(self.string(ended, true));
                }
                (_, State::Osc | State::Dcs) => self.keep(byte, MAX_STRING),
                (_, State::Apc) => self.keep(byte, MAX_APC),
                (_, State::Skip) => {}
                (0..=0x1f, _) => return Some(Token::Control(byte)),
                (0x7f, _) => {}
                (0x80.., _) => {
                    // As in xterm, text ends a broken sequence and is not swallowed by it.
                    *pos -= 1;
                    self.rest();
                    return Some(Token::Ignored);
                }
                (_, State::Csi) => {
                    self.keep(byte, MAX_CSI);
                    if byte >= 0x40 {
                        self.rest();
                        let csi = if self.spoilt {
                            None
                        } else {
                            Csi::parse(&self.buffer)
                        };
                        return Some(csi.map_or(Token::Ignored, Token::Csi));
                    }
                }
                _ => {
                    if let Some(last) = self.escape(byte) {
                        return Some(Token::Escape(&self.buffer, last));
                    }
                }
            }
        }
        None
    }

    /// Handles a byte after ESC. Returns the final byte of an escape sequence; `None` if the
    /// sequence continues.
    fn escape(&mut self, byte: u8) -> Option<u8> {
        if self.stale {
            self.begin(State::Escape);
        }
        match byte {
            0x20..=0x2f => self.keep(byte, MAX_CSI),
            b'[' if self.buffer.is_empty() => self.begin(State::Csi),
            b']' if self.buffer.is_empty() => self.begin(State::Osc),
            b'P' if self.buffer.is_empty() => self.begin(State::Dcs),
            b'_' if self.buffer.is_empty() => self.begin(State::Apc),
            b'X' | b'^' if self.buffer.is_empty() => self.begin(State::Skip),
            _ => {
                self.rest();
                return Some(byte);
            }
        }
        None
    }

    fn begin(&mut self, state: State) {
        self.state = state;
        self.buffer.clear();
        self.spoilt = false;
        self.stale = false;
    }

    fn rest(&mut self) {
        self.state = State::Ground;
        self.pending = 0;
    }

    fn keep(&mut self, byte: u8, most: usize) {
        if self.buffer.len() < most {
            self.buffer.push(byte);
        } else {
            self.spoilt = true;
        }
    }

    fn string(&self, kind: State, bell: bool) -> Token<'_> {
        match kind {
            State::Apc => Token::Apc(&self.buffer),
            State::Osc if self.spoilt => Token::LongOsc(&self.buffer),
            _ if self.spoilt => Token::LongDcs(&self.buffer),
            State::Osc => Token::Osc(&self.buffer, bell),
            _ => Token::Dcs(&self.buffer),
        }
    }
}

/// Maximum length of a run of text that is validated at once. It limits the repeated work on data
/// in which invalid bytes are frequent.
const MAX_RUN: usize = 2048;

/// Length of the text at the beginning of `bytes`, up to the first C0 control or DEL.
pub fn text_len(bytes: &[u8]) -> usize {
    run_len(bytes, controls)
}

/// Length of the printable ASCII at the beginning of `bytes`.
pub fn ascii_len(bytes: &[u8]) -> usize {
    run_len(bytes, |word| controls(word) | (word & HIGH))
}

/// A word in which each byte is 1.
const ONES: u64 = u64::MAX / 255;

/// A word in which only the highest bit of each byte is set.
const HIGH: u64 = ONES << 7;

/// Returns a word in which the highest bit marks the lowest byte of `word` that is a C0 control or
/// DEL. Bytes above that byte may be marked wrongly.
#[inline]
fn controls(word: u64) -> u64 {
    let delete = word ^ (ONES * 0x7f);
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    (below_space | (delete.wrapping_sub(ONES) & !delete)) & HIGH
}

/// Number of bytes before the first byte that `ends` marks. Reads eight bytes at a time, which is
/// faster for the long runs of text that most input consists of.
#[inline]
fn run_len(bytes: &[u8], ends: impl Fn(u64) -> u64) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let marked = ends(u64::from_le_bytes(*word));
        if marked != 0 {
            return n * 8 + marked.trailing_zeros() as usize / 8;
        }
    }
    let ended = |byte: &u8| ends(u64::from(*byte) | (ONES * 0x20) << 8) != 0;
    words.len() * 8 + rest.iter().position(ended).unwrap_or(rest.len())
}

/// Why a character could not be decoded.
enum Bad {
    /// This number of bytes is invalid.
    Invalid(usize),
    /// More bytes are needed.
    Cut,
}

/// Length in bytes of the non-ASCII character at the beginning of `bytes`.
fn character_len(bytes: &[u8]) -> Result<usize, Bad> {
    let len = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return Err(Bad::Invalid(1)),
    };
    match std::str::from_utf8(&bytes[..len.min(bytes.len())]) {
        Ok(_) => Ok(len),
        Err(error) => Err(error.error_len().map_or(Bad::Cut, Bad::Invalid)),
    }
}

#[cfg(test)]
mod tests;
