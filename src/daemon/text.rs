//! Parts of a log as clean text.

use super::log_reader::LogReader;
use super::state::State;
use crate::engine::output::Output;
use crate::protocol::SessionId;
use crate::protocol::reply::Left;
use crate::term::plain::{Checkpoint, Layout, Plain, Rendered, render, tail_chars};

/// A range up to this size is rendered whole.
const WHOLE: u64 = 256 * 1024;

/// A program that only ever redraws one line would make the search for enough
/// text endless; this much is looked at.
const DEEPEST: u64 = 8 << 20;

/// Farther back than this no checkpoint is started from: the next newline does.
const PRIME: u64 = 1 << 20;

/// Clean text of a part of a log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) omitted: Left,
    /// Where the next piece begins.
    pub(super) next: u64,
}

/// The end of a session's output.
pub(super) fn tail(state: &State, id: &SessionId, max_chars: usize) -> String {
    let (from, to) = (state.log_first(id), state.log_end(id));
    piece(state, id, from, to, max_chars).text
}

/// The last `max_chars` of what lies between two offsets.
pub(super) fn piece(state: &State, id: &SessionId, from: u64, to: u64, max_chars: usize) -> Piece {
    let (Some(session), Some(driver)) = (state.registry.get(id), state.drivers.get(id)) else {
        return Piece {
            next: to,
            ..Piece::default()
        };
    };
    let finished = session.life.status().is_finished();
    let source = Source {
        output: &session.output,
        log: &driver.log,
    };
    source.piece(from, to, max_chars, finished)
}

/// What is unfinished at the end of a log that has ended stays unfinished: half
/// a character is shown as one that is none, half a sequence not at all.
pub(super) fn finish(rendered: &mut Rendered, bytes: &[u8]) {
    match bytes.get(rendered.consumed) {
        Some(0x1b) | None => {}
        Some(_) => rendered.text.push(char::REPLACEMENT_CHARACTER),
    }
    rendered.consumed = bytes.len();
}

/// A log with what is known about it.
pub(super) struct Source<'a> {
    pub(super) output: &'a Output,
    pub(super) log: &'a LogReader,
}

impl Source<'_> {
    fn piece(&self, from: u64, to: u64, max_chars: usize, finished: bool) -> Piece {
        if from >= to {
            return Piece {
                next: from.max(to),
                ..Piece::default()
            };
        }
        // Enough for most texts; twice as much each time it was not.
        let mut window = (max_chars as u64 * 4).max(WHOLE);
        loop {
            let start = to.saturating_sub(window).max(from);
            let whole = start == from;
            let state = self.state_at(start, to);
            let begin = if whole { from } else { state.offset };
            let (begin, bytes) = self.log.read_all(begin, to);
            let mut rendered = render(&bytes, self.output.layout(), state.alt);
            if finished {
                finish(&mut rendered, &bytes);
            }
            let enough = rendered.text.chars().count() >= max_chars;
            if !whole && !enough && window < DEEPEST {
                window *= 4;
                continue;
            }
            let (text, omitted) = tail_chars(&rendered.text, max_chars);
            let mut left = Left {
                bytes: omitted.bytes,
                lines: omitted.lines,
            };
            if !whole {
                left.bytes += begin.saturating_sub(from);
                left.lines += state.line.saturating_sub(self.state_at(from, to).line);
            }
            let next = begin + rendered.consumed as u64;
            return Piece {
                text: text.to_owned(),
                omitted: left,
                next,
            };
        }
    }

    /// How the renderer stands at `offset`, or at the first place after it where
    /// that is known. `limit` bounds the search.
    pub(super) fn state_at(&self, offset: u64, limit: u64) -> Checkpoint {
        let near = self
            .output
            .checkpoint_before(offset)
            .filter(|c| offset - c.offset <= PRIME);
        let first = self.output.first();
        let near = near.or_else(|| {
            let at = Checkpoint {
                offset: first,
                line: self.output.first_line(),
                row: 0,
                alt: false,
                exact: true,
            };
            (offset.saturating_sub(first) <= PRIME).then_some(at)
        });
        match near {
            Some(checkpoint) => self.advance(checkpoint, offset),
            None => self.next_line(offset, limit),
        }
    }

    /// Runs the renderer from a checkpoint to `offset`.
    fn advance(&self, from: Checkpoint, offset: u64) -> Checkpoint {
        if from.offset >= offset {
            return from;
        }
        let mut lines = Plain::resume(self.layout(), from);
        lines.set_keep_final(false);
        let (_, bytes) = self.log.read_all(from.offset, offset);
        lines.feed(&bytes);
        Checkpoint {
            offset: lines.clean_offset(),
            line: (lines.total_lines() + u64::from(lines.ends_with_newline())).max(1),
            row: 0,
            alt: lines.alt_screen(),
            exact: false,
        }
    }

    /// Far from anything known, a line's beginning is a fair place to start, and
    /// newlines are counted rather than rendered.
    fn next_line(&self, offset: u64, limit: u64) -> Checkpoint {
        let (start, bytes) = self.log.read(offset, limit, 64 * 1024);
        let inside = bytes
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let begin = start + inside as u64;
        let known = self.output.checkpoint_before(offset);
        let (from, line) = known.map_or((self.output.first(), self.output.first_line()), |at| {
            (at.offset, at.line)
        });
        Checkpoint {
            offset: begin,
            line: line + self.newlines(from, begin),
            row: 0,
            alt: self.output.alt_screen(),
            exact: false,
        }
    }

    fn newlines(&self, from: u64, to: u64) -> u64 {
        let mut at = from;
        let mut count = 0;
        while at < to {
            let (start, bytes) = self.log.read(at, to, 1 << 20);
            if bytes.is_empty() {
                break;
            }
            at = start + bytes.len() as u64;
            count += bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        }
        count
    }

    pub(super) fn layout(&self) -> Layout {
        self.output.layout()
    }
}
