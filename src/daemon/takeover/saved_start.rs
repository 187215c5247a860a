//! Where a log began when the earlier daemon saved its record.

use crate::daemon::storage::log_reader::LogReader;
use crate::engine::meta::Meta;

/// The number of the first kept line, as the earlier daemon saved it.
pub(super) struct SavedStart {
    /// Lines before `offset`.
    lines: u64,
    pub(super) offset: u64,
    /// Newlines before `offset`, if they are known.
    pub(super) newlines: Option<u64>,
}

impl SavedStart {
    pub(super) fn of(meta: &Meta) -> Self {
        match meta.lines_before_offset {
            Some(offset) => Self {
                lines: meta.lines_before,
                offset,
                newlines: meta.newlines_before,
            },
            None => Self {
                lines: meta.lines_before,
                offset: 0,
                newlines: (meta.lines_before == 0).then_some(0),
            },
        }
    }

    /// The number of lines before `first`. The log may have been cut since, or the lines may have been counted
    /// up to a later offset: then the newlines between the two are added or subtracted.
    pub(super) fn lines_before(&self, log: &LogReader, first: u64, newlines: Option<u64>) -> u64 {
        let later = self.lines.saturating_sub(log.newlines(first, self.offset));
        let cut = newlines.zip(self.newlines);
        later + cut.map_or(0, |(newlines, saved)| newlines.saturating_sub(saved))
    }
}
