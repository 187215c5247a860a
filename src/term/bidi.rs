//! Characters that change the order of the text around them (Unicode Annex #9), and others that act without showing.
//!
//! A job that writes one may not change what stands beside its output: a name or a line of a list shows it as a
//! mark, and a row of its screen is isolated from the rest of the window.

use std::borrow::Cow;

/// First-strong isolate: what follows has no influence on the text before it, up to its end.
const ISOLATE: &str = "\u{2068}";

/// The end of an isolate.
const END: &str = "\u{2069}";

/// Whether `c` reorders text, ends a line for some programs, or is nothing but a byte order mark.
pub fn acts(c: char) -> bool {
    reorders(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Bidirectional marks, embeddings, overrides and isolates.
fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// How `c` is shown where it may not act: `<U+202E>`, as in `less`.
pub fn mark(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// What to write before and after the pieces of a row so that it changes nothing around it; `None`: it does not
/// anyway.
pub fn isolation<'a>(pieces: impl Iterator<Item = &'a str>) -> Option<(String, String)> {
    let (mut found, mut opened, mut closed) = (false, 0, 0);
    for c in pieces.flat_map(str::chars).filter(|c| reorders(*c)) {
        found = true;
        match c {
            '\u{2066}'..='\u{2068}' => opened += 1,
            '\u{2069}' => closed += 1,
            _ => {}
        }
    }
    // An end of the row's own would close ours; one too many closes nothing.
    found.then(|| (ISOLATE.repeat(closed + 1), END.repeat(opened + closed + 1)))
}

/// `text` so that it changes nothing around it.
pub fn isolated(text: &str) -> Cow<'_, str> {
    match isolation(std::iter::once(text)) {
        Some((before, after)) => format!("{before}{text}{after}").into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_reorders_is_isolated_whatever_it_closes_itself() {
        assert_eq!(isolation(["plain", "日本", "שלום"].into_iter()), None);
        let (before, after) = isolation(["a\u{202e}b", "\u{2069}\u{2069}", "\u{2067}"].into_iter())
            .unwrap_or_default();
        assert_eq!(before, ISOLATE.repeat(3));
        assert_eq!(after, END.repeat(4));
        assert_eq!(isolated("plain"), "plain");
        assert_eq!(isolated("\u{202e}x"), "\u{2068}\u{202e}x\u{2069}");
    }

    #[test]
    fn marks_name_the_character() {
        assert_eq!(mark('\u{202e}'), "<U+202E>");
        assert!(acts('\u{feff}') && acts('\u{2028}') && !acts('\u{200d}'));
    }
}
