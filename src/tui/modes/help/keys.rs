//! The keys of HELP.

use crate::tui::keymap::actions;

actions! {
    /// What keys do that do not narrow the page.
    Action of "help", "HELP: this page";
    LineDown "scroll" ["down"] "One line down";
    LineUp "up" ["up"] "One line up";
    PageDown "page" ["ctrl-d", "pgdn"] "A page down";
    PageUp "page-up" ["ctrl-u", "pgup"] "A page up";
    Leave "close" ["esc", "?", "q", "ctrl-c"] "Back; letters narrow this page" Leaves;
}
