//! The keys of CONFIRM.

use crate::tui::keymap::{CONFIRM, actions};

actions! {
    /// The answers.
    Answer of CONFIRM, "CONFIRM: a question";
    Yes "yes" ["y"] "Yes" Confirms;
    YesKill "kill" ["X"] "Where it is shown: yes, at once" Confirms;
    StopGroup "stop-group" ["s"] "Where it is shown: stop this group" Confirms;
    StopAll "stop-all" ["A"] "Where it is shown: stop all jobs" Confirms;
    No "no" ["n", "esc", "ctrl-c"] "No; so does every other key";
}
