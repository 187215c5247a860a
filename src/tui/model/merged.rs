//! The newest lines of several jobs as one log, ordered by time.
//!
//! Of each job only the newest lines are kept. Lines that are older than the oldest kept line of a job
//! with more output are left out, because lines of that job would be missing between them.

use std::collections::HashMap;

use crate::protocol::SessionId;
use crate::protocol::reply::LogLines;
use crate::term::sanitize::clean;
use crate::tui::text;

/// Maximum number of columns of a line that are kept.
const WIDEST: usize = 1000;

/// Maximum number of jobs that are read; of a larger group, the first in the list.
pub const MOST_JOBS: usize = 100;

/// Maximum number of concurrent requests. The jobs take turns, so that one that floods does not stop
/// the others.
const AT_ONCE: usize = 8;

/// The newest lines of several jobs.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// The lines of all jobs, oldest first.
    pub lines: Vec<MergedLine>,
    /// Number of newer lines below the pane, while it is scrolled back.
    pub up: usize,
    parts: Vec<Part>,
    /// Index of the job whose turn it is.
    turn: usize,
    /// The number of the colour of each job's name.
    colors: HashMap<SessionId, usize>,
}

/// A line of one of the jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedLine {
    /// The job.
    pub id: SessionId,
    /// When it was written, in milliseconds since the epoch.
    pub at: i64,
    /// Its text, sanitized.
    pub text: String,
}

/// The newest lines of one job.
#[derive(Clone, Debug)]
struct Part {
    id: SessionId,
    lines: Vec<MergedLine>,
    /// Whether the job has older lines that are not kept.
    is_cut: bool,
    is_pending: bool,
    /// The bytes of output that the job had when its lines were last requested, and how many lines.
    asked: Option<(u64, usize)>,
}

impl Merged {
    /// Changes the jobs; those that stay keep their lines. Returns whether any have changed.
    pub fn set_jobs(&mut self, ids: &[SessionId]) -> bool {
        let ids = &ids[..ids.len().min(MOST_JOBS)];
        if self.parts.iter().map(|part| &part.id).eq(ids) {
            return false;
        }
        let mut before = std::mem::take(&mut self.parts);
        let mut part = |id: &SessionId| match before.iter().position(|part| part.id == *id) {
            Some(at) => before.swap_remove(at),
            None => Part {
                id: id.clone(),
                lines: Vec::new(),
                is_cut: false,
                is_pending: false,
                asked: None,
            },
        };
        self.parts = ids.iter().map(&mut part).collect();
        self.turn = 0;
        self.merge();
        true
    }

    /// Gives each job without a colour the one, of `colors`, that the fewest of these jobs have. A job
    /// keeps its colour for as long as the dashboard is open.
    pub fn color(&mut self, ids: &[SessionId], colors: usize) {
        for id in ids {
            if self.colors.contains_key(id) {
                continue;
            }
            let used = |color: usize| {
                let has = |id: &&SessionId| self.colors.get(*id) == Some(&color);
                ids.iter().filter(has).count()
            };
            let least = (0..colors).min_by_key(|&color| used(color));
            self.colors.insert(id.clone(), least.unwrap_or(0));
        }
    }

    /// The number of the colour of a job's name.
    pub fn color_of(&self, id: &SessionId) -> usize {
        self.colors.get(id).copied().unwrap_or(0)
    }

    /// The next job whose newest `count` lines have to be requested. `written` is the number of bytes that
    /// a job has written.
    pub fn next_request(
        &mut self,
        count: usize,
        written: impl Fn(&SessionId) -> u64,
    ) -> Option<SessionId> {
        let pending = self.parts.iter().filter(|part| part.is_pending).count();
        if pending >= AT_ONCE {
            return None;
        }
        let jobs = self.parts.len();
        let turns = (0..jobs).map(|step| (self.turn + step) % jobs);
        let is_due = |part: &Part| {
            let now = (written(&part.id), count);
            now.0 > 0 && !part.is_pending && part.asked != Some(now)
        };
        let at = turns.into_iter().find(|&at| is_due(&self.parts[at]))?;
        self.turn = (at + 1) % jobs;
        let part = self.parts.get_mut(at)?;
        part.is_pending = true;
        part.asked = Some((written(&part.id), count));
        Some(part.id.clone())
    }

    /// Stores the newest lines of a job; `None` if they could not be read.
    pub fn receive(&mut self, id: &SessionId, read: Option<LogLines>) {
        let Some(part) = self.parts.iter_mut().find(|part| part.id == *id) else {
            return;
        };
        part.is_pending = false;
        let Some(read) = read else {
            return;
        };
        part.is_cut = read
            .lines
            .first()
            .is_some_and(|line| line.n > read.first_line);
        let mut at = 0;
        part.lines.clear();
        for line in read.lines {
            // The times of a job never go back, even if its clock did.
            at = line.at.map_or(at, |time| time.millis()).max(at);
            let text = text::head(&clean(&line.text), WIDEST).to_owned();
            let id = id.clone();
            part.lines.push(MergedLine { id, at, text });
        }
        // The rows below the cursor.
        while part
            .lines
            .pop_if(|line| line.text.trim().is_empty())
            .is_some()
        {}
        self.merge();
    }

    /// The connection broke: no pending reply will arrive.
    pub fn disconnected(&mut self) {
        for part in &mut self.parts {
            part.is_pending = false;
            part.asked = None;
        }
    }

    /// Forgets a removed job.
    pub fn forget(&mut self, id: &SessionId) {
        self.colors.remove(id);
        if !self.parts.iter().any(|part| part.id == *id) {
            return;
        }
        self.parts.retain(|part| part.id != *id);
        self.turn = 0;
        self.merge();
    }

    /// Whether lines are on their way.
    pub fn is_loading(&self) -> bool {
        self.parts.iter().any(|part| part.is_pending)
    }

    /// Scrolls by `lines`, positive downwards, until the oldest lines, as many as `fit` into the pane, are shown.
    pub fn scroll(&mut self, lines: isize, fit: usize) {
        let most = self.lines.len().saturating_sub(fit.max(1));
        self.up = self.up.saturating_add_signed(-lines).min(most);
    }

    fn merge(&mut self) {
        let cut = self.parts.iter().filter(|part| part.is_cut);
        let from = cut
            .filter_map(|part| part.lines.first())
            .map(|line| line.at)
            .max();
        let lines = self.parts.iter().flat_map(|part| &part.lines);
        let lines = lines.filter(|line| from.is_none_or(|from| line.at >= from));
        self.lines = lines.cloned().collect();
        // Stable: lines of a job stay in their order.
        self.lines.sort_by_key(|line| line.at);
        self.up = self.up.min(self.lines.len().saturating_sub(1));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::Timestamp;
    use crate::protocol::reply::{Left, LogLine};
    use crate::tui::tests::jobs::id;

    fn lines(first: u64, of: &[(i64, &str)]) -> Option<LogLines> {
        let one = |(n, (at, text)): (u64, &(i64, &str))| LogLine {
            n,
            at: Some(Timestamp(*at)),
            stream: "stdout".to_owned(),
            text: (*text).to_owned(),
            by: None,
            kind: None,
            offset: None,
            goes_on: false,
        };
        Some(LogLines {
            lines: (first..).zip(of).map(one).collect(),
            first_line: 1,
            total_lines: 9,
            omitted: Left::default(),
            next_line: 9,
            command: None,
            runs: None,
        })
    }

    fn texts(merged: &Merged) -> Vec<&str> {
        merged.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn orders_the_lines_of_all_jobs_by_time() {
        let mut merged = Merged::default();
        assert!(merged.set_jobs(&[id("web"), id("api")]));
        assert!(!merged.set_jobs(&[id("web"), id("api")]));
        merged.receive(
            &id("api"),
            lines(1, &[(2, "b"), (4, "d\x1b[2J"), (4, "e"), (5, " ")]),
        );
        merged.receive(&id("web"), lines(1, &[(1, "a"), (3, "c")]));
        assert_eq!(texts(&merged), ["a", "b", "c", "d", "e"]);
        // Older lines of `web` could be missing between those of `api`.
        merged.receive(&id("web"), lines(7, &[(3, "c"), (6, "f")]));
        assert_eq!(texts(&merged), ["c", "d", "e", "f"]);
        merged.forget(&id("web"));
        assert_eq!(texts(&merged), ["b", "d", "e"]);
    }

    #[test]
    fn a_flood_in_one_job_does_not_stop_the_others() {
        let names: Vec<String> = (0..20).map(|n| format!("j{n:02}")).collect();
        let ids: Vec<SessionId> = names.iter().map(|name| id(name)).collect();
        let mut merged = Merged::default();
        merged.set_jobs(&ids);
        let mut seen = Vec::new();
        for round in 1..10 {
            while let Some(id) = merged.next_request(50, |_| round) {
                seen.push(id);
            }
            assert!(merged.is_loading());
            for id in &ids {
                merged.receive(id, lines(1, &[]));
            }
        }
        assert!(ids.iter().all(|id| seen.contains(id)));
        assert_eq!(seen.len(), 9 * AT_ONCE, "a few at once");
        // Without new output nothing is requested, and a job without output never is.
        while let Some(id) = merged.next_request(50, |_| 9) {
            merged.receive(&id, None);
        }
        assert_eq!(merged.next_request(50, |_| 9), None);
        assert_eq!(Merged::default().next_request(50, |_| 9), None);
        assert_eq!(merged.next_request(50, |_| 0), None);
    }

    #[test]
    fn each_job_keeps_its_colour() {
        let mut merged = Merged::default();
        let ids: Vec<SessionId> = ["a", "b", "c", "d"].map(id).to_vec();
        merged.color(&ids[1..3], 3);
        merged.color(&ids, 3);
        let colors: Vec<usize> = ids.iter().map(|id| merged.color_of(id)).collect();
        assert_eq!(colors, [2, 0, 1, 0]);
    }

    #[test]
    fn scrolls_within_what_is_kept() {
        let mut merged = Merged::default();
        merged.set_jobs(&[id("a")]);
        merged.receive(&id("a"), lines(1, &[(1, "a"), (2, "b"), (3, "c")]));
        merged.scroll(-5, 2);
        assert_eq!(merged.up, 1);
        merged.scroll(5, 2);
        assert_eq!(merged.up, 0);
    }
}
