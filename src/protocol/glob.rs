//! Patterns over the names of jobs, like those of a shell over files: `*`, `?`, `[a-z]`, `[!x]`, `{web,api}`.
//!
//! Our own, on top of `regex`: in globset `?` matches one byte, so it does not match `ü`; in fast-glob `*` stops at
//! a slash.

use regex::Regex;

/// Maximum length of a pattern, in bytes. Any client may send one, and it is matched with every session.
const MAX_PATTERN: usize = 1000;

/// A pattern over a whole name.
#[derive(Clone, Debug)]
pub struct Glob(Option<Regex>);

impl Glob {
    /// Compiles a pattern. An invalid pattern (`[z-a]`), or one that is too long, matches nothing.
    pub fn new(pattern: &str) -> Self {
        if pattern.len() > MAX_PATTERN {
            return Self(None);
        }
        let expression = format!("^(?s:{})$", expression(pattern));
        Self(Regex::new(&expression).ok())
    }

    /// Whether `text` contains any pattern syntax.
    pub fn is_pattern(text: &str) -> bool {
        let has_choice = |at| Choice::of(&text[at + 1..]).is_some();
        text.contains(['*', '?', '[']) || text.match_indices('{').any(|(at, _)| has_choice(at))
    }

    /// Whether the pattern matches this name.
    pub fn fits(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(name))
    }
}

/// Converts a pattern into a regular expression.
fn expression(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' if out.ends_with(".*") => {}
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            '[' => match class(rest) {
                Some((members, tail)) => {
                    out.push_str(&bracket(members));
                    rest = tail;
                }
                None => out.push_str(r"\["),
            },
            '{' => match Choice::of(rest) {
                Some(Choice { options, tail }) => {
                    let options: Vec<String> = options.into_iter().map(expression).collect();
                    out.push_str(&format!("(?:{})", options.join("|")));
                    rest = tail;
                }
                None => out.push_str(r"\{"),
            },
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

/// Splits `rest`, which follows a `[`, into the content of the brackets and the text after them. A `]` at the start
/// is an ordinary character.
fn class(rest: &str) -> Option<(&str, &str)> {
    let members = rest.strip_prefix(['!', '^']).unwrap_or(rest);
    let first = members.chars().next()?.len_utf8();
    let close = rest.len() - members.len() + first + members[first..].find(']')?;
    Some((&rest[..close], &rest[close + 1..]))
}

/// Converts `!a-z` into `[^a-z]`, and escapes characters that are special only in regular expressions.
fn bracket(class: &str) -> String {
    let negated = class.starts_with(['!', '^']);
    let members = if negated { &class[1..] } else { class };
    let mut out = String::from(if negated { "[^" } else { "[" });
    for c in members.chars() {
        // The others need no escape, and may have none.
        if c.is_ascii_punctuation() && !matches!(c, '-' | '<' | '>') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push(']');
    out
}

/// The alternatives in braces. As in a shell, braces without a comma are ordinary characters.
struct Choice<'a> {
    options: Vec<&'a str>,
    tail: &'a str,
}

impl<'a> Choice<'a> {
    /// Parses the alternatives after a `{`.
    fn of(rest: &'a str) -> Option<Self> {
        let (mut depth, mut start, mut options) = (0_u32, 0, Vec::new());
        for (at, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' if depth == 0 => {
                    options.push(&rest[start..at]);
                    start = at + 1;
                }
                '}' => {
                    options.push(&rest[start..at]);
                    let tail = &rest[at + 1..];
                    return (options.len() > 1).then_some(Self { options, tail });
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_as_files_do_in_a_shell() {
        for (glob, name, fits) in [
            ("*", "", true),
            ("web*", "web-1", true),
            ("[🚀€<]*", "🚀 web", true),
            ("[!🚀>]eb", "web", true),
            ("[<>]", ">", true),
            ("w?b", "web", true),
            ("?", "ü", true),
            ("?", "", false),
            ("*-1", "a-1-1", true),
            ("a*b*c", "axxbxxbc", true),
            ("web", "webs", false),
            ("a*c", "a/b/c", true),
            ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[!a-c]x", "dx", true),
            ("[^a-c]x", "bx", false),
            ("[ä-ü]", "ö", true),
            ("[]a]", "]", true),
            ("[!]a]", "]", false),
            ("[!^]", "^", false),
            ("[ab", "[ab", true),
            ("a[z-a]", "az", false),
            ("a[b&&c]", "a&", true),
            ("{web,api}-*", "api-2", true),
            ("{web,api}-*", "db-2", false),
            ("{a,{b,c}x}", "cx", true),
            ("{a,}b", "b", true),
            ("{[ab],?x}", "zx", true),
            ("{a}", "{a}", true),
            ("a{b", "a{b", true),
            ("!web", "db", false),
            ("w.b", "wab", false),
            ("a|b", "a", false),
            (r"\.*", r"\.x", true),
            ("**", "a/b", true),
        ] {
            assert_eq!(Glob::new(glob).fits(name), fits, "{glob} {name}");
        }
    }

    #[test]
    fn a_pattern_that_is_too_much_fits_nothing_and_does_no_harm() {
        for part in ["{", "{a,", "[", "*", "?", "{a,b}"] {
            Glob::new(&part.repeat(MAX_PATTERN / part.len())).fits("a");
            assert!(!Glob::new(&part.repeat(1 << 20)).fits("a"));
        }
    }

    #[test]
    fn a_pattern_means_more_than_itself() {
        for (text, expected) in [
            ("web", false),
            ("a{b}", false),
            ("a,b", false),
            ("a{b,c}", true),
            ("{{a,b}", true),
            ("w*", true),
            ("w?b", true),
            ("[w]", true),
        ] {
            assert_eq!(Glob::is_pattern(text), expected, "{text}");
        }
    }
}
