//! Search through all jobs: one request per job, a few at a time, and the newest matches of each
//! job.

use std::collections::VecDeque;

use regex::Regex;

use super::block;
use crate::protocol::SessionId;
use crate::protocol::reply::LogMatches;
use crate::term::sanitize::clean;
use crate::tui::line::Line;
use crate::tui::pattern::smart_case;

/// Maximum number of matches per job; the newest are kept.
pub const PER_JOB: usize = 50;

/// Maximum number of matches; once reached, the remaining jobs are not searched.
const MOST: usize = 2000;

/// Maximum number of concurrent requests; each of them reads a whole log.
const AT_ONCE: usize = 4;

/// Lines before and after each match, when they are shown.
pub const CONTEXT: usize = 2;

/// Minimum length of the pattern in characters; a shorter one matches nearly everything.
const SHORTEST: usize = 2;

/// Delay between the last key and the start of the search, in milliseconds.
const PAUSE_MS: i64 = 150;

/// A search through all jobs.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The pattern being typed.
    pub line: Line,
    /// Index of the selected row.
    pub at: usize,
    /// Index of the first visible row.
    pub top: usize,
    /// When the search for the typed pattern starts, in milliseconds since the epoch.
    pub due: Option<i64>,
    /// The pattern of the current search; `None` before the first search.
    pub pattern: Option<Regex>,
    /// Number of this search; replies to other searches are ignored.
    pub round: u64,
    /// The matches, newest first within each job.
    pub hits: Vec<Hit>,
    /// Number of jobs that have more matches than are kept.
    pub cut: usize,
    /// Whether the lines around each match are shown.
    pub context: bool,
    /// Whether the current search asks for the lines around each match.
    has_context: bool,
    /// The match that was selected when the search was repeated: job and line number.
    wanted: Option<(SessionId, u64)>,
    /// Hosts with jobs that were not connected when the current search began.
    pub unasked: Vec<String>,
    /// Jobs in display order.
    order: Vec<SessionId>,
    waiting: VecDeque<SessionId>,
    requested: Vec<SessionId>,
}

/// A matching line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The job.
    pub id: SessionId,
    /// Line number.
    pub n: u64,
    /// Log offset of the line's first byte, if the daemon reported it.
    pub offset: Option<u64>,
    /// Text of the line, sanitized.
    pub text: String,
    /// The lines before it, sanitized.
    pub before: Vec<String>,
    /// The lines after it, sanitized.
    pub after: Vec<String>,
}

impl Found {
    /// Handles a changed pattern: discards the old results and schedules a search after a pause.
    pub fn typed(&mut self, now: i64) {
        *self = Self {
            line: std::mem::take(&mut self.line),
            due: Some(now + PAUSE_MS),
            round: self.round,
            context: self.context,
            // These requests still have to be cancelled.
            requested: std::mem::take(&mut self.requested),
            ..Self::default()
        };
    }

    /// Shows the lines around each match, or hides them. The first time, they have to be searched for.
    pub fn toggle_context(&mut self, now: i64) {
        self.context = !self.context;
        if self.context && !self.has_context && self.pattern.is_some() && self.due.is_none() {
            self.wanted = self.hit().map(|hit| (hit.id.clone(), hit.n));
            self.due = Some(now);
        }
    }

    /// Number of lines of context to request; `None` if there are none.
    pub fn context_asked(&self) -> Option<usize> {
        self.has_context.then_some(CONTEXT)
    }

    /// Jobs with a pending request, so that the caller can cancel it.
    pub fn pending_jobs(&self) -> &[SessionId] {
        &self.requested
    }

    /// Starts a search for the typed pattern in `jobs`. Replies to pending requests will be
    /// ignored.
    pub fn begin(&mut self, jobs: Vec<SessionId>) {
        let (line, round) = (std::mem::take(&mut self.line), self.round + 1);
        let text = line.text();
        *self = Self {
            line,
            round,
            context: self.context,
            has_context: self.context,
            wanted: self.wanted.take(),
            pattern: (text.chars().count() >= SHORTEST)
                .then(|| smart_case(&text))
                .flatten(),
            ..Self::default()
        };
        if self.pattern.is_some() {
            self.waiting = jobs.iter().cloned().collect();
            self.order = jobs;
        }
    }

    /// The next job to search, if another concurrent request is allowed.
    pub fn next_job(&mut self) -> Option<SessionId> {
        if self.requested.len() >= AT_ONCE || self.hits.len() >= MOST {
            return None;
        }
        let id = self.waiting.pop_front()?;
        self.requested.push(id.clone());
        Some(id)
    }

    /// Adds the matches of a job; `None` if the job could not be searched. Those of a job that was removed are dropped.
    pub fn receive(&mut self, id: &SessionId, found: Option<LogMatches>) {
        self.requested.retain(|one| one != id);
        let Some(found) = found.filter(|_| self.order.contains(id)) else {
            return;
        };
        self.cut += usize::from(found.truncated);
        let place = |id: &SessionId| self.order.iter().position(|one| one == id);
        let own = place(id);
        let at = self.hits.partition_point(|hit| place(&hit.id) < own);
        let cleaned = |lines: Vec<String>| lines.iter().map(|line| clean(line)).collect();
        let new = found.matches.into_iter().rev().map(|found| Hit {
            id: id.clone(),
            n: found.n,
            offset: found.offset,
            text: clean(&found.text),
            before: cleaned(found.before),
            after: cleaned(found.after),
        });
        let before = self.hits.len();
        self.hits.splice(at..at, new);
        // Keep the cursor on its line unless it is still on the first row.
        if self.at > 0 && at <= self.at {
            self.at += self.hits.len() - before;
        }
        if let Some((job, n)) = &self.wanted {
            let is_it = |hit: &Hit| hit.id == *job && hit.n == *n;
            if let Some(at) = self.hits.iter().position(is_it) {
                self.at = at;
                self.wanted = None;
            }
        }
    }

    /// Number of jobs whose results are still to come.
    pub fn pending(&self) -> usize {
        let asked = if self.hits.len() >= MOST {
            0
        } else {
            self.waiting.len()
        };
        self.requested.len() + asked
    }

    /// Number of jobs not searched because the maximum number of matches is reached.
    pub fn left(&self) -> usize {
        if self.hits.len() >= MOST {
            self.waiting.len()
        } else {
            0
        }
    }

    /// The selected match.
    pub fn hit(&self) -> Option<&Hit> {
        self.hits.get(self.at)
    }

    /// Moves the cursor and stops at both ends.
    pub fn step(&mut self, rows: isize) {
        self.wanted = None;
        let last = self.hits.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(rows).min(last);
    }

    /// Scrolls as little as needed to keep the cursor within `height` rows.
    pub fn show(&mut self, height: usize) {
        self.at = self.at.min(self.hits.len().saturating_sub(1));
        let (mut lowest, mut used) = (self.at, block::rows(self, self.at).len());
        while lowest > 0 {
            used += block::rows(self, lowest - 1).len();
            if used > height {
                break;
            }
            lowest -= 1;
        }
        self.top = self.top.clamp(lowest, self.at);
    }

    /// Forgets a removed job. The cursor and the first visible row stay on their matches; if those are gone, they move to
    /// the next ones.
    pub fn drop_job(&mut self, id: &SessionId) {
        let hits = &self.hits;
        let gone_before = |at: usize| {
            let before = hits.iter().take(at);
            before.filter(|hit| hit.id == *id).count()
        };
        let (at, top) = (gone_before(self.at), gone_before(self.top));
        self.at -= at;
        self.top -= top;
        self.hits.retain(|hit| hit.id != *id);
        self.waiting.retain(|one| one != id);
        // A reply may be on its way.
        self.order.retain(|one| one != id);
    }

    /// The connection was lost, so pending replies will not arrive: schedules the search again.
    pub fn lost(&mut self, now: i64) {
        if self.pending() > 0 {
            self.due = Some(now);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::reply::{Left, LogMatch};
    use crate::tui::tests::jobs::id;

    fn matches(numbers: &[u64]) -> LogMatches {
        let one = |n: &u64| LogMatch {
            n: *n,
            at: None,
            offset: Some(*n * 10),
            text: format!("line {n}"),
            before: Vec::new(),
            after: Vec::new(),
        };
        LogMatches {
            matches: numbers.iter().map(one).collect(),
            first_line: 1,
            total_lines: 9,
            truncated: false,
            omitted: Left::default(),
            runs: None,
        }
    }

    fn search(text: &str, jobs: &[&str]) -> Found {
        let mut found = Found {
            line: Line::new(text),
            ..Found::default()
        };
        found.begin(jobs.iter().map(|name| id(name)).collect());
        found
    }

    #[test]
    fn limits_concurrent_requests_and_accepts_replies_in_any_order() {
        let mut found = search("line", &["a", "b", "c", "d", "e"]);
        let asked: Vec<SessionId> = std::iter::from_fn(|| found.next_job()).collect();
        assert_eq!(asked.len(), 4);
        found.receive(&id("c"), Some(matches(&[1, 2])));
        assert_eq!(found.next_job(), Some(id("e")));
        assert_eq!(found.pending(), 4);
        found.step(1);
        found.receive(&id("a"), Some(matches(&[7])));
        assert_eq!(found.hit().unwrap().n, 1, "the cursor stays on its line");
        let numbers: Vec<u64> = found.hits.iter().map(|hit| hit.n).collect();
        assert_eq!(numbers, [7, 2, 1]);
        for name in ["b", "d", "e"] {
            found.receive(&id(name), None);
        }
        assert_eq!(found.pending(), 0);
        found.drop_job(&id("c"));
        assert_eq!(found.hits.len(), 1);
    }

    #[test]
    fn the_cursor_stays_on_its_match_when_another_job_is_removed() {
        let mut found = search("line", &["a", "b", "c"]);
        found.receive(&id("a"), Some(matches(&[1, 2])));
        found.receive(&id("b"), Some(matches(&[3, 4])));
        found.receive(&id("c"), Some(matches(&[5])));
        found.step(3);
        found.show(2);
        assert_eq!((found.hit().unwrap().n, found.top), (3, 2));
        found.drop_job(&id("a"));
        assert_eq!((found.hit().unwrap().n, found.top), (3, 0));
        // Its own job is gone: the match that follows.
        found.drop_job(&id("b"));
        assert_eq!(found.hit().unwrap().n, 5);
        found.receive(&id("b"), Some(matches(&[9])));
        assert_eq!(found.hits.len(), 1, "a late reply");
        found.drop_job(&id("c"));
        assert!(found.hit().is_none());
    }

    #[test]
    fn stops_at_the_maximum_number_of_matches() {
        let jobs: Vec<String> = (0..100).map(|n| format!("j{n:02}")).collect();
        let names: Vec<&str> = jobs.iter().map(String::as_str).collect();
        let mut found = search("line", &names);
        let many: Vec<u64> = (0..50).collect();
        while let Some(id) = found.next_job() {
            found.receive(&id, Some(matches(&many)));
        }
        assert_eq!(
            (found.hits.len(), found.left(), found.pending()),
            (2000, 60, 0)
        );
    }

    #[test]
    fn ignores_a_short_pattern_and_accepts_an_invalid_regex() {
        assert!(search("l", &["a"]).next_job().is_none());
        assert!(search("(", &["a"]).pattern.is_none());
        let found = search("((", &["a"]);
        assert!(found.pattern.unwrap().is_match("f((x))"));
        assert!(search("Line", &["a"]).pattern.unwrap().is_match("a Line"));
        assert!(!search("Line", &["a"]).pattern.unwrap().is_match("a line"));
    }

    #[test]
    fn keeps_the_cursor_in_view() {
        let mut found = search("line", &["a"]);
        let many: Vec<u64> = (0..50).collect();
        found.receive(&id("a"), Some(matches(&many)));
        found.step(20);
        found.show(5);
        assert_eq!((found.at, found.top), (20, 16));
        found.step(-30);
        found.show(5);
        assert_eq!((found.at, found.top), (0, 0));
    }
}
