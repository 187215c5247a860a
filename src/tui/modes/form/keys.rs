//! The keys of the form for a job.

use crate::tui::keymap::actions;

actions! {
    /// What keys do that are not text.
    Action of "prompt", "PROMPT: a form", edits_text: true;
    Accept "start" ["enter"] "Do it";
    NextField "next-field" ["tab"] "Next field";
    PreviousField "previous-field" ["backtab"] "Field before";
    OlderCommand "older" ["up"] "A command used before";
    NewerCommand "newer" ["down"] "Towards the newest command";
    Leave "cancel" ["esc"] "Do nothing" Leaves;
}
