//! The keys of RELOAD.

use crate::tui::keymap::actions;

actions! {
    /// What keys do on the plan of a reload.
    Action of "plan", "RELOAD: what a changed project file changes";
    Apply "apply" ["y"] "Apply all of it, but stop nothing that is not in the file" Confirms;
    Prune "prune" ["P"] "Apply it, and stop the jobs that are not in the file" Confirms;
    LineDown "line-down" ["j", "down"] "One line down";
    LineUp "line-up" ["k", "up"] "One line up";
    PageDown "page-down" ["ctrl-d", "pgdn", "space"] "A page down";
    PageUp "page-up" ["ctrl-u", "pgup"] "A page up";
    Leave "no" ["n", "esc", "q", "ctrl-c"] "No: change nothing" Leaves;
}
