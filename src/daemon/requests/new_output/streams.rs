//! The output of a session with pipes, where standard output and standard error are separate.

use super::show::Show;
use crate::daemon::sessions::text::{Piece, Source};
use crate::daemon::state::State;
use crate::daemon::storage::log_reader::Arrival;
use crate::engine::session::Session;
use crate::protocol::params::Stream;
use crate::term::plain::render;

/// The text of standard output and of standard error; `None` for a terminal, which has only one stream.
pub(super) type Streams = Option<(String, String)>;

/// Bytes at the end of the output of pipes that are searched for one stream. The search has to be bounded,
/// because the streams may alternate with every byte.
const ONE_STREAM: u64 = 1 << 20;

/// The output between `show.since` and `to`. The index says which stream each byte belongs to.
pub(super) fn piped(state: &State, session: &Session, to: u64, show: Show) -> (Piece, Streams) {
    let Some(io) = state.sessions.io(&session.id) else {
        return (Piece::default(), None);
    };
    // Output that is not in the index yet is returned the next time, unless the request names its end.
    let to = if session.life.status().is_finished() || show.until.is_some() {
        to
    } else {
        to.min(io.log.indexed_end())
    };
    let source = Source {
        output: &session.output,
        log: &io.log,
    };
    let from = show.since.max(to.saturating_sub(ONE_STREAM));
    let arrivals = io.log.arrivals(from, to);
    let one = |stream: u8| {
        let mut piece = one_stream(&source, &arrivals, stream, show.chars());
        // Count the bytes before as omitted from either stream: it is not known which they belong to.
        piece.omitted.bytes += from - show.since;
        piece
    };
    let (stdout, stderr) = (one(0), one(1));
    let piece = match show.stream {
        Stream::Stdout => Piece {
            next: to,
            ..stdout.clone()
        },
        Stream::Stderr => Piece {
            next: to,
            ..stderr.clone()
        },
        _ => state
            .sessions
            .piece(&session.id, show.since, to, show.chars()),
    };
    (piece, Some((stdout.text, stderr.text)))
}

/// The clean text of one stream within some arrivals.
fn one_stream(source: &Source<'_>, arrivals: &[Arrival], stream: u8, max_chars: usize) -> Piece {
    let mut bytes = Vec::new();
    for run in arrivals.iter().filter(|run| run.stream == stream) {
        bytes.extend(source.log.read_all(run.start, run.end).1);
    }
    let rendered = render(&bytes, source.layout(), false);
    let next = arrivals.last().map_or(0, |run| run.end);
    Piece::end_of(&rendered.text, max_chars, next)
}
