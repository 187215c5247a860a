//! TOML as the tree that the readers of YAML take.

use std::path::Path;

use super::yaml;
use crate::project::Fault;
use crate::project::fault::Faults;
use crate::project::node::{self, Entry, Node, Table, Value};

/// Reads a file.
pub(super) fn parse(path: &Path, text: &str) -> Result<yaml::Node, Fault> {
    let faults = Faults::default();
    let table = node::parse(path, text.as_bytes(), &faults);
    match faults.finish() {
        Ok(_) => Ok(yaml::Node::at(map(table), (1, 1))),
        Err(found) => {
            let first = found.into_iter().next();
            Err(first.unwrap_or_else(|| Fault::of_file(path, "is not valid TOML")))
        }
    }
}

fn map(table: Table) -> yaml::Value {
    let entries = table.entries.into_iter().map(|Entry { key, place, node }| {
        let is_table = matches!(node.value, Value::Table(_));
        let mut node = tree(node);
        // The place of `[daemons.web]` is that of its name.
        if is_table {
            node = yaml::Node::at(node.value, (place.line, place.col));
        }
        (key, node)
    });
    yaml::Value::Map(entries.collect())
}

fn tree(node: Node) -> yaml::Node {
    let scalar = |text: String, is_plain| yaml::Value::Scalar { text, is_plain };
    let value = match node.value {
        Value::String(text) => scalar(text, false),
        Value::Integer(number) => scalar(number.to_string(), true),
        Value::Boolean(value) => scalar(value.to_string(), true),
        Value::Array(items) => yaml::Value::List(items.into_iter().map(tree).collect()),
        Value::Table(table) => map(table),
        Value::Other(kind) => scalar(kind.to_owned(), true),
    };
    yaml::Node::at(value, (node.place.line, node.place.col))
}
