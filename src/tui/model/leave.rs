//! Keys that leave INSERT when they are pressed one after the other, as docker's ctrl-p ctrl-q.
//!
//! The first of them are held back until it is known whether the others follow; then they are typed, or forgotten.

/// The keys, and how far they have been pressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaveSequence {
    keys: Vec<String>,
    /// What the terminal sent for those that were pressed so far.
    held: Vec<Vec<u8>>,
}

/// What becomes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// It was the last one: leave.
    Leaves,
    /// It is held back.
    Held,
    /// It is typed, behind what was held back.
    Typed(Vec<u8>),
}

impl LeaveSequence {
    /// Keys by their names; none: no key is held back.
    pub fn new(keys: Vec<String>) -> Self {
        let held = Vec::new();
        Self { keys, held }
    }

    /// Takes a key by its name, for which the terminal sent `raw`.
    pub fn press(&mut self, name: &str, raw: &[u8]) -> Pressed {
        if self.keys.is_empty() {
            return Pressed::Typed(raw.to_vec());
        }
        let mut typed = Vec::new();
        // What was pressed wrong may be the beginning all the same: ctrl-p ctrl-p ctrl-q.
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

    /// What is held back, which is typed after all.
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
    fn the_whole_sequence_leaves_and_a_part_of_it_is_typed() {
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
