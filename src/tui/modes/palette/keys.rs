//! The keys of the palette.

use crate::tui::keymap::actions;

actions! {
    /// What keys do that are not text.
    Action of "palette", "PROMPT: a command by its name", edits_text: true;
    Accept "run" ["enter"] "Do it";
    Down "down" ["down", "ctrl-n"] "Next command";
    Up "up" ["up", "ctrl-p"] "Command above";
    Complete "complete" ["tab"] "Complete its name";
    CopyShell "copy-shell" ["ctrl-y"] "Copy its shell command";
    Leave "cancel" ["esc", "ctrl-c"] "Do nothing" Leaves;
}
