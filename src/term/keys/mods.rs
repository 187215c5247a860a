//! Modifiers of a key, and the prefixes that name them.

/// Modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Mods {
    pub(super) ctrl: bool,
    pub(super) alt: bool,
    pub(super) shift: bool,
}

/// Which modifier a prefix stands for.
#[derive(Clone, Copy)]
enum Modifier {
    Ctrl,
    Alt,
    Shift,
}

/// Spellings of the prefixes, in small letters.
const PREFIXES: [(&str, Modifier); 13] = [
    ("c-", Modifier::Ctrl),
    ("m-", Modifier::Alt),
    ("s-", Modifier::Shift),
    ("^", Modifier::Ctrl),
    ("ctrl+", Modifier::Ctrl),
    ("ctrl-", Modifier::Ctrl),
    ("control+", Modifier::Ctrl),
    ("alt+", Modifier::Alt),
    ("alt-", Modifier::Alt),
    ("meta+", Modifier::Alt),
    ("meta-", Modifier::Alt),
    ("shift+", Modifier::Shift),
    ("shift-", Modifier::Shift),
];

impl Mods {
    /// Takes the prefixes off a name. What is left is never empty: `^` and `-` are keys too.
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

    /// xterm's number for these modifiers: 1 is none.
    pub(super) fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.ctrl)
    }
}

/// Length of the prefix that a name begins with, and what it stands for.
fn prefix(name: &str) -> Option<(usize, Modifier)> {
    let begins = |&(prefix, _): &(&str, Modifier)| {
        let head = name.get(..prefix.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(prefix)) && name.len() > prefix.len()
    };
    let (prefix, modifier) = PREFIXES.into_iter().find(begins)?;
    Some((prefix.len(), modifier))
}
