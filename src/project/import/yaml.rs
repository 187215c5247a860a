//! YAML as a tree with places: what mprocs, process-compose and docker compose read.
//!
//! Scalars keep their text, because the three programs read the same scalar as different types. Aliases and merge
//! keys (`<<`) are resolved, within [`MAX_NODES`].

use std::collections::HashMap;
use std::path::Path;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::project::Fault;

/// Maximum number of values, with what aliases repeat: a few lines of aliases of aliases would fill the memory.
const MAX_NODES: usize = 100_000;

/// Maximum depth.
const MAX_DEPTH: usize = 64;

/// A value and where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) line: u32,
    col: u32,
    /// The number of values in it, with itself.
    size: usize,
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A text, a number, a truth value. `is_plain`: without quotes.
    Scalar {
        text: String,
        is_plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// A value of another language, at a line and a column.
    pub(super) fn at(value: Value, place: (u32, u32)) -> Self {
        node(value, place, 1)
    }

    /// Whether it is nothing: `null`, `~`, or no text at all.
    pub(super) fn is_null(&self) -> bool {
        let nothing = ["", "~", "null", "Null", "NULL"];
        matches!(&self.value, Value::Scalar { text, is_plain: true } if nothing.contains(&text.as_str()))
    }

    /// The text of a scalar that is not null.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// A truth value, also in the words of YAML 1.1.
    pub(super) fn flag(&self) -> Option<bool> {
        match self.text()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    /// The entries of a map.
    pub(super) fn entries(&self) -> Option<&[(String, Node)]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// A value of a map.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let (_, node) = self.entries()?.iter().find(|(name, _)| name == key)?;
        Some(node)
    }

    /// The texts of a list, or the one text.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        match &self.value {
            Value::List(items) => items.iter().map(Self::text).collect(),
            _ => self.text().map(|text| vec![text]),
        }
    }

    /// A fault at its place.
    pub(super) fn fault(&self, path: &Path, message: impl Into<String>) -> Fault {
        fault(path, (self.line, self.col), message)
    }
}

fn fault(path: &Path, (line, col): (u32, u32), message: impl Into<String>) -> Fault {
    let mut fault = Fault::of_file(path, message);
    (fault.line, fault.col) = (line, col);
    fault
}

/// Reads the first document of a file.
pub(super) fn parse(path: &Path, text: &str) -> Result<Node, Fault> {
    let mut reader = Reader {
        path,
        open: Vec::new(),
        anchors: HashMap::new(),
        nodes: 0,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser::new_from_str(text);
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| {
            let place = place(error.marker().line(), error.marker().col());
            fault(path, place, format!("is not valid YAML: {}", error.info()))
        })?;
        if let Some(root) = reader.event(event, span)? {
            return Ok(root);
        }
    }
    Err(fault(path, (1, 1), "the file is empty"))
}

/// A list or a map that is being read.
struct Open {
    place: (u32, u32),
    anchor: usize,
    what: What,
}

enum What {
    List(Vec<Node>),
    Map {
        entries: Vec<(String, Node)>,
        /// Maps of `<<`, whose entries come after the own ones.
        merged: Vec<Node>,
        key: Option<Key>,
    },
}

/// A key whose value is still to come.
struct Key {
    text: String,
    place: (u32, u32),
    /// Whether it is a plain `<<`; a quoted one is a name.
    merges: bool,
}

struct Reader<'a> {
    path: &'a Path,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
}

impl Reader<'_> {
    /// Takes an event. Returns the whole document at its end.
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<Option<Node>, Fault> {
        let place = place(span.start.line(), span.start.col());
        let is_alias = matches!(event, Event::Alias(_));
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => {
                if text.contains('\0') {
                    return Err(self.fault(place, "a text contains a NUL character"));
                }
                let value = Value::Scalar {
                    text: text.into_owned(),
                    is_plain: style == ScalarStyle::Plain,
                };
                (node(value, place, 1), anchor)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(known) => (known.clone(), 0),
                None => return Err(self.fault(place, "an alias is used inside of its own value")),
            },
            Event::SequenceStart(anchor, _) => {
                return self.begin(place, anchor, What::List(Vec::new()));
            }
            Event::MappingStart(anchor, _) => {
                let (entries, merged, key) = (Vec::new(), Vec::new(), None);
                let what = What::Map {
                    entries,
                    merged,
                    key,
                };
                return self.begin(place, anchor, what);
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => finish(open),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let new = if is_alias { node.size } else { 1 };
        self.nodes = self.nodes.saturating_add(new);
        if self.nodes > MAX_NODES {
            let message = format!("the file has more than {MAX_NODES} values, with its aliases");
            return Err(self.fault(place, message));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.put(node)
    }

    fn begin(
        &mut self,
        place: (u32, u32),
        anchor: usize,
        what: What,
    ) -> Result<Option<Node>, Fault> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.fault(place, format!("is nested more than {MAX_DEPTH} times")));
        }
        self.open.push(Open {
            place,
            anchor,
            what,
        });
        Ok(None)
    }

    /// Puts a value into the list or map that is being read; without one it is the document.
    fn put(&mut self, value: Node) -> Result<Option<Node>, Fault> {
        let path = self.path;
        let Some(open) = self.open.last_mut() else {
            return Ok(Some(value));
        };
        match &mut open.what {
            What::List(items) => items.push(value),
            What::Map {
                entries,
                merged,
                key,
            } => match key.take() {
                None => match value.value {
                    Value::Scalar { text, is_plain } => {
                        *key = Some(Key {
                            merges: is_plain && text == "<<",
                            text,
                            place: (value.line, value.col),
                        });
                    }
                    _ => return Err(value.fault(path, "a key must be a text")),
                },
                Some(key) if key.merges => match value.value {
                    Value::List(items) => merged.extend(items),
                    _ => merged.push(value),
                },
                Some(Key { text, place, .. }) => {
                    if entries.iter().any(|(known, _)| *known == text) {
                        let message = format!("the key {text:?} is there twice");
                        return Err(fault(path, place, message));
                    }
                    entries.push((text, value));
                }
            },
        }
        Ok(None)
    }

    fn fault(&self, place: (u32, u32), message: impl Into<String>) -> Fault {
        fault(self.path, place, message)
    }
}

fn node(value: Value, (line, col): (u32, u32), size: usize) -> Node {
    Node {
        value,
        line,
        col,
        size,
    }
}

fn finish(open: Open) -> (Node, usize) {
    let value = match open.what {
        What::List(items) => Value::List(items),
        What::Map {
            mut entries,
            merged,
            ..
        } => {
            let merged = merged.into_iter().filter_map(|node| match node.value {
                Value::Map(entries) => Some(entries),
                _ => None,
            });
            for (name, node) in merged.flatten() {
                if !entries.iter().any(|(known, _)| *known == name) {
                    entries.push((name, node));
                }
            }
            Value::Map(entries)
        }
    };
    let inside = match &value {
        Value::List(items) => items.iter().map(|node| node.size).sum(),
        Value::Map(entries) => entries.iter().map(|(_, node)| node.size).sum(),
        Value::Scalar { .. } => 0,
    };
    (node(value, open.place, 1 + inside), open.anchor)
}

/// A place as editors count: lines and columns from 1.
fn place(line: usize, col: usize) -> (u32, u32) {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    (number(line.max(1)), number(col + 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Node, Fault> {
        parse(Path::new("/p/x.yaml"), text)
    }

    #[test]
    fn scalars_keep_their_text() {
        let node = read("a: 010\nb: yes\nc: 'null'\nd:\ne: [x, 2]\nf: |\n  1\n  2\n").unwrap();
        let text = |key| node.get(key).unwrap().text();
        assert_eq!(text("a"), Some("010"));
        assert_eq!(node.get("b").unwrap().flag(), Some(true));
        assert_eq!(text("c"), Some("null"));
        assert!(node.get("d").unwrap().is_null());
        assert_eq!(node.get("e").unwrap().texts().unwrap(), ["x", "2"]);
        assert_eq!(text("f"), Some("1\n2\n"));
    }

    #[test]
    fn aliases_and_merge_keys_are_resolved() {
        let node = read("x: {\"<<\": {p: 1}}\n").unwrap();
        assert!(node.get("x").and_then(|x| x.get("<<")).is_some());
        let node = read("x: &a {p: 1, q: 2}\ny:\n  <<: *a\n  q: 3\nz: *a\n").unwrap();
        let y = node.get("y").unwrap();
        assert_eq!(y.get("p").unwrap().text(), Some("1"));
        assert_eq!(y.get("q").unwrap().text(), Some("3"));
        assert_eq!(node.get("z").unwrap().get("q").unwrap().text(), Some("2"));
    }

    #[test]
    fn mistakes_have_a_place() {
        let fails = |text: &str, at: (u32, u32), part: &str| {
            let fault = read(text).unwrap_err();
            assert_eq!((fault.line, fault.col), at, "{fault}");
            assert!(fault.message.contains(part), "{fault}");
        };
        fails("a: [1, 2\nb: 3\n", (2, 2), "is not valid YAML");
        fails("a: 1\nb:\n  c: 1\n  c: 2\n", (4, 3), "\"c\" is there twice");
        fails("", (1, 1), "empty");
        fails("a: \"x\\0\"\n", (1, 4), "NUL");
        fails(&"[".repeat(100), (1, 65), "nested");
    }

    #[test]
    fn aliases_of_aliases_do_not_fill_the_memory() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for n in 1..12 {
            let last = format!("*a{}", n - 1);
            let list = vec![last; 10].join(", ");
            text.push_str(&format!("a{n}: &a{n} [{list}]\n"));
        }
        let fault = read(&text).unwrap_err();
        assert!(fault.message.contains("more than 100000 values"), "{fault}");
    }
}
