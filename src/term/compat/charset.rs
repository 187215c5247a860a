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

/// The four designated sets and the active one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Charsets {
    sets: [Charset; 4],
    in_use: usize,
    /// SS2 or SS3: the set for the next character only.
    single: Option<usize>,
}

impl Charsets {
    /// Designates a set. `slot` is the intermediate byte of the sequence, `(` for G0 to `+` for G3.
    pub fn designate(&mut self, slot: u8, last: u8) {
        if let Some(set) = self.sets.get_mut(usize::from(slot.wrapping_sub(b'('))) {
            *set = Charset::named(last);
        }
    }

    /// Activates G0 to G3 (SI, SO, LS2, LS3).
    pub fn lock(&mut self, slot: usize) {
        self.in_use = slot.min(3);
    }

    /// Uses G2 or G3 for the next character (SS2, SS3).
    pub fn single(&mut self, slot: usize) {
        self.single = Some(slot.min(3));
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
        let mut sets = Charsets::default();
        assert!(sets.plain());
        sets.designate(b')', b'0');
        assert_eq!(sets.map('q'), 'q');
        sets.lock(1);
        assert_eq!(
            ['l', 'q', '~', '_', 'A', 'é'].map(|c| sets.map(c)),
            ['┌', '─', '·', ' ', 'A', 'é']
        );
        sets.lock(0);
        sets.designate(b'*', b'A');
        sets.single(2);
        assert!(!sets.plain());
        assert_eq!((sets.map('#'), sets.map('#')), ('£', '#'));
        sets.designate(b'-', b'0');
        assert!(sets.plain());
    }
}
