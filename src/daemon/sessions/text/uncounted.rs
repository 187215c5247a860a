//! Lines that have a number only by counting.

use std::ops::Range;

use super::place::Place;

/// Lines between two places of which one at least has a number only by counting:
/// those in `more` come on top of `lines`, those in `less` do not belong to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Uncounted {
    lines: u64,
    pub(crate) more: Range<u64>,
    pub(crate) less: Range<u64>,
}

impl Uncounted {
    pub(crate) fn new(from: &Place, to: &Place) -> Self {
        let (mut more, mut less) = (to.counted.clone(), from.counted.clone());
        // What lies before both need not be counted twice.
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

    /// How many they are, if nothing has to be counted.
    pub(crate) fn known(self) -> Result<u64, Self> {
        match self.more.is_empty() && self.less.is_empty() {
            true => Ok(self.lines),
            false => Err(self),
        }
    }

    /// How many they are once the newlines of `more` and `less` have been counted.
    pub(crate) fn counted(&self, more: u64, less: u64) -> u64 {
        (self.lines + more).saturating_sub(less)
    }
}
