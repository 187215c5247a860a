//! Parses the input from a terminal: keys, mouse, pastes, focus changes and answers to queries.
//!
//! The dashboard reads raw bytes, because INSERT mode must forward them unchanged. Every parsed
//! input therefore carries its bytes, and the bytes of all inputs together equal what was read.

pub mod key;
pub mod mouse;
mod sequence;
#[cfg(test)]
mod tests;

pub use key::{Key, KeyCode};
pub use mouse::{Button, Mouse, MouseKind};

/// Maximum length, in bytes, of a sequence to wait for. Anything longer is not treated as a
/// sequence.
const MAX_SEQUENCE: usize = 4096;
/// Maximum length, in bytes, of a paste that is reported as one event. A longer one is reported in
/// several pieces.
const MAX_PASTE: usize = 4 << 20;
/// Start of a bracketed paste.
const PASTE: &[u8] = b"\x1b[200~";
/// End of a bracketed paste.
const PASTE_END: &[u8] = b"\x1b[201~";

/// One parsed input, with its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The event that the bytes encode.
    pub event: Event,
    /// The exact bytes.
    pub raw: Vec<u8>,
}

/// An input event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// A key that has no meaning for the dashboard, or its release. Only the program in a job understands it.
    KeyReport,
    /// A mouse event.
    Mouse(Mouse),
    /// Text was pasted; the bytes between the brackets.
    Paste(Vec<u8>),
    /// The terminal's window gained (true) or lost focus.
    Focus(bool),
    /// An answer to a query, or any other sequence that is not a key.
    Reply(Vec<u8>),
}

/// Parses input. Incomplete input is kept until the next read.
#[derive(Default, Debug)]
pub struct KeyReader {
    pending: Vec<u8>,
    /// Set during a paste: the first bytes of `pending`, of this number, do not contain its end.
    pasting: Option<usize>,
    /// Whether a flush has already waited for the rest of a report.
    was_late: bool,
}

/// Result of parsing the beginning of some bytes.
enum Front {
    /// An event, and its length in bytes.
    Event(Event, usize),
    /// An incomplete sequence or character.
    Unfinished,
}

impl KeyReader {
    /// Creates a reader without pending input.
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses `bytes` together with pending input.
    ///
    /// A lone ESC at the end is reported at once as a key. An ESC and a character in one read are
    /// two keys.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.pending.extend_from_slice(bytes);
        self.was_late = false;
        self.read(false)
    }

    /// Reports incomplete input as keys. Call this if no further input has arrived for a moment. A
    /// paste stays pending, however long it takes. An incomplete report is never reported as keys,
    /// even on a slow line: it stays pending until a second call without input in between, and is
    /// then dropped.
    pub fn flush(&mut self) -> Vec<Input> {
        if is_report(&self.pending) && self.pasting.is_none() {
            if std::mem::replace(&mut self.was_late, true) {
                self.pending.clear();
            }
            return Vec::new();
        }
        self.read(true)
    }

    /// Whether incomplete input is pending. If so, call [`flush`](Self::flush) when nothing
    /// follows.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty() && self.pasting.is_none()
    }

    fn read(&mut self, last: bool) -> Vec<Input> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < self.pending.len() {
            let rest = &self.pending[at..];
            let front = match self.pasting {
                Some(searched) => pasted(rest, searched),
                None if rest.starts_with(PASTE) => {
                    self.pasting = Some(PASTE.len());
                    continue;
                }
                None => front(rest, last || rest.len() > MAX_SEQUENCE),
            };
            match front {
                Front::Event(event, len) => {
                    let ended = rest[..len].ends_with(PASTE_END);
                    out.push(Input {
                        event,
                        raw: rest[..len].to_vec(),
                    });
                    at += len;
                    if self.pasting.is_some() {
                        self.pasting = (!ended).then_some(0);
                    }
                }
                Front::Unfinished => {
                    if let Some(searched) = &mut self.pasting {
                        *searched = rest
                            .len()
                            .saturating_sub(PASTE_END.len() - 1)
                            .max(*searched);
                    }
                    break;
                }
            }
        }
        self.pending.drain(..at);
        out
    }
}

/// Whether these bytes begin a sequence that only the terminal itself sends: an answer, or a mouse
/// report.
///
/// `ESC ]` and `ESC P` alone may also be Alt with a key.
fn is_report(bytes: &[u8]) -> bool {
    match bytes {
        [0x1b, b'[', b'?' | b'<', ..] => true,
        [0x1b, b']' | b'P', next, ..] => {
            next.is_ascii_digit() || matches!(next, b'>' | b'!' | b'$')
        }
        _ => false,
    }
}

/// Parses a paste. Its end is not in the first `searched` bytes.
fn pasted(rest: &[u8], searched: usize) -> Front {
    let start = if rest.starts_with(PASTE) {
        PASTE.len()
    } else {
        0
    };
    let from = searched.min(rest.len());
    let end = rest[from..]
        .windows(PASTE_END.len())
        .position(|window| window == PASTE_END);
    match end {
        Some(end) => Front::Event(
            Event::Paste(rest[start..from + end].to_vec()),
            from + end + PASTE_END.len(),
        ),
        None if rest.len() > MAX_PASTE => {
            // The last bytes may be the beginning of the end marker.
            let len = rest.len() - PASTE_END.len();
            Front::Event(Event::Paste(rest[start..len].to_vec()), len)
        }
        None => Front::Unfinished,
    }
}

/// Parses the beginning of `rest`, which is not empty. `last` says that nothing follows.
fn front(rest: &[u8], last: bool) -> Front {
    let key = |key| Front::Event(Event::Key(key), 1);
    match rest[0] {
        0x1b => match sequence::read(rest) {
            Some(front @ Front::Event(..)) => front,
            Some(Front::Unfinished) if !last => Front::Unfinished,
            _ => key(Key::control(0x1b)),
        },
        byte @ (0..=0x1f | 0x7f) => key(Key::control(byte)),
        byte @ 0x20..=0x7e => key(Key::plain(KeyCode::Char(char::from(byte)))),
        _ => character(rest, last),
    }
}

/// Parses a multi-byte character. Invalid bytes become U+FFFD.
fn character(rest: &[u8], last: bool) -> Front {
    let bytes = &rest[..rest.len().min(4)];
    let (valid, bad) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            (valid, Some(error.error_len()))
        }
    };
    match (valid.chars().next(), bad) {
        (Some(c), _) => Front::Event(Event::Key(Key::plain(KeyCode::Char(c))), c.len_utf8()),
        (None, Some(None)) if !last => Front::Unfinished,
        (None, bad) => {
            let len = bad.flatten().unwrap_or(bytes.len());
            Front::Event(
                Event::Key(Key::plain(KeyCode::Char(char::REPLACEMENT_CHARACTER))),
                len,
            )
        }
    }
}
