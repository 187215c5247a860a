//! What a program has asked the keyboard to report: the kitty keyboard protocol and xterm's modifyOtherKeys.
//!
//! Without them, many keys are the same to a program: Shift-Enter and Enter, Ctrl-I and Tab, Escape and the
//! beginning of a sequence. The kitty protocol is specified at
//! <https://sw.kovidgoyal.net/kitty/keyboard-protocol/>, modifyOtherKeys in xterm's manual page and its
//! `ctlseqs.txt`.

use std::fmt::Write as _;

/// The flags of the kitty protocol ("progressive enhancements"). None of them is set at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KittyFlags(u8);

impl KittyFlags {
    /// Keys that other keys could be taken for are reported unambiguously.
    pub const DISAMBIGUATE: Self = Self(1);
    /// Repetitions and releases are reported.
    pub const EVENT_TYPES: Self = Self(2);
    /// The shifted key is reported too.
    pub const ALTERNATE_KEYS: Self = Self(4);
    /// Keys that produce text are reported as keys.
    pub const ALL_KEYS: Self = Self(8);
    /// The text is reported with such a key.
    pub const TEXT: Self = Self(16);

    /// The flags in a parameter. Unknown ones are dropped.
    pub fn new(bits: u16) -> Self {
        Self((bits & 31) as u8)
    }

    /// As a parameter.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The flags without those of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether none is set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all flags of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// How keys are reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KeyProtocol {
    /// The flags of the kitty protocol.
    pub kitty: KittyFlags,
    /// The level of modifyOtherKeys: 0 to 2. Without effect while a kitty flag is set.
    pub other_keys: u8,
}

impl KeyProtocol {
    /// Whether keys are reported as terminals always did.
    pub fn is_legacy(self) -> bool {
        self == Self::default()
    }

    /// A protocol that differs in everything.
    pub(super) fn other(self) -> Self {
        Self {
            kitty: KittyFlags(self.kitty.0 ^ 1),
            other_keys: self.other_keys ^ 1,
        }
    }

    /// The sequences that switch a terminal to this protocol from `before`.
    pub fn push_change(self, before: Self, out: &mut String) {
        if self.kitty != before.kitty {
            let _ = write!(out, "\x1b[={};1u", self.kitty.bits());
        }
        if self.other_keys != before.other_keys {
            let _ = write!(out, "\x1b[>4;{}m", self.other_keys);
        }
    }
}

/// A change of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyboardChange {
    /// `CSI = flags ; mode u`: the flags become these (1), or these are added (2) or removed (3).
    Set(KittyFlags, u16),
    /// `CSI > flags u`: saves the present flags, and sets these.
    Push(KittyFlags),
    /// `CSI < number u`: restores saved flags, as many times.
    Pop(u16),
    /// `CSI > 4 ; level m`: the level of modifyOtherKeys.
    OtherKeys(u16),
}

/// Greatest number of saved flags; the oldest are dropped. Programs nest a few times only (kitty has 8).
const MAX_SAVED: usize = 8;

/// The keyboard of a terminal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keyboard {
    /// The flags on the primary and on the alternate screen.
    kitty: [Flags; 2],
    other_keys: u8,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Flags {
    now: KittyFlags,
    saved: Vec<KittyFlags>,
}

impl Keyboard {
    /// The protocol on the primary or on the alternate screen.
    pub fn protocol(&self, alternate: bool) -> KeyProtocol {
        KeyProtocol {
            kitty: self.kitty[usize::from(alternate)].now,
            other_keys: self.other_keys,
        }
    }

    /// Applies a change on the primary or on the alternate screen.
    pub fn apply(&mut self, change: KeyboardChange, alternate: bool) {
        let flags = &mut self.kitty[usize::from(alternate)];
        match change {
            KeyboardChange::Set(set, mode) => {
                let KittyFlags(now) = flags.now;
                flags.now = match mode {
                    1 => set,
                    2 => KittyFlags(now | set.0),
                    3 => KittyFlags(now & !set.0),
                    _ => flags.now,
                };
            }
            KeyboardChange::Push(set) => {
                if flags.saved.len() == MAX_SAVED {
                    flags.saved.remove(0);
                }
                flags.saved.push(flags.now);
                flags.now = set;
            }
            KeyboardChange::Pop(count) => {
                for _ in 0..count.min(MAX_SAVED as u16 + 1) {
                    flags.now = flags.saved.pop().unwrap_or_default();
                }
            }
            KeyboardChange::OtherKeys(level @ 0..=2) => self.other_keys = level as u8,
            KeyboardChange::OtherKeys(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: KittyFlags = KittyFlags(1);

    #[test]
    fn flags_are_set_added_and_removed() {
        let mut keyboard = Keyboard::default();
        let mut now = |change| {
            keyboard.apply(change, false);
            keyboard.protocol(false).kitty.bits()
        };
        assert_eq!(now(KeyboardChange::Set(KittyFlags::new(5), 1)), 5);
        assert_eq!(now(KeyboardChange::Set(KittyFlags::new(2), 2)), 7);
        assert_eq!(now(KeyboardChange::Set(KittyFlags::new(5), 3)), 2);
        assert_eq!(now(KeyboardChange::Set(KittyFlags::new(1), 9)), 2);
        assert_eq!(now(KeyboardChange::Set(KittyFlags::new(0xffe0), 1)), 0);
    }

    #[test]
    fn flags_are_saved_for_each_screen() {
        let mut keyboard = Keyboard::default();
        keyboard.apply(KeyboardChange::Push(ONE), false);
        keyboard.apply(KeyboardChange::Push(KittyFlags::new(31)), true);
        assert_eq!(keyboard.protocol(false).kitty, ONE);
        assert_eq!(keyboard.protocol(true).kitty.bits(), 31);
        keyboard.apply(KeyboardChange::Pop(1), true);
        assert!(keyboard.protocol(true).is_legacy());
        assert_eq!(keyboard.protocol(false).kitty, ONE);
    }

    #[test]
    fn more_pops_than_pushes_leave_no_flag() {
        let mut keyboard = Keyboard::default();
        keyboard.apply(KeyboardChange::Set(ONE, 1), false);
        for n in 0..100 {
            keyboard.apply(KeyboardChange::Push(KittyFlags::new(n % 32)), false);
        }
        assert_eq!(keyboard.protocol(false).kitty.bits(), 99 % 32);
        keyboard.apply(KeyboardChange::Pop(2), false);
        assert_eq!(keyboard.protocol(false).kitty.bits(), 97 % 32);
        keyboard.apply(KeyboardChange::Pop(u16::MAX), false);
        assert_eq!(keyboard, Keyboard::default());
    }
}
