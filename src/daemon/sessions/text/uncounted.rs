//! A number of lines that is known only after newlines have been counted.

use std::ops::Range;

use super::place::Place;

/// The number of lines between two places, at least one of which has no known line number: `lines`, plus the
/// newlines in `more`, less the newlines in `less`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Uncounted {
    lines: u64,
    pub(crate) more: Range<u64>,
    pub(crate) less: Range<u64>,
}

impl Uncounted {
    pub(crate) fn new(from: &Place, to: &Place) -> Self {
        let (mut more, mut less) = (to.counted.clone(), from.counted.clone());
        // The newlines before both places cancel out and need not be counted.
        if more.start == less.start {
            more.start = more.start.max(less.end).min(more.end);
            less.end = less.start;
        }
        Self {
            lines: to.at.line.saturating_sub(from.at.line),
            more,
            less,
        }
    }

    /// The number of lines, if no newlines have to be counted.
    pub(crate) fn known(self) -> Result<u64, Self> {
        if self.more.is_empty() && self.less.is_empty() {
            Ok(self.lines)
        } else {
            Err(self)
        }
    }

    /// The number of lines, given the number of newlines in `more` and in `less`.
    pub(crate) fn counted(&self, more: u64, less: u64) -> u64 {
        (self.lines + more).saturating_sub(less)
    }
}
