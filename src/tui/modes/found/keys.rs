//! The keys of FOUND.

use crate::tui::keymap::actions;

actions! {
    /// What keys do that are not text.
    Action of "found", "FOUND: matches in all jobs", edits_text: true;
    Accept "go" ["enter"] "Go to the line in its job";
    Down "down" ["down", "ctrl-n"] "Next match";
    Up "up" ["up", "ctrl-p"] "Match above";
    PageDown "page-down" ["pgdn"] "A page down";
    PageUp "page-up" ["pgup"] "A page up";
    Context "context" ["tab"] "Lines around each match, on or off";
    Leave "close" ["esc", "ctrl-c"] "Back" Leaves;
}
