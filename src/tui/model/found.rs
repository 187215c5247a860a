//! What was found in all jobs.

use super::line::Line;

/// A search through all jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What is looked for.
    pub line: Line,
    /// The row with the cursor.
    pub at: usize,
}
