//! Repaints screens from the end of the log, for example at another size.

use std::ops::Range;

use super::State;
use super::output::send_replies;
use crate::engine::output::Output;
use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// Bytes of log from which a screen is repainted at another size.
const REPLAY: u64 = 2 << 20;

/// Farthest distance back to a checkpoint at which that starts, in bytes: a few times the usual distance between two.
const NEAR: u64 = 64 * 1024;

/// Bytes that contain the sequence with which a program has left the alternate screen, if they end behind it.
const LEAVING: u64 = 64;

/// Resizes a session's terminal.
///
/// The main screen is repainted from the log when the width changes, because cutting its lines would lose their
/// text, and when it becomes higher, because the lines that have scrolled off come back.
pub(crate) fn resize(state: &mut State, id: &SessionId, size: Size) {
    let Some(session) = state.sessions.get_mut(id) else {
        return;
    };
    let old = session.output.size();
    let differs = size.cols() != old.cols() || size.rows() > old.rows();
    let replies = session.output.resize(size);
    state.waiters.waits.resize(id, size);
    let Some(session) = state.sessions.get(id) else {
        return;
    };
    if differs && !session.output.alt_screen() && session.output.end() > 0 {
        repaint_main(state, id, 0..0);
    }
    send_replies(state, id, &replies);
    state.look(id);
    for watcher in state.sessions.io(id).map_or(&[][..], |io| &io.watchers) {
        watcher.notify_one();
    }
}

/// Repaints the main screen from the log. Modes and title stay, and so does a screen of which the end of the log has
/// only a part. The bytes in `hidden` were painted on the alternate screen.
pub(super) fn repaint_main(state: &mut State, id: &SessionId, hidden: Range<u64>) {
    let Some((session, io)) = state.sessions.both_mut(id) else {
        return;
    };
    let output = &mut session.output;
    let (size, end) = (output.size(), output.end());
    let last = if hidden.end.saturating_sub(hidden.start) > REPLAY {
        hidden.start
    } else {
        end
    };
    let (from, line) = replay_start(output, last);
    let lines = output.next_line().saturating_sub(line);
    if from > output.first() && lines < u64::from(size.rows()) {
        return;
    }
    let mut bytes = io.log.read_all(from, last).1;
    if last < end {
        let leaving = hidden.end.saturating_sub(LEAVING);
        bytes.extend(io.log.read_all(leaving, end).1);
    }
    let mut screen = output.painted(size, 0, &bytes);
    // Drop the replies: the queries were answered when they were first rendered.
    screen.take_replies();
    screen.take_modes(output.screen());
    output.replace_screen(screen);
}

/// Where painting a screen starts that shows the output up to `end`, and the number of the line there.
fn replay_start(output: &Output, end: u64) -> (u64, u64) {
    let from = end.saturating_sub(REPLAY).max(output.first());
    let before = output.checkpoints().before(from);
    let line = before.map_or(output.first_line(), |at| at.line);
    // Not in the middle of a sequence, whose rest would be shown as text.
    let near = before.filter(|at| from - at.offset <= NEAR);
    (near.map_or(from, |at| at.offset), line)
}

/// Paints a screen from the end of the log, with up to `scrollback` lines above it.
pub(crate) fn repaint_screen(
    state: &State,
    id: &SessionId,
    size: Size,
    scrollback: usize,
) -> Screen {
    let (Some(session), Some(io)) = (state.sessions.get(id), state.sessions.io(id)) else {
        return Screen::new(size);
    };
    let end = session.output.end();
    let (from, _) = replay_start(&session.output, end);
    let bytes = io.log.read_all(from, end).1;
    let mut screen = session.output.painted(size, scrollback, &bytes);
    // Drop the replies: the queries were answered when they were first rendered.
    screen.take_replies();
    screen
}
