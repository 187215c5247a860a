//! SCROLL: a part of a job's log, painted at the width of the pane, and a place in it.
//!
//! The bytes come from the end of the log backwards, more whenever the top is reached. The place is kept as
//! lines above the end of what is painted, so that adding older output in front moves nothing.

use regex::{Regex, RegexBuilder};

use super::line::Line;
use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// Bytes asked for at first.
pub const FIRST_BYTES: u64 = 256 * 1024;
/// Bytes painted at most; the command line shows the rest.
pub const MAX_BYTES: usize = 8 << 20;
/// Lines painted at most: a line of 120 columns takes about 4 KB.
const MAX_LINES: usize = 20_000;

/// Which part of the log was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Its end.
    First,
    /// What comes before the part that is there.
    Older,
    /// What has been written since.
    Newer,
}

/// A search and what it found.
pub struct Search {
    /// What was typed.
    pub text: String,
    /// How it is looked for.
    pub pattern: Regex,
    /// Rows with a match, counted from the top of what is painted.
    pub rows: Vec<usize>,
    /// The match the view stands on.
    pub at: Option<usize>,
}

/// A line to go to once it has come.
pub struct Goal {
    /// Where it begins in the log.
    pub offset: u64,
    /// What was looked for.
    pub search: String,
}

/// The state of SCROLL.
pub struct Scroll {
    /// Whose log it is.
    pub id: SessionId,
    /// The painted log.
    pub screen: Screen,
    /// Offset of the first byte that is here.
    pub start: u64,
    /// Offset after the last byte that is here.
    pub end: u64,
    /// Offset of the first byte that is kept at all.
    pub first: u64,
    /// Lines between the view and the end.
    pub up: usize,
    /// Lines that the job had written when `end` was read.
    pub lines_then: u64,
    /// The part that is on its way.
    pub loading: Option<Part>,
    /// The search being typed.
    pub input: Option<Line>,
    /// The search in force.
    pub search: Option<Search>,
    /// Lines to go up once older output has come.
    pub then_up: usize,
    /// A line to go to once it has come.
    pub goal: Option<Goal>,
    bytes: Vec<u8>,
    /// The newest lines were too many to paint everything that is here.
    full: bool,
}

impl Scroll {
    /// A view of nothing yet; `then_up` lines up from the end as soon as it has come.
    pub fn new(id: SessionId, size: Size, then_up: usize) -> Self {
        Self {
            id,
            screen: Screen::with_scrollback(size, MAX_LINES),
            start: 0,
            end: 0,
            first: 0,
            up: 0,
            lines_then: 0,
            loading: Some(Part::First),
            input: None,
            search: None,
            then_up,
            goal: None,
            bytes: Vec::new(),
            full: false,
        }
    }

    /// Whether there is older output that could be painted.
    pub fn has_older(&self) -> bool {
        self.start > self.first && !self.full && self.bytes.len() < MAX_BYTES
    }

    /// Whether older output is kept that is too much to be painted here.
    pub fn is_cut(&self) -> bool {
        self.start > self.first && !self.has_older()
    }

    /// Offset and length of the older part to ask for next: as much again as is here.
    pub fn older_part(&self) -> (u64, u64) {
        let chunk = (self.bytes.len() as u64).clamp(FIRST_BYTES, 1 << 20);
        let from = self.start.saturating_sub(chunk).max(self.first);
        (from, self.start - from)
    }

    /// Takes in a part that was asked for: `offset` of its first byte, and the first byte kept at all.
    pub fn receive(&mut self, part: Part, bytes: &[u8], offset: u64, first: u64) {
        self.loading = None;
        self.first = first;
        match part {
            Part::First => {
                self.bytes = bytes.to_vec();
                self.start = offset;
                self.end = offset + bytes.len() as u64;
                self.paint(self.screen.size());
            }
            Part::Older => {
                let before = self.screen.scrollback_len();
                let keep = usize::try_from(self.start.saturating_sub(offset)).unwrap_or(usize::MAX);
                let mut all = bytes[..bytes.len().min(keep)].to_vec();
                all.append(&mut self.bytes);
                self.bytes = all;
                self.start = offset;
                self.paint(self.screen.size());
                // Nothing came of it: the rest would not, either.
                self.full |= self.screen.scrollback_len() == before && !bytes.is_empty();
            }
            Part::Newer => {
                let before = self.screen.scrollback_len();
                self.bytes.extend_from_slice(bytes);
                self.end = offset + bytes.len() as u64;
                self.screen.scroll_to(0);
                self.screen.feed(&harmless(bytes));
                // What stood in view stays in view.
                self.up += self.screen.scrollback_len() - before;
            }
        }
        self.up += std::mem::take(&mut self.then_up);
        self.find_rows();
        self.show();
    }

    /// Paints everything at another size.
    pub fn resize(&mut self, size: Size) {
        if size == self.screen.size() {
            return;
        }
        self.paint(size);
        self.find_rows();
        self.show();
    }

    /// Moves by so many lines, up being positive; whether the top stopped it.
    pub fn move_by(&mut self, lines: isize) -> bool {
        let wanted = self.up.saturating_add_signed(lines);
        self.up = wanted;
        self.show();
        wanted > self.up
    }

    /// Goes to the top.
    pub fn to_top(&mut self) {
        self.up = self.screen.scrollback_len();
        self.show();
    }

    /// Rows painted in all.
    pub fn total(&self) -> usize {
        lines_of(&self.screen)
    }

    /// The first row in view, counted from the top of what is painted.
    pub fn top(&self) -> usize {
        self.screen.scrollback_len() - self.up
    }

    /// The last row in view, counted from 1.
    pub fn bottom(&self) -> usize {
        (self.top() + usize::from(self.screen.size().rows())).min(self.total())
    }

    /// Looks for `text`: a regular expression if it is one, else as it stands; case matters once it has a
    /// capital. Goes to the newest match at or above the bottom of the view.
    pub fn search(&mut self, text: &str) {
        let smart = !text.chars().any(char::is_uppercase);
        let build = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(smart).build();
        let Ok(pattern) = build(text).or_else(|_| build(&regex::escape(text))) else {
            return;
        };
        self.search = Some(Search {
            text: text.to_owned(),
            pattern,
            rows: Vec::new(),
            at: None,
        });
        self.find_rows();
        let bottom = self.bottom();
        if let Some(search) = &mut self.search {
            search.at = search
                .rows
                .iter()
                .rposition(|&row| row < bottom)
                .or(search.rows.len().checked_sub(1));
        }
        self.show_match();
    }

    /// Goes to the next match, older or newer; `false` at the last one.
    pub fn next_match(&mut self, older: bool) -> bool {
        let Some(search) = &mut self.search else {
            return false;
        };
        let next = match (search.at, older) {
            (Some(at), true) => at.checked_sub(1),
            (Some(at), false) => Some(at + 1).filter(|&at| at < search.rows.len()),
            (None, _) => search.rows.len().checked_sub(1),
        };
        if next.is_some() {
            search.at = next;
            self.show_match();
        }
        next.is_some()
    }

    /// Searches for what the goal says and goes to its line; `false`: that line is not here.
    pub fn reach(&mut self, goal: &Goal) -> bool {
        self.search(&goal.search);
        let Some(skip) = goal.offset.checked_sub(self.start) else {
            return false;
        };
        // Counted from the end, because what is here may have more lines than are painted.
        let skip = usize::try_from(skip)
            .unwrap_or(usize::MAX)
            .min(self.bytes.len());
        let mut below = Screen::with_scrollback(self.screen.size(), MAX_LINES);
        below.feed(&harmless(&self.bytes[skip..]));
        let row = self.total().checked_sub(lines_of(&below));
        let Some(row) = row else {
            return false;
        };
        if let Some(search) = &mut self.search {
            search.at = search.rows.iter().position(|&hit| hit >= row);
        }
        let height = usize::from(self.screen.size().rows());
        let top = row.saturating_sub(height / 2);
        self.up = self.screen.scrollback_len().saturating_sub(top);
        self.show();
        true
    }

    fn paint(&mut self, size: Size) {
        let mut screen = Screen::with_scrollback(size, MAX_LINES);
        screen.feed(&harmless(self.whole_lines()));
        if screen.alt_screen() {
            // A full-screen program paints over what scrolled by, and it is that what is looked for here.
            screen.feed(b"\x1b[?1049l");
        }
        self.full = screen.scrollback_len() >= MAX_LINES;
        self.screen = screen;
    }

    /// What is here without the line that was cut at its start.
    fn whole_lines(&self) -> &[u8] {
        if self.start <= self.first {
            return &self.bytes;
        }
        let start = self.bytes.iter().position(|&b| b == b'\n');
        &self.bytes[start.map_or(0, |at| at + 1)..]
    }

    fn show(&mut self) {
        self.up = self.up.min(self.screen.scrollback_len());
        self.screen.scroll_to(self.up);
    }

    fn show_match(&mut self) {
        let Some(row) = self
            .search
            .as_ref()
            .and_then(|s| s.rows.get(s.at?).copied())
        else {
            return;
        };
        let height = usize::from(self.screen.size().rows());
        if row < self.top() || row >= self.top() + height {
            // In the middle, with what led to it above.
            let top = row.saturating_sub(height / 2);
            self.up = self.screen.scrollback_len().saturating_sub(top);
        }
        self.show();
    }

    /// Finds the rows that match, after a search or after more was painted.
    fn find_rows(&mut self) {
        let Some(mut search) = self.search.take() else {
            return;
        };
        // Rows are counted from the top, which older output moves: the place is kept from the end.
        let from_end = search.at.map(|at| search.rows.len() - at);
        search.rows.clear();
        let (height, above) = (
            usize::from(self.screen.size().rows()),
            self.screen.scrollback_len(),
        );
        let total = self.total();
        let mut top = 0;
        while top < total {
            let page_top = top.min(above);
            self.screen.scroll_to(above - page_top);
            for row in top..(page_top + height).min(total) {
                let text = row_text(&self.screen, u16::try_from(row - page_top).unwrap_or(0));
                if search.pattern.is_match(&text) {
                    search.rows.push(row);
                }
            }
            top = page_top + height;
        }
        search.at = from_end.and_then(|n| search.rows.len().checked_sub(n));
        self.search = Some(search);
        self.show();
    }
}

/// Lines on a screen and above it. A newline at the end begins no line yet.
fn lines_of(screen: &Screen) -> usize {
    let cursor = screen.cursor();
    screen.scrollback_len() + usize::from(cursor.row) + usize::from(cursor.col > 0)
}

/// The text of a row in view, one character for each column that is not the right half of a wide one.
pub fn row_text(screen: &Screen, row: u16) -> String {
    let mut text = String::new();
    for col in 0..screen.size().cols() {
        match screen.cell(row, col) {
            Some(cell) if cell.width == 0 => {}
            Some(cell) if !cell.text.is_empty() => text.push_str(cell.text),
            _ => text.push(' '),
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// The bytes without "erase scrollback" (`CSI 3 J`, sent by `clear`): here it would erase what is looked for.
fn harmless(bytes: &[u8]) -> Vec<u8> {
    const ERASE: &[u8] = b"\x1b[3J";
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(ERASE.len()).position(|w| w == ERASE) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + ERASE.len()..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn log(from: usize, to: usize) -> Vec<u8> {
        (from..to)
            .flat_map(|n| format!("line {n}\r\n").into_bytes())
            .collect()
    }

    fn scroll() -> Scroll {
        let id = SessionId::parse("abcdefghijkl").unwrap();
        Scroll::new(id, Size::new(10, 40), 0)
    }

    fn first_row(scroll: &Scroll) -> String {
        row_text(&scroll.screen, 0)
    }

    #[test]
    fn new_output_does_not_move_the_view() {
        let mut scroll = scroll();
        let bytes = log(0, 50);
        let end = bytes.len() as u64;
        scroll.receive(Part::First, &bytes, 0, 0);
        scroll.move_by(20);
        let before = first_row(&scroll);
        scroll.receive(Part::Newer, &log(50, 60), end, 0);
        assert_eq!(first_row(&scroll), before);
        assert_eq!(scroll.total(), 60);
    }

    #[test]
    fn older_output_in_front_does_not_move_it_either() {
        let mut scroll = scroll();
        let all = log(0, 50);
        let cut = log(0, 20).len() as u64;
        scroll.receive(Part::First, &all[usize::try_from(cut).unwrap()..], cut, 0);
        assert!(scroll.has_older());
        assert!(scroll.move_by(1000), "the top stops it");
        // The first line may be half a line, so it is not shown.
        assert_eq!(first_row(&scroll), "line 21");
        scroll.receive(Part::Older, &all[..usize::try_from(cut).unwrap()], 0, 0);
        assert_eq!(first_row(&scroll), "line 21");
        assert!(!scroll.has_older());
        scroll.to_top();
        assert_eq!(first_row(&scroll), "line 0");
    }

    #[test]
    fn searching_goes_to_older_matches_and_back() {
        let mut scroll = scroll();
        scroll.receive(Part::First, &log(0, 50), 0, 0);
        scroll.search("LINE 1$");
        assert_eq!(scroll.search.as_ref().unwrap().rows, Vec::<usize>::new());
        scroll.search("line .?7$");
        assert_eq!(scroll.search.as_ref().unwrap().rows, [7, 17, 27, 37, 47]);
        assert_eq!(scroll.search.as_ref().unwrap().at, Some(4));
        assert!(scroll.next_match(true));
        assert!(scroll.next_match(true));
        assert!(scroll.top() <= 27 && scroll.bottom() > 27);
        assert!(scroll.next_match(false));
        assert_eq!(scroll.search.as_ref().unwrap().at, Some(3));
        scroll.search("(");
        assert!(scroll.search.as_ref().unwrap().rows.is_empty());
    }

    #[test]
    fn a_line_is_reached_by_its_offset() {
        let mut scroll = scroll();
        scroll.receive(Part::First, &log(0, 50), 0, 0);
        let goal = |n: usize| Goal {
            offset: log(0, n).len() as u64,
            search: "line".to_owned(),
        };
        for n in [20, 0, 49, 31] {
            assert!(scroll.reach(&goal(n)));
            let at = scroll.search.as_ref().unwrap().at;
            assert_eq!(at, Some(n));
            assert!(scroll.top() <= n && scroll.bottom() > n, "{n}");
        }
        let all = log(0, 50);
        scroll.receive(Part::First, &all[100..], 100, 0);
        assert!(!scroll.reach(&goal(3)), "it is not here");
    }

    #[test]
    fn a_cleared_screen_keeps_its_past_here() {
        let mut scroll = scroll();
        let mut bytes = log(0, 30);
        bytes.extend_from_slice(b"\x1b[H\x1b[2J\x1b[3Jafter");
        scroll.receive(Part::First, &bytes, 0, 0);
        scroll.to_top();
        assert_eq!(first_row(&scroll), "line 0");
    }
}
