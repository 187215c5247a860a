//! Parts of a log as clean text.

use std::ops::Range;

use super::hub::Hub;
use super::log_reader::LogReader;
use super::state::State;
use crate::engine::output::Output;
use crate::protocol::SessionId;
use crate::protocol::reply::Left;
use crate::term::plain::{Checkpoint, Layout, Plain, Rendered, render, render_from, tail_chars};

/// A range up to this size is rendered whole.
const WHOLE: u64 = 256 * 1024;

/// So much of the end is looked at first: a few screenfuls.
const SHALLOW: u64 = 4096;

/// A program that only ever redraws one line would make the search for enough
/// text endless, and nobody else has a turn meanwhile; this much is looked at.
const DEEPEST: u64 = 2 << 20;

/// Farther back than this no checkpoint is started from: the next newline does.
const PRIME: u64 = 1 << 20;

/// Bytes in which newlines are counted before others have their turn.
const COUNTED: usize = 1 << 20;

/// Clean text of a part of a log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Piece {
    pub(super) text: String,
    /// What is left out; lines that would have to be counted are not in it.
    pub(super) omitted: Left,
    /// Where the next piece begins.
    pub(super) next: u64,
    /// Where lines that are left out have to be counted.
    pub(super) uncounted: Option<Uncounted>,
}

impl Piece {
    /// The lines between two places are left out, too.
    fn leave_out(&mut self, from: &Place, to: &Place) {
        let between = Uncounted::new(from, to);
        if between.more.is_empty() && between.less.is_empty() {
            self.omitted.lines += between.lines;
        } else {
            self.uncounted = Some(between);
        }
    }
}

/// Lines between two places of which one at least has a number only by counting:
/// those in `more` come on top of `lines`, those in `less` do not belong to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Uncounted {
    lines: u64,
    more: Range<u64>,
    less: Range<u64>,
}

impl Uncounted {
    fn new(from: &Place, to: &Place) -> Self {
        let (mut more, mut less) = (to.counted.clone(), from.counted.clone());
        // What lies before both need not be counted twice.
        if more.start == less.start {
            more.start = more.start.max(less.end).min(more.end);
            less.end = less.start;
        }
        Self {
            lines: to.at.line.saturating_sub(from.at.line),
            more,
            less,
        }
    }

    /// Counts. A log may have gigabytes, so others have their turn in between.
    pub(super) async fn count(self, hub: &Hub, id: &SessionId) -> u64 {
        let more = newlines(hub, id, self.more).await;
        let less = newlines(hub, id, self.less).await;
        (self.lines + more).saturating_sub(less)
    }
}

/// How the renderer stands at `offset`, or at the first place after it where that
/// is known; `None` if the session is gone.
pub(super) async fn checkpoint(hub: &Hub, id: &SessionId, offset: u64) -> Option<Checkpoint> {
    let place = {
        let state = hub.state();
        let output = &state.registry.get(id)?.output;
        let log = &state.drivers.get(id)?.log;
        Source { output, log }.place(offset, output.end())
    };
    let line = place.at.line + newlines(hub, id, place.counted).await;
    Some(Checkpoint { line, ..place.at })
}

async fn newlines(hub: &Hub, id: &SessionId, range: Range<u64>) -> u64 {
    let mut at = range.start;
    let mut count = 0;
    while at < range.end {
        let (start, bytes) = match hub.state().drivers.get(id) {
            Some(driver) => driver.log.read(at, range.end, COUNTED),
            None => break,
        };
        if bytes.is_empty() {
            break;
        }
        at = start + bytes.len() as u64;
        count += bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        tokio::task::yield_now().await;
    }
    count
}

/// The end of a session's output.
pub(super) fn tail(state: &State, id: &SessionId, max_chars: usize) -> String {
    // Of a session that was just taken over nothing was looked at yet.
    let there = state
        .drivers
        .get(id)
        .map_or(0, |driver| driver.log.bounds().1);
    let (from, to) = (state.log_first(id), state.log_end(id).max(there));
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

/// How the renderer stands somewhere.
struct Place {
    /// Its line lacks the newlines of `counted`.
    at: Checkpoint,
    counted: Range<u64>,
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
        if let Some(piece) = self.last_lines(from, to, max_chars, finished) {
            return piece;
        }
        // Enough for most texts; twice as much each time it was not.
        let mut window = (max_chars as u64 * 4).max(WHOLE);
        loop {
            let start = to.saturating_sub(window).max(from);
            let whole = start == from;
            // Of the whole nothing is left out, so no lines need to be counted.
            let place = match self.known_alt(from).filter(|_| whole) {
                Some(alt) => Place {
                    at: Checkpoint {
                        alt,
                        ..Checkpoint::at(from)
                    },
                    counted: 0..0,
                },
                None => self.place(start, to),
            };
            let begin = if whole { from } else { place.at.offset };
            let (begin, bytes) = self.log.read_all(begin, to);
            let mut rendered = render(&bytes, self.output.layout(), place.at.alt);
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
            }
            let mut piece = Piece {
                text: text.to_owned(),
                omitted: left,
                next: begin + rendered.consumed as u64,
                uncounted: None,
            };
            if !whole {
                piece.leave_out(&self.place(from, to), &place);
            }
            return piece;
        }
    }

    /// The same where a place is known, near the end, from which rendering goes as from
    /// the beginning: what comes before it need not be looked at.
    fn last_lines(&self, from: u64, to: u64, max_chars: usize, finished: bool) -> Option<Piece> {
        let mut depth = (max_chars as u64 * 2).max(SHALLOW);
        loop {
            let wanted = to.checked_sub(depth).filter(|&at| at > from)?;
            let at = self.output.exact_checkpoint_before(wanted)?;
            if at.offset < from || to - at.offset > WHOLE {
                return None;
            }
            let (begin, bytes) = self.log.read_all(at.offset, to);
            let mut rendered = render_from(&bytes, self.layout(), at);
            if finished {
                finish(&mut rendered, &bytes);
            }
            // Every character has at least one byte.
            let least = rendered.text.len() >= max_chars;
            if begin != at.offset || !least || rendered.text.chars().count() < max_chars {
                depth = (to - at.offset) * 2;
                continue;
            }
            let (text, omitted) = tail_chars(&rendered.text, max_chars);
            let place = Place { at, counted: 0..0 };
            let mut piece = Piece {
                text: text.to_owned(),
                omitted: Left {
                    bytes: omitted.bytes + (at.offset - from),
                    lines: omitted.lines,
                },
                next: begin + rendered.consumed as u64,
                uncounted: None,
            };
            piece.leave_out(&self.place(from, to), &place);
            return Some(piece);
        }
    }

    /// Whether the alternate screen is on at `offset`, or at the first place after
    /// it where that is known. `limit` bounds the search.
    pub(super) fn alt_at(&self, offset: u64, limit: u64) -> bool {
        let known = self.known_alt(offset);
        known.unwrap_or_else(|| self.place(offset, limit).at.alt)
    }

    /// The same where it has not changed since.
    fn known_alt(&self, offset: u64) -> Option<bool> {
        let now = self.output.here();
        let since = self.output.alt_since();
        (since <= offset && offset <= self.output.end()).then_some(now.alt)
    }

    /// How the renderer stands at `offset`, or at the first place after it where
    /// that is known. `limit` bounds the search.
    fn place(&self, offset: u64, limit: u64) -> Place {
        if offset == self.output.end() {
            let at = self.output.here();
            return Place { at, counted: 0..0 };
        }
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
    fn advance(&self, from: Checkpoint, offset: u64) -> Place {
        let mut at = from;
        if from.offset < offset {
            let mut lines = Plain::resume(self.layout(), from);
            lines.set_keep_final(false);
            let (_, bytes) = self.log.read_all(from.offset, offset);
            lines.feed(&bytes);
            at = Checkpoint {
                offset: lines.clean_offset(),
                line: (lines.total_lines() + u64::from(lines.ends_with_newline())).max(1),
                row: 0,
                alt: lines.alt_screen(),
                exact: false,
            };
        }
        Place { at, counted: 0..0 }
    }

    /// Far from anything known, a line's beginning is a fair place to start, and
    /// newlines are to be counted rather than rendered.
    fn next_line(&self, offset: u64, limit: u64) -> Place {
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
        let at = Checkpoint {
            offset: begin,
            line,
            row: 0,
            alt: self.output.alt_screen(),
            exact: false,
        };
        Place {
            at,
            counted: from..begin,
        }
    }

    pub(super) fn layout(&self) -> Layout {
        self.output.layout()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Now;
    use crate::protocol::Timestamp;
    use crate::protocol::disk::segment_name;
    use crate::protocol::record::Mode;
    use crate::term::size::Size;

    /// Long logs of lines, some of which go back over those before them.
    fn log() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            8 => "([a-z]{1,60}\r\n){1,40}",
            2 => "(\x1b\\[[1-9]A[a-z]{1,9}\r\n){1,9}",
            1 => "([0-9]{1,3} %\r){1,99}",
            1 => "(\x1b\\[\\?1049[hl]|\x1b\\[2;4r|\x1b\\[r|漢字){1,3}",
        ];
        let part = (part, 1..9_usize).prop_map(|(part, times)| part.repeat(times));
        proptest::collection::vec(part, 20..80).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_end_is_the_same_wherever_it_was_begun(log in log(), max_chars in 1..3000_usize) {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join(segment_name(0)), &log).unwrap();
            let reader = LogReader::new(dir.path().to_owned());
            let mut output = Output::new(Mode::Pty, Size::new(10, 40));
            let now = Now { boot: 0, wall: Timestamp(0) };
            for chunk in log.as_bytes().chunks(5000) {
                output.feed(chunk, now);
            }
            let source = Source { output: &output, log: &reader };
            let end = log.len() as u64;
            let Some(piece) = source.last_lines(0, end, max_chars, false) else { return Ok(()) };
            let whole = render(log.as_bytes(), source.layout(), false);
            let (text, omitted) = tail_chars(&whole.text, max_chars);
            prop_assert_eq!(&piece.text, text);
            prop_assert_eq!(piece.omitted.lines, omitted.lines);
            prop_assert_eq!(piece.next, whole.consumed as u64);
            prop_assert_eq!(piece.uncounted, None);
        }
    }
}
