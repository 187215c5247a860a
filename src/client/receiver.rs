//! The receiving half of a connection.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::connect::why_silent;
use super::errors::{gone, internal, lost};
use super::silence::Silence;
use crate::protocol::reply::Reply;
use crate::protocol::{Error, Event, EventKind, RequestId};

/// Longest wait for `hello`. A daemon that is being started restores its sessions first.
pub(super) const HANDSHAKE: Duration = Duration::from_secs(30);

/// While there is no `hello`, the cause is looked for at this interval.
const SILENCE: Duration = Duration::from_millis(200);

/// Maximum number of bytes per read.
const READ_BYTES: usize = 64 * 1024;

/// A line from the daemon.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// The reply to a request.
    Reply(Reply),
    /// An event.
    Event(Event),
}

/// The receiving half.
#[derive(Debug)]
pub struct Receiver {
    reader: BufReader<UnixStream>,
    line: Vec<u8>,
    /// The beginning of a line that [`receive_ready`](Self::receive_ready) has read.
    partial: Vec<u8>,
    /// Events that arrived during the wait for a reply.
    early: VecDeque<Event>,
    /// See [`was_unread`](Self::was_unread).
    was_reset: bool,
}

impl Receiver {
    /// Receives from a stream that blocks.
    pub(super) fn new(stream: UnixStream) -> Self {
        Self {
            reader: BufReader::with_capacity(READ_BYTES, stream),
            line: Vec::new(),
            partial: Vec::new(),
            early: VecDeque::new(),
            was_reset: false,
        }
    }

    /// Whether the connection ended before the daemon had read everything that was sent, so that it has not handled
    /// the last line.
    pub(super) fn was_unread(&self) -> bool {
        self.was_reset
    }

    /// Reads the daemon's first line, with its newline. While the daemon is silent, `why_silent` is called at
    /// intervals, and an error that it returns is the result.
    pub(super) fn first_line(
        &mut self,
        why_silent: &dyn Fn() -> Result<(), Error>,
    ) -> Result<&[u8], Error> {
        let patience = Instant::now() + HANDSHAKE;
        self.read_watched(|is_silent| {
            if is_silent {
                why_silent()?;
                if Instant::now() >= patience {
                    return Err(lost(ErrorKind::WouldBlock.into()));
                }
            }
            Ok(SILENCE)
        })?;
        Ok(&self.line)
    }

    /// Bytes that were read after the last line.
    pub(super) fn buffered(&self) -> &[u8] {
        self.reader.buffer()
    }

    /// Whether there are messages without a read from the socket.
    pub fn has_read(&self) -> bool {
        !self.early.is_empty() || !self.reader.buffer().is_empty()
    }

    /// The messages that are complete after one read, which is left out if [`has_read`](Self::has_read). Does not wait
    /// if poll(2) has said that the socket can be read. An unreadable line is skipped: it costs only one reply.
    ///
    /// # Errors
    /// If the connection broke.
    pub fn receive_ready(&mut self) -> Result<Vec<Message>, Error> {
        if !self.has_read() && self.reader.fill_buf().map_err(lost)?.is_empty() {
            return Err(gone());
        }
        let mut messages: Vec<_> = self.early.drain(..).map(Message::Event).collect();
        while !self.reader.buffer().is_empty() {
            let bytes = self.reader.buffer();
            let end = memchr::memchr(b'\n', bytes);
            let taken = end.map_or(bytes.len(), |end| end + 1);
            self.partial.extend_from_slice(&bytes[..taken]);
            self.reader.consume(taken);
            if end.is_some() {
                messages.extend(message(&self.partial).ok().flatten());
                self.partial.clear();
            }
        }
        Ok(messages)
    }

    /// Waits for the reply to `id`. Events that arrive first are kept.
    ///
    /// # Errors
    /// That of the daemon, or why it is silent: it or the keeper is stopped, for example.
    pub fn reply_to<T: DeserializeOwned>(&mut self, id: &RequestId) -> Result<T, Error> {
        let mut silence = Silence::default();
        silence.asked(Instant::now());
        loop {
            self.read_answer(&mut silence)?;
            match serde_json::from_slice(&self.line).map_err(internal)? {
                Envelope {
                    event: Some(kind), ..
                } => self.early.extend(event(&self.line, kind)?),
                Envelope {
                    id: theirs,
                    result,
                    error,
                    ..
                } if theirs == *id => {
                    return match error {
                        Some(error) => Err(error),
                        None => serde_json::from_str(result.map_or("null", RawValue::get))
                            .map_err(internal),
                    };
                }
                // The reply to a request whose caller no longer waits.
                _ => {}
            }
        }
    }

    /// Waits for the reply to one of the requests in `waiting`, which has a place for each id. Returns the place with
    /// the answer, and forgets the id. Events that arrive first are kept.
    ///
    /// # Errors
    /// If no more replies arrive.
    pub(super) fn reply_to_any(
        &mut self,
        waiting: &mut HashMap<String, usize>,
        silence: &mut Silence,
    ) -> Result<(usize, Result<Value, Error>), Error> {
        loop {
            self.read_answer(silence)?;
            match message(&self.line)? {
                Some(Message::Event(event)) => self.early.push_back(event),
                Some(Message::Reply(reply)) => {
                    if let Some(place) = waiting.remove(&reply.id.to_string()) {
                        return Ok((place, outcome(reply)));
                    }
                }
                None => {}
            }
        }
    }

    /// The next event; replies are skipped.
    pub fn next_event(&mut self) -> Result<Event, Error> {
        loop {
            if let Some(event) = self.early.pop_front() {
                return Ok(event);
            }
            self.read_line()?;
            if let Some(Message::Event(event)) = message(&self.line)? {
                return Ok(event);
            }
        }
    }

    fn read_line(&mut self) -> Result<(), Error> {
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line);
        read.map_err(lost)?;
        self.whole_line()
    }

    /// Reads a line while a reply is waited for. While the daemon is silent, the reason is looked for now and then.
    fn read_answer(&mut self, silence: &mut Silence) -> Result<(), Error> {
        let read = self.read_watched(|is_silent| {
            if is_silent {
                why_silent()?;
                silence.looked(Instant::now());
            }
            Ok(silence.left(Instant::now()).unwrap_or(HANDSHAKE))
        });
        silence.heard(true, Instant::now());
        read
    }

    /// Reads a line. `pause` returns how long the daemon may be silent before it is asked again, which is then told
    /// that the daemon was; an error that it returns is the result.
    fn read_watched(
        &mut self,
        mut pause: impl FnMut(bool) -> Result<Duration, Error>,
    ) -> Result<(), Error> {
        self.line.clear();
        let mut is_silent = false;
        let read = loop {
            let left = match pause(is_silent) {
                // Zero would mean no timeout.
                Ok(left) => left.max(Duration::from_millis(1)),
                Err(why) => break Err(why),
            };
            let stream = self.reader.get_ref();
            stream.set_read_timeout(Some(left)).map_err(lost)?;
            // A timeout leaves the bytes read so far in the line.
            match self.reader.read_until(b'\n', &mut self.line) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => is_silent = true,
                Ok(_) => break self.whole_line(),
                Err(error) => {
                    // What unix(7) reports if the other side closes with unread data.
                    self.was_reset = error.kind() == ErrorKind::ConnectionReset;
                    break Err(lost(error));
                }
            }
        };
        self.reader.get_ref().set_read_timeout(None).map_err(lost)?;
        read
    }

    /// Returns an error if the connection ended before or within the line: the daemon may die while it answers.
    fn whole_line(&self) -> Result<(), Error> {
        if self.line.ends_with(b"\n") {
            Ok(())
        } else {
            Err(gone())
        }
    }
}

/// Parses a line of the daemon. `None`: an event of a kind that only a later version knows. It is left out, as it would
/// be from a daemon of this version.
pub(super) fn message(line: &[u8]) -> Result<Option<Message>, Error> {
    let envelope: Envelope<'_> = serde_json::from_slice(line).map_err(internal)?;
    match envelope.event {
        Some(kind) => Ok(event(line, kind)?.map(Message::Event)),
        None => serde_json::from_slice(line)
            .map(|reply| Some(Message::Reply(reply)))
            .map_err(internal),
    }
}

/// The event of this kind in a line; `None` if the kind is not known.
fn event(line: &[u8], kind: &RawValue) -> Result<Option<Event>, Error> {
    match serde_json::from_slice(line) {
        Ok(event) => Ok(Some(event)),
        Err(_) if serde_json::from_str::<EventKind>(kind.get()).is_err() => Ok(None),
        Err(error) => Err(internal(error)),
    }
}

/// The parts of a line that tell what it is. The content stays unparsed until its type is known.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    event: Option<&'a RawValue>,
    #[serde(default)]
    id: RequestId,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Error>,
}

fn outcome(reply: Reply) -> Result<Value, Error> {
    match reply.error {
        Some(error) => Err(error),
        None => Ok(reply.result.unwrap_or_default()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use serde_json::json;

    use super::*;

    #[test]
    fn one_read_gives_the_messages_that_are_complete_with_it() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut receiver = Receiver::new(ours);
        let line = |kind: &str| format!("{}\n", json!({"event": kind, "data": {}}));
        let kinds = |messages: Vec<Message>| -> Vec<_> {
            let kind = |message| match message {
                Message::Event(event) => Some(event.event),
                Message::Reply(_) => None,
            };
            messages.into_iter().map(kind).collect()
        };
        let later = line("of_a_later_version");
        let lines = format!("{}no json\n{later}{}", line("started"), line("exited"));
        let (first, rest) = lines.split_at(lines.len() - 4);
        theirs.write_all(first.as_bytes()).unwrap();
        assert_eq!(
            kinds(receiver.receive_ready().unwrap()),
            [Some(EventKind::Started)]
        );
        theirs.write_all(rest.as_bytes()).unwrap();
        assert_eq!(
            kinds(receiver.receive_ready().unwrap()),
            [Some(EventKind::Exited)]
        );
        drop(theirs);
        assert!(receiver.receive_ready().is_err());
    }

    #[test]
    fn events_of_later_versions_are_left_out() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut receiver = Receiver::new(ours);
        let later = "{\"event\":\"of_a_later_version\",\"data\":{}}\n";
        let reply = "{\"id\":1,\"ok\":true,\"result\":7}\n";
        let known = "{\"event\":\"started\",\"data\":{}}\n";
        let lines = [later, reply, later, known].concat();
        theirs.write_all(lines.as_bytes()).unwrap();
        assert_eq!(receiver.reply_to::<u32>(&json!(1)).unwrap(), 7);
        assert_eq!(receiver.next_event().unwrap().event, EventKind::Started);
    }

    #[test]
    fn a_connection_that_ends_within_a_line_has_broken() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut receiver = Receiver::new(ours);
        theirs.write_all(b"{\"id\":1,\"ok\":true,\"resu").unwrap();
        drop(theirs);
        let answer = receiver.reply_to::<Value>(&json!(1));
        let error = answer.unwrap_err();
        assert_eq!(error.code, crate::protocol::ErrorCode::DaemonUnavailable);
        assert!(!receiver.was_unread());
    }

    #[test]
    fn a_daemon_that_dies_before_it_has_read_everything_is_noticed() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let mut receiver = Receiver::new(ours.try_clone().unwrap());
        ours.write_all(b"{\"action\":\"write\"}\n").unwrap();
        drop(theirs);
        receiver.reply_to::<Value>(&json!(1)).unwrap_err();
        assert!(receiver.was_unread());
    }
}
