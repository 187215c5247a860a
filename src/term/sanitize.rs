//! Makes names and titles from untrusted sources safe to show on a terminal.

use super::bidi;

/// Returns `text` without control characters and escape sequences. Characters that reorder the text
/// around them are replaced by marks ([`bidi::mark`]).
///
/// A newline or tab becomes one space, to keep words apart.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            _ if bidi::acts(c) => out.push_str(&bidi::mark(c)),
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips the rest of a sequence after its ESC.
fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_csi(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_string(chars);
        }
        _ => {
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(c));
        }
    }
}

/// Skips parameters, intermediates and the final byte of a control sequence.
fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(c));
}

/// Skips a control string up to its terminator. An unterminated string extends to the end of the
/// text.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next() {
        match c {
            '\u{7}' | '\u{9c}' | '\u{18}' | '\u{1a}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn text_is_kept_and_control_sequences_are_removed() {
        assert_eq!(clean("naïve ✓ 日本"), "naïve ✓ 日本");
        assert_eq!(clean("a\x1b[31mred\x1b[0m\x07b\x7f"), "aredb");
        assert_eq!(clean("x\x1b]0;title\x07y\x1bPq\x1b\\z"), "xyz");
        assert_eq!(clean("one\r\ntwo\tthree"), "one  two three");
        assert_eq!(clean("\x1b(0lqk\x1bc\u{9b}5mz"), "lqkz");
        assert_eq!(clean("cod\u{202e}exe.txt"), "cod<U+202E>exe.txt");
        assert_eq!(clean("end\x1b"), "end");
        assert_eq!(clean("open\x1b]52;c;aGk"), "open");
    }
}
