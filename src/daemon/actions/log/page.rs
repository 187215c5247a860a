//! A page of a log: which bytes a reply has, and where the next one goes on, so that nothing is split.

use std::io;
use std::ops::Range;

use crate::daemon::storage::log_reader::LogReader;

/// Longest unfinished escape sequence at the start of a range that is searched for its end, in bytes. A longer
/// one is returned as it is.
pub(super) const SEQUENCE: u64 = 4096;

/// Bytes of the longest character in UTF-8.
const LONGEST_CHARACTER: usize = 4;

/// The bytes of a reply.
pub(super) struct Page {
    /// Where they begin.
    pub(super) start: u64,
    /// Where the next page begins, if they are told as they are.
    pub(super) end: u64,
    pub(super) raw: Vec<u8>,
    /// The parts of the log that they are: all of it between `start` and `end`, or those of one stream.
    parts: Vec<Range<u64>>,
}

impl Page {
    /// Consecutive bytes: at most `limit`, and only up to the next gap. They begin after a gap that is at `offset`.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub(super) fn of_all(log: &LogReader, offset: u64, limit: u64, known: u64) -> io::Result<Self> {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let (start, raw) = log.try_read(offset, known, most)?;
        let page = Self::consecutive(start, raw);
        if page.raw.is_empty() {
            // Nothing of it is kept.
            let end = start.max(offset.saturating_add(limit).min(known));
            return Ok(Self { end, ..page });
        }
        Ok(page)
    }

    /// The page with one whole character at least, if it begins with one that `limit` cuts.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub(super) fn with_whole_character(self, log: &LogReader, known: u64) -> io::Result<Self> {
        if self.raw.is_empty() || whole_characters(&self.raw) > 0 {
            return Ok(self);
        }
        let (start, longer) = log.try_read(self.start, known, LONGEST_CHARACTER)?;
        let lengths = self.raw.len() + 1..=longer.len();
        let whole = lengths
            .filter(|_| start == self.start)
            .find(|&length| whole_characters(&longer[..length]) > 0);
        Ok(match whole {
            Some(length) => Self::consecutive(start, longer[..length].to_vec()),
            None => self,
        })
    }

    fn consecutive(start: u64, raw: Vec<u8>) -> Self {
        let end = start + raw.len() as u64;
        Self {
            start,
            end,
            parts: std::iter::once(start..end).collect(),
            raw,
        }
    }

    /// What one stream has written between two offsets, and up to [`SEQUENCE`] bytes further (but not beyond `known`) if
    /// otherwise nothing `whole` begins there.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub(super) fn of_stream(
        log: &LogReader,
        (start, end, known): (u64, u64, u64),
        stream: u8,
        whole: impl Fn(&[u8]) -> usize,
    ) -> io::Result<Self> {
        let mut more = 0;
        loop {
            let end = end.saturating_add(more).min(known);
            let page = Self::between(log, start, end, stream)?;
            let is_short = (1..SEQUENCE).contains(&(page.raw.len() as u64));
            let begins = is_short && page.offset_of(0) == start && whole(&page.raw) == 0;
            if !begins || end >= known || more >= SEQUENCE {
                return Ok(page);
            }
            more = (more * 2).max(64);
        }
    }

    fn between(log: &LogReader, start: u64, end: u64, stream: u8) -> io::Result<Self> {
        let runs = log.arrivals(start, end);
        let runs = runs.iter().filter(|run| run.stream == stream);
        let (mut raw, mut parts) = (Vec::new(), Vec::new());
        for run in runs {
            let kept = log.kept(run.start, run.end)?;
            parts.push(run.end - kept.len() as u64..run.end);
            raw.extend(kept);
        }
        Ok(Self {
            start,
            end,
            raw,
            parts,
        })
    }

    /// `text` made of the first `whole` bytes, and the offset of what follows them. If nothing is whole, and nothing may
    /// still come (`may_wait`) that makes it so, the page is told as it is.
    pub(super) fn cut(
        &self,
        whole: usize,
        may_wait: bool,
        text: impl FnOnce(&[u8]) -> String,
    ) -> (String, u64) {
        let next = self.offset_of(whole as u64);
        let waits = may_wait && (self.raw.len() as u64) < SEQUENCE;
        if whole >= self.raw.len() || (next == self.start && !waits) {
            return (text(&self.raw), self.end);
        }
        (text(&self.raw[..whole]), next)
    }

    /// The offset in the log of byte number `place`.
    fn offset_of(&self, mut place: u64) -> u64 {
        for part in &self.parts {
            let length = part.end - part.start;
            if place < length {
                return part.start + place;
            }
            place -= length;
        }
        self.end
    }
}

/// Length without a character that the end cuts.
pub(super) fn whole_characters(raw: &[u8]) -> usize {
    let tail = raw.len().saturating_sub(LONGEST_CHARACTER - 1);
    let is_first = |place: &usize| raw[*place] & 0b1100_0000 != 0b1000_0000;
    let last = (tail..raw.len()).rev().find(is_first);
    let is_cut = |place: &usize| {
        std::str::from_utf8(&raw[*place..]).is_err_and(|error| error.error_len().is_none())
    };
    last.filter(is_cut).unwrap_or(raw.len())
}
