//! What the pane shows of the selected row, and how.

use super::merged::Merged;
use super::rewind::Rewind;
use crate::tui::crop::Pan;
use crate::tui::scrollback::Scroll;

/// What the pane shows instead of the live screen, and how.
pub struct Pane {
    /// The screen at a time in the past, which the pane shows instead.
    pub rewind: Option<Rewind>,
    /// By how much a cropped pane is shifted.
    pub pan: Pan,
    /// The log in the pane: scrolled back, with timestamps, or a frozen screen. `None` while the pane
    /// shows the live screen.
    pub scroll: Option<Box<Scroll>>,
    /// The newest lines of the jobs of the selected group.
    pub merged: Merged,
    /// Whether long log lines wrap.
    pub wrap: bool,
    /// Whether log lines have timestamps.
    pub times: bool,
}

impl Default for Pane {
    /// The live screen of a job, or the newest lines of a group, with long lines wrapped.
    fn default() -> Self {
        Self {
            rewind: None,
            pan: Pan::default(),
            scroll: None,
            merged: Merged::default(),
            wrap: true,
            times: false,
        }
    }
}
