//! Reports lines to readers that cannot go back, each once it is complete.
//!
//! A line is reported when the cursor has moved on below it, so a progress bar is reported once, in
//! its last state. A line that changes after it was reported (as in a block of several bars) is
//! reported once more when it can no longer change. Text that is written after the screen was
//! cleared belongs to new lines, wherever it stands.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::reader::Shown;
use super::{Checkpoint, Layout, Line, Plain};
use crate::term::control::{Erase, Function};

/// Reads a stream of bytes as lines.
#[derive(Debug)]
pub struct Written {
    plain: Plain,
    /// Number of the last reported line.
    told: u64,
    /// Lines that were reported and may still change, as (number, digest of the reported text).
    open: VecDeque<(u64, u64)>,
}

impl Written {
    /// Creates a reader that continues from `at`. The layout must be the one with which `at` was
    /// made.
    pub fn new(layout: Layout, at: Checkpoint) -> Self {
        let mut plain = Plain::resume(layout, at);
        plain.set_track_touched(false);
        Self {
            plain,
            told: at.line.saturating_sub(1),
            open: VecDeque::new(),
        }
    }

    /// Sets whether lines contain their colours, as with [`Plain::set_colours`].
    #[must_use]
    pub fn with_colours(mut self, on: bool) -> Self {
        self.plain.set_colours(on);
        self
    }

    /// Processes the next bytes and passes the lines that they complete to `take`.
    pub fn feed(&mut self, mut bytes: &[u8], take: &mut impl FnMut(Shown<'_>)) {
        while let Some((at, length)) = find_clear(bytes) {
            let (page, rest) = bytes.split_at(at);
            self.read(page, take);
            if !self.plain.alt_screen() {
                let lines = self.plain.live();
                lines.iter().for_each(|line| self.tell(line, take));
            }
            let (clear, rest) = rest.split_at(length);
            self.plain.feed(clear);
            for line in self.plain.drain_final() {
                self.tell(&line, take);
            }
            if !self.plain.alt_screen() {
                self.told = self.plain.final_lines();
                self.open.clear();
            }
            bytes = rest;
        }
        self.read(bytes, take);
    }

    /// Reports the remaining lines, including an incomplete last line. Returns whether there is
    /// one.
    pub fn finish(mut self, take: &mut impl FnMut(Shown<'_>)) -> bool {
        for line in [self.plain.drain_final(), self.plain.live()].concat() {
            self.tell(&line, take);
        }
        self.plain.total_lines() > 0 && !self.plain.ends_with_newline()
    }

    fn read(&mut self, bytes: &[u8], take: &mut impl FnMut(Shown<'_>)) {
        self.plain.feed(bytes);
        for line in self.plain.drain_final() {
            self.tell(&line, take);
        }
        for line in self.plain.above_cursor() {
            if line.n > self.told {
                self.tell(&line, take);
                self.open.push_back((line.n, digest(&line.text)));
            }
        }
    }

    /// Reports a line, unless it was already reported with the same text.
    fn tell(&mut self, line: &Line, take: &mut impl FnMut(Shown<'_>)) {
        if line.n > self.told {
            self.told = line.n;
            return take(line.into());
        }
        let before = self.open.iter_mut().find(|(n, _)| *n == line.n);
        if let Some((_, before)) = before
            && *before != digest(&line.text)
        {
            *before = digest(&line.text);
            take(line.into());
        }
        let final_lines = self.plain.final_lines();
        while self
            .open
            .front()
            .is_some_and(|(n, _)| *n < line.n.min(final_lines))
        {
            self.open.pop_front();
        }
    }
}

/// Position and length of the first sequence that clears the screen, and so ends everything on it.
fn find_clear(bytes: &[u8]) -> Option<(usize, usize)> {
    memchr::memchr_iter(0x1b, bytes).find_map(|at| {
        let rest = &bytes[at..];
        let (function, length) = Function::first(rest)?;
        match function {
            Function::EraseInDisplay(Erase::All | Erase::Scrollback) | Function::Reset => {
                Some((at, length))
            }
            Function::CursorPosition(0, 0) => match Function::first(&rest[length..])? {
                (Function::EraseInDisplay(Erase::ToEnd), more) => Some((at, length + more)),
                _ => None,
            },
            _ => None,
        }
    })
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::plain::LayoutKind;
    use crate::term::size::Size;

    fn start() -> Checkpoint {
        Checkpoint {
            exact: true,
            ..Checkpoint::at(0)
        }
    }

    fn layout(kind: LayoutKind) -> Layout {
        Layout {
            size: Size::new(4, 20),
            kind,
        }
    }

    /// The lines reported for each of some reads, and those reported at the end.
    fn told(reads: &[&str]) -> Vec<Vec<String>> {
        let mut written = Written::new(layout(LayoutKind::Terminal), start());
        let mut all = Vec::new();
        for read in reads {
            let mut lines = Vec::new();
            written.feed(read.as_bytes(), &mut |line| {
                lines.push(line.text.to_owned())
            });
            all.push(lines);
        }
        let mut lines = Vec::new();
        written.finish(&mut |line| lines.push(line.text.to_owned()));
        all.push(lines);
        all
    }

    #[test]
    fn a_progress_bar_is_reported_once_in_its_last_state() {
        assert_eq!(
            told(&["10 %", "\r50 %\r", "100 %\r\n", "done"]),
            [vec![], vec![], vec!["100 %"], vec![], vec!["done"]]
        );
    }

    #[test]
    fn a_block_of_bars_is_reported_when_it_begins_and_when_it_ends() {
        let block = |one, two| format!("\x1b[2A\x1b[2Kone {one}\r\n\x1b[2Ktwo {two}\r\n");
        let (half, whole) = (block(50, 50), block(100, 50));
        assert_eq!(
            told(&["one 0\r\ntwo 0\r\n", &half, &whole, "end\r\n"]),
            [
                vec!["one 0", "two 0"],
                vec![],
                vec![],
                vec!["end"],
                vec!["one 100", "two 50"]
            ]
        );
    }

    #[test]
    fn text_after_a_clear_belongs_to_new_lines() {
        assert_eq!(
            told(&["ok 1\r\nwatching", "\x1b[2J\x1b[Hok 2\r\n", "\x1bcok 3\r\n"]),
            [vec!["ok 1"], vec!["watching", "ok 2"], vec!["ok 3"], vec![]]
        );
    }

    #[test]
    fn a_very_long_line_is_reported_in_pieces_that_continue() {
        for kind in [LayoutKind::Terminal, LayoutKind::Pipe] {
            let line: String = (0..400_000).map(|n| format!("{n} ")).collect();
            let log = format!("first\r\n{line}\r\nlast\r\n");
            let log = match kind {
                LayoutKind::Terminal => log,
                LayoutKind::Pipe => log.replace("\r\n", "\n"),
            };
            let mut written = Written::new(layout(kind), start());
            let (mut text, mut most) = (String::new(), 0);
            let mut take = |line: Shown<'_>| {
                text.push_str(line.text);
                most = most.max(line.text.len());
                if !line.goes_on {
                    text.push('\n');
                }
            };
            for bytes in log.as_bytes().chunks(60_000) {
                written.feed(bytes, &mut take);
            }
            written.finish(&mut take);
            assert!(text == format!("first\n{line}\nlast\n"), "{kind:?}");
            assert!(most < 2 << 20, "{most}");
        }
    }

    #[test]
    fn colours_are_kept_with_their_text() {
        let mut written = Written::new(layout(LayoutKind::Terminal), start()).with_colours(true);
        let mut lines = Vec::new();
        let log =
            "\x1b[31mred\x1b[0m plain\r\n\x1b[1;38:5:9mlate\r\nstill \x1b[mno\x1b]8;;x\x07\r\n";
        written.feed(log.as_bytes(), &mut |line| lines.push(line.text.to_owned()));
        assert_eq!(
            lines,
            [
                "\x1b[31mred\x1b[0m plain",
                "\x1b[1;91mlate\x1b[0m",
                "\x1b[1;91mstill \x1b[0mno"
            ]
        );
    }
}
