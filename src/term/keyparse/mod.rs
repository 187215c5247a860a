//! What a terminal sends, read back: keys, mouse, pastes, focus and answers to queries.
//!
//! The dashboard reads raw bytes, because INSERT must forward them as they came. Everything read here therefore
//! carries its bytes, and putting those of all inputs together gives what was read.

pub mod key;
pub mod mouse;
mod sequence;
#[cfg(test)]
mod tests;

pub use key::{Key, KeyCode};
pub use mouse::{Button, Mouse, MouseKind};

/// Longest sequence that is waited for, in bytes. What is longer was no sequence.
const MAX_SEQUENCE: usize = 4096;
/// Longest paste that is kept together, in bytes; a longer one comes in several pieces.
const MAX_PASTE: usize = 4 << 20;
/// Begins a paste.
const PASTE: &[u8] = b"\x1b[200~";
/// Ends a paste.
const PASTE_END: &[u8] = b"\x1b[201~";

/// One thing that arrived, with the bytes it came as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What it means.
    pub event: Event,
    /// The bytes exactly as they were read.
    pub raw: Vec<u8>,
}

/// What arrived from the terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// The mouse did something.
    Mouse(Mouse),
    /// Text was pasted (the bytes between the brackets).
    Paste(Vec<u8>),
    /// The terminal's window gained or lost focus.
    Focus(bool),
    /// The terminal answered a query, or said something else that is no key.
    Reply(Vec<u8>),
}

/// Reads input bytes; keeps what is unfinished between two reads.
#[derive(Default, Debug)]
pub struct KeyReader {
    pending: Vec<u8>,
    /// In a paste: so many bytes at the front of `pending` hold no end of it.
    pasting: Option<usize>,
    /// Whether the rest of a report was waited for already.
    was_late: bool,
}

/// What the front of some bytes is.
enum Front {
    /// An event of so many bytes.
    Event(Event, usize),
    /// The beginning of something.
    Unfinished,
}

impl KeyReader {
    /// A reader with nothing pending.
    pub fn new() -> Self {
        Self::default()
    }

    /// What `bytes` mean, together with what was unfinished before.
    ///
    /// A lone ESC at the end is the key at once; ESC and a character in one read are two keys.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.pending.extend_from_slice(bytes);
        self.was_late = false;
        self.read(false)
    }

    /// Takes what is unfinished as the keys it would be if nothing followed: to be called when nothing did within
    /// a moment. A paste is waited for, however long it takes. The beginning of a report is no key, however slow the
    /// line: it is waited for until this is called again without anything having come, and then dropped.
    pub fn flush(&mut self) -> Vec<Input> {
        if is_report(&self.pending) && self.pasting.is_none() {
            if std::mem::replace(&mut self.was_late, true) {
                self.pending.clear();
            }
            return Vec::new();
        }
        self.read(true)
    }

    /// Whether something waits for more: when so, call [`flush`](Self::flush) if nothing follows.
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

/// Whether these bytes begin what only a terminal sends by itself: an answer, or what the mouse does.
///
/// `ESC ]` and `ESC P` alone may as well be Alt with a key.
fn is_report(bytes: &[u8]) -> bool {
    match bytes {
        [0x1b, b'[', b'?' | b'<', ..] => true,
        [0x1b, b']' | b'P', next, ..] => {
            next.is_ascii_digit() || matches!(next, b'>' | b'!' | b'$')
        }
        _ => false,
    }
}

/// A paste, whose end is not in the first `searched` bytes.
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
            // The last bytes may be the beginning of its end.
            let len = rest.len() - PASTE_END.len();
            Front::Event(Event::Paste(rest[start..len].to_vec()), len)
        }
        None => Front::Unfinished,
    }
}

/// What stands at the front of `rest`, which is not empty. With `last` nothing follows.
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

/// A character of several bytes; what is none is shown as U+FFFD.
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
