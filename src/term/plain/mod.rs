//! The plain renderer converts bytes into the lines that a reader would have seen scroll by.
//!
//! It is a small terminal without colours. Rows that scroll off its window are final. Text that was
//! overwritten before that, for example by a progress bar, is gone. Wrapped rows are joined into
//! one line, and the alternate screen leaves no lines. Line numbers start at 1 and are permanent.
//! Rendering can start in the middle of a stream at checkpoints.

pub mod block;
pub mod follower;
pub mod interpret;
pub mod lines;
pub mod marks;
pub mod pens;
pub mod reader;
mod reflow;
pub mod row;
pub mod sieve;
pub mod simple;
pub mod window;
pub mod written;

use self::interpret::Interpreter;
use self::window::Window;
use super::pen::Pen;
use super::redraw::Abridged;
use super::scan::{Scanner, Token};
use super::size::Size;

/// How bytes are laid out as lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Rows and columns of the window.
    pub size: Size,
    /// Whether the bytes come from a terminal or a pipe.
    pub kind: LayoutKind,
}

/// Source of the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayoutKind {
    /// A terminal: lines wrap at the last column.
    Terminal,
    /// A pipe: no wrapping, and LF implies CR.
    Pipe,
}

/// One logical line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Permanent number, counted from 1.
    pub n: u64,
    /// Absolute raw offset of its first byte.
    pub start: u64,
    /// The text, without the newline.
    pub text: String,
    /// Whether the line exceeds the maximum length and continues in the next one.
    pub goes_on: bool,
}

/// A place where rendering can start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// Absolute raw offset.
    pub offset: u64,
    /// Number of the line that begins there.
    pub line: u64,
    /// Row of the cursor in the window.
    pub row: u16,
    /// Whether the alternate screen is active.
    pub alt: bool,
    /// Whether rendering from here gives the same lines as rendering from the beginning.
    pub exact: bool,
}

impl Checkpoint {
    /// A place with a known offset and nothing else: line 1, on the main screen.
    pub fn at(offset: u64) -> Self {
        Self {
            offset,
            line: 1,
            row: 0,
            alt: false,
            exact: false,
        }
    }

    /// A place with a known offset on the screen that is shown: the alternate one if `alt`.
    pub fn on(offset: u64, alt: bool) -> Self {
        Self {
            alt,
            ..Self::at(offset)
        }
    }

    /// A place before which everything has scrolled off: line `line` begins in the last row of the
    /// main screen.
    pub fn scrolled(size: Size, offset: u64, line: u64) -> Self {
        Self {
            offset,
            line,
            row: size.rows() - 1,
            alt: false,
            exact: true,
        }
    }
}

/// Renders a stream of bytes as lines.
#[derive(Debug)]
pub struct Plain {
    scanner: Scanner,
    interpreter: Interpreter,
    window: Window,
    offset: u64,
}

/// Number of bytes after which an incomplete escape sequence counts as complete, so that it cannot
/// block readers.
const MAX_UNFINISHED: usize = 4096;

impl Plain {
    /// Creates a renderer at offset 0, line 1.
    pub fn new(layout: Layout) -> Self {
        Self::resume(
            layout,
            Checkpoint {
                offset: 0,
                line: 1,
                row: 0,
                alt: false,
                exact: true,
            },
        )
    }

    /// Creates a renderer that continues from `at`. The layout must be the one with which `at` was
    /// made.
    pub fn resume(layout: Layout, at: Checkpoint) -> Self {
        Self {
            scanner: Scanner::default(),
            interpreter: Interpreter::new(at.alt, at.offset),
            window: Window::new(layout, at.row, at.line.saturating_sub(1), at.offset),
            offset: at.offset,
        }
    }

    /// Renders `bytes`. The result does not depend on how the stream is split.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Self {
            scanner,
            interpreter,
            window,
            ..
        } = self;
        let base = self.offset;
        let mut pos = 0;
        loop {
            let start = base + pos as u64 - scanner.pending() as u64;
            let Some(token) = scanner.next(bytes, &mut pos) else {
                break;
            };
            let end = base + pos as u64;
            let text = matches!(token, Token::Text(_));
            interpreter.token(window, token, start, end);
            // Not after text, because the end of a text token depends on the reads.
            if !text && window.marks.overdue(end) && scanner.idle() {
                let line = window.number_of(window.row);
                window.marks.inexact(end, line, interpreter.alt());
            }
        }
        self.offset += bytes.len() as u64;
    }

    /// Renders an abridged form of the next `taken` bytes. Rendering can be resumed at its
    /// `places`, which are offsets from the first of these bytes.
    pub fn feed_abridged(&mut self, abridged: &Abridged) {
        let from = self.offset;
        self.feed(&abridged.bytes);
        self.offset = from + abridged.taken as u64;
        let Self { window, .. } = self;
        let line = window.number_of(window.row);
        for place in &abridged.places {
            let offset = from + *place as u64;
            window.marks.inexact(offset, line, self.interpreter.alt());
        }
    }

    /// Whether its cursor is at the position of a screen's cursor and moves in the same way. Also
    /// true on the alternate screen, where the cursor does not matter.
    pub fn follows(&self, row: u16, col: u16) -> bool {
        let Self { window, .. } = self;
        let here = (window.row, window.col) == (usize::from(row), usize::from(col));
        self.alt_screen() || (here && !window.pipe && self.is_ordinary())
    }

    /// Whether the main screen is active and every mode that affects the position of text and
    /// cursor has its default.
    pub fn is_ordinary(&self) -> bool {
        self.interpreter.is_plain() && self.window.whole_region()
    }

    /// Continues at another size, as a terminal that lays its text out anew does: the first lines scroll off if there is
    /// no more room. Nothing counts as touched. The size of a pipe never changes.
    pub fn resize(&mut self, size: Size) {
        if self.window.resize(size) {
            self.interpreter.follow(&self.window);
        }
    }

    /// Absolute offset after the bytes fed.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Offset of the first byte of an incomplete escape sequence or character, else
    /// [`offset`](Self::offset). After 4 KiB a sequence counts as complete.
    pub fn clean_offset(&self) -> u64 {
        match self.scanner.pending() {
            pending if pending <= MAX_UNFINISHED => self.offset - pending as u64,
            _ => self.offset,
        }
    }

    /// Whether the alternate screen is active.
    pub fn alt_screen(&self) -> bool {
        self.interpreter.alt()
    }

    /// An offset since which the alternate screen has not been switched; the last switch may be
    /// earlier.
    pub fn alt_since(&self) -> u64 {
        self.interpreter.alt_since()
    }

    /// Sets an earlier offset since which the alternate screen is known to be unchanged.
    pub fn set_alt_since(&mut self, offset: u64) {
        self.interpreter.set_alt_since(offset);
    }

    /// Whether all state except the text in the window and the cursor position has its default.
    pub fn is_plain(&self) -> bool {
        self.scanner.idle() && self.is_ordinary()
    }

    /// Sets whether [`drain_final`](Self::drain_final) returns the final lines (the default), or
    /// they are only counted.
    pub fn set_keep_final(&mut self, keep: bool) {
        self.window.lines.keep = keep;
    }

    /// Sets whether [`take_touched`](Self::take_touched) is used (the default). Without it, lines
    /// cost less.
    pub fn set_track_touched(&mut self, track: bool) {
        self.window.lines.track = track;
    }

    /// Sets whether lines contain their colours as SGR sequences (off by default). Each line begins
    /// and ends without attributes.
    pub fn set_colours(&mut self, on: bool) {
        self.window.pen = on.then(Pen::default);
    }

    /// Number of lines that can no longer change.
    pub fn final_lines(&self) -> u64 {
        self.window.lines.count
    }

    /// The lines in the window that end above the cursor.
    pub fn above_cursor(&self) -> Vec<Line> {
        let row = self.window.row;
        self.window.live(|_, last| last < row)
    }

    /// Takes the lines that have become final since the last call.
    pub fn drain_final(&mut self) -> Vec<Line> {
        self.window.lines.drain()
    }

    /// The lines still in the window, in order. A line started by a final newline is not included
    /// until something is written to it. Final and live lines together are
    /// [`total_lines`](Self::total_lines).
    pub fn live(&self) -> Vec<Line> {
        self.window.live(|_, _| true)
    }

    /// Whether the last line ends with a newline.
    pub fn ends_with_newline(&self) -> bool {
        let used = self.window.used();
        used == self.window.row && self.total_lines() > 0
    }

    /// Takes the lines, final or live, whose text has changed since the last call. They are
    /// preceded by the texts that lines had when they began to be overwritten, at most the last
    /// 4,096.
    pub fn take_touched(&mut self) -> Vec<Line> {
        self.window.take_touched()
    }

    /// Number of logical lines so far: `"a\n"` is one line, `"a\nb"` two.
    pub fn total_lines(&self) -> u64 {
        self.window.lines.count + self.window.spans().count() as u64
    }

    /// Takes the checkpoints found since the last call, about one every 16 KiB. An exact one is
    /// found late, when its line is final, so it may precede an inexact one that was found earlier.
    pub fn take_checkpoints(&mut self) -> Vec<Checkpoint> {
        self.window.marks.take()
    }
}

/// A separately rendered slice of output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// The lines, joined by `\n`. A final `\n` is kept.
    pub text: String,
    /// Number of bytes rendered. The rest is an incomplete sequence or character.
    pub consumed: usize,
    /// Whether the alternate screen is active afterwards.
    pub alt: bool,
}

/// Renders a slice that starts in the scanner's ground state on a blank window. `alt` says whether
/// it starts on the alternate screen.
pub fn render(bytes: &[u8], layout: Layout, alt: bool) -> Rendered {
    render_from(bytes, layout, Checkpoint::on(0, alt))
}

/// Renders a slice that starts at a checkpoint.
pub fn render_from(bytes: &[u8], layout: Layout, at: Checkpoint) -> Rendered {
    render_parts(&[(layout, bytes)], at)
}

/// Renders consecutive parts of a stream, which were written for different sizes. The first starts at a checkpoint.
pub fn render_parts(parts: &[(Layout, &[u8])], at: Checkpoint) -> Rendered {
    let Some((layout, _)) = parts.first() else {
        return Rendered {
            text: String::new(),
            consumed: 0,
            alt: at.alt,
        };
    };
    let length = parts.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut plain = Plain::resume(*layout, at);
    plain.set_track_touched(false);
    for (layout, bytes) in parts {
        plain.resize(layout.size);
        plain.feed(bytes);
    }
    let mut text = String::with_capacity(length);
    for line in plain.drain_final().iter().chain(&plain.live()) {
        text.push_str(&line.text);
        text.push('\n');
    }
    if !plain.ends_with_newline() {
        text.pop();
    }
    let consumed = usize::try_from(plain.clean_offset() - at.offset).unwrap_or(length);
    Rendered {
        text,
        consumed,
        alt: plain.alt_screen(),
    }
}

/// What a bounded text omits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Omitted {
    /// Bytes of text.
    pub bytes: u64,
    /// Newlines in the omitted text.
    pub lines: u64,
}

/// The last `max_chars` characters of `text`, and what is omitted before them.
pub fn tail_chars(text: &str, max_chars: usize) -> (&str, Omitted) {
    // Every character has at least one byte, so a short text needs no counting.
    if text.len() <= max_chars {
        return (text, Omitted::default());
    }
    let cut = match max_chars.checked_sub(1) {
        None => text.len(),
        Some(back) => text.char_indices().rev().nth(back).map_or(0, |(at, _)| at),
    };
    let (left, kept) = text.split_at(cut);
    let lines = left.bytes().filter(|&b| b == b'\n').count();
    (
        kept,
        Omitted {
            bytes: left.len() as u64,
            lines: lines as u64,
        },
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
