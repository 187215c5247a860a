//! The keys of HELD.

use crate::tui::keymap::actions;

actions! {
    /// What to do with the held text. While it is being typed, letters are text.
    Action of "held", "HELD: text typed in NORMAL by mistake";
    Type "type" ["i"] "After a pause: type it into the job";
    Forget "forget" ["esc"] "Forget it; after a pause every other key does so, and acts" Leaves;
}
