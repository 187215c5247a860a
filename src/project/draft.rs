//! A job as it is written: what cannot be decided before all files are read.

use std::collections::BTreeMap;

use super::job::Job;
use super::keys;
use super::node::{Entry, Value};
use super::place::Place;
use super::section::{Section, Text};
use crate::protocol::project::Level;

/// A job whose needs and group are not resolved yet.
pub(super) struct Draft {
    /// Its full name, such as `web/dev`.
    pub(super) name: String,
    /// The place of its name.
    pub(super) place: Place,
    pub(super) job: Job,
    /// Whether `ready` is written, even if it has faults.
    pub(super) has_ready: bool,
    /// Whether `port` is written and has faults.
    pub(super) is_port_bad: bool,
    pub(super) needs: Vec<DraftNeed>,
    pub(super) group: Option<Text>,
    /// Where its ports are written.
    pub(super) ports: BTreeMap<String, Place>,
}

/// A need as it is written.
pub(super) struct DraftNeed {
    /// The other job.
    pub(super) job: Text,
    /// The level; `None`: the natural one.
    pub(super) is: Option<Level>,
    pub(super) restart: bool,
}

/// A group as it is written.
pub(super) struct DraftGroup {
    /// Its full name.
    pub(super) name: String,
    pub(super) jobs: Vec<Text>,
    pub(super) group: super::group::Group,
}

/// The words of a need's level.
const LEVELS: &[(&str, Level)] = &[
    ("started", Level::Started),
    ("ready", Level::Ready),
    ("ok", Level::Ok),
    ("done", Level::Done),
];

impl DraftNeed {
    /// Reads `needs` of a job: a list of names, or a table of names and levels.
    pub(super) fn read(section: &Section<'_>) -> Vec<Self> {
        let natural = |job| Self {
            job,
            is: None,
            restart: false,
        };
        match section.table.entry("needs") {
            Some(entry) => match &entry.node.value {
                Value::Table(table) => {
                    let below = section.below(entry, table);
                    table
                        .entries
                        .iter()
                        .map(|entry| need(&below, entry))
                        .collect()
                }
                _ => section
                    .texts("needs")
                    .unwrap_or_default()
                    .into_iter()
                    .map(natural)
                    .collect(),
            },
            None => Vec::new(),
        }
    }
}

fn need(section: &Section<'_>, entry: &Entry) -> DraftNeed {
    let job = Text {
        text: entry.key.clone(),
        place: entry.place.clone(),
    };
    let (is, restart) = match &entry.node.value {
        Value::Table(table) => {
            let long = section.below(entry, table);
            long.only(keys::NEED, &[]);
            let is = long.word("is", LEVELS);
            (is, long.boolean("restart").unwrap_or_default())
        }
        _ => (section.word(&entry.key, LEVELS), false),
    };
    DraftNeed { job, is, restart }
}
