//! One connection: sends requests, receives replies and events.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::errors::{gone, internal, lost};
use super::receiver::{Message, Receiver, message};
use super::sender::Sender;
use super::silence::Silence;
use crate::link;
use crate::protocol::reply::Reply;
use crate::protocol::{
    Action, Error, ErrorCode, Event, EventKind, Greeting, Hello, PROTOCOL, RequestId, VERSION,
};

/// Whether to start a daemon if none is running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutoStart {
    /// Start a daemon. It has to speak this program's protocol.
    Yes,
    /// Start a daemon only if the last one crashed. A daemon that stops on purpose removes its
    /// socket, so a socket that still exists means a crash.
    AfterCrash,
}

/// A connection that is used for one request at a time.
#[derive(Debug)]
pub struct Connection {
    hello: Hello,
    first_line: Vec<u8>,
    sender: Sender,
    receiver: Receiver,
    /// The greeting and the start mode, so that the connection can be replaced by a new one.
    pub(super) origin: Option<(Greeting, AutoStart)>,
    /// See [`be_patient`](Self::be_patient).
    pub(super) tell: Option<fn(&Error)>,
}

/// A connection as raw bytes, for front ends that pass them on.
#[derive(Debug)]
pub struct Wire {
    /// The socket, blocking.
    pub stream: UnixStream,
    /// The `hello` of the daemon.
    pub hello: Hello,
    /// The daemon's first line, byte for byte, with its newline.
    pub first_line: Vec<u8>,
    /// Bytes that were read after that line.
    pub buffered: Vec<u8>,
}

/// Maximum number of requests of [`Connection::call_all`] in flight: half of what the daemon allows
/// for a connection.
pub const IN_FLIGHT: usize = 128;

impl Connection {
    /// Sends the greeting on `stream` and reads the daemon's `hello`. `first` is sent along with the greeting,
    /// which saves a round trip; its id is returned. While the daemon is silent, `why_silent` is called at
    /// intervals, and an error that it returns is the result.
    pub(super) fn open(
        stream: UnixStream,
        greeting: &Greeting,
        first: Option<&Action>,
        why_silent: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(Self, Option<RequestId>), Error> {
        let mut receiver = Receiver::new(stream.try_clone().map_err(lost)?);
        let mut sender = Sender::new(stream);
        let action = "hello";
        let mut lines = serde_json::to_vec(&Introduction { action, greeting }).map_err(internal)?;
        lines.push(b'\n');
        let asked = first.map(|action| {
            let (id, line) = sender.request(action.clone());
            lines.extend(line);
            id
        });
        let sent = sender.send_line(&lines);
        let said = receiver.first_line(why_silent);
        if said.is_err() {
            sent?;
        }
        let first_line = said?.to_vec();
        let hello = match serde_json::from_slice::<Greeted>(&first_line) {
            Ok(greeted) if greeted.event == EventKind::Hello => greeted.data,
            // A daemon that refuses the connection sends an error and closes it, perhaps before it has read the
            // greeting.
            _ => match message(&first_line)? {
                Some(Message::Reply(Reply {
                    error: Some(error), ..
                })) => return Err(error),
                other => {
                    return Err(Error::internal(format!(
                        "expected a greeting, got {other:?}"
                    )));
                }
            },
        };
        let connection = Self {
            hello,
            first_line,
            sender,
            receiver,
            origin: None,
            tell: None,
        };
        Ok((connection, asked))
    }

    /// Returns an error if the daemon speaks another version of the protocol.
    pub(super) fn check_protocol(&self) -> Result<(), Error> {
        let theirs = self.hello.protocol;
        let hint = match (theirs.cmp(&PROTOCOL), super::host::name()) {
            (Ordering::Equal, _) => return Ok(()),
            (Ordering::Less, None) => "run: bgproc daemon upgrade (jobs keep running)".to_owned(),
            (Ordering::Greater, None) => {
                "use the newer bgproc, or go back to this one: bgproc daemon upgrade (jobs keep running)".to_owned()
            }
            (order, Some(host)) => link::fault::other_protocol(host, order),
        };
        let place = super::host::name().map_or_else(String::new, |host| format!(" on host {host}"));
        let message = format!(
            "the daemon{place} (bgproc {}) speaks protocol {theirs}, this is bgproc {VERSION} with protocol {PROTOCOL}",
            self.hello.version
        );
        Err(Error::new(ErrorCode::IncompatibleVersion, message).hint(hint))
    }

    /// The `hello` of the daemon.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Sends a request and waits for an answer of a known type, on this connection only.
    pub(super) fn call_once<T: DeserializeOwned>(&mut self, action: Action) -> Result<T, Error> {
        let id = self.sender.send(action).map_err(unread)?;
        let answer = self.receiver.reply_to(&id);
        answer.map_err(|error| {
            if self.receiver.was_unread() {
                unread(error)
            } else {
                error
            }
        })
    }

    /// Waits for the answer to the request that was sent along with the greeting.
    pub(super) fn reply_to<T: DeserializeOwned>(&mut self, id: &RequestId) -> Result<T, Error> {
        self.receiver.reply_to(id)
    }

    /// Sends all requests and waits for all answers, in the order of `actions`.
    ///
    /// So the daemon handles them at the same time, and the grace periods of several kills overlap. Those beyond
    /// [`IN_FLIGHT`] are sent as earlier ones are answered. If the connection breaks, each missing answer is that
    /// error.
    pub fn call_all(&mut self, actions: Vec<Action>) -> Vec<Result<Value, Error>> {
        let answers = self.call_all_timed(actions).into_iter();
        answers.map(|(answer, _)| answer).collect()
    }

    /// [`call_all`](Self::call_all), with the moment at which each answer arrived.
    pub fn call_all_timed(&mut self, actions: Vec<Action>) -> Vec<(Result<Value, Error>, Instant)> {
        let mut answers: Vec<_> = actions.iter().map(|_| None).collect();
        let mut waiting = HashMap::new();
        let mut silence = Silence::default();
        let mut actions = actions.into_iter().enumerate();
        let mut broken = None;
        while broken.is_none() {
            let more = if waiting.len() < IN_FLIGHT {
                actions.next()
            } else {
                None
            };
            let exchanged = match more {
                Some((place, action)) => {
                    silence.asked(Instant::now());
                    let sent = self.sender.send(action);
                    sent.map(|id| {
                        waiting.insert(id.to_string(), place);
                    })
                }
                None if waiting.is_empty() => break,
                None => {
                    let reply = self.receiver.reply_to_any(&mut waiting, &mut silence);
                    reply.map(|(place, answer)| answers[place] = Some((answer, Instant::now())))
                }
            };
            broken = exchanged.err();
        }
        let missing = || Err(broken.clone().unwrap_or_else(gone));
        let answers = answers.into_iter();
        answers
            .map(|answer| answer.unwrap_or_else(|| (missing(), Instant::now())))
            .collect()
    }

    /// The next event; events that arrived during a call come first.
    pub fn next_event(&mut self) -> Result<Event, Error> {
        self.receiver.next_event()
    }

    /// The connection as raw bytes. No request may have been sent on it.
    pub fn into_wire(self) -> Wire {
        Wire {
            stream: self.sender.into_stream(),
            hello: self.hello,
            first_line: self.first_line,
            buffered: self.receiver.buffered().to_vec(),
        }
    }

    /// Splits the connection into its halves.
    pub fn split(self) -> (Sender, Receiver) {
        (self.sender, self.receiver)
    }
}

/// The error of a request that no daemon has read.
fn unread(error: Error) -> Error {
    error.add_data("mayHaveHappened", Value::Bool(false))
}

/// The first line of a client.
#[derive(Serialize)]
struct Introduction<'a> {
    action: &'static str,
    #[serde(flatten)]
    greeting: &'a Greeting,
}

/// The first line of a daemon.
#[derive(Deserialize)]
struct Greeted {
    event: EventKind,
    data: Hello,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::protocol::params::Stats;

    /// How long the fake daemon waits for a line.
    const DEADLINE: Duration = Duration::from_secs(20);

    /// A connection to a fake daemon: `answer` gets each line and returns what to write.
    fn connection(
        answer: impl Fn(usize, Value) -> Option<String> + Send + 'static,
    ) -> Result<Connection, Error> {
        let (ours, theirs) = UnixStream::pair().unwrap();
        // Then it hangs up.
        theirs.set_read_timeout(Some(DEADLINE)).unwrap();
        std::thread::spawn(move || {
            let mut out = theirs.try_clone().unwrap();
            for (place, line) in BufReader::new(theirs).lines().enumerate() {
                let line = serde_json::from_str(&line.unwrap()).unwrap();
                match answer(place, line) {
                    Some(text) => out.write_all(text.as_bytes()).unwrap(),
                    None => break,
                }
            }
        });
        Ok(Connection::open(ours, &Greeting::default(), None, &|| Ok(()))?.0)
    }

    #[test]
    fn the_first_request_is_sent_along_with_the_greeting() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let daemon = std::thread::spawn(move || {
            let mut out = theirs.try_clone().unwrap();
            let mut lines = BufReader::new(theirs).lines();
            // The daemon answers only after it has read both lines.
            let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            let second: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            let event = json!({"event": "started", "data": {}});
            let reply = json!({"id": second["id"], "ok": true, "result": [1, 2]});
            write!(out, "{}{event}\n{reply}\n", hello()).unwrap();
            (first["action"].clone(), second["action"].clone())
        });
        let asked = Action::Stats(Stats {});
        let (mut connection, id) =
            Connection::open(ours, &Greeting::default(), Some(&asked), &|| Ok(())).unwrap();
        let answer: Vec<u8> = connection.reply_to(&id.unwrap()).unwrap();
        assert_eq!(answer, [1, 2]);
        assert_eq!(connection.next_event().unwrap().event, EventKind::Started);
        assert_eq!(daemon.join().unwrap(), (json!("hello"), json!("stats")));
    }

    fn hello() -> String {
        let limits = json!({"maxSessions": 1, "maxSessionsTotal": 1, "maxFinished": 1,
            "maxLineBytes": 1, "maxInFlight": 1, "maxChars": 1, "logBytes": 1, "totalLogBytes": 1});
        let data = json!({"protocol": PROTOCOL, "version": "9.9.9", "scope": "s", "pid": 1,
            "limits": limits, "actions": [], "later": true});
        format!("{}\n", json!({"event": "hello", "data": data}))
    }

    #[test]
    fn matches_answers_to_requests_and_reports_a_broken_connection() {
        let mut connection = connection(|place, line| match place {
            0 => Some(hello()),
            1 => Some(String::new()),
            2 => Some(format!(
                "{}\n{{\"id\":1,\"ok\":true,\"result\":\"one\"}}\n",
                json!({"id": line["id"], "ok": true, "result": "two"})
            )),
            _ => None,
        })
        .unwrap();
        let answers = connection.call_all(vec![Action::Stats(Stats {}); 3]);
        assert_eq!(answers[0], Ok(json!("one")));
        assert_eq!(answers[1], Ok(json!("two")));
        let broken = answers[2].as_ref().unwrap_err();
        assert_eq!(broken.code, ErrorCode::DaemonUnavailable);
    }

    #[test]
    fn a_slow_answer_holds_up_no_later_request() {
        const LAST: usize = IN_FLIGHT + 1;
        let reply = |id: usize| format!("{}\n", json!({"id": id, "ok": true, "result": id}));
        let mut connection = connection(move |place, _| match place {
            0 => Some(hello()),
            // Only the last one of those that may be in flight is answered.
            IN_FLIGHT => Some(reply(IN_FLIGHT)),
            LAST => Some(
                (1..=LAST)
                    .filter(|id| *id != IN_FLIGHT)
                    .map(reply)
                    .collect(),
            ),
            _ => Some(String::new()),
        })
        .unwrap();
        let answers = connection.call_all(vec![Action::Stats(Stats {}); LAST]);
        let ids = answers.into_iter().map(|answer| answer.unwrap().as_u64());
        assert!(ids.eq((1..=LAST as u64).map(Some)));
    }

    #[test]
    fn the_wire_keeps_the_first_line_and_the_bytes_after_it() {
        let connection = connection(|_, _| Some(format!("{}more", hello()))).unwrap();
        let wire = connection.into_wire();
        assert_eq!(String::from_utf8(wire.first_line).unwrap(), hello());
        assert_eq!(wire.buffered, b"more");
        assert_eq!(wire.hello.scope.as_str(), "s");
    }

    #[test]
    fn refuses_another_protocol_with_advice() {
        for (theirs, advice) in [(0, "bgproc daemon upgrade"), (2, "use the newer bgproc")] {
            let other = format!("\"protocol\":{theirs}");
            let other = hello().replace("\"protocol\":1", &other);
            let connection = connection(move |_, _| Some(other.clone())).unwrap();
            let error = connection.check_protocol().unwrap_err();
            assert_eq!(error.code, ErrorCode::IncompatibleVersion);
            assert!(error.hint.unwrap().contains(advice));
        }
    }
}
