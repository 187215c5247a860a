//! Characters that change the order of the text around them (Unicode Annex #9), and other invisible
//! characters with an effect.
//!
//! Output of a job must not change the text beside it. Names and lines of a list show such a
//! character as a mark, and a row of the job's screen is isolated from the rest of the window.

use std::borrow::Cow;

/// First-strong isolate: the text up to the end of the isolate does not influence the text before
/// it.
const ISOLATE: &str = "\u{2068}";

/// Pop directional isolate: the end of an isolate.
const END: &str = "\u{2069}";

/// Whether `c` reorders text, ends a line for some programs, or is invisible, so that two names look the same or a name
/// says something to a model only. The joiners U+200C and U+200D stay: words of some languages and emoji need them.
pub fn acts(c: char) -> bool {
    reorders(c)
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
        )
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Whether `c` is a bidirectional mark, embedding, override or isolate.
fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The visible form of `c`: `<U+202E>`, as in `less`.
pub fn mark(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// The text to write before and after the pieces of a row to isolate it from its surroundings;
/// `None` if the row needs no isolation.
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
    // A PDI in the row would close our isolate, so open one more for each. A surplus PDI has no
    // effect.
    found.then(|| (ISOLATE.repeat(closed + 1), END.repeat(opened + closed + 1)))
}

/// `text`, isolated from its surroundings.
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
    fn a_row_that_reorders_is_isolated_even_if_it_closes_isolates() {
        assert_eq!(isolation(["plain", "日本", "שלום"].into_iter()), None);
        let (before, after) = isolation(["a\u{202e}b", "\u{2069}\u{2069}", "\u{2067}"].into_iter())
            .unwrap_or_default();
        assert_eq!(before, ISOLATE.repeat(3));
        assert_eq!(after, END.repeat(4));
        assert_eq!(isolated("plain"), "plain");
        assert_eq!(isolated("\u{202e}x"), "\u{2068}\u{202e}x\u{2069}");
    }

    #[test]
    fn a_mark_names_the_character() {
        assert_eq!(mark('\u{202e}'), "<U+202E>");
        assert!(acts('\u{feff}') && acts('\u{2028}') && !acts('\u{200d}'));
    }
}
