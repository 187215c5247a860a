//! Which part of the output a reply shows.

use crate::daemon::requests::client::{Client, Moves};
use crate::daemon::state::State;
use crate::protocol::SessionId;
use crate::protocol::params::Stream;

/// Which output to return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Show {
    pub(crate) since: u64,
    /// Number of bytes before `since` that were asked for and are not kept any more.
    pub(crate) dropped: u64,
    /// Where the output to return ends; `None`: at the end of the log.
    pub(crate) until: Option<u64>,
    pub(crate) max_chars: usize,
    pub(crate) stream: Stream,
    /// Which of the client's own cursors this moves.
    pub(crate) moves: Moves,
    /// Whether to add the screen.
    pub(crate) screen: bool,
    /// Whether to return the oldest output if there is more than `max_chars`, which then counts bytes.
    pub(crate) oldest: bool,
}

/// Maximum number of columns that one byte of output takes: a tab.
const COLUMNS: usize = 8;

/// Longest unfinished escape sequence that makes a page longer, in bytes. A longer one is shown as it is.
const SEQUENCE: u64 = 4096;

impl Show {
    /// The maximum number of characters. A page of the oldest output is limited by its bytes, so that none
    /// of its text is left out.
    pub(super) fn chars(self) -> usize {
        if self.oldest {
            self.max_chars.saturating_mul(COLUMNS)
        } else {
            self.max_chars
        }
    }

    /// Whether the reply has the beginning and the end of what is new, as those for models have.
    pub(super) fn is_excerpt(self, client: &Client) -> bool {
        client.is_lean() && self.stream == Stream::All && !self.oldest
    }

    /// Where in the log the output to return ends.
    pub(super) fn end(self, state: &State, id: &SessionId) -> u64 {
        if self.oldest {
            self.page_end(state, id)
        } else {
            self.until.unwrap_or(state.sessions.log_end(id))
        }
    }

    /// Where a page of the oldest output ends: after `max_chars` bytes, or later if these are only the beginning
    /// of a character or of an escape sequence.
    fn page_end(self, state: &State, id: &SessionId) -> u64 {
        let end = state.sessions.log_end(id);
        let mut length = self.max_chars as u64;
        loop {
            let to = self.since.saturating_add(length).min(end);
            let is_stuck = || state.sessions.piece(id, self.since, to, 1).next <= self.since;
            if to == end || length == 0 || length > SEQUENCE || !is_stuck() {
                return to;
            }
            length *= 2;
        }
    }
}
