//! Renders parts of a log as clean text.

mod excerpt;
pub(crate) mod place;
mod source;
mod uncounted;

use super::Sessions;
use crate::engine::session::Session;
use crate::protocol::SessionId;
use crate::protocol::reply::Left;
use crate::term::plain::tail_chars;

use excerpt::whole_lines;
pub(crate) use source::{Source, finish};
pub(crate) use uncounted::Uncounted;

/// The share of an excerpt that earlier runs get: one of this number.
const EARLIER_SHARE: usize = 3;

/// Clean text of a part of a log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// What is left out. Lines that are still to be counted are not included.
    pub(crate) omitted: Left,
    /// Where the next piece begins.
    pub(crate) next: u64,
    /// The parts of the log whose newlines have to be counted to complete `omitted.lines`.
    pub(crate) uncounted: Option<Uncounted>,
    /// The lines that are left out in the middle, first and last, if their numbers are known.
    pub(crate) omitted_lines: Option<[u64; 2]>,
}

impl Piece {
    /// The last `max_chars` characters of a text, before a piece that begins at `next`.
    pub(crate) fn end_of(text: &str, max_chars: usize, next: u64) -> Self {
        let (text, omitted) = tail_chars(text, max_chars);
        Self {
            text: text.to_owned(),
            omitted: Left {
                bytes: omitted.bytes,
                lines: omitted.lines,
            },
            next,
            ..Self::default()
        }
    }

    /// This text, and then that of a later run.
    fn then_run(self, run: u32, later: Self) -> Self {
        let mut text = self.text;
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("[run {run}]\n{}", later.text));
        Self {
            text,
            omitted: Left {
                bytes: self.omitted.bytes + later.omitted.bytes,
                lines: self.omitted.lines + later.omitted.lines,
            },
            // Of two stretches the text says each.
            omitted_lines: match (self.omitted_lines, later.omitted_lines) {
                (Some(_), Some(_)) => None,
                (before, after) => after.or(before),
            },
            uncounted: later.uncounted.or(self.uncounted),
            next: later.next,
        }
    }

    /// No text, of a session that has been removed.
    fn none_up_to(to: u64) -> Self {
        Self {
            next: to,
            ..Self::default()
        }
    }
}

impl Sessions {
    /// A session's log with what is known about it; `None` if the session has been removed.
    pub(crate) fn source(&self, id: &SessionId) -> Option<Source<'_>> {
        let (session, io) = self.both(id)?;
        Some(Source {
            output: &session.output,
            log: &io.log,
        })
    }

    /// The end of a session's output as clean text.
    pub(crate) fn tail(&self, id: &SessionId, max_chars: usize) -> String {
        // Right after a takeover no output has been rendered yet, so the size of the files counts as well.
        let there = self.io(id).map_or(0, |io| io.log.bounds().1);
        let (from, to) = (self.log_first(id), self.log_end(id).max(there));
        self.piece(id, from, to, max_chars).text
    }

    /// The end of a session's output as clean text, from the beginning of a line on.
    pub(crate) fn last_lines(&self, id: &SessionId, max_chars: usize) -> String {
        let tail = self.tail(id, max_chars);
        if tail.chars().count() < max_chars {
            tail
        } else {
            whole_lines(&tail).to_owned()
        }
    }

    /// The last `max_chars` characters between two offsets of a log.
    pub(crate) fn piece(&self, id: &SessionId, from: u64, to: u64, max_chars: usize) -> Piece {
        match self.source(id) {
            Some(source) => source.piece(from, to, max_chars, self.is_complete(id, to)),
            None => Piece::none_up_to(to),
        }
    }

    /// The beginning and the end of the output between two offsets of a log. If the last run of the session has begun
    /// between them, a line says where, and what was written before has at most a third of the characters.
    pub(crate) fn excerpt(&self, id: &SessionId, from: u64, to: u64, max_chars: usize) -> Piece {
        let Some(source) = self.source(id) else {
            return Piece::none_up_to(to);
        };
        let finished = self.is_complete(id, to);
        let runs = self.get(id).map_or(&[][..], |session| session.life.runs());
        match runs.last() {
            Some(run) if (from + 1..=to).contains(&run.offset) && run.run > 1 => {
                let earlier = source.excerpt(from, run.offset, max_chars / EARLIER_SHARE, true);
                let left = max_chars - earlier.text.chars().count().min(max_chars);
                let piece = source.excerpt(run.offset, to, left, finished);
                earlier.then_run(run.run, piece)
            }
            _ => source.excerpt(from, to, max_chars, finished),
        }
    }

    /// Whether no more output can follow an offset: the last line of a log is complete without a newline.
    fn is_complete(&self, id: &SessionId, to: u64) -> bool {
        let finished = |session: &Session| session.life.status().is_finished();
        self.get(id).is_some_and(finished) && to >= self.log_end(id)
    }
}
