//! The search for the patterns of a wait in lines.

use std::ops::Range;

use super::conditions::{Compiled, Conditions};
use super::echo::Echo;
use super::matcher::Decision;
use super::pattern::{Pattern, around};
use crate::protocol::reply::Matched;
use crate::term::plain::block::Block;
use crate::term::plain::follower::Search;

/// Maximum number of bytes of a matching line, and of a captured group, in a reply. A line may have megabytes.
const MATCHED_TEXT: usize = 2000;
const MATCHED_GROUP: usize = 1000;

/// Takes the last line that was written.
pub(super) struct Last(pub(super) Option<(u64, String)>);

impl Search for Last {
    type Found = ();

    fn line(&mut self, n: u64, text: &str) -> Option<()> {
        self.0 = Some((n, text.to_owned()));
        None
    }

    fn first(&mut self, _: &Block, _: Range<usize>) -> Option<usize> {
        None
    }
}

/// Searches lines for the patterns of some conditions.
pub(super) struct Patterns<'a> {
    pub(super) conditions: &'a Conditions,
    /// What the same request has typed.
    pub(super) echo: &'a mut Echo,
    /// The line in which the wait began, as it was then.
    pub(super) before: Option<&'a (u64, String)>,
}

impl Search for Patterns<'_> {
    type Found = Decision;

    fn line(&mut self, n: u64, text: &str) -> Option<Decision> {
        let text = self.echo.without(n, text);
        // A line that was written again from its beginning is new as a whole.
        let known = self
            .before
            .filter(|(line, known)| *line == n && text.starts_with(known));
        let known = known.map_or(0, |(_, known)| known.len());
        let hit = |list: &[Compiled]| {
            list.iter().enumerate().find_map(|(index, condition)| {
                let Compiled::Pattern(pattern) = condition else {
                    return None;
                };
                found(pattern, index, Some(n), text, known)
            })
        };
        let failed = hit(&self.conditions.fail).map(Decision::Failed);
        failed.or_else(|| hit(&self.conditions.until).map(Decision::Matched))
    }

    fn first(&mut self, block: &Block, lines: Range<usize>) -> Option<usize> {
        if self.echo.is_expected() {
            return (!lines.is_empty()).then_some(lines.start);
        }
        let patterns = self
            .conditions
            .all()
            .filter_map(|condition| match condition {
                Compiled::Pattern(pattern) => Some(pattern),
                _ => None,
            });
        let firsts = patterns.filter_map(|pattern| pattern.first_line(block, lines.clone()));
        firsts.min()
    }
}

/// The match of a pattern in a line, unless it lies within the first `known` bytes.
pub(super) fn found(
    pattern: &Pattern,
    index: usize,
    line: Option<u64>,
    text: &str,
    known: usize,
) -> Option<Matched> {
    let (at, groups) = pattern.find(text, |at| known == 0 || at.end > known)?;
    let cut = |group: Option<String>| Some(around(&group?, 0..0, MATCHED_GROUP).into_owned());
    let groups = groups.into_iter().map(cut).collect();
    Some(Matched {
        line,
        groups,
        text: Some(around(text, at, MATCHED_TEXT).into_owned()),
        ..Matched::of(index, "pattern")
    })
}
