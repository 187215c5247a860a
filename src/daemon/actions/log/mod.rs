//! `log`: reads the output so far.

mod borders;
mod bytes;
mod choice;
mod fitting;
mod grep;
mod lines;
mod lookup;
mod matches;
mod page;
mod several;
mod shell_command;
mod stream_part;
mod stretch;
mod typed;

use std::borrow::Cow;
use std::ops::Range;

use crate::daemon::hub::Hub;
use crate::daemon::requests::checks::{check_stream, checked_time};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::{find, named_twice};
use crate::daemon::requests::limits::MAX_CHARS;
use crate::daemon::requests::replies::answer;
use crate::daemon::transport::Answer;
use crate::engine::pattern::around;
use crate::engine::registry::Access;
use crate::protocol::Error;
use crate::protocol::bounds::{MAX_LINES, MAX_LOG_BYTES};
use crate::protocol::params::{Log, LogFormat, Stream};

/// Default `lines`.
const DEFAULT_LINES: u64 = 100;

/// For a model: the bytes of all lines, what JSON adds to each line, and the bytes that are shown of one line.
const LEAN_TEXT: usize = 24_000;
const LEAN_PER_LINE: usize = 24;
const LEAN_LINE: usize = 1500;

/// Maximum number of bytes of text in a reply. A single line is cut to the largest `maxChars`; lines are added until the
/// limit is reached.
const MAX_TEXT: usize = 4 << 20;

/// The space in a reply.
#[derive(Clone, Copy, Debug)]
struct Room {
    /// Bytes of text.
    text: usize,
    /// Bytes that a line takes besides its text.
    per_line: usize,
    /// Whether the reply is for a model: long lines are cut, and lines are repeated for no match.
    is_lean: bool,
}

impl Room {
    fn of(client: &Client) -> Self {
        if client.is_lean() {
            Self {
                text: LEAN_TEXT,
                per_line: LEAN_PER_LINE,
                is_lean: true,
            }
        } else {
            Self {
                text: MAX_TEXT,
                per_line: 0,
                is_lean: false,
            }
        }
    }

    /// The part of a line that is shown, around `at`, and the number of bytes left out.
    fn cut(self, text: &str, at: Range<usize>) -> (Cow<'_, str>, u64) {
        if self.is_lean {
            let shown = around(text, at, LEAN_LINE);
            let left_out = text.len().saturating_sub(shown.len());
            return (shown, left_out as u64);
        }
        let (shown, left_out) = cut_line(text);
        (shown.into(), left_out)
    }
}

/// Reads the log by bytes, by lines, or by matching lines.
pub(super) async fn log(hub: &Hub, client: &Client, params: Log) -> Answer {
    let by = check(&params)?;
    let since_time = params.since_time.as_deref();
    let since_time = since_time.map(|text| checked_time("sinceTime", text));
    let since_time = since_time.transpose()?;
    let room = Room::of(client);
    let Some(session) = &params.session_id else {
        return several::several(hub, client, params, since_time, room).await;
    };
    if params.session_ids.is_some() || params.group.is_some() {
        return Err(named_twice());
    }
    let id = find(hub, client, session, Access::Read)?;
    if params.stream == Some(Stream::Input) {
        return typed::typed(hub, &id, &params, room);
    }
    if let Some(session) = hub.read().sessions.get(&id) {
        check_stream(session, params.stream)?;
    }
    let is_plain = params.format.unwrap_or_default() == LogFormat::Plain;
    if !is_plain && (by == By::Lines || params.grep.is_some()) {
        return Err(Error::invalid(
            "lines are always clean text; `format` requires `offset`",
        ));
    }
    if params.grep.is_some() {
        return answer(grep::grep(hub, &id, &params, since_time, room).await?);
    }
    if by == By::Lines {
        return answer(lines::lines(hub, &id, &params, since_time, room).await?);
    }
    bytes::bytes(hub, &id, &params, room)
}

/// What a request counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    Bytes,
    Lines,
}

/// Checks which parameters are combined, and their bounds. [`crate::protocol::bounds`] has the same rules.
fn check(params: &Log) -> Result<By, Error> {
    let by_lines = params.from_line.is_some() || params.lines.is_some() || params.tail.is_some();
    let by_bytes = params.offset.is_some() || params.limit.is_some();
    let of_part = params.run.is_some() || params.command.is_some() || params.since_time.is_some();
    let with_grep = [
        ("ignoreCase", params.ignore_case.is_some()),
        ("context", params.context.is_some()),
        ("maxMatches", params.max_matches.is_some()),
        ("newest", params.newest.is_some()),
    ];
    let without_grep = with_grep.iter().find(|(_, given)| *given);
    let why = if by_bytes && (by_lines || of_part || params.grep.is_some()) {
        "`offset` and `limit` count bytes; `fromLine`, `lines`, `tail`, `grep`, `sinceTime`, `run` and `command` \
         count lines"
    } else if params.grep.is_some() && params.lines.is_some() {
        "`lines` has no effect beside `grep`; `maxMatches` limits the matches, `fromLine` and `tail` the lines that \
         are searched"
    } else if let (None, Some((name, _))) = (&params.grep, without_grep) {
        return Err(Error::invalid(format!("`{name}` requires `grep`")));
    } else if params.times.is_some()
        && (by_lines || params.grep.is_some() || params.command.is_some())
    {
        "`times` requires `offset`; lines already include their times"
    } else if params.origins.is_some() && params.grep.is_some() {
        "matches always have their offsets; `origins` cannot be combined with `grep`"
    } else if params.tail.is_some() && (params.lines.is_some() || params.from_line.is_some()) {
        "`tail` selects the last lines and cannot be combined with `fromLine` or `lines`"
    } else {
        check_amounts(params)?;
        return Ok(if by_lines || of_part {
            By::Lines
        } else {
            By::Bytes
        });
    };
    Err(Error::invalid(why))
}

fn check_amounts(params: &Log) -> Result<(), Error> {
    if let Some(limit) = params.limit
        && !(1..=MAX_LOG_BYTES).contains(&limit)
    {
        return Err(Error::invalid(format!(
            "`limit` must be between 1 and {MAX_LOG_BYTES} bytes, not {limit}"
        )));
    }
    if let Some(count) = params.tail.or(params.lines)
        && !(1..=MAX_LINES).contains(&count)
    {
        return Err(Error::invalid(format!(
            "the number of lines must be between 1 and {MAX_LINES}, not {count}"
        )));
    }
    Ok(())
}

/// Cuts a long line. Returns the number of bytes left out as well.
fn cut_line(text: &str) -> (&str, u64) {
    // Every character has at least one byte, so a short line needs no counting.
    let cut = if text.len() > MAX_CHARS {
        text.char_indices().nth(MAX_CHARS)
    } else {
        None
    };
    let (kept, left) = text.split_at(cut.map_or(text.len(), |(cut, _)| cut));
    (kept, left.len() as u64)
}
