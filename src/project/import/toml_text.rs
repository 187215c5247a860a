//! TOML as text, in the order in which it is written, with comments.
//!
//! A library would keep neither the order of our keys nor the form that people like: short tables in one line, long
//! commands over several lines. What is written here is read back by the tests.

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Toml {
    Bool(bool),
    Integer(i64),
    Text(String),
    List(Vec<Toml>),
    Table(Vec<(String, Toml)>),
}

impl From<&str> for Toml {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Toml {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl FromIterator<String> for Toml {
    fn from_iter<T: IntoIterator<Item = String>>(texts: T) -> Self {
        Self::List(texts.into_iter().map(Self::Text).collect())
    }
}

impl Toml {
    /// A table in one line.
    pub(super) fn table<'a>(entries: impl IntoIterator<Item = (&'a str, Toml)>) -> Self {
        let entries = entries.into_iter();
        Self::Table(
            entries
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }

    /// The value as text. Only a text that is the whole value of a key may stand on several lines.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Text(text) => self::text(text),
            other => other.inline(),
        }
    }

    fn inline(&self) -> String {
        let joined = |items: Vec<String>| items.join(", ");
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Text(text) => quoted(text),
            Self::List(items) => {
                format!("[{}]", joined(items.iter().map(Self::inline).collect()))
            }
            Self::Table(entries) if entries.is_empty() => "{}".to_owned(),
            Self::Table(entries) => {
                let entries = entries
                    .iter()
                    .map(|(name, value)| format!("{} = {}", key(name), value.inline()));
                format!("{{ {} }}", joined(entries.collect()))
            }
        }
    }
}

/// A key, in quotes if it needs them.
pub(super) fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if !name.is_empty() && name.chars().all(is_bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// Lines of a comment. Control characters, which TOML forbids there, become blanks.
pub(super) fn comment(text: &str) -> String {
    let is_end = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let lines = text.split(is_end).filter(|line| !line.trim().is_empty());
    let lines = lines.map(|line| {
        let clean = line.chars().map(|c| if c.is_control() { ' ' } else { c });
        format!("# {}\n", clean.collect::<String>().trim_end())
    });
    lines.collect()
}

/// A text, over several lines if it has them and that is possible without escapes.
fn text(text: &str) -> String {
    let is_plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    let is_literal = text.contains('\n')
        && text.chars().all(is_plain)
        && !text.contains("'''")
        && !text.ends_with('\'');
    if is_literal {
        // The first newline is not part of the text.
        format!("'''\n{text}'''")
    } else {
        quoted(text)
    }
}

/// A text in quotes, in one line.
fn quoted(text: &str) -> String {
    // A command with quotes and without apostrophes stays readable.
    let is_literal =
        text.contains(['"', '\\']) && !text.contains('\'') && !text.chars().any(char::is_control);
    if is_literal {
        return format!("'{text}'");
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(text: &str) -> toml::Value {
        let table: toml::Table = toml::from_str(text).unwrap();
        table.into_iter().next().unwrap().1
    }

    #[test]
    fn values_are_written_as_people_write_them() {
        let same = |value: Toml, text: &str| assert_eq!(value.written(), text);
        same("npm start".into(), "\"npm start\"");
        same("echo \"a\"".into(), "'echo \"a\"'");
        same("a\nb".into(), "'''\na\nb'''");
        same("a\r\nb".into(), "\"a\\r\\nb\"");
        same(
            Toml::table([("run", "a\nb".into()), ("x y", Toml::Bool(false))]),
            "{ run = \"a\\nb\", \"x y\" = false }",
        );
        same(Toml::Table(Vec::new()), "{}");
        assert_eq!(comment("a\u{1b}[1m\r\n\nb "), "# a [1m\n# b\n");
    }

    proptest! {
        #[test]
        fn any_text_is_read_back(text in "\\PC*|[\u{0}-\u{7f}\u{85}\u{2028}'\"\\\\\n\r]*", name in "\\PC*") {
            let line = format!("{} = {}\n", key(&name), Toml::from(text.as_str()).written());
            let read = back(&line);
            prop_assert_eq!(read.as_str(), Some(text.as_str()), "{}", line);
            let list = Toml::List(vec![Toml::from(text.as_str())]);
            let list = back(&format!("k = {}\n", list.written()));
            prop_assert_eq!(list[0].as_str(), Some(text.as_str()));
            let commented = format!("{}k = 1\n", comment(&text));
            prop_assert_eq!(back(&commented).as_integer(), Some(1));
        }
    }
}
