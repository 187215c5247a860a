//! The lines of a process with the numbers of the original, which drops empty lines and does not count them.
//!
//! The daemon numbers every line. How many of them are empty is found by reading them. The result is cached,
//! so that only new lines are read; without the cache, it is found again. Lines that are no longer kept
//! cannot be read and count as if none of them was empty.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Value, json};

use crate::mcp::call::Call;
use crate::protocol::Error;

/// The largest number of lines per request.
const PAGE: u64 = 100_000;

/// Processes that are remembered. The cache is emptied when there are more.
const CACHED: usize = 1000;

/// A line that is not empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// The offset of its first byte in the log.
    pub offset: u64,
    /// When it was written.
    pub at: Value,
    /// `stdout` or `stderr`.
    pub stream: String,
    /// The text.
    pub text: String,
}

/// How many lines a process has written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Total {
    /// All of them.
    pub all: u64,
    /// Those that are not empty.
    pub numbered: u64,
}

/// The last lines of a process.
#[derive(Debug)]
pub struct Last {
    /// Oldest first.
    pub lines: Vec<Line>,
    /// How many there were when they were read.
    pub total: Total,
}

/// What is known of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    /// Bytes of its output that were counted.
    bytes: u64,
    total: Total,
    /// The count without its last line, which may not be complete.
    before_last: Total,
}

impl Counted {
    /// Counts the next line that is kept.
    fn add(&mut self, n: u64, is_empty: bool) {
        self.before_last = self.total.without_lines_until(n.saturating_sub(1));
        self.total = Total {
            all: n,
            numbered: self.before_last.numbered + u64::from(!is_empty),
        };
    }
}

impl Total {
    /// The count up to line `n`, if the lines until there are no longer kept.
    fn without_lines_until(self, n: u64) -> Self {
        let gone = n.saturating_sub(self.all);
        Self {
            all: self.all + gone,
            numbered: self.numbered + gone,
        }
    }
}

/// The number of lines of each process.
#[derive(Debug, Default)]
pub struct LineCounts(RefCell<HashMap<String, Counted>>);

impl LineCounts {
    /// How many lines a process has written. `session` is its record.
    pub async fn count(&self, call: &Call, session: &Value) -> Result<Total, Error> {
        let id = session["sessionId"].as_str().unwrap_or_default();
        let bytes = session["outputBytes"].as_u64().unwrap_or_default();
        let known = self.0.borrow().get(id).copied().unwrap_or_default();
        if known.bytes == bytes {
            return Ok(known.total);
        }
        let mut counted = Counted {
            bytes,
            total: known.before_last,
            before_last: known.before_last,
        };
        loop {
            let from = counted.total.all + 1;
            let page = json!({ "sessionId": id, "fromLine": from, "lines": PAGE });
            let page = call.action("log", page).await?;
            let lines = page["lines"].as_array().map_or(&[][..], Vec::as_slice);
            for line in lines {
                counted.add(line["n"].as_u64().unwrap_or_default(), line["text"] == "");
            }
            let end = page["totalLines"].as_u64().unwrap_or_default();
            if lines.is_empty() || end <= counted.total.all {
                counted.total = counted.total.without_lines_until(end);
                break;
            }
        }
        let mut cache = self.0.borrow_mut();
        if cache.len() >= CACHED {
            cache.clear();
        }
        cache.insert(id.to_owned(), counted);
        Ok(counted.total)
    }

    /// The last lines of a process, at most `want`, that are not empty.
    pub async fn last(&self, call: &Call, session: &Value, want: u64) -> Result<Last, Error> {
        let total = self.count(call, session).await?;
        let mut depth = want.clamp(1, PAGE);
        let lines = loop {
            let from = total.all.saturating_sub(depth) + 1;
            let (lines, first) = read(call, &session["sessionId"], from, total.all).await?;
            if lines.len() as u64 >= want || from <= first {
                break lines;
            }
            depth = depth.saturating_mul(4);
        };
        let unwanted = lines
            .len()
            .saturating_sub(usize::try_from(want).unwrap_or(usize::MAX));
        let mut lines: Vec<Line> = lines.into_iter().skip(unwanted).collect();
        for (number, line) in (0..=total.numbered).rev().zip(lines.iter_mut().rev()) {
            line.number = number;
        }
        Ok(Last { lines, total })
    }
}

/// The lines between two numbers of the daemon that are not empty, without their own numbers, and the
/// number of the first line that is kept.
async fn read(
    call: &Call,
    session: &Value,
    mut from: u64,
    to: u64,
) -> Result<(Vec<Line>, u64), Error> {
    let (mut read, mut first) = (Vec::new(), from);
    while from <= to {
        let page = json!({
            "sessionId": session, "fromLine": from, "lines": (to - from + 1).min(PAGE), "origins": true,
        });
        let page = call.action("log", page).await?;
        first = page["firstLine"].as_u64().unwrap_or(first);
        let lines = page["lines"].as_array().map_or(&[][..], Vec::as_slice);
        // After a gap, a page goes beyond the lines that were asked for.
        let within = lines.iter().filter(|line| line["n"].as_u64() <= Some(to));
        let filled = within.filter(|line| line["text"] != "");
        read.extend(filled.map(|line| Line {
            number: 0,
            offset: line["offset"].as_u64().unwrap_or_default(),
            at: line["at"].clone(),
            stream: line["stream"].as_str().unwrap_or_default().to_owned(),
            text: line["text"].as_str().unwrap_or_default().to_owned(),
        }));
        match lines.last().and_then(|line| line["n"].as_u64()) {
            Some(n) => from = n + 1,
            None => break,
        }
    }
    Ok((read, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_longer_kept_count_as_not_empty() {
        let mut counted = Counted::default();
        for (n, is_empty) in [(3, true), (4, false), (8, false), (9, true)] {
            counted.add(n, is_empty);
        }
        // Lines 1 and 2, 4, 5 to 7, and 8.
        let total = |all, numbered| Total { all, numbered };
        assert_eq!(
            (counted.before_last, counted.total),
            (total(8, 7), total(9, 7))
        );
        assert_eq!(counted.total.without_lines_until(9), total(9, 7));
        assert_eq!(counted.total.without_lines_until(11), total(11, 9));
    }
}
