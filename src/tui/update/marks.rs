//! Marked jobs: verbs act on all of them.

use crate::tui::model::Model;

/// Marks the selected job, or takes its mark away.
pub(super) fn toggle(model: &mut Model) {
    model.note("This is not built yet.");
}

/// Marks all that show, or takes all marks away.
pub(super) fn all(model: &mut Model) {
    model.note("This is not built yet.");
}

/// Types into all marked jobs.
pub(super) fn type_all(model: &mut Model) {
    model.note("This is not built yet.");
}
