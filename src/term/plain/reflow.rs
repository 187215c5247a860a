//! Lays the text of the window out anew when its size changes.

use super::interpret::Interpreter;
use super::lines::Lines;
use super::marks::Marks;
use super::window::Window;
use super::{Layout, LayoutKind};
use crate::term::compat::columns;
use crate::term::scan::Scanner;
use crate::term::size::Size;

/// Where the cursor is.
enum Place {
    /// In this row, above the place where rendering was resumed.
    Above(usize),
    /// At the end of this line of the window.
    End(usize),
    /// In this line, so many columns from its beginning.
    Line(usize, usize),
    /// In the row behind the last line.
    Behind,
}

impl Window {
    /// Changes the size. Returns whether anything has changed. Lines that are read from the bytes and lines that are
    /// only counted must stay the same, so this depends on nothing but the text, the cursor and the two sizes.
    pub(super) fn resize(&mut self, size: Size) -> bool {
        let (rows, cols) = (usize::from(size.rows()), usize::from(size.cols()));
        if self.pipe || (self.rows.len(), self.cols) == (rows, cols) {
            return false;
        }
        let place = self.place();
        let texts = self.live(|_, _| true);
        let (track, arrived, pen) = (self.lines.track, self.arrived, self.pen);
        let above = self.ghosts();
        let mut new = Self::new(
            Layout {
                size,
                kind: LayoutKind::Terminal,
            },
            u16::try_from(above).unwrap_or(u16::MAX),
            self.lines.count,
            arrived,
        );
        new.scrolled = self.scrolled;
        new.pen = pen.map(|_| Default::default());
        new.lines = std::mem::replace(&mut self.lines, Lines::new(0, 0));
        new.lines.drop_partial();
        new.lines.track = false;
        // No mark is made meanwhile: none is due.
        new.marks = Marks::new(u64::MAX / 2);
        // Where each line begins and ends. Rows are counted from the first one that there was.
        let (mut begins, mut ends) = (Vec::new(), Vec::new());
        for (n, line) in texts.iter().enumerate() {
            if n > 0 {
                new.next_row(line.start);
            }
            new.arrived = line.start;
            new.rows[new.row].start = Some(line.start);
            begins.push(new.scrolled + new.row as u64);
            new.write_line(&line.text, line.start);
            ends.push((new.scrolled + new.row as u64, new.col));
        }
        match place {
            Place::Above(row) => (new.row, new.col) = (row.min(new.last_row()), self.col),
            Place::End(line) => new.put_cursor(ends[line].0, ends[line].1),
            Place::Line(line, columns) => new.go_to(begins[line], columns),
            Place::Behind if texts.is_empty() => {}
            Place::Behind => new.next_row(arrived),
        }
        for row in &mut new.rows {
            (row.touched, row.fresh) = (false, false);
        }
        new.col = new.col.min(cols);
        new.arrived = arrived;
        new.pen = pen;
        new.lines.drop_touched(track);
        std::mem::swap(&mut new.marks, &mut self.marks);
        new.marks.drop_pending();
        *self = new;
        true
    }

    fn place(&self) -> Place {
        if self.row < self.ghosts() {
            return Place::Above(self.row);
        }
        let mut spans = self.spans().enumerate();
        let own = spans.find(|(_, (first, last))| (*first..=*last).contains(&self.row));
        own.map_or(Place::Behind, |(line, (first, last))| {
            if (self.row, self.col) == (last, self.rows[last].len()) {
                return Place::End(line);
            }
            let gone = match first {
                0 => self
                    .lines
                    .partial()
                    .chars()
                    .filter_map(columns)
                    .map(usize::from)
                    .sum(),
                _ => 0,
            };
            let here = (self.row - first) * self.cols + self.col;
            Place::Line(line, here + gone)
        })
    }

    /// Number of rows above the place where rendering was resumed.
    fn ghosts(&self) -> usize {
        self.rows.iter().take_while(|row| row.ghost).count()
    }

    /// Begins the next row.
    fn next_row(&mut self, start: u64) {
        self.line_feed(start);
        self.col = 0;
    }

    /// Writes the text of a line.
    fn write_line(&mut self, text: &str, start: u64) {
        let (mut scanner, mut interpreter) = (Scanner::default(), Interpreter::new(false, start));
        let mut pos = 0;
        while let Some(token) = scanner.next(text.as_bytes(), &mut pos) {
            interpreter.token(self, token, start, start);
        }
    }

    /// Puts the cursor so many columns behind the beginning of the line that begins in row `begin`, counted from the first
    /// row that there was.
    fn go_to(&mut self, begin: u64, columns: usize) {
        let (mut down, mut col) = (columns / self.cols, columns % self.cols);
        if col == 0 && down > 0 {
            // A wrap is pending.
            (down, col) = (down - 1, self.cols);
        }
        self.put_cursor(begin + down as u64, col);
    }

    /// Puts the cursor in a row that is counted from the first one that there was.
    fn put_cursor(&mut self, row: u64, col: usize) {
        let row = row.saturating_sub(self.scrolled);
        self.row = usize::try_from(row)
            .unwrap_or(usize::MAX)
            .min(self.last_row());
        self.col = col;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::plain::Plain;

    /// The lines of output before and after a change of size.
    fn lines(from: Size, before: &str, to: Size, after: &str) -> Vec<String> {
        let mut plain = Plain::new(Layout {
            size: from,
            kind: LayoutKind::Terminal,
        });
        plain.feed(before.as_bytes());
        let count = plain.total_lines();
        plain.resize(to);
        assert_eq!(plain.total_lines(), count, "no line is made or lost");
        plain.feed(after.as_bytes());
        let lines = [plain.drain_final(), plain.live()].concat();
        let numbers: Vec<u64> = lines.iter().map(|line| line.n).collect();
        assert_eq!(numbers, (1..=lines.len() as u64).collect::<Vec<_>>());
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_line_goes_on_at_another_size() {
        let (wide, narrow) = (Size::new(4, 20), Size::new(4, 5));
        for (before, after, expected) in [
            ("0123456789", "x", vec!["0123456789x"]),
            ("01234", "x", vec!["01234x"]),
            ("10 %\r", "20 %", vec!["20 %"]),
            ("one\r\ntwo\x1b[A\r", "ONE", vec!["ONE", "two"]),
            ("one\r\n", "two", vec!["one", "two"]),
            ("one\r\n\r\n", "two", vec!["one", "", "two"]),
            ("", "one", vec!["one"]),
            ("a\x1b[?1049hfull", "\x1b[?1049lb", vec!["ab"]),
            ("a\x1b[3", "1mb", vec!["ab"]),
        ] {
            assert_eq!(lines(wide, before, narrow, after), expected, "{before:?}");
            assert_eq!(lines(narrow, before, wide, after), expected, "{before:?}");
        }
    }

    #[test]
    fn lines_that_have_no_more_room_are_final() {
        let text = "1\r\n2\r\n3\r\n4\r\n";
        let (high, low) = (Size::new(9, 20), Size::new(2, 20));
        let all = ["1", "2", "3", "4"];
        assert_eq!(lines(high, text, low, "\x1b[9A"), all);
        assert_eq!(
            lines(high, text, low, "\x1b[9Afour"),
            ["1", "2", "3", "four"]
        );
        assert_eq!(
            lines(high, text, high, "\x1b[9Aone"),
            ["one", "2", "3", "4"]
        );
    }
}
