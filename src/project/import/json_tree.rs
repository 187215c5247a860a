//! JSON with comments and trailing commas as the tree that the readers of YAML take.

use std::path::Path;

use jsonc_parser::ast::{self, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::yaml::{self, Node};
use crate::project::Fault;

/// What editors take for JSON with comments, and no more.
const FORM: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads a file. The parser bounds its depth.
pub(super) fn parse(path: &Path, text: &str) -> Result<Node, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let reader = Reader::new(text);
    let fault = |at: usize, message: String| {
        let mut fault = Fault::of_file(path, message);
        (fault.line, fault.col) = reader.place(at);
        fault
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &FORM).map_err(|error| {
        let what = error.kind().to_string();
        fault(error.range().start, format!("is not valid JSON: {what}"))
    })?;
    let root = parsed.value.map(|value| reader.tree(value));
    root.ok_or_else(|| fault(0, "the file is empty".to_owned()))
}

struct Reader<'a> {
    text: &'a str,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            lines: std::iter::once(0).chain(newlines).collect(),
        }
    }

    /// The line and the column of a byte, as editors count.
    fn place(&self, at: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|begin| *begin <= at);
        let begin = line.checked_sub(1).and_then(|line| self.lines.get(line));
        let before = self.text.get(begin.copied().unwrap_or(0)..at);
        let col = before.unwrap_or_default().chars().count() + 1;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (number(line), number(col))
    }

    fn tree(&self, value: ast::Value<'_>) -> Node {
        let place = self.place(value.range().start);
        let scalar = |text: String, is_plain| yaml::Value::Scalar { text, is_plain };
        let value = match value {
            ast::Value::StringLit(text) => scalar(text.value.into_owned(), false),
            ast::Value::NumberLit(number) => scalar(number.value.to_owned(), true),
            ast::Value::BooleanLit(value) => scalar(value.value.to_string(), true),
            ast::Value::NullKeyword(_) => scalar("null".to_owned(), true),
            ast::Value::Array(items) => {
                let items = items.elements.into_iter().map(|item| self.tree(item));
                yaml::Value::List(items.collect())
            }
            ast::Value::Object(object) => {
                let mut entries: Vec<(String, Node)> = Vec::new();
                for ObjectProp { name, value, .. } in object.properties {
                    let name = name.into_string();
                    // As everywhere in JSON, the last one of a name counts.
                    entries.retain(|(known, _)| *known != name);
                    entries.push((name, self.tree(value)));
                }
                yaml::Value::Map(entries)
            }
        };
        Node::at(value, place)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_no_mistakes() {
        let text = "\u{feff}// tasks\n{\n\t\"a\": [1, true, null, \"\\u00fc // no comment\",], /* b */\n\t\"a2\": {},\n}\n";
        let root = parse(Path::new("/p/x.json"), text).unwrap();
        let yaml::Value::List(items) = &root.get("a").unwrap().value else {
            panic!("{root:?}");
        };
        assert_eq!(items[0].text(), Some("1"));
        assert_eq!(items[1].flag(), Some(true));
        assert!(items[2].is_null());
        assert_eq!(items[3].text(), Some("ü // no comment"));
        assert_eq!(root.get("a2").unwrap().line, 4);
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, place) in [
            ("{\n  \"a\": ü\n}", (2, 8)),
            ("{\n  \"a\": 1\n  \"b\": 2\n}", (2, 9)),
            ("", (1, 1)),
        ] {
            let fault = parse(Path::new("/p/x.json"), text).unwrap_err();
            assert_eq!((fault.line, fault.col), place, "{fault}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(Path::new("/p/x.json"), &deep).is_err());
    }
}
