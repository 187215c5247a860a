//! Cuts a byte stream into text, controls and escape sequences.
//!
//! Both readers of terminal output, [`compat`](super::compat) and [`plain`](super::plain), stand on this scanner
//! rather than on `vte`: it hands out whole runs of text instead of one character at a time, it bounds control
//! strings, and it knows how many bytes of an unfinished sequence it holds, which is what makes an offset a safe
//! place to cut. Any split of a stream gives the same tokens, except that a run of text may come in pieces.

pub mod csi;

pub use csi::Csi;

/// Longest control sequence that is understood, in bytes after `CSI`: 32 parameters of a colour fit three times.
/// A longer one is read to its end and ignored.
const MAX_CSI: usize = 512;
/// Longest control string (OSC, DCS) that is kept, in bytes. A longer one is read to its end and ignored.
const MAX_STRING: usize = 4096;

/// A piece of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// Characters to show: no C0 control and no DEL among them, but C1 ones may be.
    Text(&'a str),
    /// Bytes that are not UTF-8: to be shown as one U+FFFD.
    Invalid,
    /// A C0 control character or DEL.
    Control(u8),
    /// An escape sequence that is no control sequence or string: the bytes between ESC and the last one.
    Escape(&'a [u8], u8),
    /// A control sequence.
    Csi(Csi<'a>),
    /// An operating system command, and whether BEL ended it.
    Osc(&'a [u8], bool),
    /// A device control string.
    Dcs(&'a [u8]),
    /// Something complete that means nothing here.
    Ignored,
}

/// The scanner: what is unfinished at the end of one read is kept for the next.
#[derive(Clone, Debug, Default)]
pub struct Scanner {
    state: State,
    /// Content of the sequence at hand. It is cleared when the next one begins, because tokens borrow it.
    buffer: Vec<u8>,
    /// The content was longer than its bound, or is malformed.
    spoilt: bool,
    /// An ESC ended the string in the buffer, and nothing has been read since.
    stale: bool,
    /// The first bytes of a character that the last read cut.
    partial: [u8; 4],
    partial_len: usize,
    /// Bytes of the unfinished sequence or character.
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
    /// SOS, PM and APC strings, which nothing here reads.
    Skip,
}

impl Scanner {
    /// Number of bytes already consumed that belong to something unfinished.
    pub fn pending(&self) -> usize {
        self.pending
    }

    /// Whether nothing is unfinished. A token that began and ended idle is exactly the bytes passed over.
    pub fn idle(&self) -> bool {
        self.state == State::Ground
    }

    /// The next token of `input` at `pos`, which moves past it; `None` when the rest is consumed.
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
                // Most sequences are short and whole: no copy for those.
                if let Some(body) = whole_csi(rest) {
                    *pos += 2 + body.len();
                    return Some(Csi::parse(body).map_or(Token::Ignored, Token::Csi));
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
        // The first character decides whether a longer look is worth it: not in bytes that are no text at all.
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

    /// Goes on with a character that the last read cut.
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
                    // The byte just seen is no part of the broken character: it is read again.
                    self.rest();
                    return Some(Token::Invalid);
                }
            }
        }
        None
    }

    /// Goes on with an escape sequence, byte by byte.
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
                        State::Osc | State::Dcs => {
                            self.stale = true;
                            return Some(self.string(ended, false));
                        }
                        _ => self.begin(State::Escape),
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
                (_, State::Skip) => {}
                (0..=0x1f, _) => return Some(Token::Control(byte)),
                (0x7f, _) => {}
                (0x80.., _) => {
                    // Text ends a broken sequence, as it does in xterm, rather than vanish in it.
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

    /// A byte after ESC: the last of an escape sequence, or what decides how it goes on.
    fn escape(&mut self, byte: u8) -> Option<u8> {
        if self.stale {
            self.begin(State::Escape);
        }
        match byte {
            0x20..=0x2f => self.keep(byte, MAX_CSI),
            b'[' if self.buffer.is_empty() => self.begin(State::Csi),
            b']' if self.buffer.is_empty() => self.begin(State::Osc),
            b'P' if self.buffer.is_empty() => self.begin(State::Dcs),
            b'X' | b'^' | b'_' if self.buffer.is_empty() => self.begin(State::Skip),
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
            _ if self.spoilt => Token::Ignored,
            State::Osc => Token::Osc(&self.buffer, bell),
            _ => Token::Dcs(&self.buffer),
        }
    }
}

/// Longest run of text that is looked at in one go, so that bytes of which half are no text cost no more than
/// this each.
const MAX_RUN: usize = 2048;

/// Number of bytes at the front that are text: no C0 control and no DEL.
pub fn text_len(bytes: &[u8]) -> usize {
    run_len(bytes, controls)
}

/// Number of bytes at the front that are printable ASCII.
pub fn ascii_len(bytes: &[u8]) -> usize {
    run_len(bytes, |word| controls(word) | (word & HIGH))
}

/// One in each byte of a word, and the highest bit of each.
const ONES: u64 = u64::MAX / 255;
const HIGH: u64 = ONES << 7;

/// Marks the lowest byte of a word that is a C0 control or DEL by its highest bit. Bytes above
/// it may be marked wrongly.
#[inline]
fn controls(word: u64) -> u64 {
    let delete = word ^ (ONES * 0x7f);
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    (below_space | (delete.wrapping_sub(ONES) & !delete)) & HIGH
}

/// Number of bytes at the front of which `ends` marks none, eight at a time: nearly all of what
/// passes here is text.
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

/// Why there is no character.
enum Bad {
    /// So many bytes are none.
    Invalid(usize),
    /// More bytes could make one.
    Cut,
}

/// Length in bytes of the character, not an ASCII one, that `bytes` begin with.
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

/// What follows `CSI`, if `rest` begins with a control sequence that is all there.
fn whole_csi(rest: &[u8]) -> Option<&[u8]> {
    let body = rest.strip_prefix(b"\x1b[")?;
    let body = &body[..body.len().min(MAX_CSI)];
    let last = body.iter().position(|b| !(0x20..0x40).contains(b))?;
    (0x40..0x7f).contains(&body[last]).then(|| &body[..=last])
}

#[cfg(test)]
mod tests;
