//! Reads long logs, yielding to other tasks.
//!
//! A log may have gigabytes. Code that reads more than a chunk of one is async and yields between chunks:
//! [`checkpoint`] and [`count`] number lines, [`past_screen`] paints a past screen.

pub(crate) mod past_screen;

use std::ops::Range;

use crate::daemon::hub::Hub;
use crate::daemon::sessions::text::Uncounted;
use crate::protocol::SessionId;
use crate::term::plain::Checkpoint;

/// The state of the text renderer at `offset`, or at the first offset after it for which that is known; `None`
/// if the session has been removed.
pub(crate) async fn checkpoint(hub: &Hub, id: &SessionId, offset: u64) -> Option<Checkpoint> {
    let place = {
        let state = hub.read();
        let source = state.sessions.source(id)?;
        source.place(offset, source.output.end())
    };
    let line = place.at.line + newlines(hub, id, place.counted).await;
    Some(Checkpoint { line, ..place.at })
}

/// Counts the lines of `uncounted`.
pub(crate) async fn count(hub: &Hub, id: &SessionId, uncounted: Uncounted) -> u64 {
    let more = newlines(hub, id, uncounted.more.clone()).await;
    let less = newlines(hub, id, uncounted.less.clone()).await;
    uncounted.counted(more, less)
}

/// Counts the newlines in a part of a log.
async fn newlines(hub: &Hub, id: &SessionId, range: Range<u64>) -> u64 {
    let (mut at, mut count) = (range.start, 0);
    loop {
        let next = hub
            .read()
            .sessions
            .io(id)
            .and_then(|io| io.log.next_newlines(at, range.end));
        let Some((next, newlines)) = next else {
            break;
        };
        at = next;
        count += newlines;
        tokio::task::yield_now().await;
    }
    count
}
