//! Character sets: G0 to G3, which of them is active, and the characters of DEC's line drawing set.

/// A character set that a program can designate. Sets that are not listed display as ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Charset {
    /// ASCII (`B`).
    #[default]
    Ascii,
    /// British (`A`): `#` is a pound sign.
    British,
    /// DEC special graphics (`0`): lines and boxes.
    Graphics,
}

impl Charset {
    /// The set that the final byte of a designating sequence names.
    pub fn named(last: u8) -> Self {
        match last {
            b'0' => Self::Graphics,
            b'A' => Self::British,
            _ => Self::Ascii,
        }
    }

    /// The character displayed for `c`.
    pub fn map(self, c: char) -> char {
        match (self, c) {
            (Self::British, '#') => '£',
            (Self::Graphics, '_'..='~') => GRAPHICS[c as usize - '_' as usize],
            _ => c,
        }
    }
}

/// DEC special graphics from `_` to `~`.
const GRAPHICS: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─',
    '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

/// A change of the designated or active sets. Slots 0 to 3 are G0 to G3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CharsetChange {
    /// SCS: designates a set.
    Designate(usize, Charset),
    /// SI, SO, LS2, LS3: activates a slot.
    Lock(usize),
    /// SS2, SS3: uses a slot for the next character.
    Single(usize),
}

/// The four designated sets and the active one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Charsets {
    sets: [Charset; 4],
    in_use: usize,
    /// SS2 or SS3: the set for the next character only.
    single: Option<usize>,
}

impl Charsets {
    /// Applies a change.
    pub fn apply(&mut self, change: CharsetChange) {
        match change {
            CharsetChange::Designate(slot, set) => self.sets[slot] = set,
            CharsetChange::Lock(slot) => self.in_use = slot,
            CharsetChange::Single(slot) => self.single = Some(slot),
        }
    }

    /// Whether characters are displayed unchanged.
    pub fn plain(&self) -> bool {
        self.sets[self.in_use] == Charset::Ascii && self.single.is_none()
    }

    /// The character displayed for the next character `c`.
    pub fn map(&mut self, c: char) -> char {
        let slot = self.single.take().unwrap_or(self.in_use);
        self.sets[slot].map(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_designated_locked_and_used_once() {
        use CharsetChange::{Designate, Lock, Single};
        let mut sets = Charsets::default();
        assert!(sets.plain());
        sets.apply(Designate(1, Charset::Graphics));
        assert_eq!(sets.map('q'), 'q');
        sets.apply(Lock(1));
        assert_eq!(
            ['l', 'q', '~', '_', 'A', 'é'].map(|c| sets.map(c)),
            ['┌', '─', '·', ' ', 'A', 'é']
        );
        sets.apply(Lock(0));
        sets.apply(Designate(2, Charset::British));
        sets.apply(Single(2));
        assert!(!sets.plain());
        assert_eq!((sets.map('#'), sets.map('#')), ('£', '#'));
    }
}
