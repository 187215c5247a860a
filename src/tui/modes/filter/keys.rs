//! The keys of FILTER.

use crate::tui::keymap::actions;

actions! {
    /// What keys do that are not text.
    Action of "filter", "FILTER: narrow the list", edits_text: true;
    Accept "keep" ["enter"] "Keep the filter";
    Leave "clear" ["esc", "ctrl-c"] "Clear the filter" Leaves;
    Down "down" ["down"] "Next row";
    Up "up" ["up"] "Row above";
}
