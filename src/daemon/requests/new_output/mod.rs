//! The new output and the status of a session, as `poll`, `wait`, `start` and `write` return them.

mod reason;
mod show;
mod since;
mod streams;

use std::time::Duration;

use super::client::{Client, Moves};
use crate::daemon::clock;
use crate::daemon::hub::Hub;
use crate::daemon::reading;
use crate::daemon::sessions::text::{Piece, Uncounted};
use crate::daemon::state::State;
use crate::daemon::tasks::watch;
use crate::engine::input::needs;
use crate::engine::session::{Session, is_offloaded};
use crate::protocol::reply::{Highlight, Left, Polled, ScreenText};
use crate::protocol::status::Mode;
use crate::protocol::{Error, SessionId};
use crate::sys::signal;
use crate::term::highlight::highlights;
use crate::term::sanitize::clean;

use reason::unready;
pub(crate) use reason::{joined, untold_reason};
pub(crate) use show::Show;
pub(crate) use since::{Since, cursor};
use streams::{Streams, piped};

/// Maximum number of bytes of text in a reply for a model. The rest of a reply of 30 KB is for its other
/// fields.
pub(crate) const LEAN_BYTES: usize = 28_000;

/// Status and output since an offset.
pub(crate) async fn polled(
    hub: &Hub,
    client: &Client,
    id: &SessionId,
    mut show: Show,
) -> Result<Polled, Error> {
    hub.check_input(id).await;
    if client.is_lean() {
        show.max_chars = show.max_chars.min(LEAN_BYTES);
        let_end(hub, id).await;
        // The numbers of lines are known once the output is rendered.
        hub.catch_up(id).await;
    }
    if show.screen || client.is_lean() {
        watch::complete(hub, id).await;
    }
    let (mut polled, uncounted) = hub.change(|state| now(hub, state, client, id, show))?;
    if let Some(uncounted) = uncounted {
        polled.omitted.lines += reading::count(hub, id, uncounted).await;
    }
    Ok(polled)
}

/// How long processes that a program has left may take to end, in milliseconds: the kernel hangs up their terminal when
/// the program ends.
const HANGUP_MS: u64 = 200;

/// Waits until the processes that a program has left have had time to end, if it has only just ended.
async fn let_end(hub: &Hub, id: &SessionId) {
    let left = {
        let state = hub.read();
        let session = state.sessions.get(id);
        let session = session.filter(|session| session.life.status().is_finished());
        let ended = session.and_then(|session| session.life.last_process());
        let age = ended.map(|(_, ended)| clock::now().boot.saturating_sub(ended));
        let left = age.and_then(|age| HANGUP_MS.checked_sub(age));
        left.filter(|_| !remaining(&state, id).is_empty())
    };
    if let Some(left) = left {
        tokio::time::sleep(Duration::from_millis(left)).await;
    }
}

/// Everything but the number of omitted lines, if that has to be counted.
fn now(
    hub: &Hub,
    state: &mut State,
    client: &Client,
    id: &SessionId,
    mut show: Show,
) -> Result<(Polled, Option<Uncounted>), Error> {
    let to = show.end(state, id);
    // Look it up again: it may have been removed during the wait, and this error says so.
    state
        .sessions
        .registry
        .find(&client.principal, id.as_str())?;
    let Some(session) = state.sessions.get(id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let finished = session.life.status().is_finished();
    let (mut piece, streams) = read(state, client, session, to, &mut show);
    let uncounted = piece.uncounted.take();
    let canvas = if client.is_lean() && !finished {
        Canvas::of(session)
    } else {
        None
    };
    if canvas == Some(Canvas::MainScreen) && show.is_excerpt(client) {
        // Pieces of the screen, without what stands out on it. The log has them.
        piece.text.clear();
        piece.omitted_lines = None;
    }
    if finished && piece.next <= show.since {
        // What is left is no text, and no more will follow.
        piece.next = to;
    }
    let next = piece.next.max(show.since);
    let mut polled = assemble(state, session, piece, show, streams);
    if client.is_lean() {
        let restarts = client.untold_restarts(session);
        let reasons = [unready(session), untold_reason(state, session, restarts)];
        polled.reason = joined(reasons);
        if finished {
            polled.remaining = remaining(state, id);
        }
    }
    client.tell_state(session);
    client.forget_removed(&state.sessions.registry);
    // A screen that has not changed says nothing, unless it was requested.
    if show.screen || (canvas.is_some() && to > show.since) {
        polled.screen = state.sessions.get_mut(id).map(screen_text);
        state.rest_later(id);
    }
    let newest = state.events.bus.past.seq();
    if let Some(session) = state.sessions.get_mut(id) {
        session.tell(&client.principal.scope, newest);
        session
            .input
            .show(&client.principal.scope, polled.input_state);
        if show.moves != Moves::Nothing {
            client.show(session, next, show.moves);
            client.leave_out(id, polled.omitted_lines);
            if session.scope == client.principal.scope {
                keep_shown(hub, client, id, next);
            }
        }
    }
    Ok((polled, uncounted))
}

/// Where a running program draws. What it writes then is no text that can be read line by line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Canvas {
    /// The main screen, in any order.
    MainScreen,
    /// The alternate screen.
    AlternateScreen,
}

impl Canvas {
    /// `None` if the program writes lines.
    fn of(session: &Session) -> Option<Self> {
        // A program that was killed may have left its mode to one that reads lines.
        let reads_lines = needs(session.input_state());
        match () {
            () if !reads_lines && session.output.draws_main_screen() => Some(Self::MainScreen),
            () if session.output.alt_screen() => Some(Self::AlternateScreen),
            () => None,
        }
    }
}

/// Stores in the shared table how much of the output its own scope has been shown. The table outlives this daemon, so
/// this happens only once the reply is sent.
fn keep_shown(hub: &Hub, client: &Client, id: &SessionId, offset: u64) {
    let (hub, id, outbox) = (hub.clone(), id.clone(), client.outbox.clone());
    tokio::task::spawn_local(async move {
        if outbox.sent_so_far().await {
            let state = hub.read();
            // It may have been removed, and its slot be another session's.
            if let Some(slot) = state
                .sessions
                .io(&id)
                .and_then(|io| state.sessions.slot(io))
            {
                slot.set_shown(offset);
            }
        }
    });
}

/// The output between `show.since` and `to`.
fn read(
    state: &State,
    client: &Client,
    session: &Session,
    to: u64,
    show: &mut Show,
) -> (Piece, Streams) {
    match session.spec.mode {
        _ if show.is_excerpt(client) => {
            let piece = excerpt(state, &session.id, to, *show);
            // It says so itself.
            show.dropped = 0;
            (piece, None)
        }
        Mode::Pty => {
            let piece = state
                .sessions
                .piece(&session.id, show.since, to, show.chars());
            (piece, None)
        }
        Mode::Pipe => piped(state, session, to, *show),
    }
}

/// The beginning and the end of the new output, within the size of a reply for a model.
fn excerpt(state: &State, id: &SessionId, to: u64, show: Show) -> Piece {
    let mut max_chars = show.max_chars;
    loop {
        let asked = show.since.saturating_sub(show.dropped);
        let piece = state.sessions.excerpt(id, asked, to, max_chars);
        if piece.text.len() <= LEAN_BYTES || max_chars < 16 {
            return piece;
        }
        // The characters have several bytes each.
        max_chars = max_chars.min(piece.text.chars().count()) * LEAN_BYTES / piece.text.len();
    }
}

/// The processes that are left of a session that has ended.
fn remaining(state: &State, id: &SessionId) -> Vec<String> {
    let processes = state.sessions.processes(id).into_iter();
    let alive = processes.filter(|process| process.state != 'Z');
    alive
        .map(|process| format!("pid {} {}", process.pid, clean(&process.name)))
        .collect()
}

/// The screen of a session with what stands out on it.
fn screen_text(session: &mut Session) -> ScreenText {
    let screen = session.output.screen();
    let highlighted = highlights(screen).into_iter();
    let (text, cursor) = (screen.text(true), screen.cursor());
    ScreenText {
        text,
        highlighted: highlighted
            .map(|(row, text)| Highlight { row, text })
            .collect(),
        row: cursor.row,
        col: cursor.col,
    }
}

fn assemble(
    state: &State,
    session: &Session,
    piece: Piece,
    show: Show,
    streams: Streams,
) -> Polled {
    let id = &session.id;
    let end = state.sessions.log_end(id);
    let files = if is_offloaded(end) {
        state.sessions.log_files(id)
    } else {
        Vec::new()
    };
    let (stdout, stderr) = streams.unzip();
    let omitted = Left {
        bytes: piece.omitted.bytes.saturating_add(show.dropped),
        ..piece.omitted
    };
    Polled {
        session_id: id.clone(),
        status: session.life.status(),
        exit_code: session.life.exit_code(),
        signal: session.life.signal().map(signal::name),
        output: piece.text,
        stdout,
        stderr,
        prev_cursor: cursor(show.since),
        cursor: cursor(piece.next.max(show.since)),
        omitted,
        input_state: session.input_state(),
        progress: session.progress(),
        shell: session.shell(),
        offloaded: !files.is_empty(),
        output_file: files.last().map(|file| file.path.clone()),
        output_files: files,
        output_bytes: end,
        omitted_lines: piece.omitted_lines,
        remaining: Vec::new(),
        reason: None,
        screen: None,
    }
}
