//! The keys of COMPARE.

use crate::tui::keymap::actions;

actions! {
    /// What keys do while two logs are compared.
    Action of "compare", "COMPARE: two logs side by side";
    NextDifference "next-difference" ["n"] "Next difference";
    PreviousDifference "previous-difference" ["N"] "Previous difference";
    LineDown "line-down" ["j", "down"] "One line down";
    LineUp "line-up" ["k", "up"] "One line up";
    PageDown "page-down" ["ctrl-d", "pgdn", "space"] "A page down";
    PageUp "page-up" ["ctrl-u", "pgup"] "A page up";
    Left "left" ["h", "left"] "Long lines: further left";
    Right "right" ["l", "right"] "Long lines: further right";
    Top "top" ["g", "home"] "To the top";
    Last "end" ["G", "end"] "To the end";
    Reload "reload" ["r"] "Read both logs again";
    Palette "commands" [":"] "All commands; they close this";
    Help "help" ["?"] "All keys";
    Leave "close" ["esc", "q", "ctrl-c"] "Back" Leaves;
}
