//! Makes names, titles and screens from untrusted sources safe to show on a terminal.

use super::bidi;

/// Returns `text` without control characters and escape sequences. Characters that reorder the text
/// around them are replaced by marks ([`bidi::mark`]).
///
/// A newline or tab becomes one space, to keep words apart.
pub fn clean(text: &str) -> String {
    without_sequences(text, |c, out| match c {
        '\n' | '\r' | '\t' => out.push(' '),
        _ if bidi::acts(c) => out.push_str(&bidi::mark(c)),
        _ if c.is_control() => {}
        _ => out.push(c),
    })
}

/// The rows of a screen, without control characters but the newlines between them. If it is `styled`, attributes (SGR) and
/// links (OSC 8) stay.
pub fn screen(text: &str, styled: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let sequences = text.match_indices('\u{1b}').filter(|_| styled);
    for (at, _) in sequences {
        let length = style_length(&text[at..]).filter(|_| at >= from);
        if let Some(length) = length {
            out.push_str(&rows(&text[from..at]));
            out.push_str(&text[at..at + length]);
            from = at + length;
        }
    }
    out.push_str(&rows(&text[from..]));
    out
}

fn rows(text: &str) -> String {
    without_sequences(text, |c, out| {
        if c == '\n' || !c.is_control() {
            out.push(c);
        }
    })
}

/// The length of the attributes or the link with which a text begins.
fn style_length(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix("\u{1b}[") {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')?;
        return rest[end..]
            .starts_with('m')
            .then_some("\u{1b}[".len() + end + 1);
    }
    let rest = text.strip_prefix("\u{1b}]8;")?;
    let end = rest.find(char::is_control)?;
    let is_ended = rest[end..].starts_with("\u{1b}\\");
    is_ended.then_some("\u{1b}]8;".len() + end + "\u{1b}\\".len())
}

/// The text without escape sequences; `plain` adds what each other character becomes.
fn without_sequences(text: &str, plain: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            _ => plain(c, &mut out),
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
    use super::{clean, screen};

    #[test]
    fn of_a_screen_only_text_attributes_and_links_are_kept() {
        let link = "\x1b]8;id=1;https://e/\x1b\\b\x1b]8;;\x1b\\";
        let styled = format!("\x1b[1;4:3ma\x1b[m\n{link}");
        assert_eq!(screen(&styled, true), styled);
        assert_eq!(screen(&styled, false), "a\nb");
        let hostile = "x\x1b]0;OWNED\x07\x1b[2J\x1b]52;c;aGk\x1b[31my\x1b[?25lz\r\t\x07";
        assert_eq!(screen(hostile, true), "x\x1b[31myz");
        assert_eq!(screen("a\x1b]8;;u\x07b\x1b[6nc", true), "abc");
    }

    #[test]
    fn text_is_kept_and_control_sequences_are_removed() {
        assert_eq!(clean("naïve ✓ 日本"), "naïve ✓ 日本");
        assert_eq!(clean("a\x1b[31mred\x1b[0m\x07b\x7f"), "aredb");
        assert_eq!(clean("x\x1b]0;title\x07y\x1bPq\x1b\\z"), "xyz");
        assert_eq!(clean("one\r\ntwo\tthree"), "one  two three");
        assert_eq!(clean("\x1b(0lqk\x1bc\u{9b}5mz"), "lqkz");
        assert_eq!(clean("cod\u{202e}exe.txt"), "cod<U+202E>exe.txt");
        assert_eq!(
            clean("a\u{200b}b\u{2060}\u{feff}"),
            "a<U+200B>b<U+2060><U+FEFF>"
        );
        assert_eq!(clean("\u{e0041}\u{e007f}"), "<U+E0041><U+E007F>");
        assert_eq!(clean("x\u{200c}\u{200d}y"), "x\u{200c}\u{200d}y");
        assert_eq!(clean("end\x1b"), "end");
        assert_eq!(clean("open\x1b]52;c;aGk"), "open");
    }
}
