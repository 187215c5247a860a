//! Escapes text for XML and HTML, and says which links a page may have.

use crate::term::extras::Link;

/// Appends `text` with all markup escaped. Characters that XML cannot represent (control characters
/// and noncharacters) become U+FFFD.
pub(super) fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// The target of a link, if a reader may follow it. A page must not run what a program has printed.
pub(super) fn target(link: &Link) -> Option<&str> {
    let (scheme, _) = link.uri.split_once(':')?;
    let allowed = ["http", "https", "mailto", "ftp", "file"];
    let is_allowed = allowed
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    is_allowed.then_some(&link.uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        let mut out = String::new();
        escape("<b a=\"1\">&amp;\u{1b}\u{9b}\u{ffff}é", &mut out);
        let expected = "&lt;b a=&quot;1&quot;&gt;&amp;amp;\u{fffd}\u{fffd}\u{fffd}é";
        assert_eq!(out, expected);
    }
}
