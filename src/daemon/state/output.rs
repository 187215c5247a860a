//! Renders the logs to the screens, one chunk per session in turn.

use std::io;
use std::ops::Range;

use super::repaint::repaint_main;
use super::{State, emulator_fault};
use crate::daemon::clock::now;
use crate::daemon::sessions::session_io::SessionIo;
use crate::engine::output::OutputChanges;
use crate::engine::report::Report;
use crate::engine::session::Session;
use crate::engine::timers::Due;
use crate::protocol::{EventKind, SessionId};
use crate::sys::shared_table::Slot;
use crate::term::colors::Colors;

/// Bytes of text rendered before it is the next session's turn, or what costs as much. That takes about two
/// milliseconds, which is how long a quiet session waits for a busy one.
const CHUNK: usize = 64 * 1024;

/// Smallest chunk, in bytes.
const LEAST_CHUNK: usize = 1024;

/// Bytes read in one turn if most of them need not be painted.
const FLOOD_CHUNK: usize = 1 << 20;

/// Shortest interval between two live `output` events of a session, in milliseconds.
const OUTPUT_EVENT_MS: u64 = 500;

/// How long after a key its effect is looked for in all output, in milliseconds.
const REACTION_MS: u64 = 500;

/// How long a live `output` event waits for the frame of the same output, in milliseconds.
const FRAME_FIRST_MS: u64 = 2;

/// Renders the next chunk of a session's log. Returns true if there is more. In that case the session is queued
/// again here, because the keeper does not notify the daemon of output that was there before.
pub(crate) fn render_chunk(state: &mut State, id: &SessionId) -> bool {
    let (first, newlines, end) = match state.sessions.io(id) {
        Some(io) => match state.sessions.slot(io) {
            Some(slot) => {
                let (first, newlines) = slot.dropped();
                (first, newlines, slot.end())
            }
            None => {
                let (first, end) = io.log.bounds();
                (first, None, end)
            }
        },
        None => return false,
    };
    state.log_begins_at(id, first, newlines);
    state.log_grew(id, end);
    let Some(session) = state.sessions.get(id) else {
        return false;
    };
    let from = session.output.end();
    if let Some(io) = state.sessions.io_mut(id) {
        io.look.begin(now().boot, from, end);
    }
    if from < end {
        let answered = answered(state, id).unwrap_or(u64::MAX);
        // Output whose queries were answered before (by an earlier daemon) is rendered without answering again.
        let end = if from < answered {
            end.min(answered)
        } else {
            end
        };
        feed(state, id, from, end, from >= answered);
    }
    let Some(session) = state.sessions.get(id) else {
        return false;
    };
    let seen = session.output.end();
    settle_exit(state, id, seen);
    let more = match state.sessions.io(id).and_then(SessionIo::slot) {
        Some(slot) => !state.keeper.shared_table().slot(slot).listen(seen),
        None => seen < end,
    };
    match next_look(state, id, seen).filter(|_| more) {
        Some(at) => state.timers.set(Due::Look(id.clone()), Some(at)),
        None if more => state.render_queue.add(id),
        None => state.rest_ended(id),
    }
    more
}

/// When the output after `seen` is looked at; `None`: at once, because it is little, or because somebody waits for what
/// is in it.
fn next_look(state: &State, id: &SessionId, seen: u64) -> Option<u64> {
    let io = state.sessions.io(id)?;
    let at = now().boot;
    let next = io.look.next(at, seen).filter(|_| !is_awaited(state, id));
    io.next_try(at).or(next)
}

/// Begins the look that is due, or delays it while a flood lasts that nobody watches or waits in.
pub(crate) fn look_again(state: &mut State, id: &SessionId) {
    let end = state.sessions.log_end(id);
    let is_attended = is_awaited(state, id);
    let next = state.sessions.io_mut(id).and_then(|io| {
        let next = io.look.stand_back(now().boot, end);
        next.filter(|_| io.watchers.is_empty() && !is_attended)
    });
    match next {
        Some(at) => state.timers.set(Due::Look(id.clone()), Some(at)),
        None => state.render_queue.add(id),
    }
}

/// Whether somebody waits for what is in a session's output.
fn is_awaited(state: &State, id: &SessionId) -> bool {
    state.sessions.both(id).is_some_and(|(session, io)| {
        let typed = session.input.typed_at();
        state.waiters.waits.read_output(id)
            || session.probes_output()
            || io.pending_exit.is_some()
            || typed.is_some_and(|typed| typed + REACTION_MS > now().boot)
    })
}

/// The offset up to which the program's terminal queries have been answered.
fn answered(state: &State, id: &SessionId) -> Option<u64> {
    let slot = state.sessions.io(id)?.slot()?;
    Some(state.keeper.shared_table().slot(slot).replied())
}

/// Renders output, and does what follows from it. `answer`: the program's queries were not answered before.
fn feed(state: &mut State, id: &SessionId, from: u64, end: u64, answer: bool) {
    let Some(news) = render(state, id, from, end) else {
        return;
    };
    if news.restarted {
        emulator_fault::contain(state, id);
    }
    let session = state.sessions.get_mut(id);
    if let Some(hidden) = session.and_then(|session| session.output.take_outdated_main()) {
        repaint_main(state, id, hidden);
    }
    if answer {
        let session = state.sessions.get(id);
        let seen = session.map_or(0, |session| session.output.end());
        reply(state, id, &news, seen);
    }
    note_activity(state, id, answer);
    state.look(id);
    tell(state, id, &news);
}

/// Renders what one turn may take of the output between two offsets. Returns `None` if the session is gone.
fn render(state: &mut State, id: &SessionId, from: u64, end: u64) -> Option<OutputChanges> {
    let shared_table = state.keeper.shared_table().clone();
    let mut at = from;
    let mut news = OutputChanges::default();
    let readers = state.waiters.waits.readers(id);
    // Render a larger chunk next if little of the first one had to be painted.
    for most in [CHUNK, FLOOD_CHUNK].map(|most| share(most, readers)) {
        let (session, io) = state.sessions.both_mut(id)?;
        let (start, bytes, failure) = match io.log.try_read(at, end, most) {
            Ok((start, bytes)) => (start, bytes, None),
            Err(error) => (at, vec![], Some(error)),
        };
        let slot = io.slot().map(|slot| shared_table.slot(slot));
        if start > at && slot.is_some_and(|slot| slot.first() > at) {
            // The keeper has just dropped these bytes: the next turn knows how many lines they had.
            break;
        }
        if bytes.is_empty() {
            let unsaved = slot.map_or(0, Slot::unsaved);
            wait_or_skip(session, io, at..end, unsaved, failure);
            break;
        }
        io.output_came();
        session.output.skip_to(start);
        let progress = session.output.catch_up(&bytes, CHUNK, now());
        state.show_output(id, start, &bytes[..progress.taken]);
        news.add(progress.news);
        at = start + progress.taken as u64;
        if end - at < CHUNK as u64 || progress.painted > progress.taken / 4 {
            break;
        }
    }
    Some(news)
}

/// Handles a part of the log of which nothing could be read: it is looked at again, or skipped. `unsaved` is the number
/// of bytes that are in no file.
fn wait_or_skip(
    session: &mut Session,
    io: &mut SessionIo,
    part: Range<u64>,
    unsaved: u64,
    failure: Option<io::Error>,
) {
    if session.open_batch().is_some() {
        // Another machine is just taking the log over. It is looked at again.
        if let Some(known) = io.in_files_mut() {
            known.end = part.start;
        }
        return;
    }
    if io.awaits_output(failure.is_some(), unsaved, now().boot) {
        // It is looked at again, at the latest when the message of the keeper comes.
        return;
    }
    // The log has nothing up to the end of the part, for whatever reason: skip it, so that it is not read again.
    if let Some(error) = failure {
        let (from, to) = (part.start, part.end);
        tracing::warn!(session = %session.id, from, to, %error, "output is not rendered");
    }
    session.output.skip_to(part.end);
    io.output_came();
}

/// Notes that the program has written something. Output that an earlier daemon has rendered is not new.
fn note_activity(state: &mut State, id: &SessionId, is_new: bool) {
    let eager = state.waiters.waits.want_input(id);
    let Some(session) = state.sessions.get_mut(id) else {
        return;
    };
    let replaced = is_new && session.wrote(now());
    if session.input.on_activity(now().boot, eager) {
        state.arm_input(id);
    }
    if replaced {
        state.persist(id);
    }
}

/// Divides the bytes of one turn by the number of waits that read the lines, so that all of them together take
/// no longer than one would.
fn share(most: usize, readers: usize) -> usize {
    (most / readers.max(1)).max(LEAST_CHUNK)
}

/// Writes the terminal's answers to the program's input.
fn reply(state: &mut State, id: &SessionId, news: &OutputChanges, seen: u64) {
    let Some(io) = state.sessions.io(id) else {
        return;
    };
    if let Some(slot) = io.slot() {
        state.keeper.shared_table().slot(slot).set_replied(seen);
    }
    send_replies(state, id, &news.replies);
}

/// Writes what the terminal says to the program's input.
pub(super) fn send_replies(state: &State, id: &SessionId, replies: &[u8]) {
    let input = state.sessions.io(id).and_then(|io| io.input.clone());
    if let Some(input) = input
        && input.queue_replies(replies)
    {
        tokio::task::spawn_local(async move {
            let turn = input.turn().await;
            // If the program does not read its input, its answers are lost.
            let _ = turn.pass(&input.take_replies()).await;
        });
    }
}

/// Sets the colours that a session's program is told when it asks.
pub(crate) fn set_colors(state: &mut State, id: &SessionId, colors: &Colors) {
    if let Some(session) = state.sessions.get_mut(id) {
        let replies = session.output.set_colors(colors);
        send_replies(state, id, &replies);
    }
}

/// Notifies watchers, and publishes events to subscribers.
fn tell(state: &mut State, id: &SessionId, news: &OutputChanges) {
    let Some(io) = state.sessions.io(id) else {
        return;
    };
    if news.screen || news.restarted {
        for watcher in &io.watchers {
            watcher.notify_one();
        }
        if let Some(input) = &io.input {
            input.screen_changed();
        }
    }
    if news.title && state.events.has_listeners(EventKind::Title) {
        let title = state.sessions.get(id);
        let title = title.map(|session| session.output.title().to_owned());
        state.publish(EventKind::Title, id, serde_json::json!({ "title": title }));
    }
    if news.bells > 0 && state.events.has_listeners(EventKind::Bell) {
        state.publish(
            EventKind::Bell,
            id,
            serde_json::json!({ "count": news.bells }),
        );
    }
    if state.events.has_listeners(EventKind::Output) {
        hold_output_event(state, id);
        tell_output(state, id);
    }
}

/// Delays the first live `output` event after quiet, if somebody watches: a view first draws the frame, which is what
/// the person waits for.
fn hold_output_event(state: &mut State, id: &SessionId) {
    let at = now().boot;
    if let Some(io) = state.sessions.io_mut(id)
        && !io.watchers.is_empty()
        && at >= io.next_output_event
        && !std::mem::replace(&mut io.holds_output_event, true)
    {
        io.next_output_event = at + FRAME_FIRST_MS;
    }
}

/// Publishes the amount of output, now or when the next event is allowed. Subscribers that were sent the start
/// of a burst are thus also sent its end.
pub(crate) fn tell_output(state: &mut State, id: &SessionId) {
    let at = now().boot;
    let Some(io) = state.sessions.io_mut(id) else {
        return;
    };
    let next = io.next_output_event;
    if at < next {
        state.timers.set(Due::Output(id.clone()), Some(next));
        return;
    }
    io.next_output_event = at + OUTPUT_EVENT_MS;
    io.holds_output_event = false;
    state.timers.set(Due::Output(id.clone()), None);
    let Some(session) = state.sessions.get(id) else {
        return;
    };
    let data = serde_json::json!({
        "outputBytes": session.output.end(),
        "outputLines": session.output.total_lines(),
        "lastOutputAt": session.output.last_output_at(),
        "inputState": session.input_state(),
        "report": session.report.as_ref().map(Report::told),
        "progress": session.progress(),
        "shell": session.shell(),
        "presentDirectory": state.sessions.present_directory(session),
    });
    state.publish(EventKind::Output, id, data);
}

/// Handles a delayed exit once the output before it has been rendered.
fn settle_exit(state: &mut State, id: &SessionId, seen: u64) {
    let Some(io) = state.sessions.io_mut(id) else {
        return;
    };
    if io
        .pending_exit
        .as_ref()
        .is_some_and(|exit| seen >= exit.end_offset)
        && let Some(exit) = io.pending_exit.take()
    {
        state.finish(id, &exit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_share_the_bytes_of_a_turn() {
        assert_eq!(share(CHUNK, 0), CHUNK);
        assert_eq!(share(FLOOD_CHUNK, 1), FLOOD_CHUNK);
        for readers in [2, 50, 1000] {
            assert!(share(FLOOD_CHUNK, readers) * readers <= FLOOD_CHUNK);
        }
        assert_eq!(share(CHUNK, 100_000), LEAST_CHUNK, "never zero");
    }
}
