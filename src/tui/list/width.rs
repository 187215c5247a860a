//! The width of the list beside the pane, as a person has set it.

use crate::tui::model::Model;

/// Columns by which a key changes the width.
const STEP: u16 = 2;

/// Why there is no width to change.
pub const NO_DIVIDER: &str = "The list has a width of its own only beside the pane.";

/// Makes the list wider or narrower by a step.
pub fn change(model: &mut Model, wider: bool) {
    let Some(list) = model.layout().list.filter(|_| is_beside_pane(model)) else {
        model.note(NO_DIVIDER);
        return;
    };
    let width = if wider {
        list.width + STEP
    } else {
        list.width.saturating_sub(STEP)
    };
    set(model, width);
    if model.layout().list.map(|now| now.width) == Some(list.width) {
        model.note(if wider {
            "The pane needs the rest of the window."
        } else {
            "The list cannot be narrower."
        });
    }
}

/// Sets the width; the layout limits it to what leaves both parts readable.
pub fn set(model: &mut Model, width: u16) {
    model.list.width = Some(width);
    // What is remembered is a width that was shown.
    model.list.width = model.layout().list.map(|list| list.width);
    model.dirty = true;
}

/// Gives the list the width that follows from the window again.
pub fn reset(model: &mut Model) {
    model.list.width = None;
    model.dirty = true;
}

fn is_beside_pane(model: &Model) -> bool {
    model.layout().divider.is_some()
}
