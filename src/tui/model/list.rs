//! The list of jobs: its rows, what is selected and marked in it, and what restricts it.

use std::collections::{BTreeSet, HashSet};

use super::group_key::GroupKey;
use super::rows::Row;
use super::sort::Sort;
use crate::protocol::SessionId;

/// What is selected in the list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Selected {
    /// Nothing: there are no rows.
    #[default]
    Nothing,
    /// A job.
    Job(SessionId),
    /// The header of a group, by its key.
    Group(GroupKey),
}

/// The list of jobs.
#[derive(Default)]
pub struct List {
    /// The text of the filter.
    pub filter: String,
    /// What was selected before the list was filtered.
    pub unfiltered: Selected,
    /// Keys of folded groups.
    pub folded: HashSet<GroupKey>,
    /// Sort order of the list.
    pub sort: Sort,
    /// Marked jobs; verbs act on all of them.
    pub marked: BTreeSet<SessionId>,
    /// The rows of the list, kept up to date by `update`.
    pub rows: Vec<Row>,
    /// What is selected in the list.
    pub selected: Selected,
    /// What the last view had selected, until the first list has arrived.
    pub remembered: Selected,
    /// Index of the selected row, for when that row disappears.
    pub cursor: usize,
    /// Index of the first visible row of the list.
    pub top: usize,
    /// The width of the list in columns that a person has set; `None` if it follows from the window.
    pub width: Option<u16>,
    /// The job that was selected before the current one.
    pub previous: Option<SessionId>,
    /// Since when the current row is selected.
    pub selected_at: i64,
    /// Whether `rows` must be rebuilt.
    pub stale: bool,
}

impl List {
    /// An empty list with a filter.
    pub fn new(filter: String) -> Self {
        Self {
            filter,
            stale: true,
            ..Self::default()
        }
    }
}
