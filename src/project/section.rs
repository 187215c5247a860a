//! Reads the keys of one table, each with its type. What is wrong is collected; the caller goes on.

use std::ops::RangeInclusive;

use super::fault::Faults;
use super::keys;
use super::node::{Entry, Node, Table, Value};
use super::place::Place;
use super::short;
use crate::protocol::duration;

/// A text with its place.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) place: Place,
}

/// A table that is read, with its name for people, such as `jobs.web.ready`.
#[derive(Clone)]
pub(super) struct Section<'a> {
    pub(super) table: &'a Table,
    pub(super) name: String,
    /// The place of its name.
    pub(super) place: Place,
    pub(super) faults: &'a Faults,
}

impl<'a> Section<'a> {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.table.get(key)
    }

    /// Whether the key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Reports a key of this section.
    pub(super) fn wrong(&self, place: &Place, key: &str, must: &str) {
        let owner = self.owner();
        self.faults
            .add(place, format!("\"{key}\"{owner} must be {must}"));
    }

    /// Reports a value of the wrong type or outside its range.
    fn mistyped(&self, node: &Node, key: &str, must: &str) {
        let kind = node.value.kind();
        self.wrong(&node.place, key, &format!("{must}, not {kind}"));
    }

    /// ` in [jobs.web]`, or nothing for the file itself.
    pub(super) fn owner(&self) -> String {
        match self.name.as_str() {
            "" => String::new(),
            name => format!(" in [{name}]"),
        }
    }

    /// Reports the keys that are not among `known`. Returns whether one of them probably means a key of `meant`.
    pub(super) fn only(&self, known: &[&'static str], meant: &[&str]) -> bool {
        let mut is_meant = false;
        for Entry { key, place, node } in &self.table.entries {
            if known.contains(&key.as_str()) || self.faults.is_full() {
                continue;
            }
            let guess = keys::nearest_key(key, known);
            is_meant |= guess.is_some_and(|guess| meant.contains(&guess));
            let hint = match (guess, &node.value) {
                (Some("cmd"), Value::String(line)) => {
                    format!(". Did you mean \"cmd\"? A shell line is run = {line:?}")
                }
                (Some(guess), _) => format!(". Did you mean \"{guess}\"?"),
                (None, _) => format!("; known keys are {}", known.join(", ")),
            };
            let owner = self.owner();
            self.faults
                .add(place, format!("unknown key \"{key}\"{owner}{hint}"));
        }
        is_meant
    }

    /// The one key of `choices` that is there. Several are a fault; so is none if one is `needed`.
    pub(super) fn one_of(&self, choices: &[&'static str], needed: bool) -> Option<&'static str> {
        let given: Vec<&'static str> = choices
            .iter()
            .copied()
            .filter(|key| self.has(key))
            .collect();
        match given[..] {
            [one] => Some(one),
            [] if needed => {
                let choices = choices.join(", ");
                let message = format!("[{}] needs one of {choices}", self.name);
                self.faults.add(&self.place, message);
                None
            }
            [] => None,
            [first, second, ..] => {
                let place = self.table.entry(second).map(|entry| &entry.place);
                let message = format!(
                    "[{}] has both \"{first}\" and \"{second}\"; keep one of them",
                    self.name
                );
                self.faults.add(place.unwrap_or(&self.place), message);
                None
            }
        }
    }

    /// A table below a key.
    pub(super) fn section(&self, key: &str) -> Option<Section<'a>> {
        let entry = self.table.entry(key)?;
        let Value::Table(table) = &entry.node.value else {
            let given = match &entry.node.value {
                Value::String(text) if key == "restart" => format!("{text:?}"),
                Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
                value => value.kind().to_owned(),
            };
            let form = match key {
                "restart" => short::RESTARTS,
                "watch" => short::WATCHES,
                _ => "a table",
            };
            let example = short::example(key, &entry.node.value);
            let example = example.map(|line| format!("; write {line}"));
            let must = format!("{form}, not {given}{}", example.unwrap_or_default());
            self.wrong(&entry.node.place, key, &must);
            return None;
        };
        Some(self.below(entry, table))
    }

    /// The section of a table in one of the entries.
    pub(super) fn below(&self, entry: &'a Entry, table: &'a Table) -> Section<'a> {
        let name = match self.name.as_str() {
            "" => entry.key.clone(),
            name => format!("{name}.{}", entry.key),
        };
        Section {
            table,
            name,
            place: entry.place.clone(),
            faults: self.faults,
        }
    }

    /// A string.
    pub(super) fn text(&self, key: &str) -> Option<Text> {
        self.text_as(key, "a string")
    }

    /// A string; `must` says what it must be if it is something else.
    pub(super) fn text_as(&self, key: &str, must: &str) -> Option<Text> {
        self.text_of(self.get(key)?, key, must)
    }

    /// A string that is not empty. An empty one is the same as none.
    pub(super) fn filled(&self, key: &str) -> Option<Text> {
        self.text(key).filter(|text| !text.text.is_empty())
    }

    fn text_of(&self, node: &Node, key: &str, must: &str) -> Option<Text> {
        match &node.value {
            Value::String(text) => Some(Text {
                text: text.clone(),
                place: node.place.clone(),
            }),
            _ => {
                self.mistyped(node, key, must);
                None
            }
        }
    }

    /// A list of strings.
    pub(super) fn texts(&self, key: &str) -> Option<Vec<Text>> {
        let node = self.get(key)?;
        let must = "a list of strings";
        match &node.value {
            Value::Array(items) => {
                let texts = items.iter();
                Some(
                    texts
                        .filter_map(|item| self.text_of(item, key, must))
                        .collect(),
                )
            }
            Value::String(text) => {
                let must = format!("{must}: [{text:?}]");
                self.wrong(&node.place, key, &must);
                None
            }
            _ => {
                self.mistyped(node, key, must);
                None
            }
        }
    }

    /// `true` or `false`.
    pub(super) fn boolean(&self, key: &str) -> Option<bool> {
        let node = self.get(key)?;
        match node.value {
            Value::Boolean(boolean) => Some(boolean),
            _ => {
                self.mistyped(node, key, "true or false");
                None
            }
        }
    }

    /// A whole number in a range.
    pub(super) fn number(&self, key: &str, range: RangeInclusive<i64>) -> Option<i64> {
        self.number_of(self.get(key)?, key, range)
    }

    /// A whole number in a range, from a node.
    pub(super) fn number_of(
        &self,
        node: &Node,
        key: &str,
        range: RangeInclusive<i64>,
    ) -> Option<i64> {
        let must = format!("a number from {} to {}", range.start(), range.end());
        match node.value {
            Value::Integer(number) if range.contains(&number) => Some(number),
            Value::Integer(number) => {
                self.wrong(&node.place, key, &format!("{must}, not {number}"));
                None
            }
            _ => {
                self.mistyped(node, key, &must);
                None
            }
        }
    }

    /// A duration with its unit, in milliseconds.
    pub(super) fn duration(&self, key: &str) -> Option<u64> {
        let text = self.text_as(key, "a duration such as \"10s\"")?;
        self.duration_of(&text, key)
    }

    /// A duration with its unit, in milliseconds, from a text.
    pub(super) fn duration_of(&self, text: &Text, key: &str) -> Option<u64> {
        // The command line reads a number without a unit as seconds. A file is read by people who did not write
        // it, so it says the unit.
        let has_unit = text.text.ends_with(|c: char| c.is_ascii_alphabetic());
        let read = has_unit.then(|| duration::parse(&text.text).ok()).flatten();
        if read.is_none() {
            let must = format!(
                "a duration with a unit, such as 500ms, 10s, 5m or 2h, not {:?}",
                text.text
            );
            self.wrong(&text.place, key, &must);
        }
        read.map(duration::millis)
    }

    /// One of several words.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(key)?;
        self.word_of(&text, key, words)
    }

    /// One of several words, from a text.
    pub(super) fn word_of<T: Copy>(
        &self,
        text: &Text,
        key: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let found = words.iter().find(|(word, _)| *word == text.text);
        if found.is_none() {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let must = format!("one of {}, not {:?}", names.join(", "), text.text);
            self.wrong(&text.place, key, &must);
        }
        found.map(|(_, value)| *value)
    }
}
