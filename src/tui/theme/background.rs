//! Whether the terminal is dark or light. The terminal is queried and replies at any later time;
//! until then the environment decides, with dark as the default.

/// Queries the background colour, then the device attributes (DA1). Every terminal answers the
/// second query, so no further reply comes after that one.
pub const QUERY: &[u8] = b"\x1b]11;?\x1b\\\x1b[c";

/// Brightness of the background.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shade {
    /// Light text on dark.
    #[default]
    Dark,
    /// Dark text on light.
    Light,
}

impl Shade {
    /// The shade in `COLORFGBG`, which holds the numbers of two of the sixteen colours, the
    /// background last.
    pub fn of_colorfgbg(value: &str) -> Self {
        match value.rsplit(';').next() {
            Some("7" | "9" | "10" | "11" | "12" | "13" | "14" | "15") => Self::Light,
            _ => Self::Dark,
        }
    }
}

/// A reply to [`QUERY`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The brightness of the background.
    Shade(Shade),
    /// The device attributes, which is the last reply.
    Last,
}

/// Parses a reply of the terminal; `None` if it is not a reply to [`QUERY`].
pub fn answer(reply: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(reply).ok()?;
    if text.starts_with("\x1b[?") && text.ends_with('c') {
        return Some(Answer::Last);
    }
    let body = text.strip_prefix("\x1b]11;")?;
    let body = body
        .strip_suffix("\x1b\\")
        .or_else(|| body.strip_suffix('\x07'))?;
    let channels = body
        .strip_prefix("rgb:")
        .or_else(|| body.strip_prefix("rgba:"))?;
    let mut channels = channels.split('/').map(channel);
    let (r, g, b) = (channels.next()??, channels.next()??, channels.next()??);
    // Luma (Rec. 709) is close enough to perceived brightness.
    let luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    Some(Answer::Shade(if luma > 0.5 {
        Shade::Light
    } else {
        Shade::Dark
    }))
}

/// Converts one to four hexadecimal digits to a channel value from 0 to 1.
fn channel(digits: &str) -> Option<f32> {
    let value = u16::from_str_radix(digits, 16).ok()?;
    let most = match digits.len() {
        1 => 0xf_u16,
        2 => 0xff,
        3 => 0xfff,
        4 => 0xffff,
        _ => return None,
    };
    Some(f32::from(value) / f32::from(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_background_replies() {
        let shade = |text: &str| answer(text.as_bytes());
        let (dark, light) = (
            Some(Answer::Shade(Shade::Dark)),
            Some(Answer::Shade(Shade::Light)),
        );
        assert_eq!(shade("\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"), dark);
        assert_eq!(shade("\x1b]11;rgb:fd/f6/e3\x07"), light);
        assert_eq!(shade("\x1b]11;rgba:ffff/ffff/ffff/ffff\x07"), light);
        assert_eq!(shade("\x1b]11;rgb:f/0/0\x07"), dark);
        assert_eq!(shade("\x1b[?62;4c"), Some(Answer::Last));
    }

    #[test]
    fn rejects_other_replies() {
        for text in [
            "\x1b]10;rgb:ff/ff/ff\x07",
            "\x1b]11;?\x07",
            "\x1b]11;rgb:ff/ff\x07",
            "\x1b]11;rgb:zz/ff/ff\x07",
            "\x1b[1;1R",
        ] {
            assert_eq!(answer(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn reads_the_shade_from_colorfgbg() {
        assert_eq!(Shade::of_colorfgbg("0;15"), Shade::Light);
        assert_eq!(Shade::of_colorfgbg("0;default;7"), Shade::Light);
        assert_eq!(Shade::of_colorfgbg("15;0"), Shade::Dark);
        assert_eq!(Shade::of_colorfgbg("7;8"), Shade::Dark);
        assert_eq!(Shade::of_colorfgbg(""), Shade::Dark);
    }
}
