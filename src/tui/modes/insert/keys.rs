//! The keys of INSERT.

use crate::tui::keymap::{INSERT, LEAVE, actions};

actions! {
    /// What keys do that do not reach the job.
    Action of INSERT, "INSERT: every key but one reaches the job";
    Leave "leave" [LEAVE] "Back to where you came from" Leaves;
}
