//! A sequence of keys that leaves INSERT, like docker's ctrl-p ctrl-q.
//!
//! The first keys of the sequence are held back until it is complete or broken. If complete they
//! are dropped; if broken they are typed into the job.

use crate::tui::keymap::KeyPress;

/// The key sequence and how much of it has been pressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaveSequence {
    keys: Vec<String>,
    /// The keys pressed so far.
    held: Vec<KeyPress>,
}

/// What happens with a pressed key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// It completes the sequence: leave INSERT.
    Leaves,
    /// It is held back.
    Held,
    /// These keys are typed: the ones held back before, then this one.
    Typed(Vec<KeyPress>),
}

impl LeaveSequence {
    /// A sequence of key names. If it is empty, no key is held back.
    pub fn new(keys: Vec<String>) -> Self {
        let held = Vec::new();
        Self { keys, held }
    }

    /// Whether no keys are held back.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Handles a key.
    pub fn press(&mut self, press: &KeyPress) -> Pressed {
        let name = press.name.as_str();
        if self.keys.is_empty() {
            return Pressed::Typed(vec![press.clone()]);
        }
        let mut typed = Vec::new();
        // A key that breaks the sequence may start it again: ctrl-p ctrl-p ctrl-q.
        if self.keys.get(self.held.len()).map(String::as_str) != Some(name) {
            typed = self.let_go();
        }
        if self.keys.get(self.held.len()).map(String::as_str) != Some(name) {
            typed.push(press.clone());
            return Pressed::Typed(typed);
        }
        self.held.push(press.clone());
        if self.held.len() == self.keys.len() {
            self.held.clear();
            return Pressed::Leaves;
        }
        if typed.is_empty() {
            Pressed::Held
        } else {
            Pressed::Typed(typed)
        }
    }

    /// Returns the keys held back, to be typed after all, and starts over.
    pub fn let_go(&mut self) -> Vec<KeyPress> {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::keyparse::{Key, KeyCode};

    fn press(c: char) -> KeyPress {
        match c {
            'a' => KeyPress::new(Key::plain(KeyCode::Char(c)), b"a".to_vec()),
            _ => KeyPress::new(Key::ctrl(c), vec![c as u8 & 0x1f]),
        }
    }

    fn typed(keys: &str) -> Pressed {
        Pressed::Typed(keys.chars().map(press).collect())
    }

    #[test]
    fn leaves_on_the_whole_sequence_and_types_a_broken_one() {
        let keys = ["ctrl-p", "ctrl-q"].map(str::to_owned);
        let mut sequence = LeaveSequence::new(keys.into());
        assert_eq!(sequence.press(&press('a')), typed("a"));
        assert_eq!(sequence.press(&press('p')), Pressed::Held);
        assert_eq!(sequence.press(&press('a')), typed("pa"));
        assert_eq!(sequence.press(&press('q')), typed("q"));
        assert_eq!(sequence.press(&press('p')), Pressed::Held);
        assert_eq!(sequence.press(&press('p')), typed("p"));
        assert_eq!(sequence.press(&press('q')), Pressed::Leaves);
        assert_eq!(sequence.let_go(), []);
        let mut none = LeaveSequence::default();
        assert_eq!(none.press(&press('p')), typed("p"));
    }
}
