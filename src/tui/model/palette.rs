//! The palette: every command by its name, and how the shell says it.

use super::line::Line;

/// The palette as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// What narrows it.
    pub line: Line,
    /// The row with the cursor.
    pub at: usize,
}
