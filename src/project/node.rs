//! A TOML document whose keys and values have places, also after one file was merged over another.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::Faults;
use super::place::{Lines, Place};

/// What the TOML reader says of a key that is there twice. It does not say which one.
const DUPLICATE: &str = "duplicate key";

/// A value with its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) place: Place,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    String(String),
    /// A whole number. Numbers outside 64 bits are faults when they are read from the file.
    Integer(i64),
    Boolean(bool),
    Array(Vec<Node>),
    Table(Table),
    /// A value that no key has: its kind.
    Other(&'static str),
}

/// A table in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// The place of the key.
    pub(super) place: Place,
    pub(super) node: Node,
}

impl Table {
    /// The entry of a key.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }
}

impl Value {
    /// What it is, for people.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::String(_) => "a string",
            Self::Integer(_) => "a number",
            Self::Boolean(_) => "a boolean",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
            Self::Other(kind) => kind,
        }
    }
}

/// Reads a TOML text. If it is not valid TOML, the table is empty: faults in what is left of it would be
/// misleading.
pub(super) fn parse(path: &Path, bytes: &[u8], faults: &Faults) -> Table {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let valid = String::from_utf8_lossy(valid);
            let place = Lines::new(path, &valid).place(valid.len());
            faults.add(&place, "the file is not valid UTF-8 from here on");
            return Table::default();
        }
    };
    let lines = Lines::new(path, text);
    if let Some(at) = text.find('\0') {
        faults.add(&lines.place(at), "the file contains a NUL byte");
        return Table::default();
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return table(document.into_inner(), &lines, faults);
    }
    let mut last_line = 0;
    for error in errors {
        let place = lines.place(error.span().map_or(0, |span| span.start));
        // Further errors of the same line follow from the first one.
        if place.line != last_line {
            last_line = place.line;
            let message = error.message().replace('\n', ", ");
            let key = error.span().and_then(|span| text.get(span));
            let key = key.filter(|_| message == DUPLICATE);
            let key = key.map(|key| format!(" {key}")).unwrap_or_default();
            faults.add(&place, format!("invalid TOML: {message}{key}"));
        }
    }
    Table::default()
}

fn table(from: DeTable<'_>, lines: &Lines<'_>, faults: &Faults) -> Table {
    let mut entries: Vec<(usize, Entry)> = from
        .into_iter()
        .map(|(key, value)| {
            let start = key.span().start;
            let place = lines.place(start);
            let key = key.into_inner().into_owned();
            if key.contains('\0') {
                faults.add(&place, "a key contains a NUL character");
            }
            let node = node(value, lines, faults);
            (start, Entry { key, place, node })
        })
        .collect();
    entries.sort_by_key(|(start, _)| *start);
    Table {
        entries: entries.into_iter().map(|(_, entry)| entry).collect(),
    }
}

fn node(from: Spanned<DeValue<'_>>, lines: &Lines<'_>, faults: &Faults) -> Node {
    let place = lines.place(from.span().start);
    let value = match from.into_inner() {
        DeValue::String(text) if text.contains('\0') => {
            faults.add(&place, "the value contains a NUL character");
            Value::String(text.replace('\0', ""))
        }
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Other("a number that is too large"),
        },
        DeValue::Boolean(boolean) => Value::Boolean(boolean),
        DeValue::Float(_) => Value::Other("a number with a fraction"),
        DeValue::Datetime(_) => Value::Other("a date or time"),
        DeValue::Array(items) => {
            let items = items.into_iter().map(|item| node(item, lines, faults));
            Value::Array(items.collect())
        }
        DeValue::Table(inner) => Value::Table(table(inner, lines, faults)),
    };
    Node { value, place }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> (Table, Vec<String>) {
        let faults = Faults::default();
        let table = parse(Path::new("f"), text, &faults);
        let found = faults.finish().err().unwrap_or_default();
        (table, found.iter().map(ToString::to_string).collect())
    }

    fn below<'a>(table: &'a Table, key: &str) -> &'a Table {
        match &table.get(key).unwrap().value {
            Value::Table(table) => table,
            _ => unreachable!("no table"),
        }
    }

    #[test]
    fn keys_and_values_have_places() {
        let (table, faults) = read(b"b = 1\n[jobs.web]\ncmd = [\"x\",\n  \"y\"]\n[a]\n");
        assert_eq!(faults, Vec::<String>::new());
        let keys: Vec<&str> = table
            .entries
            .iter()
            .map(|entry| entry.key.as_str())
            .collect();
        assert_eq!(keys, ["b", "jobs", "a"]);
        let jobs = below(&table, "jobs");
        let web = jobs.entry("web").unwrap();
        assert_eq!(web.place.to_string(), "f:2:7");
        let cmd = below(jobs, "web").get("cmd").unwrap();
        let Value::Array(cmd) = &cmd.value else {
            unreachable!("no list");
        };
        assert_eq!(cmd[1].place.to_string(), "f:4:3");
    }

    #[test]
    fn all_faults_are_found() {
        let (table, faults) = read(b"a = \nb = 1\nb = 2\n");
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[1].starts_with("f:3:1: invalid TOML: "), "{faults:?}");
        assert!(table.entries.is_empty());
        let (_, faults) = read(b"c = \"\\u0000\"\n");
        assert_eq!(faults, ["f:1:5: the value contains a NUL character"]);
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let (_, faults) = read(b"a = 1\nb = \"\xff\"\n");
        assert_eq!(faults, ["f:2:6: the file is not valid UTF-8 from here on"]);
        let (_, faults) = read(b"a = 1\n\0\n");
        assert_eq!(faults, ["f:2:1: the file contains a NUL byte"]);
    }

    #[test]
    fn a_byte_order_mark_and_crlf_are_fine() {
        let (table, faults) = read("\u{feff}a = 1\r\nb = 2\r\n".as_bytes());
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(table.entries[1].place.to_string(), "f:2:1");
    }
}
