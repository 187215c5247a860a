//! Reads lines of a log, starting at a checkpoint.

use crate::daemon::hub::Hub;
use crate::protocol::{Error, SessionId};
use crate::term::plain::Checkpoint;
use crate::term::plain::reader::{Reader, Shown};
use crate::term::plain::sieve::Sieve;

/// Bytes read before other tasks have their turn; either takes about half a millisecond. The larger one applies
/// while lines need not be rendered.
const CHUNK: usize = 64 * 1024;
const FAST_CHUNK: usize = 256 * 1024;

/// A range of lines to read.
pub(super) struct Stretch {
    at: Checkpoint,
    end: u64,
    pub(super) first_line: u64,
    pub(super) total_lines: u64,
}

impl Stretch {
    /// The offset at which it begins.
    pub(super) fn begin(&self) -> u64 {
        self.at.offset
    }

    /// How many of its lines are kept, from line `least` on.
    pub(super) fn lines_from(&self, least: u64) -> u64 {
        (self.total_lines + 1).saturating_sub(least.max(self.first_line))
    }

    /// The part of it before an offset.
    pub(super) fn until(mut self, end: u64) -> Self {
        self.end = self.end.min(end);
        self
    }
}

/// The range that starts at the nearest place from which line `from` can be read.
pub(super) fn stretch(
    hub: &Hub,
    id: &SessionId,
    from: Option<u64>,
    offset: u64,
) -> Result<Stretch, Error> {
    let state = hub.read();
    let (Some(session), Some(_)) = (state.sessions.get(id), state.sessions.io(id)) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let output = &session.output;
    let by_line = from.and_then(|line| output.checkpoints().before_line(line));
    let by_offset = output
        .checkpoints()
        .before(offset)
        .filter(|at| offset > 0 && at.exact);
    Ok(Stretch {
        at: by_line.or(by_offset).unwrap_or(output.beginning()),
        end: output.end(),
        first_line: output.first_line(),
        total_lines: output.total_lines(),
    })
}

/// Passes the lines of a range to `take` until it returns false. Lines that the sieve rejects may be skipped.
pub(super) async fn read_lines(
    hub: &Hub,
    id: &SessionId,
    stretch: &Stretch,
    sieve: Option<Sieve>,
    mut take: impl FnMut(Shown<'_>) -> bool,
) -> Result<(), Error> {
    let layouts = {
        let state = hub.read();
        let session = state.sessions.get(id);
        session
            .ok_or_else(|| Error::session_not_found(id.as_str()))?
            .output
            .layouts()
    };
    let mut reader = Reader::new(layouts.at(stretch.at.offset), stretch.at);
    if let Some(sieve) = sieve {
        reader = reader.with_sieve(sieve);
    }
    let mut at = stretch.at.offset;
    while at < stretch.end {
        let chunk = if reader.is_fast() { FAST_CHUNK } else { CHUNK };
        let (start, bytes) = {
            let state = hub.read();
            if state.sessions.io(id).is_none() {
                return Ok(());
            }
            state.sessions.read_log(id, at..stretch.end, chunk)?
        };
        if start > at
            && let Some(beginning) = hub.change(|state| state.log_start_after(id, at))
        {
            // What comes next was dropped while we read.
            if !reader.skip_to(beginning, &mut take) {
                return Ok(());
            }
            at = beginning.offset;
            continue;
        }
        if bytes.is_empty() {
            break;
        }
        if start > at {
            let after = hub.read().log_goes_on_at(id, start);
            if after.is_some_and(|after| !reader.skip_to(after, &mut take)) {
                return Ok(());
            }
        }
        at = start + bytes.len() as u64;
        for (layout, part) in layouts.parts(start, &bytes) {
            if !reader.resize(layout.size, &mut take) || !reader.feed(part, &mut take) {
                return Ok(());
            }
        }
        tokio::task::yield_now().await;
    }
    reader.finish(&mut take);
    Ok(())
}
