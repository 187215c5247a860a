//! One connection to the daemon of a host, over a link: requests, replies and events.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::protocol::{
    Error, ErrorCode, Event, EventKind, Greeting, Hello, Scope, SessionId, Timestamp,
};

/// Longest line that is taken from a host, in bytes: the text of the longest `log` reply, escaped.
const LONGEST: usize = 32 << 20;

/// Events that wait for whoever takes them. With more, no more is read from the host.
const EVENTS: usize = 64;

/// Bytes that wait to be sent to a host. With more, further requests are refused.
const MAX_QUEUED: usize = 4 << 20;

/// A connection to the daemon of a host. It ends when it is closed, or the link does.
pub(crate) struct Channel {
    queue: RefCell<VecDeque<Vec<u8>>>,
    /// Bytes in `queue`.
    queued: Cell<usize>,
    filled: Notify,
    pending: RefCell<HashMap<u64, oneshot::Sender<Result<Value, Error>>>>,
    last: Cell<u64>,
    is_closed: Cell<bool>,
    /// Why the host's daemon refused the connection.
    refusal: RefCell<Option<Error>>,
}

/// The connection has ended before a request was answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lost {
    /// Whether the host may have got the request.
    pub(crate) was_sent: bool,
}

/// The fields of an object, as parameters of [`Channel::call`].
pub(crate) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

impl Channel {
    /// Begins a connection on `stream`. The events of the host arrive at the receiver, first `hello`.
    pub(crate) fn open(
        stream: StdStream,
        greeting: &Greeting,
    ) -> io::Result<(Rc<Self>, mpsc::Receiver<Event>)> {
        stream.set_nonblocking(true)?;
        let (from, to) = UnixStream::from_std(stream)?.into_split();
        let mut hello = serde_json::to_value(greeting)?;
        hello["action"] = json!("hello");
        let channel = Rc::new(Self {
            queue: RefCell::default(),
            queued: Cell::new(0),
            filled: Notify::new(),
            pending: RefCell::default(),
            last: Cell::new(0),
            is_closed: Cell::new(false),
            refusal: RefCell::default(),
        });
        channel.push(line(&hello));
        let (events, taken) = mpsc::channel(EVENTS);
        let driven = channel.clone();
        tokio::task::spawn_local(async move {
            tokio::select! {
                _ = driven.write(to) => {}
                _ = driven.read(from, events) => {}
            }
            driven.end();
        });
        Ok((channel, taken))
    }

    /// Sends a request at once. The future is its answer; if it is dropped before, the request is cancelled.
    pub(crate) fn call(
        self: &Rc<Self>,
        action: &str,
        params: Map<String, Value>,
    ) -> impl Future<Output = Result<Result<Value, Error>, Lost>> + use<> {
        let sent = self.send(action, params);
        async move {
            let (answer, _guard) = sent?;
            answer.await.map_err(|_| Lost { was_sent: true })
        }
    }

    fn send(
        self: &Rc<Self>,
        action: &str,
        mut params: Map<String, Value>,
    ) -> Result<(oneshot::Receiver<Result<Value, Error>>, Pending), Lost> {
        if self.is_closed.get() {
            return Err(Lost { was_sent: false });
        }
        let id = self.last.get() + 1;
        self.last.set(id);
        params.insert("id".to_owned(), json!(id));
        params.insert("action".to_owned(), json!(action));
        let (sender, receiver) = oneshot::channel();
        let line = line(&Value::Object(params));
        let queued = self.queued.get() + line.len();
        if queued > MAX_QUEUED {
            // Nobody waits yet if this fails.
            let _ = sender.send(Err(too_slow(queued)));
        } else {
            self.pending.borrow_mut().insert(id, sender);
            self.push(line);
        }
        let guard = Pending {
            channel: self.clone(),
            id,
        };
        Ok((receiver, guard))
    }

    /// Ends the connection.
    pub(crate) fn close(&self) {
        self.is_closed.set(true);
        self.filled.notify_one();
    }

    /// Whether it has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.get()
    }

    /// Why the host's daemon refused the connection.
    pub(crate) fn refusal(&self) -> Option<Error> {
        self.refusal.borrow().clone()
    }

    fn push(&self, line: Vec<u8>) {
        self.queued.set(self.queued.get() + line.len());
        self.queue.borrow_mut().push_back(line);
        self.filled.notify_one();
    }

    fn end(&self) {
        self.is_closed.set(true);
        // Each request sees that its sender is gone.
        self.pending.take();
        self.queue.take();
    }

    async fn write(&self, mut to: OwnedWriteHalf) -> io::Result<()> {
        loop {
            let line = self.queue.borrow_mut().pop_front();
            match line {
                Some(line) => {
                    to.write_all(&line).await?;
                    self.queued.set(self.queued.get() - line.len());
                }
                None if self.is_closed.get() => return Ok(()),
                None => self.filled.notified().await,
            }
        }
    }

    async fn read(&self, mut from: OwnedReadHalf, events: mpsc::Sender<Event>) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut searched = 0;
        loop {
            let Some(end) = memchr::memchr(b'\n', &bytes[searched..]) else {
                searched = bytes.len();
                if searched > LONGEST {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                bytes.reserve(16 * 1024);
                if from.read_buf(&mut bytes).await? == 0 {
                    return Ok(());
                }
                continue;
            };
            let end = searched + end;
            let said = serde_json::from_slice::<Said>(&bytes[..end]);
            bytes.drain(..=end);
            searched = 0;
            match said {
                Ok(said) => match said.event {
                    Some(kind) => {
                        let event = Event {
                            seq: said.seq,
                            at: said.at,
                            session_id: said.session_id,
                            scope: said.scope,
                            data: said.data,
                            ..Event::of(kind)
                        };
                        // If nobody takes events any more, replies still count.
                        let _ = events.send(event).await;
                    }
                    None => self.answer(said),
                },
                // An event of a kind that this version does not know.
                Err(error) => {
                    tracing::debug!(%error, "a host said what this version does not know");
                }
            }
        }
    }

    fn answer(&self, said: Said) {
        let answer = match (said.ok, said.error) {
            (true, _) => Ok(said.result),
            (false, Some(error)) => Err(error),
            (false, None) => Err(Error::internal("a host refused without a reason")),
        };
        match said.id.as_u64() {
            Some(id) => {
                let asked = self.pending.borrow_mut().remove(&id);
                // Fails if the request was cancelled.
                let _ = asked.map(|asked| asked.send(answer));
            }
            None => *self.refusal.borrow_mut() = answer.err(),
        }
    }
}

/// Cancels a request that nobody waits for any more.
struct Pending {
    channel: Rc<Channel>,
    id: u64,
}

impl Drop for Pending {
    fn drop(&mut self) {
        let was_pending = self.channel.pending.borrow_mut().remove(&self.id);
        if was_pending.is_some() && !self.channel.is_closed.get() {
            let cancel = json!({ "action": "cancel", "requestId": self.id });
            self.channel.push(line(&cancel));
        }
    }
}

/// A line of a daemon: an event or a reply. With the fields of both, serde reads it in one pass.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Said {
    event: Option<EventKind>,
    seq: Option<u64>,
    at: Option<Timestamp>,
    session_id: Option<SessionId>,
    scope: Option<Scope>,
    data: Value,
    id: Value,
    ok: bool,
    result: Value,
    error: Option<Error>,
}

/// The error for a request to a host that takes less than it is asked for.
fn too_slow(queued: usize) -> Error {
    let (limit, queued) = (MAX_QUEUED as u64, queued as u64);
    let message = "The host does not take its requests; nothing was sent to it";
    Error::limit(message, "hostQueueBytes", limit, queued).hint("try again later")
}

fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Waits for `hello`, the first event of a connection.
pub(crate) async fn greeted(
    channel: &Channel,
    events: &mut mpsc::Receiver<Event>,
) -> Result<Hello, Error> {
    let ended = || {
        let refusal = channel.refusal();
        refusal.unwrap_or_else(|| {
            Error::new(
                ErrorCode::HostUnreachable,
                "the daemon of the host has ended the connection",
            )
        })
    };
    let event = events.recv().await.ok_or_else(ended)?;
    let hello = (event.event == EventKind::Hello).then(|| serde_json::from_value(event.data).ok());
    hello
        .flatten()
        .ok_or_else(|| Error::internal("the daemon of the host did not begin with hello"))
}
