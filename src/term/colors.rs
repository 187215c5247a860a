//! The colours that a program is told when it asks for them.

use super::palette::{BACKGROUND, FOREGROUND, indexed};

/// The colours of a terminal, as `0xRRGGBB`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Colors {
    /// Text.
    pub foreground: u32,
    /// Background.
    pub background: u32,
    /// The cursor.
    pub cursor: u32,
    /// The first sixteen colours of the palette, or as many as are known.
    pub palette: Vec<u32>,
}

impl Default for Colors {
    /// Those of a dark xterm.
    fn default() -> Self {
        Self {
            foreground: FOREGROUND,
            background: BACKGROUND,
            cursor: FOREGROUND,
            palette: Vec::new(),
        }
    }
}

impl Colors {
    /// A colour of the palette.
    pub fn indexed(&self, index: u8) -> u32 {
        let known = self.palette.get(usize::from(index));
        known.copied().unwrap_or_else(|| indexed(index))
    }

    /// Whether the background is light.
    pub fn is_light(&self) -> bool {
        is_light(self.background)
    }
}

/// Whether a colour is nearer to white than to black.
pub fn is_light(color: u32) -> bool {
    let [_, r, g, b] = color.to_be_bytes().map(f32::from);
    // Luma (Rec. 709) is close enough to perceived brightness.
    0.2126 * r + 0.7152 * g + 0.0722 * b > 127.5
}

/// Reads a colour in X11 notation (`rgb:RR/GG/BB` with one to four digits each, as terminals report it, or
/// `#RRGGBB`).
pub fn parse(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix('#') {
        let is_good = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        return is_good
            .then(|| u32::from_str_radix(digits, 16).ok())
            .flatten();
    }
    let channels = text
        .strip_prefix("rgb:")
        .or_else(|| text.strip_prefix("rgba:"))?;
    let mut channels = channels.split('/').map(channel);
    let (r, g, b) = (channels.next()??, channels.next()??, channels.next()??);
    Some(u32::from_be_bytes([0, r, g, b]))
}

/// One to four hexadecimal digits as a value from 0 to 255.
fn channel(digits: &str) -> Option<u8> {
    let value = u32::from(u16::from_str_radix(digits, 16).ok()?);
    let most = match digits.len() {
        length @ 1..=4 => (1_u32 << (4 * length)) - 1,
        _ => return None,
    };
    u8::try_from((value * 255 + most / 2) / most).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_terminals_report() {
        for (text, color) in [
            ("rgb:ffff/8080/0000", Some(0xff_80_00)),
            ("rgb:ff/80/00", Some(0xff_80_00)),
            ("rgb:f/8/0", Some(0xff_88_00)),
            ("rgba:0000/0000/ffff/ffff", Some(0x00_00_ff)),
            ("#102030", Some(0x10_20_30)),
            ("#10203", None),
            ("#+02030", None),
            ("rgb:12345/0/0", None),
            ("rgb:ff/80", None),
            ("red", None),
            ("", None),
        ] {
            assert_eq!(parse(text), color, "{text:?}");
        }
    }

    #[test]
    fn what_is_not_known_is_as_in_xterm() {
        let colors = Colors {
            palette: vec![0x01_02_03],
            ..Colors::default()
        };
        assert_eq!(colors.indexed(0), 0x01_02_03);
        assert_eq!(colors.indexed(1), indexed(1));
        assert!(!colors.is_light());
        assert!(is_light(0xfd_f6_e3));
    }
}
