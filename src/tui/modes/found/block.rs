//! A match and the lines around it, as rows of the list of matches. Each line of a job is shown once:
//! where the contexts of two matches overlap, the match that comes first in the list has the line.

use super::search::{CONTEXT, Found, Hit};

/// A row of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockRow<'a> {
    /// The matching line.
    Match,
    /// A line of context: its number and its text.
    Context(u64, &'a str),
    /// The blank row below a block.
    Gap,
}

/// The rows of the match at index `at`.
pub(super) fn rows(found: &Found, at: usize) -> Vec<BlockRow<'_>> {
    let Some(hit) = found.hits.get(at) else {
        return Vec::new();
    };
    if !found.context {
        return vec![BlockRow::Match];
    }
    // The newer match of the job is above, the older one below.
    let newer = at.checked_sub(1).and_then(|above| found.hits.get(above));
    let newer = newer.filter(|newer| newer.id == hit.id);
    let older = found.hits.get(at + 1).filter(|older| older.id == hit.id);
    let end = newer.map_or(u64::MAX, |newer| first(newer).min(newer.n));
    let start = older.map_or(0, |older| older.n + 1);
    let before = (first(hit)..).zip(&hit.before);
    let before = before.filter(|(n, _)| *n >= start);
    let after = (hit.n + 1..).zip(&hit.after).filter(|(n, _)| *n < end);
    let mut rows: Vec<BlockRow<'_>> = before.map(|(n, text)| BlockRow::Context(n, text)).collect();
    rows.push(BlockRow::Match);
    rows.extend(after.map(|(n, text)| BlockRow::Context(n, text)));
    rows.push(BlockRow::Gap);
    rows
}

/// The number of the first line of a match with its context.
fn first(hit: &Hit) -> u64 {
    hit.n.saturating_sub(hit.before.len() as u64)
}

/// The width of the line numbers of a block.
pub(super) fn digits(found: &Found, hit: &Hit) -> usize {
    let last = if found.context {
        hit.n + hit.after.len() as u64
    } else {
        hit.n
    };
    last.to_string().len()
}

/// About how many matches a page of `height` rows shows; at least 1.
pub(super) fn page(found: &Found, height: usize) -> usize {
    let each = if found.context { 2 * CONTEXT + 2 } else { 1 };
    (height / each).max(1)
}
