//! The keys of the form for a job.

use crate::tui::keymap::actions;

actions! {
    /// What keys do that are not text.
    Action of "prompt", "PROMPT: a form", edits_text: true;
    Accept "start" ["enter"] "Do it";
    NextField "next-field" ["tab"] "Next field";
    PreviousField "previous-field" ["backtab"] "Field before";
    OlderCommand "older" ["up"] "Next command of the list above";
    NewerCommand "newer" ["down"] "Back to what was typed";
    Reset "drop-draft" ["ctrl-r"] "Drop what was typed before: begin again";
    Leave "cancel" ["esc", "ctrl-c"] "Do nothing" Leaves;
}
