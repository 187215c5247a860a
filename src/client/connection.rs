//! One connection: requests out, replies and events in.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::protocol::reply::Reply;
use crate::protocol::{
    Action, Error, ErrorCode, Event, EventKind, Greeting, Hello, PROTOCOL, Request, RequestId,
    VERSION,
};

/// A line from the daemon.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// The answer to a request.
    Reply(Reply),
    /// Something happened.
    Event(Event),
}

/// Both directions of a connection, for one request at a time.
#[derive(Debug)]
pub struct Connection {
    hello: Hello,
    sender: Sender,
    receiver: Receiver,
}

/// The way out.
#[derive(Debug)]
pub struct Sender {
    stream: UnixStream,
    next_id: u64,
}

/// The way in.
#[derive(Debug)]
pub struct Receiver {
    reader: BufReader<UnixStream>,
    line: Vec<u8>,
    /// Events that came while a reply was waited for.
    early: VecDeque<Event>,
}

impl Connection {
    /// Introduces the client on `stream` and reads the daemon's `hello`.
    pub(super) fn open(stream: UnixStream, greeting: &Greeting) -> Result<Self, Error> {
        let other = stream.try_clone().map_err(lost)?;
        let mut sender = Sender { stream, next_id: 1 };
        let mut receiver = Receiver {
            reader: BufReader::with_capacity(64 * 1024, other),
            line: Vec::new(),
            early: VecDeque::new(),
        };
        let mut first = serde_json::to_value(greeting).map_err(internal)?;
        first["action"] = Value::from("hello");
        sender.send_line(&format!("{first}\n").into_bytes())?;
        let hello = match receiver.receive()? {
            Message::Event(event) if event.event == EventKind::Hello => {
                serde_json::from_value::<Hello>(event.data).map_err(internal)?
            }
            Message::Reply(Reply {
                error: Some(error), ..
            }) => return Err(error),
            other => return Err(Error::internal(format!("no greeting, but {other:?}"))),
        };
        if hello.protocol != PROTOCOL {
            let message = format!(
                "the daemon (bgproc {}) speaks protocol {}, this is bgproc {VERSION} with protocol {PROTOCOL}",
                hello.version, hello.protocol
            );
            return Err(Error::new(ErrorCode::IncompatibleVersion, message)
                .hint("run: bgproc daemon upgrade (jobs keep running)"));
        }
        Ok(Self {
            hello,
            sender,
            receiver,
        })
    }

    /// What the daemon said first.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Asks and waits for the answer.
    pub fn call(&mut self, action: Action) -> Result<Value, Error> {
        let id = self.sender.send(action)?;
        self.receiver.reply_to(&id)
    }

    /// Asks and waits for an answer of a known shape.
    pub fn call_as<T: DeserializeOwned>(&mut self, action: Action) -> Result<T, Error> {
        let value = self.call(action)?;
        serde_json::from_value(value).map_err(internal)
    }

    /// The next event, those that came during a call first.
    pub fn next_event(&mut self) -> Result<Event, Error> {
        self.receiver.next_event()
    }

    /// The two directions, for two threads.
    pub fn split(self) -> (Sender, Receiver) {
        (self.sender, self.receiver)
    }
}

impl Sender {
    /// Sends a request and returns the id that its reply will carry.
    pub fn send(&mut self, action: Action) -> Result<RequestId, Error> {
        let id = Value::from(self.next_id);
        self.next_id += 1;
        self.send_line(
            &Request {
                id: id.clone(),
                action,
            }
            .to_line(),
        )?;
        Ok(id)
    }

    /// Sends a line as it stands, newline included.
    pub fn send_line(&mut self, line: &[u8]) -> Result<(), Error> {
        self.stream.write_all(line).map_err(lost)
    }

    /// Says that no more requests follow; replies still come.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.stream
            .shutdown(std::net::Shutdown::Write)
            .map_err(lost)
    }
}

impl Receiver {
    /// The next message.
    pub fn receive(&mut self) -> Result<Message, Error> {
        if let Some(event) = self.early.pop_front() {
            return Ok(Message::Event(event));
        }
        self.read_message()
    }

    /// Waits for the reply to `id`; events that come first are kept.
    pub fn reply_to(&mut self, id: &RequestId) -> Result<Value, Error> {
        loop {
            match self.read_message()? {
                Message::Event(event) => self.early.push_back(event),
                Message::Reply(reply) if reply.id == *id => {
                    return match reply.error {
                        Some(error) => Err(error),
                        None => Ok(reply.result.unwrap_or_default()),
                    };
                }
                // The reply to a request that its sender has given up on.
                Message::Reply(_) => {}
            }
        }
    }

    /// The next event; replies are passed over.
    pub fn next_event(&mut self) -> Result<Event, Error> {
        loop {
            if let Message::Event(event) = self.receive()? {
                return Ok(event);
            }
        }
    }

    fn read_message(&mut self) -> Result<Message, Error> {
        self.line.clear();
        let read = self
            .reader
            .read_until(b'\n', &mut self.line)
            .map_err(lost)?;
        if read == 0 {
            return Err(gone());
        }
        let value: Value = serde_json::from_slice(&self.line).map_err(internal)?;
        if value.get("event").is_some() {
            serde_json::from_value(value)
                .map(Message::Event)
                .map_err(internal)
        } else {
            serde_json::from_value(value)
                .map(Message::Reply)
                .map_err(internal)
        }
    }
}

fn lost(error: std::io::Error) -> Error {
    Error::new(
        ErrorCode::DaemonUnavailable,
        format!("the connection to the daemon broke: {error}"),
    )
}

fn gone() -> Error {
    Error::new(
        ErrorCode::DaemonUnavailable,
        "the daemon closed the connection",
    )
    .hint("jobs go on; connect again")
}

fn internal(error: serde_json::Error) -> Error {
    Error::internal(format!(
        "the daemon said something this version cannot read: {error}"
    ))
}
