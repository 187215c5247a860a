//! Lines that have a number only by counting.

use std::ops::Range;

use super::super::hub::Hub;
use super::place::Place;
use crate::protocol::SessionId;

/// Bytes in which newlines are counted before others have their turn.
const COUNTED: usize = 1 << 20;

/// Lines between two places of which one at least has a number only by counting:
/// those in `more` come on top of `lines`, those in `less` do not belong to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Uncounted {
    lines: u64,
    more: Range<u64>,
    less: Range<u64>,
}

impl Uncounted {
    pub(super) fn new(from: &Place, to: &Place) -> Self {
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
    pub(super) fn known(self) -> Result<u64, Self> {
        match self.more.is_empty() && self.less.is_empty() {
            true => Ok(self.lines),
            false => Err(self),
        }
    }

    /// Counts. A log may have gigabytes, so others have their turn in between.
    pub(in super::super) async fn count(self, hub: &Hub, id: &SessionId) -> u64 {
        let more = newlines(hub, id, self.more).await;
        let less = newlines(hub, id, self.less).await;
        (self.lines + more).saturating_sub(less)
    }
}

/// Newlines in a part of the log.
pub(super) async fn newlines(hub: &Hub, id: &SessionId, range: Range<u64>) -> u64 {
    let mut at = range.start;
    let mut count = 0;
    while at < range.end {
        let (start, bytes) = match hub.state().drivers.get(id) {
            Some(driver) => driver.log.read(at, range.end, COUNTED),
            None => break,
        };
        if bytes.is_empty() {
            break;
        }
        at = start + bytes.len() as u64;
        count += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        tokio::task::yield_now().await;
    }
    count
}
