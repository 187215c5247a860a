//! What the terminal of the view has answered. It is asked once, when the view opens, and answers at any later
//! time. What it has not answered, it cannot do.

use crate::protocol::colors::TerminalColors;
use crate::term::colors::parse;
use crate::term::keyboard::{KeyProtocol, KittyFlags};
use crate::tui::window::Abilities;

/// The queries: colours of text, background, cursor and palette; what is left of attributes that are set (DECRQSS),
/// and capabilities (XTGETTCAP Smulx and Setulc), since terminals answer the one or the other; the kitty keyboard
/// protocol and modifyOtherKeys; then the device attributes (DA1). Every terminal answers the last, so that no
/// further answer comes after it.
pub const QUERY: &str = concat!(
    "\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b]12;?\x1b\\",
    "\x1b]4;0;?;1;?;2;?;3;?;4;?;5;?;6;?;7;?;8;?;9;?;10;?;11;?;12;?;13;?;14;?;15;?\x1b\\",
    "\x1b[4:3;53;58:5:1m\x1bP$qm\x1b\\\x1b[m\x1bP+q536d756c78\x1b\\\x1bP+q536574756c63\x1b\\",
    "\x1b[?u\x1b[?4m\x1b[c",
);

/// The answers so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answers {
    /// Whether answers are still pending.
    pub are_pending: bool,
    /// Whether the terminal has the kitty keyboard protocol.
    pub has_kitty: bool,
    /// Whether the terminal has modifyOtherKeys.
    pub has_other_keys: bool,
    /// Colour of text, as `0xRRGGBB`.
    pub foreground: Option<u32>,
    /// Colour of the background.
    pub background: Option<u32>,
    /// Colour of the cursor.
    pub cursor: Option<u32>,
    /// The first sixteen colours of the palette.
    pub palette: [Option<u32>; 16],
    /// What the terminal can show.
    pub can: Abilities,
    colors: Option<TerminalColors>,
}

impl Answers {
    /// Takes note of what the terminal has answered to a query. Ignores other reports.
    pub fn note(&mut self, reply: &[u8]) {
        let Ok(text) = std::str::from_utf8(reply) else {
            return;
        };
        if let Some(body) = text.strip_prefix("\x1b]") {
            let body = body.strip_suffix("\x1b\\").or(body.strip_suffix('\x07'));
            self.color(body.unwrap_or_default());
        } else if let Some(body) = text.strip_prefix("\x1b[?") {
            match body.chars().last() {
                Some('c') => {
                    self.are_pending = false;
                    self.colors = self.told();
                    // There is no query for links (OSC 8). A terminal that answers ignores what it does not know.
                    self.can.links = true;
                }
                Some('u') => self.has_kitty = true,
                _ => {}
            }
        } else if let Some(body) = text.strip_prefix("\x1bP1") {
            self.ability(body.strip_suffix("\x1b\\").unwrap_or(body));
        } else if text.starts_with("\x1b[>4;") && text.ends_with('m') {
            self.has_other_keys = true;
        }
    }

    fn color(&mut self, body: &str) {
        let Some((number, rest)) = body.split_once(';') else {
            return;
        };
        match number {
            "4" => {
                let Some((index, color)) = rest.split_once(';') else {
                    return;
                };
                let slot = index.parse().ok();
                let slot = slot.and_then(|index: usize| self.palette.get_mut(index));
                if let Some(slot) = slot {
                    *slot = parse(color).or(*slot);
                }
            }
            "10" => self.foreground = parse(rest).or(self.foreground),
            "11" => self.background = parse(rest).or(self.background),
            "12" => self.cursor = parse(rest).or(self.cursor),
            _ => {}
        }
    }

    /// Takes note of attributes (`$r0;4:3m`), or of a capability (`+r536d756c78=…`).
    fn ability(&mut self, body: &str) {
        if let Some(sgr) = body
            .strip_prefix("$r")
            .and_then(|sgr| sgr.strip_suffix('m'))
        {
            for attribute in sgr.split(';') {
                match attribute {
                    "4:3" => self.can.underline_kinds = true,
                    "53" => self.can.overline = true,
                    _ => self.can.underline_colors |= attribute.starts_with("58:"),
                }
            }
        } else if let Some(name) = body.strip_prefix("+r") {
            let is = |hex: &str| {
                name.get(..hex.len())
                    .is_some_and(|own| own.eq_ignore_ascii_case(hex))
            };
            self.can.underline_kinds |= is("536d756c78");
            self.can.underline_colors |= is("536574756c63");
        }
    }

    /// The colours, for the programs in jobs; `None` if the terminal has told none, or may tell more.
    pub fn colors(&self) -> Option<&TerminalColors> {
        self.colors.as_ref()
    }

    fn told(&self) -> Option<TerminalColors> {
        let spelt = |color: Option<u32>| color.map(|color| format!("#{color:06x}"));
        let palette = self.palette.iter().map_while(|color| spelt(*color));
        self.background?;
        Some(TerminalColors {
            foreground: spelt(self.foreground),
            background: spelt(self.background),
            cursor: spelt(self.cursor),
            palette: palette.collect(),
        })
    }

    /// Whether the terminal can be switched to another protocol.
    pub fn can_switch(&self) -> bool {
        self.has_kitty || self.has_other_keys
    }

    /// The protocol that the terminal can be switched to, so that a program that has asked for `wanted` gets its
    /// keys: the same one, the nearest one, or none.
    pub fn best(&self, wanted: KeyProtocol) -> KeyProtocol {
        match () {
            _ if wanted.is_legacy() => wanted,
            _ if self.has_kitty && wanted.kitty.is_empty() => KeyProtocol {
                kitty: KittyFlags::DISAMBIGUATE,
                other_keys: 0,
            },
            _ if self.has_kitty => KeyProtocol {
                other_keys: 0,
                ..wanted
            },
            _ if self.has_other_keys => KeyProtocol {
                kitty: KittyFlags::default(),
                other_keys: 2,
            },
            _ => KeyProtocol::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(replies: &[&str]) -> Answers {
        let mut answers = Answers {
            are_pending: true,
            ..Answers::default()
        };
        for reply in replies {
            answers.note(reply.as_bytes());
        }
        answers
    }

    #[test]
    fn takes_note_of_colours() {
        let answers = after(&[
            "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
            "\x1b]10;rgb:ff/ff/ff\x07",
            "\x1b]12;rgb:00/ff/00\x07",
            "\x1b]4;1;rgb:cd/00/00\x07",
            "\x1b]4;16;rgb:cd/00/00\x07",
        ]);
        assert_eq!(answers.background, Some(0x1e_1e_1e));
        assert_eq!(answers.foreground, Some(0xff_ff_ff));
        assert_eq!(answers.cursor, Some(0x00_ff_00));
        assert_eq!(answers.palette[1], Some(0xcd_00_00));
        assert!(answers.are_pending);
        assert!(!after(&["\x1b[?62;4c"]).are_pending);
    }

    #[test]
    fn takes_note_of_what_the_terminal_can_show() {
        let xterm = after(&["\x1bP1$r0;4:3;53;58:5:1m\x1b\\", "\x1b[?64c"]).can;
        let all = Abilities {
            underline_kinds: true,
            underline_colors: true,
            overline: true,
            links: true,
        };
        assert_eq!(xterm, all);
        let plain = after(&["\x1bP1$r0;4m\x1b\\", "\x1bP0+r536D756C78\x1b\\"]).can;
        assert_eq!(plain, Abilities::default());
        let told = after(&[
            "\x1bP1+r536D756C78=1B\x1b\\",
            "\x1bP1+r536574756C63=1B\x1b\\",
        ])
        .can;
        assert!(told.underline_kinds && told.underline_colors && !told.overline);
    }

    #[test]
    fn ignores_what_is_no_answer() {
        let nothing = after(&[]);
        for text in [
            "\x1b]11;?\x07",
            "\x1b]11;rgb:ff/ff\x07",
            "\x1b]11;rgb:zz/ff/ff\x07",
            "\x1b]4;x;rgb:0/0/0\x07",
            "\x1b]4;1\x07",
            "\x1b]",
            "\x1b[?",
            "\x1b[1;1R",
            "\x1b[>41;379;0c",
        ] {
            assert_eq!(after(&[text]), nothing, "{text:?}");
        }
    }

    #[test]
    fn the_best_protocol_is_what_the_terminal_has() {
        let flags = |bits| KeyProtocol {
            kitty: KittyFlags::new(bits),
            other_keys: 0,
        };
        let other = |other_keys| KeyProtocol {
            kitty: KittyFlags::default(),
            other_keys,
        };
        let kitty = after(&["\x1b[?0u"]);
        let xterm = after(&["\x1b[>4;0m"]);
        let old = after(&[]);
        assert_eq!(kitty.best(flags(7)), flags(7));
        assert_eq!(kitty.best(other(2)), flags(1));
        assert_eq!(xterm.best(flags(7)), other(2));
        assert_eq!(xterm.best(other(1)), other(2));
        assert_eq!(old.best(flags(7)), flags(0));
        assert_eq!(kitty.best(flags(0)), flags(0));
    }
}
