//! The new output and the status of a session, as `poll`, `wait`, `start` and `write` return them.

use super::client::{Client, Moves};
use crate::daemon::hub::Hub;
use crate::daemon::reading;
use crate::daemon::sessions::text::{Piece, Source, Uncounted};
use crate::daemon::state::State;
use crate::daemon::storage::log_reader::Arrival;
use crate::daemon::tasks::watch;
use crate::engine::life::Life;
use crate::engine::session::{Session, is_offloaded};
use crate::protocol::params::Stream;
use crate::protocol::record::{EndedByKind, InputState, Mode};
use crate::protocol::reply::{Highlight, Left, Polled, ScreenText};
use crate::protocol::{Error, SessionId, Status};
use crate::sys::signal;
use crate::term::highlight::highlights;
use crate::term::plain::{render, tail_chars};
use crate::term::sanitize::clean;

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

impl Show {
    /// The maximum number of characters. A page of the oldest output is limited by its bytes, so that none
    /// of its text is left out.
    fn chars(self) -> usize {
        match self.oldest {
            true => self.max_chars.saturating_mul(COLUMNS),
            false => self.max_chars,
        }
    }
}

/// Longest unfinished escape sequence that makes a page longer, in bytes. A longer one is shown as it is.
const SEQUENCE: u64 = 4096;

/// Where a page of the oldest output ends: after `max_chars` bytes, or later if these are only the beginning
/// of a character or of an escape sequence.
fn page_end(state: &State, id: &SessionId, show: Show) -> u64 {
    let end = state.sessions.log_end(id);
    let mut length = show.max_chars as u64;
    loop {
        let to = show.since.saturating_add(length).min(end);
        let is_stuck = || state.sessions.piece(id, show.since, to, 1).next <= show.since;
        if to == end || length == 0 || length > SEQUENCE || !is_stuck() {
            return to;
        }
        length *= 2;
    }
}

/// Maximum number of bytes of text in a reply for a model. The rest of a reply of 30 KB is for its other
/// fields.
pub(crate) const LEAN_BYTES: usize = 28_000;

/// Bytes at the end of the output of pipes that are searched for one stream. The search has to be bounded,
/// because the streams may alternate with every byte.
const ONE_STREAM: u64 = 1 << 20;

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

/// Everything but the number of omitted lines, if that has to be counted.
fn now(
    hub: &Hub,
    state: &mut State,
    client: &Client,
    id: &SessionId,
    mut show: Show,
) -> Result<(Polled, Option<Uncounted>), Error> {
    let to = match show.oldest {
        true => page_end(state, id, show),
        false => show.until.unwrap_or(state.sessions.log_end(id)),
    };
    // Look it up again: it may have been removed during the wait, and this error says so.
    state
        .sessions
        .registry
        .find(&client.principal, id.as_str())?;
    let Some(session) = state.sessions.get(id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let finished = session.life.status().is_finished();
    let whole = show.stream == Stream::All;
    let (mut piece, streams) = match session.spec.mode {
        _ if client.is_lean() && whole && !show.oldest => {
            let piece = excerpt(state, id, to, show);
            // It says so itself.
            show.dropped = 0;
            (piece, None)
        }
        Mode::Pty => {
            let piece = state.sessions.piece(id, show.since, to, show.chars());
            (piece, None)
        }
        Mode::Pipe => piped(state, session, to, show),
    };
    let uncounted = piece.uncounted.take();
    let restarts = client.untold_restarts(session);
    client.tell_state(session);
    client.forget_removed(&state.sessions.registry);
    let for_model = client.is_lean() && !finished;
    // A program that was killed may have left its mode to one that reads lines.
    let reads_lines = matches!(
        session.input_state(),
        InputState::Line | InputState::Password
    );
    let draws = for_model && !reads_lines && session.output.draws_main_screen();
    if draws && whole && !show.oldest {
        // Pieces of the screen, without what stands out on it. The log has them.
        piece.text.clear();
        piece.omitted_lines = None;
    }
    let full_screen = draws || (for_model && session.output.alt_screen());
    let mut polled = assemble(state, session, piece, show, streams);
    if client.is_lean() && finished {
        polled.remaining = remaining(state, id);
    }
    if client.is_lean() {
        polled.reason = untold_reason(state, session, restarts);
    }
    // A screen that has not changed says nothing, unless it was requested.
    if show.screen || (full_screen && to > show.since) {
        polled.screen = state.sessions.get_mut(id).map(screen_text);
        state.rest_later(id);
    }
    if finished && polled.cursor == cursor(show.since) && to > show.since {
        polled.cursor = cursor(to);
    }
    let newest = state.events.bus.past.seq();
    if let Some(session) = state.sessions.get_mut(id) {
        session.tell(&client.principal.scope, newest);
        session
            .input
            .show(&client.principal.scope, polled.input_state);
    }
    if show.moves != Moves::Nothing
        && let (Ok(offset), Some(session)) =
            (parse_cursor(&polled.cursor), state.sessions.get_mut(id))
    {
        client.show(session, offset, show.moves);
        if session.scope == client.principal.scope {
            let (hub, id, outbox) = (hub.clone(), id.clone(), client.outbox.clone());
            // The cursor in the shared table outlives this daemon, so store it only once the output is sent to
            // the client.
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
    }
    Ok((polled, uncounted))
}

/// What a model would not think of: that the session was started again, that somebody else has ended it or runs it
/// again, or that it is not ready.
fn untold_reason(state: &State, session: &Session, restarts: Option<String>) -> Option<String> {
    let status = session.life.status();
    let runs_again = matches!(status, Status::Starting | Status::Running);
    let is_again = state.restarting.contains_key(&session.id) && !runs_again;
    let again = is_again.then(|| "it is being restarted".to_owned());
    let by_others = session
        .life
        .ended_by()
        .is_some_and(|by| by.kind != EndedByKind::Agent);
    let ended = session
        .life
        .reason()
        .filter(|_| status == Status::Retrying || by_others && status.is_finished())
        .filter(|reason| !is_plain(reason, &session.life));
    let ended = ended.map(str::to_owned);
    let reasons = [restarts, ended, session.late_reason(), again];
    reasons
        .into_iter()
        .flatten()
        .reduce(|one, other| one + "; " + &other)
}

/// Whether a reason says no more than exit code and signal do.
fn is_plain(reason: &str, life: &Life) -> bool {
    let code = life.exit_code().map(|code| format!("exit code {code}"));
    let signal = life.signal().map(signal::name);
    [code, signal].iter().flatten().any(|word| word == reason)
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

/// With pipes, the index says which stream each byte belongs to.
fn piped(state: &State, session: &Session, to: u64, show: Show) -> (Piece, Streams) {
    let Some(io) = state.sessions.io(&session.id) else {
        return (Piece::default(), None);
    };
    // Output that is not in the index yet is returned the next time, unless the request names its end.
    let to = match session.life.status().is_finished() || show.until.is_some() {
        true => to,
        false => to.min(io.log.indexed_end()),
    };
    let source = Source {
        output: &session.output,
        log: &io.log,
    };
    let from = show.since.max(to.saturating_sub(ONE_STREAM));
    let arrivals = io.log.arrivals(from, to);
    let one = |stream: u8| {
        let mut piece = one_stream(&source, &arrivals, stream, show.chars());
        // Count the bytes before as omitted from either stream: it is not known which they belong to.
        piece.omitted.bytes += from - show.since;
        piece
    };
    let (stdout, stderr) = (one(0), one(1));
    let piece = match show.stream {
        Stream::Stdout => Piece {
            next: to,
            ..stdout.clone()
        },
        Stream::Stderr => Piece {
            next: to,
            ..stderr.clone()
        },
        _ => state
            .sessions
            .piece(&session.id, show.since, to, show.chars()),
    };
    (piece, Some((stdout.text, stderr.text)))
}

/// The text of standard output and of standard error, for pipes.
type Streams = Option<(String, String)>;

/// The clean text of one stream within some arrivals.
fn one_stream(source: &Source<'_>, arrivals: &[Arrival], stream: u8, max_chars: usize) -> Piece {
    let mut bytes = Vec::new();
    for run in arrivals.iter().filter(|run| run.stream == stream) {
        bytes.extend(source.log.read_all(run.start, run.end).1);
    }
    let rendered = render(&bytes, source.layout(), false);
    let (text, omitted) = tail_chars(&rendered.text, max_chars);
    Piece {
        text: text.to_owned(),
        omitted: crate::protocol::reply::Left {
            bytes: omitted.bytes,
            lines: omitted.lines,
        },
        next: arrivals.last().map_or(0, |run| run.end),
        uncounted: None,
        omitted_lines: None,
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
    let files = match is_offloaded(end) {
        true => state.sessions.log_files(id),
        false => Vec::new(),
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
