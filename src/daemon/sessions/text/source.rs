//! Renders a log as text, starting near its end.

use std::ops::Range;

use super::uncounted::Uncounted;
use crate::daemon::sessions::text::Piece;
use crate::daemon::sessions::text::place::Place;
use crate::daemon::storage::log_reader::LogReader;
use crate::engine::output::Output;
use crate::term::plain::{Checkpoint, Layout, Rendered};

/// A range up to this size is rendered whole, in bytes.
const WHOLE: u64 = 256 * 1024;

/// Bytes at the end that are rendered first: a few screenfuls.
const SHALLOW: u64 = 4096;

/// Maximum number of bytes that are searched for enough text. A program that redraws a single line all the time would make
/// the search endless, and no other task has a turn during it.
const DEEPEST: u64 = 2 << 20;

/// A log with what is known about it.
pub(crate) struct Source<'a> {
    pub(crate) output: &'a Output,
    pub(crate) log: &'a LogReader,
}

impl Source<'_> {
    /// The last `max_chars` characters between two offsets. `finished` says that the log will not grow.
    pub(crate) fn piece(&self, from: u64, to: u64, max_chars: usize, finished: bool) -> Piece {
        if from >= to {
            return Piece {
                next: from.max(to),
                ..Piece::default()
            };
        }
        if let Some(piece) = self.last_lines(from, to, max_chars, finished) {
            return piece;
        }
        // Enough for most texts; enlarged each time it is not.
        let mut window = (max_chars as u64 * 4).max(WHOLE);
        loop {
            let start = to.saturating_sub(window).max(from);
            let whole = start == from;
            // If everything is rendered, nothing is left out, so no lines need to be counted.
            let place = match self.known_alt(from).filter(|_| whole) {
                Some(alt) => Place {
                    at: Checkpoint::on(from, alt),
                    counted: 0..0,
                },
                None => self.place(start, to),
            };
            let begin = if whole { from } else { place.at.offset };
            let (begin, bytes) = self.log.read_all(begin, to);
            let at = Checkpoint::on(begin, place.at.alt);
            let mut rendered = self.output.layouts().render(&bytes, at);
            if finished {
                finish(&mut rendered, &bytes);
            }
            let enough = rendered.text.chars().count() >= max_chars;
            if !whole && !enough && window < DEEPEST {
                window = (window * 4).min(DEEPEST);
                continue;
            }
            let mut piece = end_of(&rendered, begin, max_chars);
            if !whole {
                self.leave_out(&mut piece, from..begin, to, &place);
            }
            return piece;
        }
    }

    /// The last `max_chars` characters, rendered from an exact checkpoint near the end, which gives the same
    /// text as rendering from the beginning. Returns `None` if there is no such checkpoint.
    fn last_lines(&self, from: u64, to: u64, max_chars: usize, finished: bool) -> Option<Piece> {
        let mut depth = (max_chars as u64 * 2).max(SHALLOW);
        loop {
            let wanted = to.checked_sub(depth).filter(|&at| at > from)?;
            let at = self.output.checkpoints().exact_before(wanted)?;
            if at.offset < from || to - at.offset > WHOLE {
                return None;
            }
            let (begin, bytes) = self.log.read_all(at.offset, to);
            let mut rendered = self.output.layouts().render(&bytes, at);
            if finished {
                finish(&mut rendered, &bytes);
            }
            // Every character has at least one byte, so counting characters can be skipped for a short text.
            let least = rendered.text.len() >= max_chars;
            if begin != at.offset || !least || rendered.text.chars().count() < max_chars {
                depth = (to - at.offset) * 2;
                continue;
            }
            let mut piece = end_of(&rendered, begin, max_chars);
            let place = Place { at, counted: 0..0 };
            self.leave_out(&mut piece, from..begin, to, &place);
            return Some(piece);
        }
    }

    /// Adds what precedes the start of rendering to what is left out: its raw bytes, and its lines.
    fn leave_out(&self, piece: &mut Piece, before: Range<u64>, to: u64, begun: &Place) {
        piece.omitted.bytes += before.end.saturating_sub(before.start);
        match Uncounted::new(&self.place(before.start, to), begun).known() {
            Ok(lines) => piece.omitted.lines += lines,
            Err(uncounted) => piece.uncounted = Some(uncounted),
        }
    }

    /// How the next byte is laid out as lines; for pipes, how all are.
    pub(crate) fn layout(&self) -> Layout {
        self.output.layout()
    }
}

/// The end of the text that was rendered from offset `begin` on.
fn end_of(rendered: &Rendered, begin: u64, max_chars: usize) -> Piece {
    let next = begin + rendered.consumed as u64;
    Piece::end_of(&rendered.text, max_chars, next)
}

/// Completes the text of a log that will not grow: an unfinished character at its end becomes a replacement
/// character, an unfinished escape sequence is dropped.
pub(crate) fn finish(rendered: &mut Rendered, bytes: &[u8]) {
    match bytes.get(rendered.consumed) {
        Some(0x1b) | None => {}
        Some(_) => rendered.text.push(char::REPLACEMENT_CHARACTER),
    }
    rendered.consumed = bytes.len();
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Now;
    use crate::protocol::Timestamp;
    use crate::protocol::disk::segment_name;
    use crate::protocol::status::Mode;
    use crate::term::plain::{render, tail_chars};
    use crate::term::size::Size;

    /// Generates long logs of lines, some of which overwrite earlier lines.
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
        fn rendering_from_a_checkpoint_gives_the_same_end(log in log(), max_chars in 1..3000_usize) {
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
            let piece = source.last_lines(0, end, max_chars, false);
            // If none had one, the test would fail.
            let piece = piece.ok_or_else(|| TestCaseError::reject("no checkpoint"))?;
            let whole = render(log.as_bytes(), source.layout(), false);
            let (text, omitted) = tail_chars(&whole.text, max_chars);
            prop_assert_eq!(&piece.text, text);
            prop_assert_eq!(piece.omitted.lines, omitted.lines);
            prop_assert_eq!(piece.next, whole.consumed as u64);
            prop_assert_eq!(piece.uncounted, None);
        }
    }
}
