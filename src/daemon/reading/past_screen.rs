//! Screens of the past, painted anew from the log: what stood there when so many bytes had been written.
//!
//! Nothing is kept for it. A screen is painted by its last hundreds of kilobytes, or megabytes while a full-screen
//! program paints, which repaints all of it only now and then.

use crate::daemon::hub::Hub;
use crate::daemon::reading;
use crate::daemon::storage::log_reader::{LogReader, Run};
use crate::protocol::reply::ScreenMoment;
use crate::protocol::{SessionId, Timestamp};
use crate::term::screen::Screen;

/// Bytes that paint a main screen for certain: text scrolls by.
const MAIN_BYTES: u64 = 256 * 1024;
/// Bytes that paint an alternate screen, but for what was not touched for longer.
const ALT_BYTES: u64 = 2 << 20;
/// Bytes painted before others have their turn.
const TURN: usize = 64 * 1024;

/// A pause so long, in milliseconds, ends a step: what came closer together belongs together.
const PAUSE_MS: i64 = 50;
/// A step lasts so long at most, in milliseconds, however steadily something writes.
const STEP_MS: i64 = 500;
/// Bytes of a step at most.
const STEP_BYTES: u64 = 16 * 1024;

/// Switches the alternate screen on, for a log whose beginning says so no more.
const ALT_SCREEN: &[u8] = b"\x1b[?1049h";

/// Which moment is meant.
#[derive(Clone, Copy)]
pub(crate) enum When {
    /// After so many bytes.
    Offset(u64),
    /// Then.
    Time(Timestamp),
}

/// The screen of that moment; `None` if the session is gone.
pub(crate) async fn screen_at(
    hub: &Hub,
    id: &SessionId,
    when: When,
) -> Option<(Screen, ScreenMoment)> {
    let (first, moment) = {
        let state = hub.read();
        let (first, end) = (state.sessions.log_first(id), state.sessions.log_end(id));
        let log = &state.sessions.io(id)?.log;
        let last = state.sessions.get(id)?.output.last_output_at();
        let offset = match when {
            When::Offset(offset) => offset,
            When::Time(time) if last.is_some_and(|last| last <= time) => end,
            When::Time(time) => log.end_at(time),
        };
        let offset = offset.clamp(first, end.max(first));
        (first, moment(log, first, offset, end, last))
    };
    let offset = moment.offset;
    let alt = reading::checkpoint(hub, id, offset).await?.alt;
    let reach = if alt { ALT_BYTES } else { MAIN_BYTES };
    let start = offset.saturating_sub(reach).max(first);
    let begins_alt = alt && reading::checkpoint(hub, id, start).await?.alt;
    let (mut screen, changes) = {
        let state = hub.read();
        let output = &state.sessions.get(id)?.output;
        let sizes = output.sizes();
        // Text is laid out as for the size it ends with; a full-screen program painted for the size it had then.
        let size = sizes.at(if alt { start } else { offset });
        let changes = match alt {
            true => sizes.within(start..offset),
            false => Vec::new(),
        };
        let blank = output.painted(size.unwrap_or(output.size()), 0, b"");
        (blank, changes)
    };
    if begins_alt {
        screen.feed(ALT_SCREEN);
    }
    let mut changes = changes.into_iter().peekable();
    let mut at = start;
    while at < offset {
        if let Some(change) = changes.next_if(|change| change.offset <= at) {
            screen.resize(change.size());
            continue;
        }
        let until = changes.peek().map_or(offset, |change| change.offset);
        let (from, bytes) = hub.read().sessions.io(id)?.log.read(at, until, TURN);
        if bytes.is_empty() {
            break;
        }
        at = from + bytes.len() as u64;
        screen.feed(&bytes);
        tokio::task::yield_now().await;
    }
    // Answered when they were first seen.
    screen.take_replies();
    Some((screen, moment))
}

/// A moment and its neighbours.
fn moment(
    log: &LogReader,
    first: u64,
    offset: u64,
    end: u64,
    last: Option<Timestamp>,
) -> ScreenMoment {
    let before = log.runs(offset.saturating_sub(STEP_BYTES).max(first), offset);
    let after = log.runs(offset, offset.saturating_add(STEP_BYTES).min(end));
    let at = before.last().map(|run| run.at);
    // The newest bytes may be in no index yet.
    let unindexed = (offset < end).then_some((end, last));
    let next = step(after.iter()).map(|(from, to)| (to.end, Some(from.at)));
    let next = next.or(unindexed);
    ScreenMoment {
        offset,
        at: if offset == end { last.or(at) } else { at },
        previous: match step(before.iter().rev()) {
            Some((_, to)) => Some(to.start),
            None => (offset > first).then(|| offset.saturating_sub(STEP_BYTES).max(first)),
        },
        next: next.map(|(offset, _)| offset),
        next_at: next.and_then(|(_, at)| at),
    }
}

/// The first and the last of those that came together with the first.
fn step<'a>(mut runs: impl Iterator<Item = &'a Run>) -> Option<(&'a Run, &'a Run)> {
    let first = runs.next()?;
    let mut last = first;
    for run in runs {
        let apart = |other: &Run| (run.at.millis() - other.at.millis()).abs();
        if apart(last) >= PAUSE_MS || apart(first) >= STEP_MS {
            break;
        }
        last = run;
    }
    Some((first, last))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn run(start: u64, end: u64, at: i64) -> Run {
        Run {
            start,
            end,
            stream: 0,
            at: Timestamp(at),
        }
    }

    #[test]
    fn what_comes_together_is_one_step_there_and_back() {
        let runs = [
            run(0, 5, 0),
            run(5, 9, 30),
            run(9, 20, 200),
            run(20, 30, 210),
        ];
        let (_, to) = step(runs.iter()).unwrap();
        assert_eq!(to.end, 9);
        let (_, to) = step(runs.iter().rev()).unwrap();
        assert_eq!(to.start, 9);
        assert!(step([].iter()).is_none());
    }

    #[test]
    fn steady_output_is_cut_into_steps() {
        let runs: Vec<Run> = (0..100)
            .map(|n| run(n * 10, n * 10 + 10, n.cast_signed() * 20))
            .collect();
        let (first, last) = step(runs.iter()).unwrap();
        let lasted = last.at.millis() - first.at.millis();
        assert!((STEP_MS - 20..STEP_MS).contains(&lasted), "{lasted}");
    }
}
