//! Short forms of keys that are tables: `restart = "always"`, `watch = ["src"]`. They are spelled out before files are
//! laid over each other, so that both forms merge.

use super::node::{Entry, Node, Table, Value};
use crate::protocol::policy::RestartWhen;
use crate::protocol::{RestartPolicy, duration};

/// What `restart` may be.
pub(super) const RESTARTS: &str = "never, on-failure, always, on-failure:N, always:N, or a table such as { when = \"always\", max = 5 }";

/// What `watch` may be.
pub(super) const WATCHES: &str = "a list of at least one path, or a table";

/// Spells out the short forms in a file.
pub(super) fn spell_out(file: &mut Table) {
    for entry in &mut file.entries {
        let Value::Table(table) = &mut entry.node.value else {
            continue;
        };
        match entry.key.as_str() {
            "defaults" => job(table),
            "jobs" => table.entries.iter_mut().for_each(|entry| {
                if let Value::Table(table) = &mut entry.node.value {
                    job(table);
                }
            }),
            _ => {}
        }
    }
}

fn job(table: &mut Table) {
    for Entry { key, node, .. } in &mut table.entries {
        let long = match (key.as_str(), &node.value) {
            ("restart", Value::String(text)) => restart(text, node),
            ("watch", Value::Array(paths)) if !paths.is_empty() => {
                Some(vec![part("paths", node.value.clone(), node)])
            }
            _ => None,
        };
        if let Some(entries) = long {
            node.value = Value::Table(Table { entries });
        }
    }
}

/// The words of `run --restart`, and `never`. `None` for others.
fn restart(text: &str, node: &Node) -> Option<Vec<Entry>> {
    let word = if text == "never" { "no" } else { text };
    let policy = RestartPolicy::parse(word)?;
    let when = match policy.policy {
        RestartWhen::Never => "never",
        RestartWhen::OnFailure => "on-failure",
        RestartWhen::Always => "always",
    };
    let max = Value::Integer(policy.max_retries().into());
    let mut entries = vec![part("when", Value::String(when.to_owned()), node)];
    if policy.policy != RestartWhen::Never {
        entries.push(part("max", max, node));
    }
    Some(entries)
}

/// A key of a table that was spelled out, at the place of the short form.
fn part(key: &str, value: Value, node: &Node) -> Entry {
    let place = node.place.clone();
    Entry {
        key: key.to_owned(),
        place: place.clone(),
        node: Node { value, place },
    }
}

/// How a value of a key that must be a table is probably meant.
pub(super) fn example(key: &str, value: &Value) -> Option<String> {
    let inner = match (key, value) {
        ("env", Value::Array(items)) => variables(items)?,
        ("schedule", Value::String(text)) if text.contains([' ', '@']) => {
            format!("cron = {text:?}")
        }
        ("schedule", Value::String(text)) if duration::parse(text).is_ok() => {
            format!("every = {text:?}")
        }
        ("ready", Value::Integer(port)) => format!("port = {port}"),
        ("ready", Value::String(text)) if text.starts_with("http:") => format!("http = {text:?}"),
        ("ready", Value::String(text)) if text.starts_with("https:") => {
            format!("exec = {:?}", format!("curl -fsS {text}"))
        }
        ("ready", Value::String(text)) => format!("log = {text:?}"),
        ("stop", Value::String(text)) => format!("signal = {text:?}"),
        ("limits", Value::String(text)) => format!("memory = {text:?}"),
        ("watch", Value::String(text)) => return Some(format!("watch = [{text:?}]")),
        _ => return None,
    };
    Some(format!("{key} = {{ {inner} }}"))
}

/// `["A=1", "B=x"]` as the entries of a table.
fn variables(items: &[Node]) -> Option<String> {
    let entry = |item: &Node| match &item.value {
        Value::String(text) => {
            let (name, value) = text.split_once('=')?;
            let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(is_bare) {
                return None;
            }
            Some(format!("{name} = {value:?}"))
        }
        _ => None,
    };
    let entries: Option<Vec<String>> = items.iter().map(entry).collect();
    entries
        .filter(|entries| !entries.is_empty())
        .map(|entries| entries.join(", "))
}
