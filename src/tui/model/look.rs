//! What a person has looked at: how far, and when, for each job. What came since is counted in the row and marked
//! in the pane.

use std::collections::HashMap;

use crate::protocol::SessionId;
use crate::term::screen::Screen;

/// A job that showed for less than this was passed by, in milliseconds: what was new stays new.
const GLANCE_MS: i64 = 1000;

/// Unseen lines that a row counts at most.
pub const MOST_UNSEEN: u64 = 99;

/// How far somebody has looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Lines of clean text that there were.
    pub lines: u64,
    /// When, in milliseconds since the epoch.
    pub at: i64,
}

/// A job that shows now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    since: i64,
    /// Where what is new begins, if something was new when it came into view.
    mark: Option<Seen>,
    /// Lines that were new then.
    fresh: u64,
}

/// What was looked at, and what shows now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    seen: HashMap<SessionId, Seen>,
    here: HashMap<SessionId, Look>,
}

impl Looks {
    /// What was looked at before.
    pub fn new(seen: HashMap<SessionId, Seen>) -> Self {
        Self {
            seen,
            here: HashMap::new(),
        }
    }

    /// What was looked at, without what shows now.
    pub fn seen(&self) -> &HashMap<SessionId, Seen> {
        &self.seen
    }

    /// Where somebody who has never looked begins: with what is there.
    pub fn begin_at(&mut self, id: &SessionId, lines: u64, now: i64) {
        self.seen.insert(id.clone(), Seen { lines, at: now });
    }

    /// A job came into view, with so many lines. If it showed before, it goes on.
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

    /// Jobs that show, as of before.
    pub fn in_view(&self) -> impl Iterator<Item = &SessionId> {
        self.here.keys()
    }

    /// A job went out of view, with so many lines. One that was passed by is as unseen as before.
    pub fn end(&mut self, id: &SessionId, lines: u64, now: i64) {
        let look = self.here.remove(id);
        if look.is_some_and(|look| now - look.since >= GLANCE_MS) {
            self.seen.insert(id.clone(), Seen { lines, at: now });
        }
    }

    /// Everybody goes: what shows now was looked at.
    pub fn end_all(&mut self, lines: impl Fn(&SessionId) -> Option<u64>, now: i64) {
        for (id, _) in self.here.drain() {
            if let Some(lines) = lines(&id) {
                self.seen.insert(id, Seen { lines, at: now });
            }
        }
    }

    /// Lines of a job that nobody has looked at; none while it shows.
    pub fn unseen(&self, id: &SessionId, lines: u64) -> u64 {
        if self.here.contains_key(id) {
            return 0;
        }
        let seen = self.seen.get(id).map_or(0, |seen| seen.lines);
        lines.saturating_sub(seen)
    }

    /// For a job that shows: where what is new begins, and how many lines of it there were at first.
    pub fn mark(&self, id: &SessionId) -> Option<(Seen, u64)> {
        let look = self.here.get(id)?;
        Some((look.mark?, look.fresh))
    }

    /// Forgets jobs that are not there any more.
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

/// The row of `screen` in which line number `line` begins, when the job has written `total` lines of clean text.
///
/// Counted back from the cursor, which is in the last line: rows that go on from the one above belong to its line.
/// `None` where it has scrolled off, has not been written, or rows are no lines because a full-screen program
/// paints.
pub fn row_of_line(screen: &Screen, total: u64, line: u64) -> Option<u16> {
    if screen.alt_screen() {
        return None;
    }
    let goes_on = |row: u16| row > 0 && screen.row_wrapped(row - 1);
    let mut row = screen.cursor().row;
    let is_blank = !goes_on(row)
        && screen
            .row(row)
            .iter()
            .all(|cell| cell.text.trim().is_empty());
    // A newline at the end has begun a line that is none yet.
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
    fn lines_are_found_by_counting_back() {
        let few = screen("one\r\ntwo\r\nthree\r\n");
        assert_eq!(row_of_line(&few, 3, 1), Some(0));
        assert_eq!(row_of_line(&few, 3, 3), Some(2));
        assert_eq!(row_of_line(&few, 3, 4), Some(3));
        assert_eq!(row_of_line(&few, 3, 5), None);
        // The third line is two rows long, and the prompt after it has no newline.
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
    fn what_is_passed_by_stays_new() {
        let id = SessionId::fresh();
        let mut looks = Looks::default();
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
        // Nothing is new: no mark, also when something comes while one looks.
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
