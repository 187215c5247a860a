//! Modifiers of a key, and the prefixes that name them.

/// Modifiers of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Mods {
    pub(super) ctrl: bool,
    pub(super) alt: bool,
    pub(super) shift: bool,
}

/// The modifier that a prefix names.
#[derive(Clone, Copy)]
enum Modifier {
    Ctrl,
    Alt,
    Shift,
}

/// Spellings of the prefixes, in lower case.
const PREFIXES: [(&str, Modifier); 14] = [
    ("c-", Modifier::Ctrl),
    ("m-", Modifier::Alt),
    ("s-", Modifier::Shift),
    ("^", Modifier::Ctrl),
    ("ctrl+", Modifier::Ctrl),
    ("ctrl-", Modifier::Ctrl),
    ("control+", Modifier::Ctrl),
    ("control-", Modifier::Ctrl),
    ("alt+", Modifier::Alt),
    ("alt-", Modifier::Alt),
    ("meta+", Modifier::Alt),
    ("meta-", Modifier::Alt),
    ("shift+", Modifier::Shift),
    ("shift-", Modifier::Shift),
];

impl Mods {
    /// Removes the prefixes from a name. The rest is never empty, because `^` and `-` are keys too.
    pub(super) fn split(name: &str) -> (Self, &str) {
        let (mut mods, mut rest) = (Self::default(), name);
        while let Some((length, modifier)) = prefix(rest) {
            rest = &rest[length..];
            match modifier {
                Modifier::Ctrl => mods.ctrl = true,
                Modifier::Alt => mods.alt = true,
                Modifier::Shift => mods.shift = true,
            }
        }
        (mods, rest)
    }

    /// Whether a character with these modifiers is still text.
    pub(super) fn is_text(self) -> bool {
        !self.ctrl && !self.alt
    }

    /// Whether Shift is the only modifier.
    pub(super) fn is_shift(self) -> bool {
        self.shift && self.is_text()
    }

    /// xterm's number for these modifiers; 1 means none.
    pub(super) fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.ctrl)
    }
}

/// Length of the prefix at the beginning of a name, and its modifier.
fn prefix(name: &str) -> Option<(usize, Modifier)> {
    let begins = |&(prefix, _): &(&str, Modifier)| {
        let head = name.get(..prefix.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(prefix)) && name.len() > prefix.len()
    };
    let (prefix, modifier) = PREFIXES.into_iter().find(begins)?;
    Some((prefix.len(), modifier))
}
