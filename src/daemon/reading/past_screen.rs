//! Past screens, repainted from the log: the screen after a given number of bytes had been written.
//!
//! Nothing is stored for this. A screen is repainted from the last hundreds of kilobytes before it. For a
//! full-screen program these are megabytes, because it repaints the whole screen only now and then.

use std::ops::Range;

use crate::daemon::hub::Hub;
use crate::daemon::reading;
use crate::daemon::state::State;
use crate::daemon::storage::log_reader::{Arrival, LogReader};
use crate::engine::sizes::Change as SizeChange;
use crate::protocol::reply::ScreenMoment;
use crate::protocol::{SessionId, Timestamp};
use crate::term::screen::Screen;

/// Bytes that usually suffice to repaint a main screen, because text scrolls.
const MAIN_BYTES: u64 = 256 * 1024;
/// Most bytes that repaint a main screen if fewer have too few lines, as those of a progress bar. Painting them takes
/// about 200 ms, in turns.
const MOST_MAIN_BYTES: u64 = 8 << 20;
/// Bytes that repaint an alternate screen, except for parts that did not change for longer.
const ALT_BYTES: u64 = 2 << 20;
/// Bytes painted before other tasks have their turn.
const TURN: usize = 64 * 1024;

/// Shortest pause that ends a step, in milliseconds: output with shorter pauses belongs together.
const PAUSE_MS: i64 = 50;
/// Longest step, in milliseconds, for output that never pauses.
const STEP_MS: i64 = 500;
/// Largest step, in bytes.
const STEP_BYTES: u64 = 16 * 1024;

/// Switches to the alternate screen, for a log whose beginning no longer contains the switch.
const ALT_SCREEN: &[u8] = b"\x1b[?1049h";

/// A past moment.
#[derive(Clone, Copy)]
pub(crate) enum When {
    /// After this many bytes.
    Offset(u64),
    /// At this time.
    Time(Timestamp),
}

/// The screen at a moment; `None` if the session has been removed.
pub(crate) async fn screen_at(
    hub: &Hub,
    id: &SessionId,
    when: When,
) -> Option<(Screen, ScreenMoment)> {
    let (first, moment) = found(&hub.read(), id, when)?;
    let offset = moment.offset;
    let here = reading::checkpoint(hub, id, offset).await?;
    let start = if here.alt {
        offset.saturating_sub(ALT_BYTES)
    } else {
        start_of_main(hub, id, here.line, offset)?
    };
    // Not in the middle of a sequence, whose rest would be shown as text.
    let begin = reading::checkpoint(hub, id, start.max(first)).await?;
    let start = if begin.offset <= offset {
        begin.offset.max(first)
    } else {
        start.max(first)
    };
    let (mut screen, changes) = blank(&hub.read(), id, here.alt, start..offset)?;
    if begin.alt {
        screen.feed(ALT_SCREEN);
    }
    paint(hub, id, &mut screen, changes, start..offset).await?;
    // Drop the replies: the queries were answered when they were first rendered.
    screen.take_replies();
    Some((screen, moment))
}

/// Where the log begins, and what is known of the moment.
fn found(state: &State, id: &SessionId, when: When) -> Option<(u64, ScreenMoment)> {
    let (first, end) = (state.sessions.log_first(id), state.sessions.log_end(id));
    let log = &state.sessions.io(id)?.log;
    let last = state.sessions.get(id)?.output.last_output_at();
    let offset = match when {
        When::Offset(offset) => offset,
        When::Time(time) if last.is_some_and(|last| last <= time) => end,
        When::Time(time) => log.end_at(time),
    };
    let offset = offset.clamp(first, end.max(first));
    Some((first, moment(log, first, offset, end, last)))
}

/// A blank screen on which a part of the log is painted, and the sizes that it gets meanwhile. `alt`: what is painted
/// is an alternate screen.
fn blank(
    state: &State,
    id: &SessionId,
    alt: bool,
    part: Range<u64>,
) -> Option<(Screen, Vec<SizeChange>)> {
    let output = &state.sessions.get(id)?.output;
    let sizes = output.sizes();
    // Text is laid out for the final size; a full-screen program painted for the size at that time.
    let (size, changes) = if alt {
        (sizes.at(part.start), sizes.within(part))
    } else {
        (sizes.at(part.end), Vec::new())
    };
    let screen = output.painted(size.unwrap_or(output.size()), 0, b"");
    Some((screen, changes))
}

/// Paints a part of the log, in turns with other tasks. Returns `None` if the session is gone.
async fn paint(
    hub: &Hub,
    id: &SessionId,
    screen: &mut Screen,
    changes: Vec<SizeChange>,
    part: Range<u64>,
) -> Option<()> {
    let mut changes = changes.into_iter().peekable();
    let mut at = part.start;
    while at < part.end {
        if let Some(change) = changes.next_if(|change| change.offset <= at) {
            screen.resize(change.size());
            continue;
        }
        let until = changes.peek().map_or(part.end, |change| change.offset);
        let (from, bytes) = hub.read().sessions.io(id)?.log.read(at, until, TURN);
        if bytes.is_empty() {
            break;
        }
        at = from + bytes.len() as u64;
        screen.feed(&bytes);
        tokio::task::yield_now().await;
    }
    Some(())
}

/// Where painting a main screen starts whose cursor is in line `line` at `offset`: as many lines before it as the screen
/// has rows.
fn start_of_main(hub: &Hub, id: &SessionId, line: u64, offset: u64) -> Option<u64> {
    let state = hub.read();
    let output = &state.sessions.get(id)?.output;
    let rows = output.layout_at(offset).size.rows();
    let top = line.saturating_sub(rows.into());
    let above = output.checkpoints().before_line(top);
    let above = above.unwrap_or(output.beginning()).offset;
    let usual = offset.saturating_sub(MAIN_BYTES);
    Some(if offset.saturating_sub(above) <= MOST_MAIN_BYTES {
        above.min(usual)
    } else {
        usual
    })
}

/// Describes a moment, with the steps before and after it.
fn moment(
    log: &LogReader,
    first: u64,
    offset: u64,
    end: u64,
    last: Option<Timestamp>,
) -> ScreenMoment {
    let before = log.arrivals(offset.saturating_sub(STEP_BYTES).max(first), offset);
    let after = log.arrivals(offset, offset.saturating_add(STEP_BYTES).min(end));
    let at = before.last().map(|run| run.at);
    // The newest bytes may not be in the index yet.
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

/// The first and the last run of the step that the first run belongs to.
fn step<'a>(mut arrivals: impl Iterator<Item = &'a Arrival>) -> Option<(&'a Arrival, &'a Arrival)> {
    let first = arrivals.next()?;
    let mut last = first;
    for run in arrivals {
        let apart = |other: &Arrival| (run.at.millis() - other.at.millis()).abs();
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

    fn run(start: u64, end: u64, at: i64) -> Arrival {
        Arrival {
            start,
            end,
            stream: 0,
            at: Timestamp(at),
        }
    }

    #[test]
    fn a_step_is_the_same_in_both_directions() {
        let arrivals = [
            run(0, 5, 0),
            run(5, 9, 30),
            run(9, 20, 200),
            run(20, 30, 210),
        ];
        let (_, to) = step(arrivals.iter()).unwrap();
        assert_eq!(to.end, 9);
        let (_, to) = step(arrivals.iter().rev()).unwrap();
        assert_eq!(to.start, 9);
        assert!(step([].iter()).is_none());
    }

    #[test]
    fn steady_output_is_divided_into_steps() {
        let arrivals: Vec<Arrival> = (0..100)
            .map(|n| run(n * 10, n * 10 + 10, n.cast_signed() * 20))
            .collect();
        let (first, last) = step(arrivals.iter()).unwrap();
        let lasted = last.at.millis() - first.at.millis();
        assert!((STEP_MS - 20..STEP_MS).contains(&lasted), "{lasted}");
    }
}
