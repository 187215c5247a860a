//! Parts of a log as clean text.

mod place;
mod source;
mod uncounted;

use super::hub::Hub;
use super::state::State;
use crate::protocol::SessionId;
use crate::protocol::reply::Left;
use crate::term::plain::Checkpoint;

pub(super) use source::{Source, finish};
pub(super) use uncounted::Uncounted;
use uncounted::newlines;

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
