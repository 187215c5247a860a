//! How much of each job's output a person has seen, and when. Newer output is counted in the job's
//! row and marked in the pane.

use std::collections::HashMap;

use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::tui::crop::is_full_screen;

/// Minimum time that a job must be shown to count as seen, in milliseconds.
const GLANCE_MS: i64 = 1000;

/// Largest number of unseen lines that a row shows.
pub const MOST_UNSEEN: u64 = 99;

/// What a person has seen of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Number of lines of clean text at that time.
    pub lines: u64,
    /// When, in milliseconds since the epoch.
    pub at: i64,
}

/// A job that is shown now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    since: i64,
    /// Where the unseen output starts, if there was any when the job came into view.
    mark: Option<Seen>,
    /// Number of unseen lines at that time.
    fresh: u64,
}

/// What was seen before, and which jobs are shown now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenTracker {
    seen: HashMap<SessionId, Seen>,
    here: HashMap<SessionId, Look>,
}

impl SeenTracker {
    /// Starts with what was seen in earlier views.
    pub fn new(seen: HashMap<SessionId, Seen>) -> Self {
        Self {
            seen,
            here: HashMap::new(),
        }
    }

    /// What was seen, without the jobs shown now.
    pub fn seen(&self) -> &HashMap<SessionId, Seen> {
        &self.seen
    }

    /// Initializes a job that has never been seen: its present output counts as seen.
    pub fn begin_at(&mut self, id: &SessionId, lines: u64, now: i64) {
        self.seen.insert(id.clone(), Seen { lines, at: now });
    }

    /// A job with this many lines came into view. No effect if it is already shown.
    pub fn begin(&mut self, id: &SessionId, lines: u64, now: i64) {
        if self.here.contains_key(id) {
            return;
        }
        let seen = self.seen.get(id).copied();
        let mark = seen.filter(|seen| seen.lines > 0 && seen.lines < lines);
        let look = Look {
            since: now,
            mark,
            fresh: mark.map_or(0, |mark| lines - mark.lines),
        };
        self.here.insert(id.clone(), look);
    }

    /// Jobs shown according to the last call of `begin` and `end`.
    pub fn in_view(&self) -> impl Iterator<Item = &SessionId> {
        self.here.keys()
    }

    /// A job with this many lines went out of view. If it was shown only briefly, its output stays
    /// unseen.
    pub fn end(&mut self, id: &SessionId, lines: u64, now: i64) {
        let look = self.here.remove(id);
        if look.is_some_and(|look| now - look.since >= GLANCE_MS) {
            self.seen.insert(id.clone(), Seen { lines, at: now });
        }
    }

    /// All jobs go out of view, because the view closes or loses focus; what is shown counts as
    /// seen.
    pub fn end_all(&mut self, lines: impl Fn(&SessionId) -> Option<u64>, now: i64) {
        for (id, _) in self.here.drain() {
            if let Some(lines) = lines(&id) {
                self.seen.insert(id, Seen { lines, at: now });
            }
        }
    }

    /// Number of unseen lines of a job; 0 while it is shown.
    pub fn unseen(&self, id: &SessionId, lines: u64) -> u64 {
        if self.here.contains_key(id) {
            return 0;
        }
        let seen = self.seen.get(id).map_or(0, |seen| seen.lines);
        lines.saturating_sub(seen)
    }

    /// For a shown job: where its unseen output started, and how many unseen lines there were, when
    /// it came into view.
    pub fn mark(&self, id: &SessionId) -> Option<(Seen, u64)> {
        let look = self.here.get(id)?;
        Some((look.mark?, look.fresh))
    }

    /// Forgets jobs that no longer exist.
    pub fn retain(&mut self, is_there: impl Fn(&SessionId) -> bool) {
        self.seen.retain(|id, _| is_there(id));
        self.here.retain(|id, _| is_there(id));
    }

    /// Forgets a job.
    pub fn forget(&mut self, id: &SessionId) {
        self.seen.remove(id);
        self.here.remove(id);
    }
}

/// The row of `screen` where line number `line` starts, when the job has written `total` lines of
/// clean text.
///
/// Counts back from the cursor, which is in the last line; a wrapped row belongs to the line above
/// it. `None` if the line has scrolled off or is not written yet, or if rows are not lines because
/// a full-screen program draws the screen.
pub fn row_of_line(screen: &Screen, total: u64, line: u64) -> Option<u16> {
    if is_full_screen(screen) {
        return None;
    }
    let goes_on = |row: u16| row > 0 && screen.row_wrapped(row - 1);
    let mut row = screen.cursor().row;
    let is_blank = !goes_on(row)
        && screen
            .row(row)
            .iter()
            .all(|cell| cell.text.trim().is_empty());
    // After a final newline the cursor is in a row that does not count as a line yet.
    let mut number = total + u64::from(is_blank);
    if line > number {
        return None;
    }
    loop {
        while goes_on(row) {
            row -= 1;
        }
        if number == line {
            return Some(row);
        }
        row = row.checked_sub(1)?;
        number -= 1;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::term::size::Size;

    fn screen(text: &str) -> Screen {
        let mut screen = Screen::new(Size::new(6, 10));
        screen.feed(text.as_bytes());
        screen
    }

    #[test]
    fn finds_lines_by_counting_back_from_the_cursor() {
        let few = screen("one\r\ntwo\r\nthree\r\n");
        assert_eq!(row_of_line(&few, 3, 1), Some(0));
        assert_eq!(row_of_line(&few, 3, 3), Some(2));
        assert_eq!(row_of_line(&few, 3, 4), Some(3));
        assert_eq!(row_of_line(&few, 3, 5), None);
        // The third line wraps to two rows, and the prompt after it has no newline.
        let prompt = screen("one\r\ntwo\r\n0123456789abc\r\n$ ");
        assert_eq!(row_of_line(&prompt, 4, 4), Some(4));
        assert_eq!(row_of_line(&prompt, 4, 3), Some(2));
        assert_eq!(row_of_line(&prompt, 4, 2), Some(1));
        let many: String = (1..=20).map(|n| format!("{n}\r\n")).collect();
        assert_eq!(row_of_line(&screen(&many), 20, 16), Some(0));
        assert_eq!(row_of_line(&screen(&many), 20, 15), None);
        assert_eq!(row_of_line(&screen("\x1b[?1049hx"), 1, 1), None);
    }

    #[test]
    fn a_briefly_shown_job_stays_unseen() {
        let id = SessionId::fresh();
        let mut looks = SeenTracker::default();
        assert_eq!(looks.unseen(&id, 5), 5);
        looks.begin_at(&id, 5, 0);
        assert_eq!(looks.unseen(&id, 9), 4);
        looks.begin(&id, 9, 10);
        assert_eq!(looks.unseen(&id, 9), 0);
        assert_eq!(looks.mark(&id), Some((Seen { lines: 5, at: 0 }, 4)));
        looks.end(&id, 9, 300);
        assert_eq!(looks.unseen(&id, 9), 4);
        looks.begin(&id, 9, 400);
        looks.end(&id, 12, 5000);
        assert_eq!(looks.unseen(&id, 14), 2);
        // Nothing is unseen: there is no mark, even if output arrives while the job is shown.
        looks.begin(&id, 12, 6000);
        assert_eq!(looks.mark(&id), None);
        looks.end_all(|_| Some(13), 6001);
        assert_eq!(
            looks.seen()[&id],
            Seen {
                lines: 13,
                at: 6001
            }
        );
    }
}
