//! A sequence of keys that leaves INSERT, like docker's ctrl-p ctrl-q.
//!
//! The first keys of the sequence are held back until it is complete or broken. If complete they
//! are dropped; if broken they are typed into the job.

/// The key sequence and how much of it has been pressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaveSequence {
    keys: Vec<String>,
    /// The bytes that the terminal sent for each key pressed so far.
    held: Vec<Vec<u8>>,
}

/// What happens with a pressed key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// It completes the sequence: leave INSERT.
    Leaves,
    /// It is held back.
    Held,
    /// These bytes are typed: the keys held back before, then this one.
    Typed(Vec<u8>),
}

impl LeaveSequence {
    /// A sequence of key names. If it is empty, no key is held back.
    pub fn new(keys: Vec<String>) -> Self {
        let held = Vec::new();
        Self { keys, held }
    }

    /// Handles a key by its name; `raw` holds the bytes that the terminal sent for it.
    pub fn press(&mut self, name: &str, raw: &[u8]) -> Pressed {
        if self.keys.is_empty() {
            return Pressed::Typed(raw.to_vec());
        }
        let mut typed = Vec::new();
        // A key that breaks the sequence may start it again: ctrl-p ctrl-p ctrl-q.
        if self.keys.get(self.held.len()).map(String::as_str) != Some(name) {
            typed = self.let_go();
        }
        if self.keys.get(self.held.len()).map(String::as_str) != Some(name) {
            typed.extend_from_slice(raw);
            return Pressed::Typed(typed);
        }
        self.held.push(raw.to_vec());
        if self.held.len() == self.keys.len() {
            self.held.clear();
            return Pressed::Leaves;
        }
        match typed.is_empty() {
            true => Pressed::Held,
            false => Pressed::Typed(typed),
        }
    }

    /// Returns the bytes held back, to be typed after all, and starts over.
    pub fn let_go(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held).concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(bytes: &[u8]) -> Pressed {
        Pressed::Typed(bytes.to_vec())
    }

    #[test]
    fn leaves_on_the_whole_sequence_and_types_a_broken_one() {
        let keys = ["ctrl-p", "ctrl-q"].map(str::to_owned);
        let mut sequence = LeaveSequence::new(keys.into());
        assert_eq!(sequence.press("a", b"a"), typed(b"a"));
        assert_eq!(sequence.press("ctrl-p", b"\x10"), Pressed::Held);
        assert_eq!(sequence.press("a", b"a"), typed(b"\x10a"));
        assert_eq!(sequence.press("ctrl-q", b"\x11"), typed(b"\x11"));
        assert_eq!(sequence.press("ctrl-p", b"\x10"), Pressed::Held);
        assert_eq!(sequence.press("ctrl-p", b"\x10"), typed(b"\x10"));
        assert_eq!(sequence.press("ctrl-q", b"\x11"), Pressed::Leaves);
        assert_eq!(sequence.let_go(), b"");
        let mut none = LeaveSequence::default();
        assert_eq!(none.press("ctrl-p", b"\x10"), typed(b"\x10"));
    }
}
