//! `log`: reads the output so far.

mod bytes;
mod choice;
mod grep;
mod lines;
mod stretch;
mod typed;

use crate::daemon::hub::Hub;
use crate::daemon::requests::checks::checked_time;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::limits::MAX_CHARS;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::Error;
use crate::protocol::params::{Log, LogFormat, Stream};

/// Default and largest `lines`.
const DEFAULT_LINES: u64 = 100;
const MAX_LINES: u64 = 100_000;

/// Maximum number of bytes of text in a reply. A single line is cut to the largest `maxChars`; lines are added until the
/// limit is reached.
const MAX_TEXT: usize = 4 << 20;

/// Reads the log by bytes, by lines, or by matching lines.
pub(super) async fn log(hub: &Hub, client: &Client, params: Log) -> Answer {
    let by_lines = params.from_line.is_some() || params.lines.is_some() || params.tail.is_some();
    let by_bytes = params.offset.is_some() || params.limit.is_some();
    if by_bytes && (by_lines || params.grep.is_some()) {
        return Err(Error::invalid(
            "`offset` and `limit` count bytes; `fromLine`, `lines`, `tail` and `grep` count lines",
        ));
    }
    let with_grep = [
        ("ignoreCase", params.ignore_case.is_some()),
        ("context", params.context.is_some()),
        ("maxMatches", params.max_matches.is_some()),
        ("newest", params.newest.is_some()),
    ];
    if let Some((name, _)) = with_grep.iter().find(|(_, given)| *given)
        && params.grep.is_none()
    {
        return Err(Error::invalid(format!("`{name}` requires `grep`")));
    }
    if params.times.is_some() && (by_lines || params.grep.is_some()) {
        return Err(Error::invalid(
            "`times` requires `offset`; lines already include their times",
        ));
    }
    if params.tail.is_some() && (params.lines.is_some() || params.from_line.is_some()) {
        return Err(Error::invalid(
            "`tail` selects the last lines and cannot be combined with `fromLine` or `lines`",
        ));
    }
    let since_time = params.since_time.as_deref();
    let since_time = since_time.map(|text| checked_time("sinceTime", text));
    let since_time = since_time.transpose()?;
    let id = find(hub, client, &params.session_id, Access::Read)?;
    if params.stream == Some(Stream::Input) {
        return typed::typed(hub, &id, &params);
    }
    if params.grep.is_some() {
        return grep::grep(hub, &id, params, since_time).await;
    }
    if by_lines || since_time.is_some() || params.run.is_some() {
        if params
            .format
            .is_some_and(|format| format != LogFormat::Plain)
        {
            return Err(Error::invalid(
                "lines are always clean text; `format` requires `offset`",
            ));
        }
        return lines::lines(hub, &id, params, since_time).await;
    }
    bytes::bytes(hub, &id, &params)
}

/// Cuts a long line. Returns the number of bytes left out as well.
fn cut_line(text: &str) -> (&str, u64) {
    // Every character has at least one byte, so a short line needs no counting.
    let cut = match text.len() > MAX_CHARS {
        true => text.char_indices().nth(MAX_CHARS),
        false => None,
    };
    let (kept, left) = text.split_at(cut.map_or(text.len(), |(cut, _)| cut));
    (kept, left.len() as u64)
}
