//! Lays one table over another: `bgproc.local.toml` over `bgproc.toml`, a job over `[defaults]`.
//!
//! Tables merge, lists and other values replace. Of keys of which a table may have only one, such as `cmd` and
//! `run`, the ones below are dropped if the table above has one.

use std::collections::HashMap;

use super::keys;
use super::node::{Entry, Node, Table, Value};

/// What the merged tables are; this decides which keys exclude each other.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A whole file.
    Document,
    /// The table of all jobs.
    Jobs,
    /// One job.
    Job,
    /// A table with these exclusive keys.
    Part(&'static [&'static str]),
}

impl Kind {
    /// The kind of the table below `key`.
    fn of(self, key: &str) -> Self {
        match (self, key) {
            (Self::Document, "jobs") => Self::Jobs,
            (Self::Document, "defaults") | (Self::Jobs, _) => Self::Job,
            (Self::Job, "ready") => Self::Part(keys::CHECKS),
            (Self::Job, "stop") => Self::Part(keys::STOPS),
            (Self::Job, "schedule") => Self::Part(keys::TIMES),
            _ => Self::Part(&[]),
        }
    }

    /// The keys of which a table of this kind may have only one.
    fn exclusive(self) -> &'static [&'static str] {
        match self {
            Self::Document | Self::Jobs => &[],
            Self::Job => keys::PROGRAMS,
            Self::Part(exclusive) => exclusive,
        }
    }
}

/// Lays `above` over `below`.
pub(super) fn lay(below: &mut Table, above: Table, kind: Kind) {
    let exclusive = kind.exclusive();
    let is_one_of = |entry: &Entry| exclusive.contains(&entry.key.as_str());
    if above.entries.iter().any(is_one_of) {
        below.entries.retain(|entry| !is_one_of(entry));
    }
    // A file can have thousands of jobs, so each entry is not searched for.
    let keys = below.entries.iter().enumerate();
    let places: HashMap<String, usize> = keys.map(|(at, old)| (old.key.clone(), at)).collect();
    for entry in above.entries {
        let at = places.get(&entry.key);
        let Some(old) = at.and_then(|at| below.entries.get_mut(*at)) else {
            below.entries.push(entry);
            continue;
        };
        match (&mut old.node.value, entry.node.value) {
            (Value::Table(old), Value::Table(new)) => lay(old, new, kind.of(&entry.key)),
            (_, value) => {
                old.place = entry.place;
                old.node = Node {
                    value,
                    place: entry.node.place,
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::fault::Faults;
    use super::super::node::parse;
    use super::*;

    fn merged(below: &str, above: &str) -> String {
        let faults = Faults::default();
        let read = |name: &str, text: &str| parse(Path::new(name), text.as_bytes(), &faults);
        let mut table = read("a", below);
        lay(&mut table, read("b", above), Kind::Document);
        assert!(faults.is_empty());
        let mut lines = Vec::new();
        list(&table, "", &mut lines);
        lines.join(" ")
    }

    fn list(table: &Table, lead: &str, lines: &mut Vec<String>) {
        for entry in &table.entries {
            let key = format!("{lead}{}", entry.key);
            match &entry.node.value {
                Value::Table(table) => list(table, &format!("{key}."), lines),
                Value::Integer(number) => lines.push(format!("{key}={number}")),
                Value::Array(items) => lines.push(format!("{key}=[{}]", items.len())),
                other => lines.push(format!("{key}={}", other.kind())),
            }
        }
    }

    #[test]
    fn tables_merge_and_the_rest_is_replaced() {
        let below = "x = [1, 2]\n[jobs.a]\nport = 1\nenv = { A = 1, B = 2 }\n";
        let above = "x = [3]\n[jobs.a]\nenv = { B = 3, C = 4 }\n[jobs.b]\nport = 2\n";
        assert_eq!(
            merged(below, above),
            "x=[1] jobs.a.port=1 jobs.a.env.A=1 jobs.a.env.B=3 jobs.a.env.C=4 jobs.b.port=2"
        );
    }

    #[test]
    fn keys_that_exclude_each_other_are_dropped_below() {
        let below = "[jobs.a]\ncmd = [\"x\"]\nready = { port = 1, timeout = 2 }\n";
        let above = "[jobs.a]\nrun = \"y\"\nready = { quiet = 3 }\n";
        assert_eq!(
            merged(below, above),
            "jobs.a.ready.timeout=2 jobs.a.ready.quiet=3 jobs.a.run=a string"
        );
    }
}
