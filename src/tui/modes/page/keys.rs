//! The keys of DETAILS, MESSAGES and MISTAKES.

use crate::tui::keymap::actions;

actions! {
    /// What keys do on a page.
    Action of "page", "DETAILS, MESSAGES and MISTAKES";
    LineDown "line-down" ["j", "down"] "One line down";
    LineUp "line-up" ["k", "up"] "One line up";
    PageDown "page-down" ["ctrl-d", "pgdn", "space"] "A page down";
    PageUp "page-up" ["ctrl-u", "pgup"] "A page up";
    Top "top" ["g", "home"] "To the top";
    Last "end" ["G", "end"] "To the end";
    Copy "copy" ["y"] "Copy the page";
    Palette "commands" [":"] "All commands; they close this";
    Help "help" ["?"] "All keys";
    Leave "close" ["esc", "q", "ctrl-c"] "Back" Leaves;
}
