//! `export`: the whole log in another format, as a file or in the reply.
//!
//! The log is read and written in chunks, between which other tasks have their turns, so that memory does not
//! grow with the log. The file appears complete or not at all.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{io, mem};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::daemon::hub::Hub;
use crate::daemon::reading;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::answer;
use crate::daemon::threads;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::engine::session::Session;
use crate::engine::sizes::Change;
use crate::protocol::params::{Encoding, Export, ExportFormat};
use crate::protocol::reply::Exported;
use crate::protocol::status::Mode;
use crate::protocol::{Error, ErrorCode, SessionId, Timestamp};
use crate::sys::failpoint;
use crate::sys::file::Draft;
use crate::term::export::{Cast, Encoder, Header, Pages};
use crate::term::plain::{Checkpoint, Plain};
use crate::term::sanitize::clean;
use crate::term::size::Size;

/// Maximum number of bytes of data in a reply.
const MAX_DATA: usize = 1 << 20;

/// Switches a terminal to the alternate screen, for a log whose beginning was dropped while a full-screen
/// program was running.
const ALT_SCREEN: &[u8] = b"\x1b[?1049h";

/// Exports the whole log as it is now.
pub(super) async fn export(hub: &Hub, client: &Client, params: Export) -> Answer {
    let path = params
        .path
        .as_deref()
        .map(|path| checked_path(client, path));
    let path = path.transpose()?;
    let format = params.format.unwrap_or_default();
    let id = find(hub, client, &params.session_id, Access::Read)?;
    hub.catch_up(&id).await;
    let (first, end) = {
        let state = hub.read();
        (state.sessions.log_first(&id), state.sessions.log_end(&id))
    };
    let gone = || Error::session_not_found(id.as_str());
    // Only the raw format may start in the middle of an escape sequence.
    let begin = reading::checkpoint(hub, &id, first)
        .await
        .ok_or_else(gone)?;
    let from = match format {
        ExportFormat::Raw => first,
        _ => begin.offset,
    };
    let source = Source::new(hub, &id, from..end, begin).ok_or_else(gone)?;
    let encoder = source.encoder(format, begin).ok_or_else(gone)?;
    match path {
        None => {
            let mut data = Vec::new();
            source
                .run(encoder, async |bytes| {
                    data.extend_from_slice(&bytes);
                    if data.len() > MAX_DATA {
                        Err(too_large())
                    } else {
                        Ok(())
                    }
                })
                .await?;
            answer(in_reply(data, format))
        }
        Some(path) => {
            let begun = path.clone();
            let draft = on_disk(&path, move || Draft::new(&begun)).await?;
            let draft = Arc::new(draft);
            let mut bytes = 0;
            source
                .run(encoder, async |piece| {
                    bytes += piece.len() as u64;
                    let draft = draft.clone();
                    on_disk(&path, move || draft.write(&piece)).await
                })
                .await?;
            on_disk(&path, move || draft.finish()).await?;
            failpoint::hit("export.written");
            answer(Exported {
                path: Some(path.display().to_string()),
                data: None,
                encoding: None,
                bytes,
            })
        }
    }
}

/// Does one step of writing the file at `path`, which may be on a slow disk, while the daemon does other work.
async fn on_disk<T: Send + 'static>(
    path: &Path,
    step: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    let done = threads::run("export", step).await?;
    done.map_err(|error| cannot_write(path, &error))
}

fn in_reply(data: Vec<u8>, format: ExportFormat) -> Exported {
    let bytes = data.len() as u64;
    let (data, encoding) = match format {
        ExportFormat::Raw => (STANDARD.encode(&data), Encoding::Base64),
        _ => (String::from_utf8_lossy(&data).into_owned(), Encoding::Utf8),
    };
    Exported {
        path: None,
        data: Some(data),
        encoding: Some(encoding),
        bytes,
    }
}

/// The path of the file to write, if this client may write it.
fn checked_path(client: &Client, path: &str) -> Result<PathBuf, Error> {
    if client.greeting.policy.allow.is_some() {
        // Otherwise a job could print a script to a file that a shell reads later, and so evade the allow-list.
        let message = "`path` is not allowed: this connection may only start certain programs";
        return Err(Error::new(ErrorCode::PermissionDenied, message).hint("leave out `path`"));
    }
    if path.is_empty() || path.contains('\0') {
        return Err(Error::invalid("`path` is not a valid file name"));
    }
    match &client.greeting.cwd {
        Some(cwd) => Ok(Path::new(cwd).join(path)),
        None if Path::new(path).is_absolute() => Ok(path.into()),
        None => Err(Error::invalid(format!(
            "`path`: {path} is relative, and this connection has no working directory"
        ))
        .hint("give an absolute path")),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::PermissionDenied => ErrorCode::PermissionDenied,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorCode::DiskFull,
        _ => ErrorCode::InvalidParams,
    };
    let path = path.display().to_string();
    Error::new(code, format!("cannot write {path}: {error}"))
        .data(serde_json::json!({ "path": path }))
}

fn too_large() -> Error {
    let message = format!("the export is larger than the {MAX_DATA} bytes that fit in a reply");
    Error::new(ErrorCode::TooLarge, message)
        .hint("give a `path` to write it to a file")
        .data(serde_json::json!({ "limit": MAX_DATA, "unit": "bytes" }))
}

/// The part of a log to export.
struct Source<'a> {
    hub: &'a Hub,
    id: &'a SessionId,
    at: u64,
    end: u64,
    /// Whether the alternate screen is on where the export starts.
    alt: bool,
    /// Time of the first byte, from which times are counted.
    began: Timestamp,
    /// Time of the last indexed byte so far.
    last: Timestamp,
    /// Number and first offset of the runs that start within the range.
    runs: Vec<(u32, u64)>,
    /// Changes of the terminal's size within the range.
    sizes: Vec<Change>,
    /// The change after the last byte.
    last_size: Option<Size>,
}

/// Bytes that were written together.
struct Piece {
    range: Range<u64>,
    at: Timestamp,
    /// The run that starts with these bytes.
    run: Option<u32>,
    /// The size of the terminal from these bytes on.
    size: Option<Size>,
}

impl<'a> Source<'a> {
    fn new(hub: &'a Hub, id: &'a SessionId, range: Range<u64>, begin: Checkpoint) -> Option<Self> {
        let state = hub.read();
        let session = state.sessions.get(id)?;
        let first = state.sessions.io(id)?.log.arrival_at(range.start);
        let began = first.map_or(session.life.created_at(), |run| run.at);
        let last_size = session.output.sizes().change_at(range.end);
        let last_size = last_size.filter(|_| !range.is_empty());
        let runs = session.life.runs().iter();
        let runs = runs.filter(|run| run.run > 1 && range.contains(&run.offset));
        Some(Self {
            hub,
            id,
            at: range.start,
            end: range.end,
            alt: begin.alt,
            began,
            last: began,
            sizes: session.output.sizes().within(range.clone()),
            last_size: last_size.map(Change::size),
            runs: runs.map(|run| (run.run, run.offset)).collect(),
        })
    }

    fn encoder(&self, format: ExportFormat, begin: Checkpoint) -> Option<Encoder> {
        let state = self.hub.read();
        let session = state.sessions.get(self.id)?;
        let output = &session.output;
        let size = output.size();
        let first_size = output.sizes().at(self.at).unwrap_or(size);
        let command = clean(&command(session));
        Some(match format {
            ExportFormat::Raw => Encoder::Raw,
            ExportFormat::Text => {
                let mut plain = Plain::resume(output.layout_at(begin.offset), begin);
                plain.set_track_touched(false);
                Encoder::Text(Box::new(plain))
            }
            ExportFormat::Html => {
                let screen = output.painted(size, Pages::SCROLLBACK, b"");
                let name = session.spec.label.as_deref().map(clean);
                Encoder::Html(Box::new(Pages::new(screen, &name.unwrap_or(command))))
            }
            ExportFormat::Asciicast => {
                let seconds = self.began.millis().div_euclid(1000);
                let header = Header::new(first_size.cols(), first_size.rows(), seconds, command);
                let header = header.titled(session.spec.label.as_deref().map(clean));
                Encoder::Cast(Cast::new(header, session.spec.mode == Mode::Pipe))
            }
        })
    }

    /// Reads the range and passes the encoded output to `write`.
    async fn run(
        mut self,
        mut encoder: Encoder,
        mut write: impl AsyncFnMut(Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut out = Vec::new();
        if self.alt && matches!(encoder, Encoder::Html(_) | Encoder::Cast(_)) {
            encoder.feed(0, ALT_SCREEN, &mut out);
        }
        while self.at < self.end {
            let (range, most) = (self.at..self.end, encoder.turn());
            let (start, bytes) = self.hub.read().sessions.read_log(self.id, range, most)?;
            if bytes.is_empty() {
                break;
            }
            self.at = start + bytes.len() as u64;
            for piece in self.pieces(start..self.at, encoder.is_timed()) {
                let at = since(self.began, piece.at);
                if let Some(number) = piece.run {
                    encoder.run(at, number, &mut out);
                }
                if let Some(size) = piece.size {
                    encoder.resize(at, size, &mut out);
                }
                let inside = |offset: u64| usize::try_from(offset - start).unwrap_or(bytes.len());
                let range = inside(piece.range.start)..inside(piece.range.end);
                encoder.feed(at, &bytes[range], &mut out);
            }
            write(mem::take(&mut out)).await?;
            tokio::task::yield_now().await;
        }
        if let Some(size) = self.last_size {
            encoder.resize(since(self.began, self.last), size, &mut out);
        }
        encoder.finish(&mut out);
        write(out).await
    }

    /// Divides a range where the time, the run, or the size changes.
    fn pieces(&mut self, range: Range<u64>, timed: bool) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut add = |mut range: Range<u64>, at: Timestamp| {
            while !range.is_empty() {
                let runs = self.runs.iter().map(|(_, offset)| *offset);
                let places = runs.chain(self.sizes.iter().map(|change| change.offset));
                let next = places.filter(|place| *place > range.start).min();
                let end = next.map_or(range.end, |place| place.min(range.end));
                let run = self.runs.iter().find(|(_, offset)| *offset == range.start);
                let size = self.sizes.iter().find(|size| size.offset == range.start);
                pieces.push(Piece {
                    range: range.start..end,
                    at,
                    run: run.map(|(number, _)| *number),
                    size: size.map(|change| change.size()),
                });
                range.start = end;
            }
        };
        let mut known = range.start;
        if timed {
            let state = self.hub.read();
            let runs = state
                .sessions
                .io(self.id)
                .map(|io| io.log.arrivals(range.start, range.end));
            for run in runs.unwrap_or_default() {
                add(run.start..run.end, run.at);
                known = run.end;
                self.last = run.at;
            }
        }
        // The newest bytes may not be in the index yet.
        add(known..range.end, self.last);
        pieces
    }
}

/// Milliseconds between two times; 0 if the clock was set back.
fn since(began: Timestamp, at: Timestamp) -> u64 {
    let passed = at.millis().saturating_sub(began.millis());
    u64::try_from(passed).unwrap_or_default()
}

/// The command of a session on one line.
fn command(session: &Session) -> String {
    let spec = &session.spec;
    let words = std::iter::once(&spec.command).chain(spec.args.iter().flatten());
    words.cloned().collect::<Vec<_>>().join(" ")
}
