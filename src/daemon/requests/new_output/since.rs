//! Cursors: places in the log of a session, as clients name them.

use crate::daemon::requests::client::Client;
use crate::daemon::state::State;
use crate::protocol::{Error, SessionId};

/// Where to start reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Since {
    /// From the start of the log; `maxChars` then limits it to the newest output.
    Tail,
    /// From the end of what this connection has been shown.
    New,
    /// From the start of the current run.
    Run,
    /// From this offset.
    At(u64),
}

impl Since {
    /// The offset that it says, which may not be kept any more; `None` for the start of the log, wherever that is.
    pub(crate) fn asked(self, state: &State, client: &Client, id: &SessionId) -> Option<u64> {
        let session = state.sessions.get(id);
        match self {
            Self::Tail => None,
            Self::New => session.map(|session| client.shown(session)),
            Self::Run => session.and_then(|session| Some(session.life.runs().last()?.offset)),
            // A cursor beyond the end belongs to an earlier session with that name, so nothing is new.
            Self::At(offset) => Some(offset.min(state.sessions.log_end(id))),
        }
    }

    /// Number of bytes that are not kept any more between where it says and the first one that is.
    pub(crate) fn dropped(self, state: &State, client: &Client, id: &SessionId) -> u64 {
        let first = state.sessions.log_first(id);
        let asked = self.asked(state, client, id);
        asked.map_or(0, |asked| first.saturating_sub(asked))
    }

    /// Reads the parameter `since`.
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, Error> {
        match text {
            None => Ok(Self::Tail),
            Some("new") => Ok(Self::New),
            Some(cursor) => parse_cursor(cursor).map(Self::At),
        }
    }

    /// The offset in the log.
    pub(crate) fn offset(self, state: &State, client: &Client, id: &SessionId) -> u64 {
        let first = state.sessions.log_first(id);
        let asked = self.asked(state, client, id);
        asked.map_or(first, |asked| asked.max(first))
    }
}

/// A cursor as clients see it.
pub(crate) fn cursor(offset: u64) -> String {
    format!("c{offset}")
}

fn parse_cursor(text: &str) -> Result<u64, Error> {
    text.strip_prefix('c')
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| {
            Error::invalid(format!("`since`: `{text}` is not a cursor"))
                .hint("use `new`, or the `cursor` or `prevCursor` of an earlier reply")
        })
}
