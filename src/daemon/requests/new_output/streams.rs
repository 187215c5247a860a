//! The output of a session with pipes, where standard output and standard error are separate.

use super::show::Show;
use crate::daemon::sessions::text::{Piece, Source};
use crate::daemon::state::State;
use crate::daemon::storage::log_reader::Arrival;
use crate::engine::session::Session;
use crate::protocol::Timestamp;
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
    // While the log cannot be written, the index cannot be either.
    let lacks_records = session.life.status().is_finished() || session.log_degraded.is_some();
    // Otherwise, output that is not in the index yet is returned the next time, unless the request names its end.
    let to = if lacks_records || show.until.is_some() {
        to
    } else {
        to.min(io.log.indexed_end())
    };
    let source = Source {
        output: &session.output,
        log: &io.log,
    };
    let from = show.since.max(to.saturating_sub(ONE_STREAM));
    let mut arrivals = io.log.arrivals(from, to);
    if lacks_records {
        arrivals.extend(unrecorded(&arrivals, from, to));
    }
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

/// The output up to `to` of which the index says nothing. Nobody can tell its stream. It is shown as standard output,
/// so that it is not lost for a client that reads only the two streams.
fn unrecorded(arrivals: &[Arrival], from: u64, to: u64) -> Option<Arrival> {
    let start = arrivals.last().map_or(from, |run| run.end);
    (start < to).then_some(Arrival {
        start,
        end: to,
        stream: 0,
        at: Timestamp(0),
    })
}

/// The clean text of one stream within some arrivals.
fn one_stream(source: &Source<'_>, arrivals: &[Arrival], stream: u8, max_chars: usize) -> Piece {
    let mut bytes = Vec::new();
    for run in arrivals.iter().filter(|run| run.stream == stream) {
        bytes.extend(source.log.kept(run.start, run.end).unwrap_or_default());
    }
    let rendered = render(&bytes, source.layout(), false);
    let next = arrivals.last().map_or(0, |run| run.end);
    Piece::end_of(&rendered.text, max_chars, next)
}
