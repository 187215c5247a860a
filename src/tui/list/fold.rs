//! Folds and unfolds the groups of the list.

use super::reconcile::reconcile_rows;
use super::select;
use crate::tui::model::group_key::GroupKey;
use crate::tui::model::rows::Row;
use crate::tui::model::{Model, Selected};

/// Folds the group of the selected job and selects its header, or unfolds the selected group.
pub fn group(model: &mut Model, close: bool) {
    if !can_fold(model) {
        return;
    }
    let Some(key) = model.group_key() else {
        return;
    };
    model.list.stale = true;
    if close {
        model.list.folded.insert(key.clone());
        select::to(model, Selected::Group(key));
    } else {
        model.list.folded.remove(&key);
    }
}

/// Folds all groups; unfolds them if all are folded.
pub fn all(model: &mut Model) {
    reconcile_rows(model);
    if !can_fold(model) {
        return;
    }
    let groups = model.list.rows.iter().filter_map(|row| match row {
        Row::Group(group) => Some(group),
        Row::Job(_) => None,
    });
    let keys: Vec<GroupKey> = groups.map(|group| group.key.clone()).collect();
    let here = model.group_key();
    model.list.stale = true;
    if keys.iter().all(|key| model.list.folded.contains(key)) {
        model.list.folded.clear();
        return;
    }
    model.list.folded.extend(keys);
    if let Some(key) = here {
        select::to(model, Selected::Group(key));
    }
}

/// Said if the list has no headings.
pub fn nothing_to_fold(model: &Model) -> &'static str {
    if model.jobs.is_empty() {
        "There is no job yet."
    } else {
        "The list has one group; there is nothing to fold."
    }
}

/// Whether the list has groups that can be folded; if not, tells why.
fn can_fold(model: &mut Model) -> bool {
    let is_headed = matches!(model.list.rows.first(), Some(Row::Group(_)));
    let is_filtered = !model.query().is_empty();
    if !is_headed {
        model.note(nothing_to_fold(model));
    } else if is_filtered {
        model.note(format!(
            "A filter shows all groups unfolded. {} clears it.",
            model.key("esc")
        ));
    }
    is_headed && !is_filtered
}
