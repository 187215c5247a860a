//! Markers: characters behind the text of cells.

use std::borrow::Cow;

/// The first marker.
const FIRST: u32 = 0xe_0200;

/// The first two of the four bytes that all markers have in UTF-8.
const LEAD: [u8; 2] = [0xf3, 0xa0];

/// The bytes of a marker in UTF-8.
const BYTES: usize = 4;

/// A place in the table of a screen, as a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marker(char);

impl Marker {
    /// The number of markers: U+E0200 to U+E0FFF.
    pub const COUNT: usize = 0xe00;

    /// The marker for a place; `None` if there are not so many.
    pub fn new(index: usize) -> Option<Self> {
        let index = u32::try_from(index).ok().filter(|_| index < Self::COUNT)?;
        char::from_u32(FIRST + index).map(Self)
    }

    /// The marker that a character is.
    pub fn of(c: char) -> Option<Self> {
        Self::new((u32::from(c).checked_sub(FIRST)?) as usize)
    }

    /// The place.
    pub fn index(self) -> usize {
        (u32::from(self.0) - FIRST) as usize
    }

    /// The character.
    pub fn char(self) -> char {
        self.0
    }
}

/// The text of a cell, and its marker.
pub fn split(contents: &str) -> (&str, Option<Marker>) {
    let bytes = contents.as_bytes();
    let at = bytes.len().wrapping_sub(BYTES);
    if bytes.get(at..at.wrapping_add(2)) != Some(&LEAD) {
        return (contents, None);
    }
    match Marker::of(contents[at..].chars().next().unwrap_or_default()) {
        None => (contents, None),
        marker => (&contents[..at], marker),
    }
}

/// Text without markers.
pub fn strip(text: &str) -> Cow<'_, str> {
    if has_any(text) {
        Cow::Owned(text.chars().filter(|c| Marker::of(*c).is_none()).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether text may have markers.
pub(super) fn has_any(text: &str) -> bool {
    text.as_bytes().windows(2).any(|two| two == LEAD)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use unicode_width::UnicodeWidthChar;

    use super::*;

    #[test]
    fn every_marker_has_no_width_and_four_bytes() {
        for index in 0..Marker::COUNT {
            let marker = Marker::new(index).unwrap();
            assert_eq!(marker.index(), index);
            assert_eq!(marker.char().width(), Some(0), "{index}");
            assert_eq!(marker.char().len_utf8(), BYTES);
            let text = format!("a\u{301}{}", marker.char());
            assert!(has_any(&text));
            assert_eq!(split(&text), ("a\u{301}", Some(marker)));
            assert_eq!(strip(&text), "a\u{301}");
        }
        assert_eq!(Marker::new(Marker::COUNT), None);
    }

    #[test]
    fn other_text_has_no_marker() {
        for text in ["", "a", "é", "日", "a\u{e0100}", "\u{e0041}", "\u{10fffd}"] {
            assert_eq!(split(text), (text, None));
            assert_eq!(strip(text), text);
        }
    }
}
