//! The beginning and the end of a long text, for models: the first error of a compiler is at the top, the
//! summary of a test run at the end.

use super::Piece;
use super::source::{Source, finish};
use crate::term::plain::{Checkpoint, tail_chars};

/// Bytes that are read for each character of the beginning. Colours and redraws take the rest.
const BYTES_PER_CHAR: u64 = 8;

/// The part of the characters that the beginning gets: one of this number.
const HEAD_SHARE: usize = 3;

impl Source<'_> {
    /// The text between two offsets. If it has more than `max_chars` characters, lines in its middle are left
    /// out, and a line in their place says which. `finished` says that the log will not grow.
    pub(crate) fn excerpt(&self, from: u64, to: u64, max_chars: usize, finished: bool) -> Piece {
        let mut piece = self.piece(from, to, max_chars, finished);
        if piece.omitted.bytes == 0 {
            return piece;
        }
        let (first, asked) = (self.log.bounds().0, from);
        let from = from.max(first).min(to);
        let place = self.place(from, to);
        let alt = self.known_alt(from).unwrap_or(place.at.alt);
        let mut head = self.first_lines(from, to, max_chars / HEAD_SHARE, alt);
        let (tail, _) = tail_chars(&piece.text, max_chars - max_chars / HEAD_SHARE);
        let tail = whole_lines(tail);
        let known = self.lines_before(to, piece.text.ends_with('\n'));
        let known = known.map(|lines| lines.saturating_sub(tail.lines().count() as u64));
        let begin = place.line_at(from);
        let begin = begin.map(|line| line + head.matches('\n').count() as u64);
        piece.omitted.bytes += (piece.text.len() - tail.len()) as u64;
        piece.omitted.bytes = piece.omitted.bytes.saturating_sub(head.len() as u64);
        let left_out = match (begin, known) {
            (Some(first), Some(last)) if first <= last => {
                piece.omitted_lines = Some([first, last]);
                piece.omitted.lines = last - first + 1;
                piece.uncounted = None;
                format!("[lines {first}-{last} left out; log grep:\"...\" or fromLine:{first}]")
            }
            _ => {
                let bytes = piece.omitted.bytes;
                format!("[{bytes} bytes left out; log offset:{from} shows them]")
            }
        };
        if asked < from {
            let what = match place.line_at(from) {
                Some(line @ 2..) => format!("the lines before {line}"),
                _ => format!("the first {} bytes", from - asked),
            };
            head.insert_str(
                0,
                &format!("[{what} were dropped: the log keeps no more]\n"),
            );
        }
        if !head.is_empty() && !head.ends_with('\n') {
            head.push('\n');
        }
        piece.text = format!("{head}{left_out}\n{tail}");
        piece
    }

    /// Number of lines up to an offset, if no newlines have to be counted for it. `is_end` says that a line ends
    /// there.
    fn lines_before(&self, offset: u64, is_end: bool) -> Option<u64> {
        if self.output.end() == offset {
            return Some(self.output.total_lines());
        }
        let line = self.place(offset, offset).line_at(offset);
        line.map(|line| line - u64::from(is_end))
    }

    /// The first lines of a text, at most `max_chars` characters; the beginning of the first line if it is longer.
    /// `alt` says whether the alternate screen is on at its beginning.
    fn first_lines(&self, from: u64, to: u64, max_chars: usize, alt: bool) -> String {
        let end = to.min(from.saturating_add(max_chars as u64 * BYTES_PER_CHAR));
        let (begin, bytes) = self.log.read_all(from, end);
        let at = Checkpoint::on(begin, alt);
        let mut rendered = self.output.layouts().render(&bytes, at);
        finish(&mut rendered, &bytes);
        let cut = rendered
            .text
            .char_indices()
            .nth(max_chars)
            .map_or(rendered.text.len(), |(at, _)| at);
        let end = rendered.text[..cut].rfind('\n').map_or(cut, |at| at + 1);
        rendered.text.truncate(end);
        rendered.text
    }
}

/// A text without its first, partial line, unless that is most of it.
pub(super) fn whole_lines(text: &str) -> &str {
    match text.find('\n') {
        Some(at) if at < text.len() / 2 => &text[at + 1..],
        _ => text,
    }
}
