//! What was found in all jobs: one question a job, a few at a time, the newest matches of each.

use std::collections::VecDeque;

use regex::Regex;

use super::line::Line;
use crate::protocol::SessionId;
use crate::protocol::reply::LogMatches;
use crate::term::sanitize::clean;
use crate::tui::pattern::smart_case;

/// Matches of a job at most, the newest.
pub const PER_JOB: usize = 50;

/// Matches at most; the jobs that are left then are not asked.
const MOST: usize = 2000;

/// Questions on their way at once: each reads a whole log.
const AT_ONCE: usize = 4;

/// A pattern shorter than this matches everything.
const SHORTEST: usize = 2;

/// How long after the last letter the search begins, in milliseconds.
const PAUSE_MS: i64 = 150;

/// A search through all jobs.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// What is looked for.
    pub line: Line,
    /// The row with the cursor.
    pub at: usize,
    /// First row shown.
    pub top: usize,
    /// When what was typed is looked for, in milliseconds since the epoch.
    pub due: Option<i64>,
    /// What is being looked for; `None`: nothing yet.
    pub pattern: Option<Regex>,
    /// Which search this is: answers to another one are passed over.
    pub round: u64,
    /// What was found, the newest of each job first.
    pub hits: Vec<Hit>,
    /// Jobs of which the newest matches are only a part.
    pub cut: usize,
    /// Jobs in the order they are shown in.
    order: Vec<SessionId>,
    waiting: VecDeque<SessionId>,
    on_their_way: Vec<SessionId>,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Whose.
    pub id: SessionId,
    /// Its number.
    pub n: u64,
    /// Where it begins in the log, if the daemon told.
    pub offset: Option<u64>,
    /// Its text, made safe.
    pub text: String,
}

impl Found {
    /// What is typed has changed: it is looked for after a pause. What was found is no answer to it.
    pub fn typed(&mut self, now: i64) {
        *self = Self {
            line: std::mem::take(&mut self.line),
            due: Some(now + PAUSE_MS),
            round: self.round,
            // They are still to be ended.
            on_their_way: std::mem::take(&mut self.on_their_way),
            ..Self::default()
        };
    }

    /// The jobs that are being looked through now, for those who want that no more.
    pub fn on_their_way(&self) -> &[SessionId] {
        &self.on_their_way
    }

    /// Begins to look for what is typed in `jobs`; what is on its way is passed over when it comes.
    pub fn begin(&mut self, jobs: Vec<SessionId>) {
        let (line, round) = (std::mem::take(&mut self.line), self.round + 1);
        let text = line.text();
        *self = Self {
            line,
            round,
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

    /// The next job to ask, if there is room for a question.
    pub fn ask_next(&mut self) -> Option<SessionId> {
        if self.on_their_way.len() >= AT_ONCE || self.hits.len() >= MOST {
            return None;
        }
        let id = self.waiting.pop_front()?;
        self.on_their_way.push(id.clone());
        Some(id)
    }

    /// Takes in what was found in a job; `None`: it could not be looked through.
    pub fn receive(&mut self, id: &SessionId, found: Option<LogMatches>) {
        self.on_their_way.retain(|one| one != id);
        let Some(found) = found else {
            return;
        };
        self.cut += usize::from(found.truncated);
        let place = |id: &SessionId| self.order.iter().position(|one| one == id);
        let own = place(id);
        let at = self.hits.partition_point(|hit| place(&hit.id) < own);
        let new = found.matches.into_iter().rev().map(|found| Hit {
            id: id.clone(),
            n: found.n,
            offset: found.offset,
            text: clean(&found.text),
        });
        let before = self.hits.len();
        self.hits.splice(at..at, new);
        // The cursor stays on its line, unless it has not been moved yet.
        if self.at > 0 && at <= self.at {
            self.at += self.hits.len() - before;
        }
    }

    /// Jobs that have not answered yet and will.
    pub fn pending(&self) -> usize {
        let asked = if self.hits.len() >= MOST {
            0
        } else {
            self.waiting.len()
        };
        self.on_their_way.len() + asked
    }

    /// Jobs that are not looked through, because there is enough.
    pub fn left(&self) -> usize {
        if self.hits.len() >= MOST {
            self.waiting.len()
        } else {
            0
        }
    }

    /// The match with the cursor.
    pub fn hit(&self) -> Option<&Hit> {
        self.hits.get(self.at)
    }

    /// Moves the cursor, stopping at the ends.
    pub fn step(&mut self, rows: isize) {
        let last = self.hits.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(rows).min(last);
    }

    /// Shows the cursor in so many rows, scrolling by as little as that takes.
    pub fn show(&mut self, height: usize) {
        self.at = self.at.min(self.hits.len().saturating_sub(1));
        let lowest = (self.at + 1).saturating_sub(height.max(1));
        self.top = self.top.clamp(lowest, self.at.max(lowest));
    }

    /// A job is gone.
    pub fn forget(&mut self, id: &SessionId) {
        self.hits.retain(|hit| hit.id != *id);
        self.waiting.retain(|one| one != id);
    }

    /// What is on its way will not come: it is looked for again.
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
    fn a_few_are_asked_at_once_and_answers_come_in_any_order() {
        let mut found = search("line", &["a", "b", "c", "d", "e"]);
        let asked: Vec<SessionId> = std::iter::from_fn(|| found.ask_next()).collect();
        assert_eq!(asked.len(), 4);
        found.receive(&id("c"), Some(matches(&[1, 2])));
        assert_eq!(found.ask_next(), Some(id("e")));
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
        found.forget(&id("c"));
        assert_eq!(found.hits.len(), 1);
    }

    #[test]
    fn there_is_enough_at_some_point() {
        let jobs: Vec<String> = (0..100).map(|n| format!("j{n:02}")).collect();
        let names: Vec<&str> = jobs.iter().map(String::as_str).collect();
        let mut found = search("line", &names);
        let many: Vec<u64> = (0..50).collect();
        while let Some(id) = found.ask_next() {
            found.receive(&id, Some(matches(&many)));
        }
        assert_eq!(
            (found.hits.len(), found.left(), found.pending()),
            (2000, 60, 0)
        );
    }

    #[test]
    fn one_letter_and_nonsense() {
        assert!(search("l", &["a"]).ask_next().is_none());
        assert!(search("(", &["a"]).pattern.is_none());
        let found = search("((", &["a"]);
        assert!(found.pattern.unwrap().is_match("f((x))"));
        assert!(search("Line", &["a"]).pattern.unwrap().is_match("a Line"));
        assert!(!search("Line", &["a"]).pattern.unwrap().is_match("a line"));
    }

    #[test]
    fn the_cursor_is_always_in_view() {
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
