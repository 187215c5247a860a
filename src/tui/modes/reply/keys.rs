//! The keys of a reply to a job.

use crate::tui::keymap::actions;

actions! {
    /// What keys do that are not text.
    Action of "reply", "PROMPT: an answer to a job", edits_text: true;
    Accept "send" ["enter"] "Send it, with Enter";
    Leave "cancel" ["esc", "ctrl-c"] "Send nothing" Leaves;
}
