//! When the bytes of a log were written, and to which stream.

use std::collections::VecDeque;
use std::ops::Range;

use crate::protocol::reply::LogOrigin;

/// When and to which stream the bytes of the current page were written.
#[derive(Debug, Default)]
pub(crate) struct Origins(VecDeque<LogOrigin>);

impl Origins {
    /// Adds the origins of the next page.
    pub(crate) fn extend(&mut self, origins: &[LogOrigin]) {
        let last = self.0.back().map(|last| last.offset);
        let new = origins.iter().filter(|new| Some(new.offset) > last);
        self.0.extend(new);
    }

    /// The origin of the byte at `offset`, or `None` if it is unknown. Offsets must be requested in
    /// ascending order, because earlier origins are dropped.
    pub(crate) fn of(&mut self, offset: u64) -> Option<LogOrigin> {
        self.forget_before(offset);
        let first = self.0.front()?;
        (first.offset <= offset).then_some(*first)
    }

    /// Splits the `length` bytes at `offset` by stream. `true` is standard error.
    pub(crate) fn streams(&mut self, offset: u64, length: usize) -> Vec<(bool, Range<usize>)> {
        self.forget_before(offset);
        let mut cut: Vec<(bool, Range<usize>)> = Vec::new();
        let mut origins = self.0.iter().peekable();
        let mut at = 0;
        while at < length {
            let stderr = match origins.peek() {
                Some(origin) if origin.offset <= offset + at as u64 => {
                    origins.next().is_some_and(|origin| origin.stderr)
                }
                _ => false,
            };
            let end = origins.peek().map_or(length, |next| {
                usize::try_from(next.offset - offset).map_or(length, |end| end.min(length))
            });
            match cut.last_mut() {
                Some((last, range)) if *last == stderr => range.end = end,
                _ => cut.push((stderr, at..end)),
            }
            at = end;
        }
        cut
    }

    fn forget_before(&mut self, offset: u64) {
        while self.0.get(1).is_some_and(|next| next.offset <= offset) {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::Timestamp;

    #[test]
    fn streams_are_told_apart_across_pages() {
        let origin = |offset, stderr| LogOrigin {
            offset,
            at: Timestamp(i64::try_from(offset).unwrap()),
            stderr,
        };
        let mut origins = Origins::default();
        assert_eq!(origins.streams(0, 5), [(false, 0..5)]);
        origins.extend(&[origin(10, false), origin(13, false), origin(14, true)]);
        assert_eq!(origins.streams(10, 6), [(false, 0..4), (true, 4..6)]);
        // The next page begins within a stretch of one stream.
        origins.extend(&[origin(16, true), origin(18, false)]);
        assert_eq!(origins.streams(16, 4), [(true, 0..2), (false, 2..4)]);
        assert_eq!(origins.of(17).unwrap().at, Timestamp(16));
        assert!(!origins.of(99).unwrap().stderr);
    }
}
