//! Turns bytes of a log into rows by painting them on an emulated terminal.

use std::collections::VecDeque;
use std::rc::Rc;

use super::RunBreak;
use super::row::Row;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// Rows kept above the screen until they are taken. A piece of [`PIECE`] bytes makes fewer.
const KEPT: usize = 8192;
/// Number of rows above the screen after which they are taken.
const TAKE: usize = 256;
/// Maximum number of bytes painted at once.
const PIECE: usize = 64 * 1024;
/// Ends what a program that was killed may have left: modes and attributes (DECSTR), new-line mode, a link.
const RESET: &[u8] = b"\x1b[!p\x1b[20l\x1b]8;;\x1b\\";
/// Sent by shells before the prompt (OSC 133;A or P), and before the output of a command (OSC 133;C).
const PROMPTS: [&[u8]; 2] = [b"\x1b]133;A", b"\x1b]133;P"];
const OUTPUT: &[u8] = b"\x1b]133;C";
/// "Erase scrollback", as sent by `clear`. Dropped, because it would erase what the person scrolls
/// back to see.
const ERASE: &[u8] = b"\x1b[3J";
/// "Full reset" (RIS). It erases the scrollback too, which is taken before it.
const FULL_RESET: &[u8] = b"\x1bc";

/// A painter: feed it bytes, then read the finished rows and those that may still change.
pub(super) struct Painter {
    screen: Screen,
    /// In a pipe a newline also returns to the first column, as in a file.
    is_pipe: bool,
    /// Number of rows taken so far.
    taken: usize,
    /// Where lines start: the row counted from the first one, the offset, and whether a prompt
    /// starts.
    starts: VecDeque<(usize, u64, bool)>,
    /// Rows, counted in the same way, in which the output of a shell's command begins.
    outputs: VecDeque<usize>,
    /// Offset of the line that continues in the next row to be taken.
    offset: u64,
    /// The lines between runs.
    breaks: Rc<[RunBreak]>,
}

impl Painter {
    /// A painter for a log from `offset` on.
    pub(super) fn new(size: Size, is_pipe: bool, offset: u64) -> Self {
        Self {
            screen: Screen::with_scrollback(size, KEPT),
            is_pipe,
            taken: 0,
            starts: VecDeque::new(),
            outputs: VecDeque::new(),
            offset,
            breaks: Rc::default(),
        }
    }

    /// Sets the lines between runs.
    pub(super) fn set_breaks(&mut self, breaks: Rc<[RunBreak]>) {
        self.breaks = breaks;
    }

    /// All rows that `bytes`, which start at `offset`, paint.
    pub(super) fn paint(mut self, bytes: &[u8], offset: u64) -> Vec<Row> {
        let mut rows = Vec::new();
        self.feed(bytes, offset, &mut rows);
        rows.append(&mut self.unfinished());
        rows
    }

    /// Paints bytes that start at `offset` and appends finished rows to `rows`.
    pub(super) fn feed(&mut self, bytes: &[u8], offset: u64, rows: &mut Vec<Row>) {
        let (mut rest, mut at) = (bytes, offset);
        let breaks = Rc::clone(&self.breaks);
        for one in breaks.iter().filter(|one| one.offset >= offset) {
            let length = usize::try_from(one.offset - at).unwrap_or(usize::MAX);
            let Some((run, later)) = rest
                .split_at_checked(length)
                .filter(|(_, rest)| !rest.is_empty())
            else {
                break;
            };
            self.feed_run(run, at, rows);
            self.begin_run(one);
            (rest, at) = (later, one.offset);
        }
        self.feed_run(rest, at, rows);
    }

    /// Begins a run below all text, in the state of a new terminal and with a line of its own.
    fn begin_run(&mut self, run: &RunBreak) {
        if self.screen.alt_screen() {
            self.screen.feed(b"\x1b[?1049l");
        }
        self.screen.feed(RESET);
        let mut rows = (0..self.screen.size().rows()).rev();
        let last = rows.find(|row| self.screen.row_end(*row) > 0);
        let next = last
            .map_or(0, |last| last + 1)
            .max(self.screen.cursor().row);
        self.screen.feed(format!("\x1b[{next};1H").as_bytes());
        if next > 0 {
            self.screen.feed(b"\r\n");
        }
        self.begin_line(run.offset, true);
        let line = format!("\x1b[2m{}\x1b[m\r\n", run.words);
        self.screen.feed(line.as_bytes());
    }

    /// Paints bytes of one run.
    fn feed_run(&mut self, bytes: &[u8], offset: u64, rows: &mut Vec<Row>) {
        let mut at = offset;
        for line in bytes.split_inclusive(|&b| b == b'\n') {
            for piece in line.chunks(PIECE) {
                self.begin_line(at, PROMPTS.iter().any(|mark| contains(piece, mark)));
                at += piece.len() as u64;
                let piece = self.feed_to_output(piece, rows);
                self.feed_piece(piece, rows);
                if self.is_pipe && piece.ends_with(b"\n") {
                    self.screen.feed(b"\r");
                }
                if self.screen.scrollback_len() >= TAKE {
                    self.take(rows);
                }
            }
        }
        self.take(rows);
    }

    /// Paints a piece of a line, apart from what would erase the rows above the screen.
    fn feed_piece(&mut self, piece: &[u8], rows: &mut Vec<Row>) {
        let mut rest = piece;
        while let Some(at) = place_of(rest, FULL_RESET) {
            let (before, reset) = rest.split_at(at);
            self.feed_piece(before, rows);
            if self.screen.alt_screen() {
                self.screen.feed(b"\x1b[?1049l");
            }
            self.take(rows);
            self.screen.feed(FULL_RESET);
            self.begin_again();
            rest = &reset[FULL_RESET.len()..];
        }
        if contains(rest, ERASE) {
            self.screen.feed(&without_erase(rest));
        } else {
            self.screen.feed(rest);
        }
    }

    /// The rows that may still change: the screen up to its last line.
    pub(super) fn unfinished(&mut self) -> Vec<Row> {
        // Read the normal screen, because this view shows the scrolled output and not the
        // full-screen program.
        let alt = self.screen.alt_screen();
        if alt {
            self.screen.feed(b"\x1b[?1049l");
        }
        let cursor = self.screen.cursor();
        let mut rows: Vec<Row> = (0..self.screen.size().rows())
            .map(|y| Row::of(&self.screen, y))
            .collect();
        // A final newline does not start a new line yet.
        let least = usize::from(cursor.row) + usize::from(cursor.col > 0);
        while rows.len() > least && rows.last().is_some_and(Row::is_blank) {
            rows.pop();
        }
        let (mut offset, mut starts) = (self.offset, self.starts.iter().peekable());
        for (number, row) in (self.taken..).zip(&mut rows) {
            while let Some(&&(_, at, prompt)) = starts.peek().filter(|(start, ..)| *start <= number)
            {
                offset = at;
                row.prompt |= prompt;
                starts.next();
            }
            row.offset = offset;
            row.output = self.outputs.contains(&number);
        }
        if alt {
            self.screen.feed(b"\x1b[?1049h");
        }
        rows
    }

    /// Paints the part of a line up to the mark of output in it, if there is one, and records the mark. Returns the
    /// rest of the line.
    fn feed_to_output<'a>(&mut self, line: &'a [u8], rows: &mut Vec<Row>) -> &'a [u8] {
        let Some(at) = place_of(line, OUTPUT) else {
            return line;
        };
        let (before, rest) = line.split_at(at);
        self.feed_piece(before, rows);
        if !self.screen.alt_screen() {
            // After the text of the command, the output begins in the next row.
            let is_after = self.screen.cursor().col > 0;
            let row = self.row() + usize::from(is_after);
            self.drop_outputs(row);
            self.outputs.push_back(row);
        }
        rest
    }

    /// Forgets the marks of output from this row on, because the cursor has moved up there.
    fn drop_outputs(&mut self, from: usize) {
        while self.outputs.back().is_some_and(|row| *row >= from) {
            self.outputs.pop_back();
        }
    }

    /// The row of the cursor, counted from the first one.
    fn row(&self) -> usize {
        self.taken + self.screen.scrollback_len() + usize::from(self.screen.cursor().row)
    }

    /// Records that a line starts at `offset`, in the row of the cursor.
    fn begin_line(&mut self, offset: u64, prompt: bool) {
        if self.screen.alt_screen() {
            return;
        }
        let row = self.row();
        self.drop_outputs(row + 1);
        match self.starts.back_mut() {
            // The cursor has moved up, so this line overwrites one that started there before.
            Some(last) if last.0 >= row => last.2 |= prompt && last.0 == row,
            _ => self.starts.push_back((row, offset, prompt)),
        }
    }

    /// Records that the present line goes on in the row of the cursor, because all rows from there on were erased.
    fn begin_again(&mut self) {
        let row = self.row();
        let present = self.starts.back().copied();
        while self.starts.back().is_some_and(|start| start.0 >= row) {
            self.starts.pop_back();
        }
        self.starts
            .extend(present.map(|(_, offset, prompt)| (row, offset, prompt)));
        self.drop_outputs(row);
    }

    /// Takes the rows that have scrolled off the screen.
    fn take(&mut self, rows: &mut Vec<Row>) {
        let above = self.screen.scrollback_len();
        let height = usize::from(self.screen.size().rows());
        let mut top = 0;
        while top < above {
            self.screen.scroll_to(above - top);
            for y in 0..height.min(above - top) {
                let mut row = Row::of(&self.screen, u16::try_from(y).unwrap_or(0));
                while let Some(&(_, at, prompt)) =
                    self.starts.front().filter(|start| start.0 <= self.taken)
                {
                    self.offset = at;
                    row.prompt |= prompt;
                    self.starts.pop_front();
                }
                row.offset = self.offset;
                while let Some(&output) = self.outputs.front().filter(|row| **row <= self.taken) {
                    row.output |= output == self.taken;
                    self.outputs.pop_front();
                }
                self.taken += 1;
                rows.push(row);
            }
            top += height;
        }
        if above > 0 {
            self.screen.scroll_to(0);
            self.screen.clear_scrollback();
        }
    }
}

fn contains(bytes: &[u8], what: &[u8]) -> bool {
    place_of(bytes, what).is_some()
}

/// The place of a sequence in `bytes`.
fn place_of(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let from = bytes.iter().position(|&b| b == 0x1b)?;
    let mut places = bytes[from..].windows(what.len());
    Some(from + places.position(|window| window == what)?)
}

fn without_erase(bytes: &[u8]) -> Vec<u8> {
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
mod tests {
    use super::*;

    fn paint(bytes: &[u8], offset: u64, size: Size, is_pipe: bool) -> Vec<Row> {
        Painter::new(size, is_pipe, offset).paint(bytes, offset)
    }

    fn lines(rows: &[Row]) -> Vec<(&str, u64)> {
        rows.iter()
            .map(|row| (row.text.as_str(), row.offset))
            .collect()
    }

    #[test]
    fn rows_have_the_offset_of_their_line() {
        let bytes = b"one\r\nlonger\r\n\r\nlast";
        let rows = paint(bytes, 100, Size::new(2, 4), false);
        let want = [
            ("one", 100),
            ("long", 105),
            ("er", 105),
            ("", 113),
            ("last", 115),
        ];
        assert_eq!(lines(&rows), want);
    }

    #[test]
    fn painting_in_pieces_gives_the_same_rows() {
        let log: Vec<u8> = (0..700)
            .flat_map(|n| format!("\x1b[3{}mline {n}\x1b[m and more\r\n", n % 8).into_bytes())
            .collect();
        let size = Size::new(5, 9);
        let whole = paint(&log, 0, size, false);
        let mut painter = Painter::new(size, false, 0);
        let mut rows = Vec::new();
        for (at, piece) in log.chunks(100).enumerate() {
            painter.feed(piece, 100 * at as u64, &mut rows);
        }
        rows.append(&mut painter.unfinished());
        let text = |rows: &[Row]| rows.iter().map(|row| row.text.clone()).collect::<Vec<_>>();
        assert_eq!(text(&rows), text(&whole));
    }

    #[test]
    fn clearing_the_screen_keeps_the_scrollback() {
        let mut bytes: Vec<u8> = (0..30)
            .flat_map(|n| format!("line {n}\r\n").into_bytes())
            .collect();
        bytes.extend_from_slice(b"\x1b[H\x1b[2J\x1b[3Jafter");
        let rows = paint(&bytes, 0, Size::new(10, 40), false);
        assert_eq!(rows[0].text, "line 0");
        assert!(rows.iter().any(|row| row.text == "after"));
    }

    #[test]
    fn a_full_reset_keeps_the_scrollback() {
        for inside in ["", "\x1b[?1049h\x1b[Hfull screen"] {
            let mut bytes: Vec<u8> = (0..30)
                .flat_map(|n| format!("line {n}\r\n").into_bytes())
                .collect();
            let at = bytes.len() as u64 + inside.len() as u64 + 7;
            bytes.extend_from_slice(inside.as_bytes());
            bytes.extend_from_slice(b"\x1bcone\r\ntwo");
            let rows = paint(&bytes, 0, Size::new(10, 40), false);
            let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
            assert_eq!(
                (texts[0], texts[20], texts.len()),
                ("line 0", "line 20", 23)
            );
            assert_eq!(texts[21..], ["one", "two"]);
            assert_eq!(rows[22].offset, at);
        }
    }

    #[test]
    fn shows_the_normal_screen_during_a_full_screen_program() {
        let mut painter = Painter::new(Size::new(4, 20), false, 0);
        let mut rows = Vec::new();
        painter.feed(b"$ vim\r\n\x1b[?1049h\x1b[Htext of vim", 0, &mut rows);
        assert_eq!(painter.unfinished()[0].text, "$ vim");
        painter.feed(b"\x1b[?1049lafter\r\n", 40, &mut rows);
        assert_eq!(painter.unfinished()[1].text, "after");
    }

    #[test]
    fn recognizes_where_the_output_of_a_command_begins() {
        let log = b"\x1b]133;A\x07$ ls\r\n\x1b[?2004l\r\x1b]133;C\x07one\r\ntwo\r\n$ id\x1b]133;C\x07\r\nroot\r\n";
        for rows in [2, 20] {
            let rows = paint(log, 0, Size::new(rows, 20), false);
            let outputs = rows.iter().filter(|row| row.output);
            let texts: Vec<&str> = outputs.map(|row| row.text.as_str()).collect();
            assert_eq!(texts, ["one", "root"]);
        }
    }

    #[test]
    fn recognizes_prompts_and_newlines_of_pipes() {
        let rows = paint(
            b"\x1b]133;A\x07$ ls\r\nfile\r\n\x1b]133;P;k=i\x07$ \r\n",
            0,
            Size::new(4, 20),
            false,
        );
        let prompts: Vec<bool> = rows.iter().map(|row| row.prompt).collect();
        assert_eq!(prompts, [true, false, true]);
        let rows = paint(b"one\ntwo\n", 0, Size::new(4, 20), true);
        assert_eq!(lines(&rows), [("one", 0), ("two", 4)]);
    }
}
